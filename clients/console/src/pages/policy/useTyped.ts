/** A text field whose value goes to the page's address a moment after the last key, so that no key is lost. */
import { useEffect, useState } from "react";

const PAUSE_MS = 400;

export function useTyped(value: string, commit: (value: string) => void): [string, (value: string) => void] {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => commit(typed), PAUSE_MS);
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only the text counts
  }, [typed]);
  return [typed, setTyped];
}

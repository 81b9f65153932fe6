/** Instants: in the viewer's zone, UTC on hover; ages by the server's clock. */
import { useEffect, useState } from "react";
import { now } from "../api/connection";
import { distance, localTime, utcTime } from "../format/times";

const titleOf = (at: string) => `${localTime(at)} here, ${utcTime(at)}`;

export function Time({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={at} title={titleOf(at)}>
      {localTime(at)}
    </time>
  );
}

/** Show how long ago, or in how long, an instant is. */
export function Ago({ at }: { at: string | null | undefined }) {
  const tick = useNow();
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={at} title={titleOf(at)}>
      {distance(at, Math.max(tick, now()))}
    </time>
  );
}

/** Return the server's time in ms, renewed every `everyMs`. */
export function useNow(everyMs = 5_000): number {
  const [value, setValue] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setValue(now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return value;
}

/** Print in the light scheme: light text on paper cannot be read. */
import { useEffect } from "react";

const ATTRIBUTE = "data-mantine-color-scheme";

export function usePrintedInLight(): void {
  useEffect(() => {
    const root = document.documentElement;
    let before: string | null = null;
    const begin = () => {
      before = root.getAttribute(ATTRIBUTE);
      root.setAttribute(ATTRIBUTE, "light");
    };
    const end = () => {
      if (before !== null) root.setAttribute(ATTRIBUTE, before);
    };
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
}

/** Keys of the whole console: `/` search, `g` and a letter for a page, `?` help. Not while text is typed. */
import { spotlight } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { PLACES } from "./places";

const SEQUENCE_MS = 1_500;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function useShortcuts(openHelp: () => void): void {
  const navigate = useNavigate();
  const goAt = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const place = PLACES.find(({ key }) => key === event.key);
      if (performance.now() - goAt.current < SEQUENCE_MS && place !== undefined) {
        goAt.current = 0;
        event.preventDefault();
        void navigate({ to: place.to });
      } else if (event.key === "g") {
        goAt.current = performance.now();
      } else if (event.key === "/") {
        event.preventDefault();
        spotlight.open();
      } else if (event.key === "?") {
        openHelp();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, openHelp]);
}

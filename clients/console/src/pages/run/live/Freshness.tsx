/** Say whether the page follows the run, and since when it does not. */
import { Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { localTime } from "../../../format/times";
import type { LiveView } from "./runLive";

const TOLERATED_MS = 2_000; // a stream that is resumed at once needs no word

const QUIET: Readonly<Record<LiveView["following"], string>> = {
  connecting: "Connecting to live updates.",
  stream: "Live.",
  polling: "Live updates come once a second: event streams do not get through, or too many are open.",
  interrupted: "Live.",
  ended: "The run has ended; this page is complete.",
  refused: "The server refuses live updates of this run.",
};

export function Freshness({ following, interruptedAt }: Pick<LiveView, "following" | "interruptedAt">) {
  const isLate = useIsLate(interruptedAt);
  return (
    <div role="status" aria-live="polite" className="freshness no-print">
      {isLate && interruptedAt !== null ? (
        <Text size="sm" className="freshness-late">
          <strong>Live updates interrupted since {localTime(interruptedAt)}; retrying.</strong> The run goes on; what was missed
          comes when the connection is back.
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          {QUIET[following]}
        </Text>
      )}
    </div>
  );
}

function useIsLate(since: number | null): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    setIsLate(false);
    if (since === null) return;
    const timer = setTimeout(() => setIsLate(true), Math.max(0, since + TOLERATED_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [since]);
  return isLate;
}

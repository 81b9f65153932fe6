/** Follow a run while a page shows it. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type LiveView, RunLive } from "./runLive";

export function useRunLive(runId: string): LiveView {
  const live = useMemo(() => new RunLive(runId), [runId]);
  useEffect(() => {
    const closing = new AbortController();
    void live.run(closing.signal);
    return () => closing.abort();
  }, [live]);
  return useSyncExternalStore(live.subscribe, live.get);
}

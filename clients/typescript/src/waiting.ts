/** Waiting for a run to end, with progress on the way. */
import type { Packhouse } from "./client.js";
import { WaitTimeoutError } from "./errors.js";
import type { components } from "./generated/schema.js";
import type { FollowOptions, Progress, RunEvent } from "./streaming.js";

export type RunDetail = components["schemas"]["RunDetail"];

export interface WaitOptions extends FollowOptions {
  /** Throw `WaitTimeoutError` after so long; the run goes on. Left out: wait as long as it takes. */
  readonly timeoutMs?: number;
  /** Told how far the run is, whenever that changes. */
  readonly onProgress?: (progress: Progress) => void;
  /** Told each entry of the run's log once. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** Follow a run to its end and return it; a run that was refused, failed or was cancelled is returned too, not thrown. */
export async function waitForRun(client: Packhouse, runId: string, options: WaitOptions): Promise<RunDetail> {
  const { timeoutMs, onProgress, onEvent, signal, ...follow } = options;
  const patience = new AbortController();
  const stop = () => patience.abort(signal?.reason);
  const tooLong = () => patience.abort(new WaitTimeoutError(`${runId} did not end within ${timeoutMs} ms; it goes on`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(tooLong, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    for await (const heard of client.follow(runId, { ...follow, signal: patience.signal })) {
      if (heard.kind === "progress") onProgress?.(heard.progress);
      else onEvent?.(heard.event);
    }
    return await client.get("/v1/runs/{run_id}", { params: { path: { run_id: runId } } });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

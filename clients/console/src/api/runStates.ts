/** The states of runs, in the order of their life: the only list of them in the console. */
import type { Schemas } from "./client";

export type RunState = Schemas["RunState"];

const LIVE = ["queued", "planning", "rewriting", "committing"] as const;
const ENDED = ["succeeded", "skipped", "refused", "failed", "cancelled"] as const;

export const RUN_STATES: readonly RunState[] = [...LIVE, ...ENDED];
export const TERMINAL: ReadonlySet<RunState> = new Set(ENDED);

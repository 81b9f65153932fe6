/**
 * SDK of Packhouse, the compaction control plane for a lakehouse.
 *
 *     const packhouse = createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "pkh_…" });
 *     const accepted = await packhouse.submitRun({ table_id: "tbl_…", operation: "rewrite" });
 *     const ended = await packhouse.waitForRun(accepted.id);
 *
 * Types come from `openapi.yaml` (`src/generated`); everything else is written by hand.
 */
import { type ClientOptions, Packhouse } from "./client.js";

/** Return a client of one server; it opens nothing until it is used. */
export function createClient(options: ClientOptions): Packhouse {
  return new Packhouse(options);
}

export type { Call, ClientOptions, HttpClient, ListPath, Packhouse, RunAccepted, RunWish } from "./client.js";
export * from "./errors.js";
export type { components, operations, paths } from "./generated/schema.js";
export type { Listing, Page } from "./paging.js";
export type { Fetch, RetryOptions } from "./retries.js";
export type { FollowOptions, Progress, RunEvent, RunSignal } from "./streaming.js";
export type { RunDetail, WaitOptions } from "./waiting.js";

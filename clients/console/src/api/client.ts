/** The one client of the public API, with the credential of this tab. */
import { createClient } from "@packhouse/client";
import type { components } from "@packhouse/client";
import { watchedFetch } from "./connection";
import { sessions } from "./session";

export type Schemas = components["schemas"];

export const packhouse = createClient({
  baseUrl: globalThis.location?.origin ?? "http://127.0.0.1",
  apiKey: () => sessions.get().session?.token ?? "",
  fetch: watchedFetch,
  retries: { attempts: 2, longestDelayMs: 5_000 },
  timeoutMs: 60_000,
});

/** Queries of the fleet page. */
import { queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { now } from "../../api/connection";
import { REFRESH } from "../../api/queries";
import { type SpanDays, SPANS } from "./rates/history";
import { type RateSample, withSample } from "./rates/rateHistory";

export const RATES_EVERY_MS = 3_000;
/** The most held tables that are counted by hold. */
export const MOST_HELD = 1_000;
const HELD_PAGE = 500;
const DAY_MS = 86_400_000;

export interface FleetNow {
  readonly fleet: Schemas["Fleet"];
  readonly samples: readonly RateSample[];
}

/** The fleet's figures, with the rates of the last ten minutes that this page has seen. */
export const fleetQuery = queryOptions({
  queryKey: ["fleet", "now"],
  queryFn: async ({ client, signal }): Promise<FleetNow> => {
    const fleet = await packhouse.get("/v1/fleet", { signal });
    const before = client.getQueryData<FleetNow>(["fleet", "now"])?.samples ?? [];
    return { fleet, samples: withSample(before, { at: now(), rates: fleet.rates }) };
  },
  refetchInterval: RATES_EVERY_MS,
  gcTime: 15 * 60_000,
});

export const limitsQuery = queryOptions({
  queryKey: ["limits"],
  queryFn: ({ signal }) => packhouse.get("/v1/limits", { signal }),
  staleTime: 0,
  gcTime: 0, // a form must not begin with an old version
});

export const worthQuery = queryOptions({
  queryKey: ["fleet", "worth"],
  queryFn: ({ signal }) =>
    packhouse.get("/v1/fleet/tables", { params: { query: { sort: "-avoidable_file_count", page_size: 15 } }, signal }),
  refetchInterval: REFRESH.list,
});

export const liveRunsQuery = queryOptions({
  queryKey: ["runs", "live"],
  queryFn: ({ signal }) =>
    packhouse.get("/v1/runs", {
      params: { query: { state: ["queued", "planning", "rewriting", "committing"], page_size: 50 } },
      signal,
    }),
  refetchInterval: REFRESH.live,
});

/** The tables that are due and held back, at most `MOST_HELD`; `isCut` when there are more. */
export const heldQuery = queryOptions({
  queryKey: ["fleet", "held"],
  queryFn: async ({ signal }) => {
    const tables: Schemas["FleetTable"][] = [];
    let token: string | null | undefined;
    do {
      const page = await packhouse.get("/v1/fleet/tables", {
        params: { query: { verdict: ["held"], sort: "hold", page_size: HELD_PAGE, ...(token ? { page_token: token } : {}) } },
        signal,
      });
      tables.push(...page.items);
      token = page.next_page_token;
    } while (token && tables.length < MOST_HELD);
    return { tables, isCut: token !== null && token !== undefined };
  },
  refetchInterval: REFRESH.list,
});

/** The fleet by hour or day, over so many days. */
export const historyQuery = (days: SpanDays) =>
  queryOptions({
    queryKey: ["fleet", "history", days],
    queryFn: ({ signal }) => {
      const query = { step: SPANS[days].step, since: new Date(now() - Number(days) * DAY_MS).toISOString() };
      return packhouse.get("/v1/fleet/history", { params: { query }, signal });
    },
    refetchInterval: REFRESH.slow,
  });

/** Quiet hours and blackouts of the next 24 hours. */
export const windowsQuery = queryOptions({
  queryKey: ["fleet", "windows"],
  queryFn: ({ signal }) => packhouse.get("/v1/fleet/windows", { params: { query: { hours: 24 } }, signal }),
  refetchInterval: REFRESH.slow,
});

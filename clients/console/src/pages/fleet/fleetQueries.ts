/** Queries of the fleet page. */
import { NotFoundError } from "@packhouse/client";
import { queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { now } from "../../api/connection";
import { REFRESH } from "../../api/queries";
import { type HistoryBucket, historyOf } from "./history";
import { type RateSample, withSample } from "./rateHistory";
import { type FleetWindow, windowsOf } from "./windows";

export const RATES_EVERY_MS = 3_000;
/** The most held tables that are counted by hold. */
export const MOST_HELD = 1_000;
const HELD_PAGE = 500;
const HOUR_MS = 3_600_000;

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
});

export const worthQuery = queryOptions({
  queryKey: ["fleet", "worth"],
  queryFn: ({ signal }) =>
    packhouse.get("/v1/fleet/tables", { params: { query: { sort: "-benefit_per_cost", page_size: 15 } }, signal }),
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

/** Answer of a part of the API that older servers lack: null then. */
async function unlessMissing<T>(answer: Promise<unknown>, read: (body: unknown) => T): Promise<T | null> {
  try {
    return read(await answer);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Small files made and removed, by hour, over so many hours; null: the server does not keep them. */
export const historyQuery = (hours: number) =>
  queryOptions({
    queryKey: ["fleet", "history", hours],
    queryFn: ({ signal }): Promise<readonly HistoryBucket[] | null> => {
      const since = new Date(Math.floor(now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString();
      const query = { since, step: "1h" };
      return unlessMissing(packhouse.get("/v1/fleet/history" as never, { params: { query }, signal } as never), historyOf);
    },
    refetchInterval: REFRESH.slow,
  });

/** Quiet hours and blackouts of the next 24 hours; null: the server does not list them. */
export const windowsQuery = queryOptions({
  queryKey: ["fleet", "windows"],
  queryFn: ({ signal }): Promise<readonly FleetWindow[] | null> =>
    unlessMissing(packhouse.get("/v1/fleet/windows" as never, { params: { query: { hours: 24 } }, signal } as never), windowsOf),
  refetchInterval: REFRESH.slow,
});

/** The first catalogs by name: to know whether there is one, and to choose from. */
export const catalogNamesQuery = queryOptions({
  queryKey: ["catalogs", "names"],
  queryFn: ({ signal }) => packhouse.get("/v1/catalogs", { params: { query: { page_size: 500 } }, signal }),
});

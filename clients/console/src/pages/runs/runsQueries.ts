/** Questions of the runs page to the API. Shapes that the types do not have yet are in this file only. */
import { NotFoundError } from "@packhouse/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";
import { type Filters, queryOf } from "./filters";
import type { RunSummary, Span } from "./gantt";

const PAGE = 100;
const TIMELINE_PAGE = 500;
/** Runs that the timeline fetches at most. */
export const MOST_RUNS = 3_000;
const AT_WORK: Schemas["RunState"][] = ["planning", "rewriting", "committing"];
export const MOST_ACTIVE = 20;

export const runsPage = (filters: Filters) => (token: string | undefined, signal: AbortSignal) =>
  packhouse.get("/v1/runs", {
    params: { query: { ...queryOf(filters), page_size: PAGE, ...(token === undefined ? {} : { page_token: token }) } },
    signal,
  });

/** The newest run that fits, to notice runs that are newer than those shown. */
export const newestQuery = (filters: Filters, isNeeded: boolean) =>
  queryOptions({
    queryKey: ["runs", "newest", filters],
    queryFn: async ({ signal }) => {
      const page = await packhouse.get("/v1/runs", { params: { query: { ...queryOf(filters), page_size: 1 } }, signal });
      return page.items[0]?.id ?? null;
    },
    refetchInterval: REFRESH.list,
    enabled: isNeeded,
  });

/** Runs at work now, of the filtered catalog, team and table. */
export const activeQuery = ({ catalog, team, table, operation }: Filters) =>
  queryOptions({
    queryKey: ["runs", "active", catalog, team, table, operation],
    queryFn: ({ signal }) => {
      const query = queryOf({ catalog, team, table, operation, state: AT_WORK, since: "", until: "" });
      return packhouse.get("/v1/runs", { params: { query: { ...query, page_size: MOST_ACTIVE } }, signal });
    },
    refetchInterval: REFRESH.live,
    placeholderData: keepPreviousData,
  });

/** Runs that may be in a span: those submitted in it or a time before it, and all that are live. */
export const timelineQuery = (filters: Filters, spanKey: string, span: () => Span) =>
  queryOptions({
    queryKey: ["runs", "timeline", filters, spanKey],
    queryFn: async ({ signal }) => {
      const { from, to } = span();
      const before = from - Math.max(86_400_000, to - from);
      const times = { since: new Date(before).toISOString(), until: new Date(to).toISOString() };
      const query = { ...queryOf({ ...filters, ...times }), page_size: TIMELINE_PAGE };
      const runs = (await packhouse.list("/v1/runs", { params: { query }, signal }).take(MOST_RUNS)) as RunSummary[];
      return { runs, isCut: runs.length >= MOST_RUNS };
    },
    refetchInterval: REFRESH.list,
    placeholderData: keepPreviousData,
  });

/** A window in which no run of a table starts. */
export interface TableWindow extends Span {
  /** The quiet hours in words, or the reason of the blackout. */
  readonly reason: string;
  /** True for the past, where it is derived from the present policy. */
  readonly isDerived: boolean;
}

interface WindowItem {
  readonly kind: "quiet_hours" | "blackout";
  readonly starts_at: string;
  readonly ends_at: string;
  readonly reason: string;
}

const WEEK_HOURS = 168;
const WEEK_MS = WEEK_HOURS * 3_600_000;

/** Windows of a table from a week ago to a week ahead; empty where the server has no such list. */
export const windowsQuery = (tableId: string) =>
  queryOptions({
    queryKey: ["table", tableId, "windows", WEEK_HOURS],
    queryFn: async ({ signal }): Promise<readonly TableWindow[]> => {
      try {
        const init = { params: { path: { table_id: tableId }, query: { hours: WEEK_HOURS } }, signal };
        const answer = await packhouse.get("/v1/tables/{table_id}/windows" as never, init as never);
        return windowsOf((answer as { items: WindowItem[] }).items);
      } catch (error) {
        if (error instanceof NotFoundError) return [];
        throw error;
      }
    },
    staleTime: REFRESH.slow,
  });

/**
 * Return windows with their instants.
 *
 * The API lists those to come. Quiet hours repeat each week, so those of the week before are derived from them; an hour
 * off in the week of a change of local time, and of the present policy, not of the one that held then.
 */
export function windowsOf(items: readonly WindowItem[]): readonly TableWindow[] {
  return items.flatMap(({ kind, starts_at, ends_at, reason }) => {
    const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)];
    const coming = { from, to, reason, isDerived: false };
    return kind === "blackout" ? [coming] : [{ from: from - WEEK_MS, to: to - WEEK_MS, reason, isDerived: true }, coming];
  });
}

/** Tables whose address contains a text; the first ones where the server does not search. */
export const searchTablesQuery = (text: string) =>
  queryOptions({
    queryKey: ["tables", "search", text],
    queryFn: async ({ signal }) => {
      const find = (query: object) => packhouse.get("/v1/tables", { params: { query: query as never }, signal });
      try {
        return (await find({ page_size: 20, ...(text === "" ? {} : { search: text }) })).items;
      } catch (error) {
        if (!(error instanceof Error) || !("status" in error) || error.status !== 422) throw error;
        return (await find({ page_size: 500 })).items;
      }
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const catalogNamesQuery = queryOptions({
  queryKey: ["catalogs", "names"],
  queryFn: async ({ signal }) => {
    const all = packhouse.list("/v1/catalogs", { params: { query: { page_size: 200 } }, signal });
    return (await all.take(1_000)).map(({ name }) => name);
  },
  staleTime: 60_000,
});

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

export interface TableWindow extends Span {
  readonly kind: string;
}

/** Windows of a table in which no run starts; empty where the server has no such list. */
export const windowsQuery = (tableId: string, hours: number) =>
  queryOptions({
    queryKey: ["table", tableId, "windows", hours],
    queryFn: async ({ signal }): Promise<readonly TableWindow[]> => {
      try {
        const init = { params: { path: { table_id: tableId }, query: { hours } }, signal };
        return windowsOf(await packhouse.get("/v1/tables/{table_id}/windows" as never, init as never));
      } catch (error) {
        if (error instanceof NotFoundError) return [];
        throw error;
      }
    },
    staleTime: REFRESH.slow,
  });

const ENDLESS = 8_640_000_000_000_000;

/** Read windows with their instants, under the names that the server may use for them. */
export function windowsOf(answer: unknown): readonly TableWindow[] {
  const lists = answer as { items?: unknown; windows?: unknown } | null;
  const items = lists?.items ?? lists?.windows;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: Record<string, unknown>) => {
    const from = instant(item["from"] ?? item["starts_at"] ?? item["start"] ?? item["begins_at"]);
    const to = instant(item["until"] ?? item["to"] ?? item["ends_at"] ?? item["end"]) ?? ENDLESS;
    return from === null ? [] : [{ from, to, kind: String(item["kind"] ?? "quiet_hours") }];
  });
}

function instant(value: unknown): number | null {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
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

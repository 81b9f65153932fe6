/** Questions of the runs page to the API. */
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

interface TimelineRuns {
  readonly runs: readonly RunSummary[];
  /** Older runs of the span were left out. */
  readonly isCut: boolean;
}

/**
 * Runs that may be in a span: those submitted in it or a time before it, and all that are live.
 *
 * The first page is shown while the others are fetched: each page needs the token of the one before.
 */
export const timelineQuery = (filters: Filters, spanKey: string, span: () => Span) =>
  queryOptions({
    queryKey: ["runs", "timeline", filters, spanKey],
    queryFn: async ({ signal, client, queryKey }): Promise<TimelineRuns> => {
      const { from, to } = span();
      const before = from - Math.max(86_400_000, to - from);
      const times = { since: new Date(before).toISOString(), until: new Date(to).toISOString() };
      const query = { ...queryOf({ ...filters, ...times }), page_size: TIMELINE_PAGE };
      const runs: RunSummary[] = [];
      for await (const page of packhouse.list("/v1/runs", { params: { query }, signal }).pages()) {
        runs.push(...(page as readonly RunSummary[]));
        if (runs.length >= MOST_RUNS) break;
        if (client.getQueryData(queryKey) === undefined) client.setQueryData<TimelineRuns>(queryKey, { runs: [...runs], isCut: false });
      }
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

type WindowItem = Pick<Schemas["TableWindow"], "kind" | "starts_at" | "ends_at" | "reason">;

const WEEK_HOURS = 168;
const WEEK_MS = WEEK_HOURS * 3_600_000;

/** Windows of a table from a week ago to a week ahead. */
export const windowsQuery = (tableId: string) =>
  queryOptions({
    queryKey: ["table", tableId, "windows", WEEK_HOURS],
    queryFn: async ({ signal }): Promise<readonly TableWindow[]> => {
      const params = { path: { table_id: tableId }, query: { hours: WEEK_HOURS } };
      return windowsOf((await packhouse.get("/v1/tables/{table_id}/windows", { params, signal })).items);
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

/** The first tables whose address contains a text. */
export const searchTablesQuery = (text: string) =>
  queryOptions({
    queryKey: ["tables", "search", text],
    queryFn: async ({ signal }) => {
      const query = { page_size: 20, ...(text === "" ? {} : { search: text }) };
      return (await packhouse.get("/v1/tables", { params: { query }, signal })).items;
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

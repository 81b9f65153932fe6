/** Questions of the run page to the API. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { RunWish } from "@packhouse/client";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";
import type { FileGroup } from "./groups/groups";

export type RunDetail = Schemas["RunDetail"];

/** Groups that the page shows at most; a plan has seldom more than some hundreds. */
export const MOST_GROUPS = 20_000;
const PAGE = 500;

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => packhouse.get("/v1/runs/{run_id}", { params: { path: { run_id: runId } }, signal }),
    refetchInterval: ({ state }) => (state.data?.is_terminal === true ? false : REFRESH.live),
  });

/** The groups of the plan number `plan`; `isRunning` asks again, less often the more there are. */
export const groupsQuery = (runId: string, plan: number, isRunning: boolean) =>
  queryOptions({
    queryKey: ["run", runId, "groups", plan, isRunning],
    queryFn: async ({ signal }) => {
      const path = { run_id: runId };
      const list = packhouse.list("/v1/runs/{run_id}/groups", { params: { path, query: { page_size: PAGE } }, signal });
      return (await list.take(MOST_GROUPS)) as FileGroup[];
    },
    refetchInterval: ({ state }) => {
      if (!isRunning) return false;
      const pages = Math.ceil((state.data?.length ?? 0) / PAGE);
      return pages <= 1 ? REFRESH.live : Math.min(pages * 10_000, 120_000);
    },
    placeholderData: keepPreviousData,
  });

/** Return the request of a run, to be submitted again. */
export function requestOf(run: RunDetail): RunWish {
  const { request } = run;
  const again = { table_id: run.table_id, operation: run.operation, priority: run.priority };
  if (request.operation !== "rewrite") return again as RunWish;
  const { partitions, force_full, every_file, include_cooling } = request;
  return {
    ...again,
    ...(partitions ? { partitions } : {}),
    ...(force_full ? { force_full } : {}),
    ...(every_file ? { every_file } : {}),
    ...(include_cooling ? { include_cooling } : {}),
  } as RunWish;
}

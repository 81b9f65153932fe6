/** Queries of one table. */
import { queryOptions } from "@tanstack/react-query";
import type { operations } from "@packhouse/client";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";

export type Table = Schemas["Table"];
export type Health = Schemas["TableHealth"];
export type Explanation = Schemas["Explanation"];
export type Partition = Schemas["PartitionHealth"];
export type Measurement = Schemas["HealthMeasurement"];
type PartitionSort = NonNullable<NonNullable<operations["list_table_partitions"]["parameters"]["query"]>["sort"]>;

const HISTORY_SIZE = 500;
const pathOf = (tableId: string) => ({ table_id: tableId });
const keyOf = (tableId: string, part: string, ...rest: unknown[]) => ["table", tableId, part, ...rest];

/** The row of the table in the list of the fleet: verdict, hold, last run. Cheap, so it is asked for often. */
export const stateQuery = (table: Table | undefined) =>
  queryOptions({
    queryKey: keyOf(table?.id ?? "", "state"),
    queryFn: async ({ signal }) => {
      const { catalog, namespace, name } = table as Table;
      const page = await packhouse.get("/v1/fleet/tables", { params: { query: { catalog, namespace, name } }, signal });
      return page.items.find((item) => item.table_id === table?.id) ?? null;
    },
    enabled: table !== undefined,
    refetchInterval: REFRESH.live,
  });

export const healthQuery = (tableId: string) =>
  queryOptions({
    queryKey: keyOf(tableId, "health"),
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}/health", { params: { path: pathOf(tableId) }, signal }),
    refetchInterval: REFRESH.slow,
  });

export const explainQuery = (tableId: string) =>
  queryOptions({
    queryKey: keyOf(tableId, "explain"),
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}/explain", { params: { path: pathOf(tableId) }, signal }),
    refetchInterval: REFRESH.slow,
  });

export const historyQuery = (tableId: string, since: string, until: string) =>
  queryOptions({
    queryKey: keyOf(tableId, "measurements", since, until),
    queryFn: async ({ signal }) => {
      const query = { page_size: HISTORY_SIZE, ...(since === "" ? {} : { since }), ...(until === "" ? {} : { until }) };
      const page = await packhouse.get("/v1/tables/{table_id}/health/history", { params: { path: pathOf(tableId), query }, signal });
      return { items: page.items.toReversed(), isCut: page.next_page_token !== null };
    },
    refetchInterval: REFRESH.slow,
  });

export const upkeepQuery = (tableId: string) =>
  queryOptions({
    queryKey: keyOf(tableId, "upkeep"),
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}/upkeep", { params: { path: pathOf(tableId) }, signal }),
    refetchInterval: REFRESH.slow,
  });

export const adviceQuery = (tableId: string) =>
  queryOptions({
    queryKey: keyOf(tableId, "advice"),
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}/advice", { params: { path: pathOf(tableId) }, signal }),
    refetchInterval: REFRESH.slow,
  });

export const backpressureQuery = (tableId: string) =>
  queryOptions({
    queryKey: keyOf(tableId, "backpressure"),
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}/backpressure", { params: { path: pathOf(tableId) }, signal }),
    refetchInterval: REFRESH.list,
  });

/** Fetch a page of the partitions, in an order such as `-small_file_count`. */
export function fetchPartitions(tableId: string, sort: string, token: string | undefined, signal: AbortSignal) {
  const query = { sort: sort as PartitionSort, page_size: HISTORY_SIZE, ...(token === undefined ? {} : { page_token: token }) };
  return packhouse.get("/v1/tables/{table_id}/partitions", { params: { path: pathOf(tableId), query }, signal });
}

/** Queries of the list of tables. Histories of visible rows are fetched three at a time. */
import { queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";
import { usePages } from "../../parts/usePages";
import { queryOf, type TablesState } from "./filters";
import { gate } from "./limited";

export type FleetTable = Schemas["FleetTable"];

const PAGE_SIZE = 200;
const HISTORY_SIZE = 20;
const SETTLED_MS = 200; // a row that is scrolled past asks for nothing
const enter = gate(3);

export function useFleetTables(state: TablesState) {
  const query = queryOf(state);
  return usePages<FleetTable>(
    ["fleetTables", query],
    (token, signal) => {
      const params = { query: { ...query, page_size: PAGE_SIZE, ...(token === undefined ? {} : { page_token: token }) } };
      return packhouse.get("/v1/fleet/tables", { params: params as never, signal });
    },
    { refetchMs: REFRESH.list },
  );
}

export const catalogsQuery = queryOptions({
  queryKey: ["catalogs"],
  queryFn: ({ signal }) => packhouse.get("/v1/catalogs", { params: { query: { page_size: 500 } }, signal }),
  staleTime: 30_000,
});

/** The small files of a table's last measurements, oldest first. */
export const smallFilesQuery = (tableId: string, measuredAt: string | null) =>
  queryOptions({
    queryKey: ["table", tableId, "smallFiles", measuredAt],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      const params = { path: { table_id: tableId }, query: { page_size: HISTORY_SIZE } };
      const page = await enter(() => packhouse.get("/v1/tables/{table_id}/health/history", { params, signal }), signal);
      return page.items.map((item) => item.small_file_count).reverse();
    },
    enabled: measuredAt !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

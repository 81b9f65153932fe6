/** Queries of the pages of catalogs. */
import { queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";

export const CATALOGS_KEY = ["catalogs", "list"] as const;

export const fetchCatalogs = (token: string | undefined, signal: AbortSignal) =>
  packhouse.get("/v1/catalogs", { params: { query: { page_size: 100, ...(token === undefined ? {} : { page_token: token }) } }, signal });

export const catalogQuery = (name: string) =>
  queryOptions({
    queryKey: ["catalogs", "one", name],
    queryFn: ({ signal }) => packhouse.get("/v1/catalogs/{name}", { params: { path: { name } }, signal }),
    refetchInterval: REFRESH.list,
  });

export const formatsQuery = queryOptions({
  queryKey: ["formats"],
  queryFn: ({ signal }) => packhouse.get("/v1/formats", { signal }),
  staleTime: 10 * 60_000,
});

export const catalogTypesQuery = queryOptions({
  queryKey: ["catalog-types"],
  queryFn: ({ signal }) => packhouse.get("/v1/catalog-types", { signal }),
  staleTime: 10 * 60_000,
});

export const etagOf = ({ version }: { version: number }): string => `"${version}"`;
export const pathOf = (name: string, tail = ""): string => `/v1/catalogs/${encodeURIComponent(name)}${tail}`;
export type Catalog = Schemas["Catalog"];

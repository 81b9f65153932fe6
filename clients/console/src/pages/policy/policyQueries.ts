/** Queries of the policy pages. */
import { ConnectionError, UnavailableError } from "@packhouse/client";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH, whoamiQuery } from "../../api/queries";
import type { PolicyValue } from "./logic/document";
import type { SchemaNode } from "./logic/schema";
import { covers, type Scope, tableFilter } from "./logic/scopes";
import type { PolicyTarget } from "./policyTarget";

export const schemaQuery = queryOptions({
  queryKey: ["policy-schema"],
  queryFn: async ({ signal }) => (await packhouse.get("/v1/policy-schema", { signal })) as SchemaNode,
  staleTime: Number.POSITIVE_INFINITY,
});

export const presetsQuery = queryOptions({
  queryKey: ["presets"],
  queryFn: ({ signal }) => packhouse.get("/v1/presets", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const storedQuery = (target: PolicyTarget) =>
  queryOptions({
    queryKey: ["policy", target.id],
    queryFn: ({ signal }) => target.read(signal),
    refetchInterval: REFRESH.list,
  });

export const effectiveQuery = (tableId: string | null) =>
  queryOptions({
    queryKey: ["effective-policy", tableId],
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}/effective-policy", { params: { path: { table_id: tableId! } }, signal }),
    enabled: tableId !== null,
    refetchInterval: REFRESH.slow,
  });

/** What settings would be after the deletion of a table's own policy: the values that "inherit" brings back. */
export const underneathQuery = (target: PolicyTarget, etag: string | null, enabled: boolean) =>
  queryOptions({
    queryKey: ["policy-underneath", target.id, etag],
    queryFn: ({ signal }) => target.previewDelete(signal),
    enabled: enabled && etag !== null,
    staleTime: REFRESH.slow,
  });

export const previewQuery = (target: PolicyTarget, policy: PolicyValue | null, isNew: boolean, enabled: boolean) =>
  queryOptions({
    queryKey: ["policy-preview", target.id, isNew, JSON.stringify(policy)],
    queryFn: ({ signal }) => target.preview(policy!, isNew, signal),
    enabled: enabled && policy !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
    refetchInterval: ({ state: { status, error } }) => {
      if (status === "success") return REFRESH.slow;
      return error instanceof ConnectionError || error instanceof UnavailableError ? REFRESH.live : false;
    },
  });

/** The first tables that a scope covers, to show values of. */
export const coveredQuery = (scope: Scope | null) =>
  queryOptions({
    queryKey: ["policy-tables", scope],
    queryFn: async ({ signal }): Promise<Schemas["Table"][]> => {
      const query = { page_size: 200, ...tableFilter(scope!) };
      const found = await packhouse.get("/v1/tables", { params: { query: query as never }, signal });
      return found.items.filter((table) => covers(scope!, table)).slice(0, 50);
    },
    enabled: scope !== null,
    staleTime: REFRESH.slow,
  });

/** Return whether the signed-in person may write a policy; undefined until that is known. */
export function useMayWrite(team: string | null): boolean | undefined {
  const { data } = useQuery(whoamiQuery);
  if (data === undefined) return undefined;
  if (data.role === "admin") return true;
  return data.role === "owner" && team !== null && (data.teams === null || data.teams === undefined || data.teams.includes(team));
}

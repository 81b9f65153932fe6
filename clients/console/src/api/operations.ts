/** What the server declares of each operation: loaded before the first page is shown, then read from the cache. */
import { queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "./client";
import { queryClient } from "./queries";

export type DeclaredOperation = Schemas["DeclaredOperation"];

export const operationsQuery = queryOptions({
  queryKey: ["operations"],
  queryFn: async ({ signal }) => (await packhouse.get("/v1/operations", { signal })).items,
  staleTime: 10 * 60_000,
});

/** Return all operations, in the order in which they run; none if the server did not answer. */
export const operations = (): readonly DeclaredOperation[] => queryClient.getQueryData(operationsQuery.queryKey) ?? [];

export const operationOf = (name: string): DeclaredOperation | undefined => operations().find(({ operation }) => operation === name);

/** Return an operation's name for people; of an unknown one its code with spaces. */
export const operationName = (name: string): string => operationOf(name)?.title ?? name.replaceAll("_", " ");

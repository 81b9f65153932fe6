/** The cache of answers, and queries that several pages share. Queries of one page are in its folder. */
import { ApiError, ConnectionError, UnauthenticatedError } from "@packhouse/client";
import { MutationCache, QueryCache, QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { packhouse, type Schemas } from "./client";
import { sessions } from "./session";

const ENDED = "Your key or token is no longer accepted: it has expired or was revoked. Sign in to go on where you were.";

declare module "@tanstack/react-query" {
  interface Register {
    /** `isRead`: the mutation changes nothing on the server, so that answers on the page stay as they are. */
    mutationMeta: { isRead?: boolean };
  }
}

function onError(error: unknown): void {
  if (error instanceof UnauthenticatedError) sessions.end(ENDED);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError,
    // A write may have changed anything that is shown, and so may one that was refused: the page was out of date then.
    onSettled: (_data, _error, _variables, _onMutateResult, mutation) => {
      if (mutation.meta?.isRead !== true) void queryClient.invalidateQueries();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError) && !(error instanceof ConnectionError),
      networkMode: "always",
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

sessions.subscribe(() => {
  if (sessions.get().session === null) queryClient.clear(); // the next person must not see answers of this one
});

/** How often open pages ask again, in ms. A running run comes by its event stream instead. */
export const REFRESH = { live: 5_000, list: 15_000, slow: 60_000 } as const;

export const whoamiQuery = queryOptions({
  queryKey: ["whoami"],
  queryFn: ({ signal }) => packhouse.get("/v1/whoami", { signal }),
  staleTime: 60_000,
});

export const tableQuery = (tableId: string) =>
  queryOptions({
    queryKey: ["table", tableId],
    queryFn: ({ signal }) => packhouse.get("/v1/tables/{table_id}", { params: { path: { table_id: tableId } }, signal }),
  });

/** The names of the catalogs, the first 1,000 of them in their order. */
export const catalogNamesQuery = queryOptions({
  queryKey: ["catalogs", "names"],
  queryFn: async ({ signal }) => {
    const all = packhouse.list("/v1/catalogs", { params: { query: { page_size: 200 } }, signal });
    return (await all.take(1_000)).map(({ name }) => name);
  },
  staleTime: 10_000,
});

const ROLES = ["viewer", "planner", "operator", "owner", "admin"] as const;
export type Role = Schemas["Role"];

/** Return a check whether the signed-in role includes `needed`; false until the role is known. */
export function useRole(): { role: Role | undefined; has: (needed: Role) => boolean } {
  const { data } = useQuery(whoamiQuery);
  const role = data?.role;
  return { role, has: (needed) => role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed) };
}

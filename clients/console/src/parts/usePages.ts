/** A list of the API, page by page as it is reached. */
import { ApiError } from "@packhouse/client";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next_page_token?: string | null;
}

/** A list of more pages is not fetched again on its own: that is one request after the other, for each page. */
const MOST_REFETCHED = 3;

/**
 * Return all items fetched so far, and how to fetch more.
 *
 * `fetchPage` gets the token of the page and a signal. Pages that are shown are fetched again at the interval
 * `refetchMs`, and when the window or the page is shown again, unless there are so many that it would load the server.
 * A write fetches all of them again. A list that has expired begins again with its first page. `listKey` names the list
 * for `RowsTable`.
 */
export function usePages<Item>(
  queryKey: readonly unknown[],
  fetchPage: (token: string | undefined, signal: AbortSignal) => Promise<PageOf<Item>>,
  { refetchMs, enabled = true }: { refetchMs?: number; enabled?: boolean } = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_page_token ?? undefined,
    refetchInterval: ({ state }) => (refetchMs !== undefined && isShort(state.data) ? refetchMs : false),
    refetchOnWindowFocus: ({ state }) => isShort(state.data),
    refetchOnReconnect: ({ state }) => isShort(state.data),
    refetchOnMount: ({ state }) => isShort(state.data) || state.isInvalidated,
    placeholderData: keepPreviousData,
    enabled,
  });
  const client = useQueryClient();
  const listKey = JSON.stringify(queryKey);
  const isExpired = query.error instanceof ApiError && query.error.code === "list_expired";
  useEffect(() => {
    if (isExpired) void client.resetQueries({ queryKey: JSON.parse(listKey) as readonly unknown[], exact: true });
  }, [client, isExpired, listKey]);
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const more = query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined;
  return { query, items, more, isFetchingMore: query.isFetchingNextPage, hasMore: query.hasNextPage, listKey };
}

function isShort(data: { readonly pages: readonly unknown[] } | undefined): boolean {
  return (data?.pages.length ?? 0) <= MOST_REFETCHED;
}

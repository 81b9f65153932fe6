/** A list of the API, page by page as it is reached. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next_page_token?: string | null;
}

/**
 * Return all items fetched so far, and how to fetch more.
 *
 * `fetchPage` gets the token of the page and a signal. With `refetchMs` the pages that are shown are asked for again at
 * this interval, unless there are so many that it would load the server.
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
    refetchInterval: ({ state }) => (refetchMs !== undefined && (state.data?.pages.length ?? 0) <= 3 ? refetchMs : false),
    placeholderData: keepPreviousData,
    enabled,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const more = query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined;
  return { query, items, more, isFetchingMore: query.isFetchingNextPage, hasMore: query.hasNextPage };
}

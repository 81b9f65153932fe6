import { ApiError } from "@packhouse/client";
import { focusManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { usePages } from "./usePages";

const client = new QueryClient({ defaultOptions: { queries: { staleTime: 0, networkMode: "always", retry: false } } });
const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;

afterEach(() => {
  focusManager.setFocused(undefined);
  client.clear();
});

/** Show a list of numbered items, one on each page, until this many pages are loaded; return the function that fetches. */
async function listOf(pages: number) {
  const fetchPage = vi.fn(async (token: string | undefined) => ({ items: [Number(token ?? 0)], next_page_token: String(Number(token ?? 0) + 1) }));
  const shown = renderHook(() => usePages<number>(["numbers"], fetchPage), { wrapper });
  for (let count = 1; count <= pages; count++) {
    await waitFor(() => expect(shown.result.current.items).toHaveLength(count));
    if (count < pages) act(() => shown.result.current.more?.());
  }
  await waitFor(() => expect(shown.result.current.query.isFetching).toBe(false));
  fetchPage.mockClear();
  return { ...shown, fetchPage };
}

async function returnToWindow() {
  await act(async () => {
    focusManager.setFocused(false);
    focusManager.setFocused(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
}

test("a short list is fetched again when the window is shown again", async () => {
  const { fetchPage } = await listOf(3);
  await returnToWindow();
  await waitFor(() => expect(fetchPage).toHaveBeenCalledTimes(3));
});

test("a long list is not fetched again when the window is shown again", async () => {
  const { fetchPage } = await listOf(4);
  await returnToWindow();
  expect(fetchPage).not.toHaveBeenCalled();
});

test("a long list is fetched again when its page is shown after a write", async () => {
  const { unmount, fetchPage } = await listOf(4);
  unmount();
  await client.invalidateQueries();
  renderHook(() => usePages<number>(["numbers"], fetchPage), { wrapper });
  await waitFor(() => expect(fetchPage).toHaveBeenCalledTimes(4));
});

test("a list that has expired begins again with its first page", async () => {
  const { result, fetchPage } = await listOf(2);
  fetchPage.mockRejectedValueOnce(new ApiError({ status: 410, code: "list_expired" } as never));
  act(() => result.current.more?.());
  await waitFor(() => expect(fetchPage.mock.calls.map(([token]) => token)).toEqual(["2", undefined]));
  await waitFor(() => expect(result.current.items).toEqual([0]));
});

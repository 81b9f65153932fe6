import { afterEach, describe, expect, it, vi } from "vitest";
import { connection, now, watchedFetch } from "./connection";

const answer = (status: number, date?: string) =>
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response("{}", { status, headers: date ? { date } : {} }));

afterEach(() => vi.useRealTimers());

describe("the connection", () => {
  it("is lost from the first failure until the next answer", async () => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("failed"));
    await expect(watchedFetch(new Request("http://h/"))).rejects.toThrow();
    const since = connection.get().lostAt;
    await expect(watchedFetch(new Request("http://h/"))).rejects.toThrow();
    expect(since).not.toBeNull();
    expect(connection.get().lostAt).toBe(since);
    answer(200);
    await watchedFetch(new Request("http://h/"));
    expect(connection.get().lostAt).toBeNull();
  });
  it("is not lost because a page gave up a request", async () => {
    const given = new AbortController();
    given.abort();
    vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(new DOMException("aborted", "AbortError"));
    await expect(watchedFetch(new Request("http://h/", { signal: given.signal }))).rejects.toThrow();
    expect(connection.get().lostAt).toBeNull();
  });
  it("tells the server's time on a machine whose clock is hours off", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-25T03:00:00Z") });
    answer(200, "Wed, 25 Nov 2026 12:00:00 GMT");
    await watchedFetch(new Request("http://h/"));
    expect(new Date(now()).toISOString()).toBe("2026-11-25T12:00:00.000Z");
  });
});

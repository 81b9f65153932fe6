import { ConnectionError, NotFoundError, type RunSignal } from "@packhouse/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "./history";
import { RunLive } from "./runLive";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function event(sequence: number, to: RunEvent["to_state"] = null): RunSignal {
  const at = new Date(1_000_000 + sequence * 1000).toISOString();
  const one = { run_id: "r", sequence, at, kind: "k", actor: "a", attempt: 1, from_state: null, to_state: to, reason: null, details: {} };
  return { kind: "event", event: one };
}

test("after a break it goes on behind the last event, and repeated events change nothing", async () => {
  const starts: number[] = [];
  const live = new RunLive("r", async function* (after) {
    starts.push(after);
    if (starts.length === 1) {
      yield event(1, "queued");
      yield event(2, "planning");
      throw new ConnectionError("broke");
    }
    yield event(2, "planning");
    yield event(3, "succeeded");
  });
  const running = live.run(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(500);
  expect(live.get().following).toBe("interrupted");
  expect(live.get().interruptedAt).not.toBeNull();
  await vi.advanceTimersByTimeAsync(5_000);
  await running;
  expect(starts).toEqual([0, 2]);
  expect(live.get()).toMatchObject({ following: "ended", interruptedAt: null });
  expect(live.get().history.events.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
  expect(live.get().history.totals.planning?.visits).toBe(1);
});

test("a refusal ends it", async () => {
  const problem = { code: "not_found", status: 404, title: "t", detail: "d", instance: "/", request_id: null, type: "/" };
  const live = new RunLive("r", async function* () {
    throw new NotFoundError(problem);
  });
  await live.run(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(500);
  expect(live.get().following).toBe("refused");
});

test("many signals are announced at most four times a second", async () => {
  const live = new RunLive("r", async function* () {
    for (let sequence = 1; sequence <= 1_000; sequence += 1) yield event(sequence);
  });
  const heard = vi.fn();
  live.subscribe(heard);
  await live.run(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toHaveBeenCalledTimes(1);
  expect(live.get().history.sequence).toBe(1_000);
});

test("closing the page stops it", async () => {
  const closing = new AbortController();
  const live = new RunLive("r", async function* (_after, signal) {
    yield event(1, "queued");
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const running = live.run(closing.signal);
  await vi.advanceTimersByTimeAsync(300);
  closing.abort();
  await running;
  expect(live.get().history.sequence).toBe(1);
});

import { describe, expect, test } from "vitest";
import { HistoryFold, type RunEvent, timeIn } from "./history";

const START = Date.parse("2026-11-25T10:00:00Z");
let sequence = 0;

function event(seconds: number, change: Partial<RunEvent>): RunEvent {
  sequence += 1;
  return {
    run_id: "run_1",
    sequence,
    at: new Date(START + seconds * 1000).toISOString(),
    kind: "state_changed",
    actor: "worker",
    attempt: 1,
    from_state: null,
    to_state: null,
    reason: null,
    details: {},
    ...change,
  };
}

function retried(): RunEvent[] {
  sequence = 0;
  const until = new Date(START + 20_000).toISOString();
  return [
    event(0, { kind: "submitted", to_state: "queued", attempt: 0 }),
    event(2, { kind: "claimed", from_state: "queued", to_state: "planning" }),
    event(3, { from_state: "planning", to_state: "rewriting" }),
    event(8, { kind: "parked", from_state: "rewriting", to_state: "queued", reason: "quiet_hours", details: { waiting_for: "quiet_hours", not_before: until } }),
    event(12, { kind: "let_go", reason: "hold_gone" }),
    event(15, { kind: "claimed", from_state: "queued", to_state: "planning", attempt: 2 }),
    event(16, { from_state: "planning", to_state: "rewriting", attempt: 2 }),
    event(17, { kind: "group_written", attempt: 2, details: { group: 0 } }),
    event(20, { from_state: "rewriting", to_state: "committing", attempt: 2 }),
    event(21, { from_state: "committing", to_state: "succeeded", attempt: 2, reason: "committed" }),
  ];
}

function folded(events: readonly RunEvent[], kept?: number): HistoryFold {
  const fold = new HistoryFold(kept);
  for (const one of events) fold.add(one);
  return fold;
}

describe("states over time", () => {
  test("each state has its visits and its time", () => {
    const { totals, state } = folded(retried()).view();
    expect(state).toBe("succeeded");
    expect(totals.queued).toEqual({ visits: 2, ms: 9_000 });
    expect(totals.planning).toEqual({ visits: 2, ms: 2_000 });
    expect(totals.rewriting).toEqual({ visits: 2, ms: 9_000 });
    expect(totals.committing).toEqual({ visits: 1, ms: 1_000 });
  });

  test("a wait is split where its cause changes, and is one visit", () => {
    const waits = folded(retried()).view().spans.filter(({ state }) => state === "queued");
    expect(waits.map(({ cause }) => cause)).toEqual(["worker", "quiet_hours", "worker"]);
    expect(waits.map(({ from, to }) => ((to ?? 0) - from) / 1000)).toEqual([2, 4, 3]);
  });

  test("a state counts from its entry, whatever it waits for since", () => {
    const view = folded(retried().slice(0, 5)).view();
    expect(view.state).toBe("queued");
    expect(view.since).toBe(START + 8_000);
  });

  test("the present state grows with the clock, an end does not", () => {
    const running = folded(retried().slice(0, 3)).view();
    expect(timeIn(running, "rewriting", START + 10_000)).toBe(7_000);
    expect(timeIn(running, "queued", START + 10_000)).toBe(2_000);
    expect(timeIn(folded(retried()).view(), "succeeded", START + 99_000)).toBe(0);
  });

  test("a clock that is behind the server gives no negative time", () => {
    expect(timeIn(folded(retried().slice(0, 3)).view(), "rewriting", START)).toBe(0);
  });
});

describe("attempts", () => {
  test("each has its states, its end and the reason", () => {
    const [first, second] = folded(retried()).view().attempts;
    expect(first).toMatchObject({ number: 1, to: START + 8_000, reason: "quiet_hours", left: "queued", ms: { planning: 1_000, rewriting: 5_000 } });
    expect(second).toMatchObject({ number: 2, reason: "committed", left: "succeeded", ms: { planning: 1_000, rewriting: 4_000, committing: 1_000 } });
  });

  test("groups are planned by each attempt that rewrites, not by each batch", () => {
    sequence = 10;
    const batch = event(21, { from_state: "committing", to_state: "rewriting", attempt: 2 });
    expect(folded([...retried().slice(0, 9), { ...batch, sequence: 10 }]).view().plans).toBe(2);
  });
});

describe("events", () => {
  test("one that comes twice counts once", () => {
    const once = folded(retried()).view();
    const fold = folded(retried());
    for (const one of retried()) expect(fold.add(one)).toBe(false);
    expect(fold.view()).toEqual(once);
  });

  test("they are newest first, bounded, and the number left out is known", () => {
    sequence = 0;
    const many = Array.from({ length: 1_700 }, (_, index) => event(index, { kind: "group_written", details: { group: index } }));
    const { events, eventsDropped } = folded(many, 100).view();
    expect(events).toHaveLength(100);
    expect(events[0]?.sequence).toBe(1_700);
    expect(eventsDropped).toBe(1_600);
  });

  test("spans and attempts stay bounded in a run that goes on for long", () => {
    sequence = 0;
    const fold = new HistoryFold();
    for (let part = 0; part < 3_000; part += 1) {
      fold.add(event(part * 3, { kind: "claimed", to_state: "planning", attempt: part }));
      fold.add(event(part * 3 + 2, { kind: "parked", to_state: "queued", attempt: part, reason: "goes_on" }));
    }
    const view = fold.view();
    expect(view.spans.length).toBeLessThanOrEqual(600);
    expect(view.attempts.length).toBeLessThanOrEqual(200);
    expect(view.totals.planning).toEqual({ visits: 3_000, ms: 6_000_000 });
  });
});

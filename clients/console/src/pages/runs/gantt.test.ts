import { describe, expect, test } from "vitest";
import { ganttOf, type RunSummary, ticksOf } from "./gantt";

const NOON = Date.parse("2026-11-25T12:00:00Z");
const HOUR = 3_600_000;
const SPAN = { from: NOON - 10 * HOUR, to: NOON };

let ids = 0;

/** A run of `table` from `from` to `to`, in hours before noon; `to` null: live. */
function run(table: string, from: number, to: number | null, state: RunSummary["state"] = "succeeded"): RunSummary {
  ids += 1;
  return {
    id: `run_${ids}`,
    table_id: table,
    table: `lake.${table}`,
    state,
    is_terminal: to !== null,
    created_at: new Date(NOON - from * HOUR).toISOString(),
    finished_at: to === null ? null : new Date(NOON - to * HOUR).toISOString(),
  } as RunSummary;
}

describe("bars", () => {
  test("a run has its share of the span", () => {
    const [row] = ganttOf([run("a", 5, 4)], SPAN, NOON).rows;
    expect(row?.lanes[0]?.[0]).toMatchObject({ left: 0.5, width: expect.closeTo(0.1) });
  });

  test("runs are cut at the ends of the span, and those outside are left out", () => {
    const { rows } = ganttOf([run("a", 12, 9), run("b", 30, 20), run("c", 1, null, "rewriting")], SPAN, NOON);
    expect(rows.map(({ tableId }) => tableId)).toEqual(["c", "a"]);
    expect(rows[1]?.lanes[0]?.[0]).toMatchObject({ left: 0, width: expect.closeTo(0.1) });
    expect(rows[0]?.lanes[0]?.[0]).toMatchObject({ left: expect.closeTo(0.9), width: expect.closeTo(0.1) });
  });

  test("a run of a moment stays visible and within the axis", () => {
    const [row] = ganttOf([run("a", 0, 0)], SPAN, NOON).rows;
    const bar = row?.lanes[0]?.[0];
    expect(bar?.width).toBeGreaterThan(0);
    expect((bar?.left ?? 0) + (bar?.width ?? 0)).toBeLessThanOrEqual(1);
  });

  test("short runs that would touch are one bar with the state that matters most", () => {
    const short = Array.from({ length: 50 }, (_, index) => run("a", 5 - index * 0.001, 5 - index * 0.001, index === 20 ? "failed" : "succeeded"));
    const [row] = ganttOf(short, SPAN, NOON).rows;
    const bars = row?.lanes.flat() ?? [];
    expect(bars.length).toBeLessThan(5);
    expect(bars.flatMap(({ runs }) => runs)).toHaveLength(50);
    expect(bars.some(({ state }) => state === "failed")).toBe(true);
  });
});

describe("rows", () => {
  test("overlapping runs have lanes of their own, at most three", () => {
    const [row] = ganttOf([run("a", 5, 1), run("a", 4, 1), run("a", 3, 1), run("a", 2, 1)], SPAN, NOON).rows;
    expect(row?.lanes).toHaveLength(3);
    expect(row?.hidden).toBe(1);
  });

  test("a lane is used again once it is free", () => {
    const [row] = ganttOf([run("a", 5, 4), run("a", 3, 2)], SPAN, NOON).rows;
    expect(row?.lanes).toHaveLength(1);
  });

  test("tables with live runs are first, then those with the newest runs; the others are counted", () => {
    const runs = [run("old", 8, 7), run("new", 2, 1), run("live", 9, null, "rewriting")];
    const { rows, tablesLeft } = ganttOf(runs, SPAN, NOON, 2);
    expect(rows.map(({ tableId }) => tableId)).toEqual(["live", "new"]);
    expect(tablesLeft).toBe(1);
  });
});

test("ticks are round instants within the span, and few", () => {
  for (const hours of [1, 6, 24, 72, 168]) {
    const span = { from: NOON - hours * HOUR - 12_345, to: NOON };
    const ticks = ticksOf(span);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(9);
    expect(ticks.every((at) => at >= span.from && at <= span.to && at % 60_000 === 0)).toBe(true);
  }
});

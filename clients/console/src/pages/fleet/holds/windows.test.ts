import { describe, expect, it } from "vitest";
import { type FleetWindow, windowRows } from "./windows";

const FROM = Date.parse("2026-11-01T00:00:00Z");
const HOUR = 3_600_000;
const at = (hour: number) => new Date(FROM + hour * HOUR).toISOString();
const window = (from: number, to: number, reason: string, table_count = 1): FleetWindow => ({
  kind: "quiet_hours",
  on_start: "drain",
  reason,
  starts_at: at(from),
  ends_at: at(to),
  table_count,
  examples: [],
});
const rows = (...windows: FleetWindow[]) => windowRows(windows, FROM, FROM + 24 * HOUR);

describe("windows of the fleet", () => {
  it("share a line when they are occurrences of one window", () => {
    const [row, ...others] = rows(window(1, 2, "night"), window(13, 14, "night"));
    expect(others).toEqual([]);
    expect(row!.spans.map(({ from }) => (from - FROM) / HOUR)).toEqual([1, 13]);
  });
  it("of most tables come first", () => expect(rows(window(1, 2, "a"), window(3, 4, "b", 9)).map(({ reason }) => reason)).toEqual(["b", "a"]));
  it("are cut to the time shown", () => {
    expect(rows(window(-5, 3, "a"))[0]!.spans).toEqual([{ from: FROM, to: FROM + 3 * HOUR }]);
    expect(rows(window(-5, -1, "a"), window(30, 31, "b"))).toEqual([]);
  });
});

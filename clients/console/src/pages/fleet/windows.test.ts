import { describe, expect, it } from "vitest";
import { type FleetWindow, windowRows, windowsOf } from "./windows";

const window = (table: string, from: number, to: number): FleetWindow => ({ kind: "quiet_hours", table, from, to, reason: null });

describe("windows of the fleet", () => {
  it("share a row when tables have the same ones, the most tables first", () => {
    const rows = windowRows([window("a", 5, 9), window("b", 1, 3), window("c", 1, 3)], 0, 10);
    expect(rows.map(({ tables }) => tables)).toEqual([["b", "c"], ["a"]]);
  });
  it("are cut to the time shown", () => {
    expect(windowRows([window("a", -5, 3), window("b", 20, 30)], 0, 10)).toEqual([
      { spans: [{ kind: "quiet_hours", from: 0, to: 3 }], tables: ["a"] },
    ]);
  });
  it("without readable times are left out", () => expect(windowsOf({ items: [{ kind: "blackout", starts_at: "?" }] })).toEqual([]));
});

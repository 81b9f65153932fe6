import { expect, test } from "vitest";
import { itemText, objectText } from "./words";

test("rules with nested conditions", () => {
  const rule = { name: "settled", any: [{ metric: "file_count", at_least: 1000 }, { all: [{ metric: "file_count", at_least: 60 }, { not: { metric: "newest_file_age", below: "2d" } }] }] };
  expect(itemText(rule)).toBe("settled: file_count ≥ 1000 or (file_count ≥ 60 and not newest_file_age < 2d)");
  expect(itemText({ name: "x", all: [{ metric: "file_count", above: 1 }], input_changed: true })).toContain("only with new files");
});
test("windows, blackouts, tiers, columns", () => {
  expect(itemText({ days: ["mon"], from: "22:00", to: "06:00", time_zone: "UTC", on_start: "drain" })).toBe("Mon, 22:00 to 06:00 of the next day, UTC, drain");
  expect(itemText({ from: "2026-12-24", to: "2026-12-27", time_zone: "UTC", reason: "holidays" })).toBe("2026-12-24 to 2026-12-27 UTC: holidays");
  expect(itemText({ below_bytes: "16MiB", files: 8 })).toBe("below 16MiB: at 8 files");
  expect(itemText({ name: "at", direction: "desc", nulls: null })).toBe("at desc");
});
test("sizes in conditions", () => {
  expect(itemText({ metric: "average_file_bytes", below: 32_000_000 })).toBe("average_file_bytes < 32MB");
});
test("objects", () => {
  expect(objectText({ older_than: "5d", when: [{ metric: "snapshot_count", above: 500 }], inventory: null })).toBe("older_than 5d, when snapshot_count > 500");
});

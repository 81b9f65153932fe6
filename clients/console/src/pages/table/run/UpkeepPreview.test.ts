import { expect, test } from "vitest";
import { figuresOf } from "./UpkeepPreview";

test("figures have their units, nested ones the names above them; lists and hashes are left out", () => {
  const details = { rule: { older_than_seconds: 432000, keep_last: 10, delete_files: true }, plan_hash: "ab", expired: [1], removal: { total: { bytes: 2048 } }, none: null };
  expect(figuresOf(details)).toEqual([
    ["rule, older than", "5 d"],
    ["rule, keep last", "10"],
    ["rule, delete files", "yes"],
    ["removal, total, bytes", "2.00 KiB"],
  ]);
});

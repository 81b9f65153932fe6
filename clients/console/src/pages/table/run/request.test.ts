import { expect, test } from "vitest";
import { commandOfRun, EMPTY_FORM, submitOf } from "./request";

test("defaults are left out of the request", () => {
  expect(submitOf("tbl_1", "rewrite", EMPTY_FORM, null)).toEqual({ table_id: "tbl_1", operation: "rewrite" });
});

test("only a rewrite has partitions and an extent", () => {
  const form = { ...EMPTY_FORM, extent: "force_full", allowDuplicate: true, includeCooling: true, priority: "high" } as const;
  const partitions = { column: "at", op: "eq", value: "2026-11-01" } as const;
  expect(submitOf("tbl_1", "rewrite", form, partitions)).toEqual({ table_id: "tbl_1", operation: "rewrite", allow_duplicate: true, priority: "high", partitions, force_full: true, include_cooling: true });
  expect(submitOf("tbl_1", "expire_snapshots", form, partitions)).toEqual({ table_id: "tbl_1", operation: "expire_snapshots", allow_duplicate: true, priority: "high" });
});

test("the command is one that a shell reads as one word each", () => {
  const partitions = { column: "it's", op: "eq", value: 1 } as const;
  const request = submitOf("tbl_1", "rewrite", { ...EMPTY_FORM, extent: "every_file", includeCooling: true }, partitions);
  expect(commandOfRun("lake.a.b", request)).toBe(`packhouse run lake.a.b --partition '{"column":"it'\\''s","op":"eq","value":1}' --every-file --include-cooling`);
  expect(commandOfRun("lake.a.b", { table_id: "x", operation: "purge", plan_hash: "ab", confirm: "lake.a.b" })).toBe("packhouse run lake.a.b --operation purge --plan-hash ab --confirm lake.a.b");
});

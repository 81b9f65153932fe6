import { expect, test } from "vitest";
import { changesOf, predictionsOf } from "./documents";

test("a rewrite has files, bytes and averages before and after", () => {
  const rows = changesOf({ operation: "rewrite", rewritten_files: 60, rewritten_bytes: 6_000, added_files: 3, added_bytes: 3_000 });
  expect(rows.map(({ name, from, to }) => [name, from, to])).toEqual([
    ["Files", 60, 3],
    ["Bytes", 6_000, 3_000],
    ["Average file", 100, 1_000],
  ]);
});

test("a rewrite of delete files has their number before and after", () => {
  const rows = changesOf({ operation: "rewrite_deletes", delete_files: { before: 120, after: 3 } });
  expect(rows.map(({ name, from, to }) => [name, from, to])).toEqual([["Delete files", 120, 3]]);
});

test("a run that changed nothing has nothing to compare", () => {
  expect(changesOf({ operation: "rewrite", rewritten_files: 0, rewritten_bytes: 0, added_files: 0, added_bytes: 0 })).toEqual([]);
  expect(changesOf({ operation: "rewrite" })).toEqual([]);
  expect(changesOf({ operation: "purge" })).toEqual([]);
});

test("predictions without a measurement are left out", () => {
  const prediction = { input_files: 60, input_bytes: 2, input_rows: 9, output_files: 3, output_bytes: 1, seconds: 2 };
  expect(predictionsOf({ operation: "rewrite" }, { operation: "rewrite", prediction })).toEqual([]);
  const reclaimed = { predicted: { files: 4, bytes: 8 }, actual: { files: 3, bytes: 8 } };
  const rows = predictionsOf({ operation: "reclaim", reclaimed }, { operation: "reclaim" });
  expect(rows.map(({ name }) => name)).toEqual(["Files deleted", "Bytes deleted"]);
});

test("an operation of a newer server has nothing to compare", () => {
  const unknown = { operation: "defragment", rewritten_files: 3 } as unknown as Parameters<typeof changesOf>[0];
  expect(changesOf(unknown)).toEqual([]);
  expect(predictionsOf(unknown, { operation: "rewrite" })).toEqual([]);
});

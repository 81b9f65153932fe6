import { expect, test } from "vitest";
import { changesOf, predictionsOf, proofsOf } from "./documents";

test("a rewrite has files, bytes and averages before and after", () => {
  const rows = changesOf({ rewritten_files: 60, rewritten_bytes: 6_000, added_files: 3, added_bytes: 3_000 });
  expect(rows.map(({ name, from, to }) => [name, from, to])).toEqual([
    ["Files", 60, 3],
    ["Bytes", 6_000, 3_000],
    ["Average file", 100, 1_000],
  ]);
});

test("a run that changed nothing has nothing to compare", () => {
  expect(changesOf({ rewritten_files: 0, rewritten_bytes: 0, added_files: 0, added_bytes: 0 })).toEqual([]);
  expect(changesOf({})).toEqual([]);
});

test("predictions without a measurement are left out", () => {
  expect(predictionsOf({}, { prediction: { output_files: 3, output_bytes: 1, seconds: 2 } })).toEqual([]);
  const rows = predictionsOf({ reclaimed: { predicted: { files: 4, bytes: 8 }, actual: { files: 3, bytes: 8 } } }, {});
  expect(rows.map(({ name }) => name)).toEqual(["Files deleted", "Bytes deleted"]);
});

test("proofs of any shape are read without failing", () => {
  const proofs = proofsOf({ verifications: [{ snapshot_id: "7", ok: false, checks: [{ name: "rows_conserved", holds: false, detail: "1 lost" }, null] }, { ok: true }, 5] });
  expect(proofs).toEqual([
    { snapshotId: "7", ok: false, takenBack: false, checks: [{ name: "rows_conserved", holds: false, detail: "1 lost" }] },
    { snapshotId: null, ok: true, takenBack: false, checks: [] },
  ]);
});

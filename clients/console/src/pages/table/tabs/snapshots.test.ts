import { expect, test } from "vitest";
import { comparisonOf, knownSnapshots, proofOf } from "./snapshots";

const measurement = (snapshot: string | null, at: string, files: number) => ({ snapshot_id: snapshot, measured_at: at, file_count: files }) as never;
const run = (id: string, at: string, ...snapshots: string[]) => ({ id, finished_at: at, snapshot_ids: snapshots, plan: { operation: "rewrite" }, result: { operation: "rewrite" } }) as never;

test("snapshots of runs and of other writers are one list, the newest first", () => {
  const found = knownSnapshots(
    [run("run_1", "2026-11-02T00:00:30Z", "2")],
    [measurement("1", "2026-11-01T00:00:00Z", 50), measurement("1", "2026-11-01T12:00:00Z", 50), measurement("2", "2026-11-02T00:01:00Z", 3), measurement("3", "2026-11-03T00:00:00Z", 5)],
  );
  expect(found.map(({ id, run: by, change }) => [id, by?.id ?? null, change])).toEqual([
    ["3", null, 2],
    ["2", "run_1", -47],
    ["1", null, null],
  ]);
});

test("a snapshot of a run that no measurement saw is listed as well, and a table without snapshots has none", () => {
  expect(knownSnapshots([run("run_1", "2026-11-02T00:00:30Z", "7", "8")], []).map(({ id }) => id)).toEqual(["7", "8"]);
  expect(knownSnapshots([], [measurement(null, "2026-11-01T00:00:00Z", 0)])).toEqual([]);
});

test("figures that a run lacks are unknown", () => {
  expect(comparisonOf(run("run_1", "", "1")).actual).toEqual({ files: null, bytes: null, seconds: null });
  const rewrite = { plan: { operation: "rewrite", prediction: { output_files: 3, output_bytes: 9, seconds: 2 } }, result: { operation: "rewrite", actual: { input_files: 60, input_bytes: 80, output_files: 4, output_bytes: 8, seconds: 1 }, verifications: [{ snapshot_id: "1", ok: true, removed_files: 60, added_files: 4 }, { snapshot_id: "2", ok: false, taken_back: true }] } } as never;
  expect(comparisonOf(rewrite)).toEqual({
    before: { files: 60, bytes: 80, seconds: 1 },
    predicted: { files: 3, bytes: 9, seconds: 2 },
    actual: { files: 4, bytes: 8, seconds: 1 },
  });
  expect(proofOf(rewrite, "1")).toEqual({ ok: true, isTakenBack: false, removed: 60, added: 4 });
  expect(proofOf(rewrite, "2")).toEqual({ ok: false, isTakenBack: true, removed: null, added: null });
  expect(proofOf(rewrite, "3")).toBeNull();
});

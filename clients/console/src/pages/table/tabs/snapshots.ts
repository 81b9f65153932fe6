/** The known snapshots of a table: those that runs made and those that measurements saw, newest first. */
import type { Schemas } from "../../../api/client";
import type { Measurement } from "../tableQueries";

export interface KnownSnapshot {
  readonly id: string;
  readonly at: string | null;
  /** The run of Packhouse that made it; null: another writer did. */
  readonly run: Schemas["HistoryEntry"] | null;
  /** The measurement that saw it as the current one. */
  readonly seen: Measurement | null;
  /** Files more or less than in the measurement before. */
  readonly change: number | null;
}

/** Join runs and measurements by snapshot. `measurements` are oldest first, `runs` in any order. */
export function knownSnapshots(runs: readonly Schemas["HistoryEntry"][], measurements: readonly Measurement[]): KnownSnapshot[] {
  const found = new Map<string, KnownSnapshot>();
  for (const run of runs) {
    for (const id of run.snapshot_ids) found.set(id, { id, at: run.finished_at, run, seen: null, change: null });
  }
  let before: Measurement | null = null;
  for (const seen of measurements) {
    if (seen.snapshot_id !== null && seen.snapshot_id !== before?.snapshot_id) {
      const run = found.get(seen.snapshot_id)?.run ?? null;
      const change = before === null ? null : seen.file_count - before.file_count;
      found.set(seen.snapshot_id, { id: seen.snapshot_id, at: run?.finished_at ?? seen.measured_at, run, seen, change });
    }
    before = seen;
  }
  return [...found.values()].sort((one, other) => (other.at ?? "").localeCompare(one.at ?? ""));
}

export interface Figures {
  readonly files: number | null;
  readonly bytes: number | null;
  readonly seconds: number | null;
}

const numberOf = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const objectOf = (value: unknown): Record<string, unknown> => (value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {});

/** Return predicted and measured output of a rewrite. */
export function comparisonOf(run: Schemas["HistoryEntry"]): { before: Figures; predicted: Figures; actual: Figures } {
  const read = (from: Record<string, unknown>, prefix: "input" | "output"): Figures => ({
    files: numberOf(from[`${prefix}_files`]),
    bytes: numberOf(from[`${prefix}_bytes`]),
    seconds: numberOf(from.seconds),
  });
  const predicted = objectOf(objectOf(run.plan).prediction);
  const actual = objectOf(objectOf(run.result).actual);
  return { before: read(actual, "input"), predicted: read(predicted, "output"), actual: read(actual, "output") };
}

export interface Proof {
  readonly ok: boolean;
  /** True: the snapshot failed its proof and was rolled back. */
  readonly isTakenBack: boolean;
  /** Files that the snapshot removed and added; null where no data file changed. */
  readonly removed: number | null;
  readonly added: number | null;
}

/** Return the proof of one snapshot of a run; null if it has none. */
export function proofOf(run: Schemas["HistoryEntry"], snapshotId: string): Proof | null {
  const proofs: unknown = objectOf(run.result).verifications;
  const found = (Array.isArray(proofs) ? proofs : []).map(objectOf).find((proof) => proof.snapshot_id === snapshotId);
  if (found === undefined) return null;
  return { ok: found.ok === true, isTakenBack: found.taken_back === true, removed: numberOf(found.removed_files), added: numberOf(found.added_files) };
}

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

/** Return predicted and measured output of a rewrite. */
export function comparisonOf({ plan, result }: Schemas["HistoryEntry"]): { before: Figures; predicted: Figures; actual: Figures } {
  const predicted = plan.operation === "rewrite" ? plan.prediction : null;
  const actual = result.operation === "rewrite" ? result.actual : null;
  const output = (from: typeof predicted | typeof actual): Figures => ({
    files: from?.output_files ?? null,
    bytes: from?.output_bytes ?? null,
    seconds: from?.seconds ?? null,
  });
  const before = { files: actual?.input_files ?? null, bytes: actual?.input_bytes ?? null, seconds: actual?.seconds ?? null };
  return { before, predicted: output(predicted), actual: output(actual) };
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
export function proofOf({ result }: Schemas["HistoryEntry"], snapshotId: string): Proof | null {
  const found = (result.verifications ?? []).find((proof) => proof.snapshot_id === snapshotId);
  if (found === undefined) return null;
  return { ok: found.ok, isTakenBack: found.taken_back === true, removed: found.removed_files ?? null, added: found.added_files ?? null };
}

/** Figures of a run's plan and result, by its operation. */
import type { Schemas } from "../../../api/client";

type Result = Schemas["RunResult"];
type Plan = Schemas["RunPlan"];

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Comparison {
  readonly name: string;
  readonly kind: "count" | "bytes" | "seconds";
  readonly from: number | null;
  readonly to: number | null;
}

type Figure = number | null | undefined;

/** Return a comparison of two figures; none if one of them is not known. */
function compared(name: string, kind: Comparison["kind"], from: Figure, to: Figure): Comparison[] {
  return from === null || from === undefined || to === null || to === undefined ? [] : [{ name, kind, from, to }];
}

/** Return what the run changed, before and after: files, bytes and average size of a rewrite, manifests, read times. */
export function changesOf(result: Result): readonly Comparison[] {
  return changes(result).filter(({ from, to }) => from !== 0 || to !== 0);
}

function changes(result: Result): Comparison[] {
  switch (result.operation) {
    case "rewrite": {
      const { rewritten_files: oldFiles, added_files: newFiles, rewritten_bytes: oldBytes, added_bytes: newBytes } = result;
      return [
        ...compared("Files", "count", oldFiles, newFiles),
        ...compared("Bytes", "bytes", oldBytes, newBytes),
        ...compared("Average file", "bytes", average(oldBytes, oldFiles), average(newBytes, newFiles)),
      ];
    }
    case "rewrite_manifests": {
      const { manifests, manifest_read_seconds: reading } = result;
      return [
        ...compared("Manifests", "count", manifests?.before, manifests?.after),
        ...compared("Bytes of rewritten manifests", "bytes", result.rewritten_manifest_bytes, result.added_manifest_bytes),
        ...compared("Time to read the manifests", "seconds", reading?.before, reading?.after),
      ];
    }
    case "rewrite_deletes":
      return [
        ...compared("Delete files", "count", result.delete_files?.before, result.delete_files?.after),
        ...compared("Bytes of rewritten delete files", "bytes", result.rewritten_delete_bytes, result.added_delete_bytes),
      ];
    case "expire_snapshots":
    case "remove_orphans":
    case "delete_old_compactions":
    case "reclaim":
    case "purge":
    default: // of a newer server
      return [];
  }
}

/** Return the predicted figures (`from`) and the measured ones (`to`). */
export function predictionsOf(result: Result, plan: Plan): readonly Comparison[] {
  if (result.operation === "reclaim") {
    const { predicted, actual } = result.reclaimed ?? {};
    return [
      ...compared("Files deleted", "count", predicted?.files, actual?.files),
      ...compared("Bytes deleted", "bytes", predicted?.bytes, actual?.bytes),
    ];
  }
  if (result.operation !== "rewrite") return [];
  const predicted = result.predicted ?? (plan.operation === "rewrite" ? plan.prediction : null);
  const { actual } = result;
  return [
    ...compared("Files written", "count", predicted?.output_files, actual?.output_files),
    ...compared("Bytes written", "bytes", predicted?.output_bytes, actual?.output_bytes),
    ...compared("Time", "seconds", predicted?.seconds, actual?.seconds),
  ];
}

function average(total: Figure, files: Figure): number | null {
  return total === null || total === undefined || files === null || files === undefined || files === 0 ? null : total / files;
}

/** Conditions of rules in words, and where measured and wanted values are on a bar. */
import type { Schemas } from "../../../api/client";
import { bytes, count, share } from "../../../format/sizes";
import { duration } from "../../../format/times";

export type MeasuredCondition = Schemas["ExplainedCondition"];

const METRICS: Readonly<Record<string, string>> = {
  small_file_count: "Small files",
  small_file_share: "Share of small files",
  largest_small_file_share: "Largest small file, as a share of all small files",
  newest_file_age: "Age of the newest file",
  oldest_small_file_age: "Age of the oldest small file",
  oldest_delete_file_age: "Age of the oldest delete file",
  blocking_age: "Longest time that deleted or replaced rows are kept",
  delete_file_count: "Delete files",
  delete_ratio: "Rows that deletes may hide",
  time_since_rewrite: "Time since the last rewrite",
  time_since_full: "Time since the last full rewrite",
  bytes_since_full: "Bytes added since the last full rewrite",
  overlap_depth: "Files that may hold one value",
  unordered_share: "Bytes that are not in order",
  old_spec_file_count: "Files of an older partition spec",
  avoidable_file_count: "Avoidable files of the table",
  avoidable_file_share: "Avoidable files of the table, as a share",
  snapshot_count: "Snapshots",
  manifest_count: "Manifests",
  average_manifest_bytes: "Mean size of a manifest",
  metadata_bytes: "Size of the metadata",
  oldest_snapshot_age: "Age of the oldest snapshot",
  unreferenced_bytes: "Bytes of orphans that the last search left",
};
const OPERATORS = { at_least: "at least", above: "above", at_most: "at most", below: "below" } as const;

export const metricWords = (metric: string): string => METRICS[metric] ?? metric.replaceAll("_", " ");

/** Return a value with its unit. */
export function measure(value: number, unit: MeasuredCondition["unit"]): string {
  if (unit === "bytes") return bytes(value);
  if (unit === "seconds") return duration(value);
  if (unit === "ratio") return share(value);
  if (unit === "percent") return `${count(Number(value.toPrecision(3)))} %`;
  return count(Number.isInteger(value) ? value : Number(value.toPrecision(3)));
}

/** Return what the policy asks for: `at least 20`, or for a negated condition `not at least 20`. */
export function wantedText({ operator, wanted, unit, is_negated: isNegated }: MeasuredCondition): string {
  return `${isNegated ? "not " : ""}${OPERATORS[operator]} ${measure(wanted, unit)}`;
}

export function measuredText({ measured, unit, is_lower_bound: isLowerBound, detail }: MeasuredCondition): string {
  if (measured === null) return detail ?? "not measured";
  return `${isLowerBound ? "at least " : ""}${measure(measured, unit)}`;
}

/** Return whether the rule gets what it needs from the condition. `null`: nothing could be measured. */
export function isMet({ holds, is_negated: isNegated, measured, detail }: MeasuredCondition): boolean {
  if (isNegated && measured === null && detail !== null) return false;
  return holds !== isNegated;
}

/** Return where the measured value ends and where the wanted one is, as shares of the bar from 0 to 1. */
export function barOf({ measured, wanted, unit }: Pick<MeasuredCondition, "measured" | "wanted" | "unit">): { fill: number; mark: number } | null {
  if (measured === null || !Number.isFinite(measured) || !Number.isFinite(wanted) || measured < 0 || wanted < 0) return null;
  const whole = unit === "ratio" && Math.max(measured, wanted) <= 1 ? 1 : unit === "percent" && Math.max(measured, wanted) <= 100 ? 100 : Math.max(measured, wanted) * 1.1;
  if (whole === 0) return { fill: 0, mark: 0 };
  return { fill: measured / whole, mark: wanted / whole };
}

/** Return how far a condition is from being met, in words; null where that cannot be said. */
export function missingText(condition: MeasuredCondition): string | null {
  const { measured, wanted, unit, operator, is_negated: isNegated } = condition;
  if (isMet(condition) || measured === null || isNegated) return null;
  const difference = Math.abs(wanted - measured);
  if (difference === 0) return null;
  const amount = measure(difference, unit);
  return operator === "at_least" || operator === "above" ? `${amount} short` : `${amount} too much`;
}

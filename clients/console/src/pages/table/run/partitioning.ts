/** The columns of a table, and those that it is partitioned by, as its health tells them. */
import type { Schemas } from "../../../api/client";
import type { Health } from "../tableQueries";

export type DescribedPartitionField = Schemas["DescribedPartitionField"];

/** Return the types of the table's columns by name. */
export function columnsOf(health: Pick<Health, "table"> | undefined): Record<string, string> {
  return Object.fromEntries((health?.table.columns ?? []).map(({ name, type }) => [name, type]));
}

/** Return the fields of the current partition spec; null while they are not known. */
export function partitionFields(health: Pick<Health, "table"> | undefined): readonly DescribedPartitionField[] | null {
  const { specs, default_spec_id: current } = health?.table ?? {};
  return specs?.find(({ spec_id: id }) => id === current)?.fields ?? null;
}

/** Return the fields in words: a column, or what is taken of it. */
export function partitionText(fields: readonly DescribedPartitionField[] | null): string {
  if (fields === null) return "being looked up";
  if (fields.length === 0) return "none: the table has no partitions";
  return fields.map(({ name, column, transform }) => (column === null ? `${name}, whose column was dropped` : transform === "identity" ? column : `the ${transform} of ${column}`)).join(", ");
}

/** Return the names of the columns, those of the partition fields first: conditions on others are refused. */
export function columnsFirst(columns: Readonly<Record<string, string>>, fields: readonly DescribedPartitionField[]): string[] {
  const first = fields.flatMap(({ column }) => (column === null ? [] : [column]));
  return [...new Set([...first, ...Object.keys(columns)])];
}

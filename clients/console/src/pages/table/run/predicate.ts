/** Conditions on partition columns, as rows of a form and as the API's predicate. */
import type { Schemas } from "../../../api/client";

export type Operator = Schemas["Op"];
export type Predicate = NonNullable<Schemas["PlanRequest"]["partitions"]>;

export interface ConditionRow {
  readonly column: string;
  readonly op: Operator;
  /** As typed; several values of `in` are separated by commas. */
  readonly text: string;
}

export const OPERATORS: Readonly<Record<Operator, string>> = {
  eq: "is",
  ne: "is not",
  lt: "is before or less than",
  le: "is at most",
  gt: "is after or greater than",
  ge: "is at least",
  in: "is one of",
  not_in: "is none of",
  is_null: "is null",
  is_not_null: "is not null",
};
const NUMERIC = /^(int|integer|long|short|byte|bigint|smallint|tinyint|float|double|decimal.*)$/i;

export const needsValue = (op: Operator): boolean => op !== "is_null" && op !== "is_not_null";

/** Return a typed text as a value of a column of this type; a number only where it is one exactly. */
export function valueOf(text: string, type: string | undefined): string | number | boolean {
  const given = text.trim();
  if (type === "boolean" && /^(true|false)$/i.test(given)) return given.toLowerCase() === "true";
  if (type !== undefined && NUMERIC.test(type) && given !== "") {
    const number = Number(given);
    if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return number;
  }
  return given;
}

/** Return why a row is not complete; null: it is. */
export function gapOf(row: ConditionRow): string | null {
  if (row.column === "") return "Choose a column.";
  if (needsValue(row.op) && row.text.trim() === "") return "Type a value.";
  return null;
}

/** Return the predicate of all rows together; null without rows: all partitions. */
export function predicateOf(rows: readonly ConditionRow[], types: Readonly<Record<string, string>>): Predicate | null {
  const comparisons = rows.filter((row) => gapOf(row) === null).map((row) => comparisonOf(row, types[row.column]));
  if (comparisons.length === 0) return null;
  return (comparisons.length === 1 ? comparisons[0] : { and: comparisons }) as Predicate;
}

function comparisonOf({ column, op, text }: ConditionRow, type: string | undefined): unknown {
  if (!needsValue(op)) return { column, op };
  if (op !== "in" && op !== "not_in") return { column, op, value: valueOf(text, type) };
  const values = text.split(",").filter((part) => part.trim() !== "");
  return { column, op, values: values.map((part) => valueOf(part, type)) };
}

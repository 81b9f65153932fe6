/** Items of a policy's lists in words: rules of triggers, tiers, columns, windows. */
import { writeSize } from "./units";
import { described, windowsOf } from "./windows";

const SIGNS: Readonly<Record<string, string>> = { at_least: "≥", above: ">", at_most: "≤", below: "<" };

/** Return an item of a list in words: `many small files: small_file_count ≥ 20 and …`. */
export function itemText(item: unknown): string {
  if (item === null || typeof item !== "object") return String(item);
  const fields = item as Record<string, unknown>;
  const { name, below_bytes: below, files, direction, nulls, input_changed: isChanged } = fields;
  if (below !== undefined) return `below ${String(below)}: at ${String(files)} files`;
  if ("from" in item && "to" in item) return windowText(fields);
  if ("all" in item || "any" in item || "not" in item) {
    const condition = conditionText(item);
    return `${String(name ?? "without name")}: ${condition}${isChanged === true ? ", only with new files since the last rewrite" : ""}`;
  }
  if ("metric" in item) return conditionText(item);
  if (typeof name === "string") return [name, direction, nulls === undefined || nulls === null ? null : `nulls ${String(nulls)}`].filter(Boolean).join(" ");
  return objectText(fields);
}

function windowText(fields: Record<string, unknown>): string {
  const [window] = windowsOf([fields]);
  const start = typeof fields.on_start === "string" ? `, ${fields.on_start}` : "";
  if (window !== undefined) return described(window) + start;
  const zone = typeof fields.time_zone === "string" ? ` ${fields.time_zone}` : "";
  return `${String(fields.from)} to ${String(fields.to)}${zone}: ${String(fields.reason ?? "")}${start}`;
}

/** Return an object in words: `older_than 5d, keep_last 10`. */
export function objectText(value: object): string {
  const parts = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return parts.map(([name, inner]) => `${name} ${Array.isArray(inner) ? inner.map(itemText).join(" and ") : typeof inner === "object" ? objectText(inner as object) : String(inner)}`).join(", ");
}

/** Return a condition of a trigger in words. */
export function conditionText(condition: unknown, isInner = false): string {
  if (condition === null || typeof condition !== "object") return String(condition);
  const { all, any, not, metric, ...limits } = condition as Record<string, unknown>;
  const joined = (list: readonly unknown[], word: string) => {
    const text = list.map((each) => conditionText(each, true)).join(` ${word} `);
    return isInner && list.length > 1 ? `(${text})` : text;
  };
  if (Array.isArray(all)) return joined(all, "and");
  if (Array.isArray(any)) return joined(any, "or");
  if (not !== undefined && not !== null) return `not ${conditionText(not, true)}`;
  const [sign, limit] = Object.entries(limits).find(([name, value]) => name in SIGNS && value !== null) ?? [];
  const isSize = typeof limit === "number" && String(metric).endsWith("_bytes");
  return sign === undefined ? String(metric) : `${String(metric)} ${SIGNS[sign]} ${isSize ? writeSize(limit) : String(limit)}`;
}

/** A list of the policy in words: triggers, tiers, columns. It is changed in the YAML. */
import { List, Text } from "@mantine/core";

const SIGNS: Readonly<Record<string, string>> = { at_least: "≥", above: ">", at_most: "≤", below: "<" };

export function ListSummary({ value, name, isSet }: { value: unknown; name: string; isSet: boolean }) {
  if (!Array.isArray(value)) return null;
  if (value.length === 0) return <Text size="sm">None.</Text>;
  return (
    <>
      <List size="sm" mt={4} aria-label={`${name}, in words`}>
        {value.map((each: unknown, index) => (
          <List.Item key={index} className="wrap-anywhere">
            {itemText(each)}
          </List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed" mt={4}>
        {isSet ? "Change the list in the YAML." : "Set the list in the YAML to replace it as a whole."}
      </Text>
    </>
  );
}

/** Return an item of a list in words: `many small files: small_file_count ≥ 20 and …`. */
export function itemText(item: unknown): string {
  if (item === null || typeof item !== "object") return String(item);
  const { name, below_bytes: below, files, direction, nulls, input_changed: isChanged } = item as Record<string, unknown>;
  if (below !== undefined) return `below ${String(below)}: at ${String(files)} files`;
  if ("all" in item || "any" in item || "not" in item) {
    const condition = conditionText(item);
    return `${String(name ?? "without name")}: ${condition}${isChanged === true ? ", only with new files since the last rewrite" : ""}`;
  }
  if (typeof name === "string") return [name, direction, nulls === undefined || nulls === null ? null : `nulls ${String(nulls)}`].filter(Boolean).join(" ");
  return JSON.stringify(item);
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
  return sign === undefined ? String(metric) : `${String(metric)} ${SIGNS[sign]} ${String(limit)}`;
}

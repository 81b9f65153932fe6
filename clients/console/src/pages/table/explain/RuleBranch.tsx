/** One rule of the policy: whether it makes partitions due, its conditions, and what holds partitions back. */
import { Text } from "@mantine/core";
import { bytes, count, counted } from "../../../format/sizes";
import { Badge } from "../../../parts/badges";
import type { Schemas } from "../../../api/client";
import { ConditionRows } from "./ConditionRows";
import { isMet } from "./conditions";

const HELD: Readonly<Record<string, string>> = {
  unchanged: "no file came since the last rewrite",
  not_sealed: "not sealed: writers may still add files",
  not_eligible_for_full: "not eligible for a full rewrite",
  cooling_down: "cooling down after a lost race",
  remainder: "left by a rewrite; another would not halve the number",
  too_few_files: "too few files to merge",
};

export function RuleBranch({ rule }: { rule: Schemas["ExplainedRule"] }) {
  const unmet = rule.conditions.filter((condition) => !isMet(condition)).length;
  const held = Object.entries(rule.held_back);
  const state = rule.due ? `${counted(rule.due_partitions_total, "partition")} due` : unmet === 0 && held.length > 0 ? "holds, but held back" : `${counted(unmet, "condition")} not met`;
  return (
    <details className="tree-branch" open={rule.due || unmet <= 1}>
      <summary className="wrap-anywhere">
        <Badge tone={rule.due ? "waiting" : "quiet"}>{rule.due ? "due" : "not due"}</Badge> {rule.name}
        {rule.kind === "full" && " (full rewrite)"} <span className="dim">{state}</span>
      </summary>
      {rule.partition !== null && (
        <Text size="sm" mt={4} className="wrap-anywhere">
          {rule.due ? "Measured in the busiest due partition" : "Measured in the partition that is nearest to it"}: {rule.partition.partition.text} (
          {counted(rule.partition.file_count, "file")}, {bytes(rule.partition.total_bytes)})
        </Text>
      )}
      <ConditionRows conditions={rule.conditions} />
      {held.length > 0 && (
        <Text size="sm" mt={4}>
          It holds for more partitions that are not due:{" "}
          {held.map(([code, partitions]) => `${count(partitions)} ${HELD[code] ?? code.replaceAll("_", " ")}`).join("; ")}.
        </Text>
      )}
      {rule.due_partitions.length > 1 && (
        <details>
          <summary>
            {rule.due_partitions.length} of {counted(rule.due_partitions_total, "due partition")}
          </summary>
          <ul className="wrap-anywhere" style={{ fontSize: 13 }}>
            {rule.due_partitions.map((one) => (
              <li key={`${one.spec_id} ${one.partition.text}`}>
                {one.partition.text}: {counted(one.file_count, "file")}, {bytes(one.total_bytes)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </details>
  );
}

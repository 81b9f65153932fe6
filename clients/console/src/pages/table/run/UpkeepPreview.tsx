/** What an operation of upkeep would do: the summary, and its figures by name. */
import { Text } from "@mantine/core";
import type { Schemas } from "../../../api/client";
import { bytes, count } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Ago } from "../../../parts/Time";

type Plan = Schemas["UpkeepPlan"];
const SHOWN_SNAPSHOTS = 20;

export function UpkeepPreview({ plan }: { plan: Plan }) {
  const expired = "expired" in plan.details ? (plan.details.expired ?? []) : [];
  return (
    <div role="status" aria-label="Plan">
      <Text size="sm" fw={600} mb="xs" className="wrap-anywhere">
        {plan.summary}
      </Text>
      <dl className="facts">
        {figuresOf(plan.details).map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {expired.length > 0 && (
        <details>
          <summary>
            Snapshots that would go: the first {Math.min(SHOWN_SNAPSHOTS, expired.length)} of {count(plan.count)}
          </summary>
          <ul style={{ fontSize: 13 }}>
            {expired.slice(0, SHOWN_SNAPSHOTS).map((one) => (
              <li key={one.snapshot_id}>
                {one.snapshot_id}, <Ago at={one.committed_at} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Return single figures of the details, nested ones by their path; lists and hashes are left out. */
export function figuresOf(details: Readonly<Record<string, unknown>>, path: readonly string[] = []): [string, string][] {
  return Object.entries(details).flatMap(([name, value]): [string, string][] => {
    const words = [...path, name.replaceAll("_", " ")];
    if (name === "plan_hash" || name === "operation" || value === null || Array.isArray(value)) return [];
    if (typeof value === "object") return path.length < 3 ? figuresOf(value as Record<string, unknown>, words) : [];
    const title = words.join(", ");
    if (typeof value === "number") return [[title.replace(/ seconds$/, ""), figureOf(name, value)]];
    return [[title, typeof value === "boolean" ? (value ? "yes" : "no") : String(value)]];
  });
}

function figureOf(name: string, value: number): string {
  if (name.endsWith("bytes")) return bytes(value);
  return name.endsWith("seconds") ? duration(value) : count(value);
}

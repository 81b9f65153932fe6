/** The parts of the health score, with their weight. */
import { Text } from "@mantine/core";
import { Bar } from "../Bar";
import type { Health } from "../tableQueries";

const PARTS: Readonly<Record<string, { label: string; weight: string; what: string }>> = {
  file_sizes: { label: "File sizes", weight: "60 %", what: "share of files that are not avoidable small ones" },
  deletes: { label: "Deletes", weight: "30 %", what: "share of rows that no delete may hide" },
  large_files: { label: "Large files", weight: "10 %", what: "share of bytes that are not in over-large files" },
};

export function ScoreParts({ health }: { health: Health }) {
  return (
    <>
      <dl className="bars">
        {Object.entries(health.score_parts).map(([name, points]) => (
          <div key={name} className="bars-row">
            <dt>{PARTS[name]?.label ?? name.replaceAll("_", " ")}</dt>
            <dd>
              <Bar fill={points / 100} tone={points >= 80 ? "met" : "unmet"} />
            </dd>
            <dd className="right">{Math.round(points)} of 100</dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" mt="xs">
        {Object.entries(PARTS)
          .filter(([name]) => name in health.score_parts)
          .map(([, { label, weight, what }]) => `${label} (${weight} of the score): ${what}.`)
          .join(" ")}
      </Text>
    </>
  );
}

/** Files by size as bars, with the policy's bounds of small and over-large files in words. */
import { Text } from "@mantine/core";
import { bytes, counted } from "../../../format/sizes";
import { Bar } from "../Bar";
import type { Health } from "../tableQueries";
import { classText } from "./sizes";

export function SizeClasses({ health }: { health: Health }) {
  const most = Math.max(1, ...health.size_classes.map((one) => one.file_count));
  return (
    <>
      <dl className="bars">
        {health.size_classes.map((one) => (
          <div key={one.from_bytes} className="bars-row">
            <dt>{classText(one)}</dt>
            <dd>
              <Bar fill={one.file_count / most} tone={(one.below_bytes ?? Infinity) <= health.small_file_bytes ? "unmet" : ""} />
            </dd>
            <dd className="right">
              {counted(one.file_count, "file")}, {bytes(one.total_bytes)}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" mt="xs">
        A file below {bytes(health.small_file_bytes)} is small by the policy; classes below that are orange.
      </Text>
    </>
  );
}

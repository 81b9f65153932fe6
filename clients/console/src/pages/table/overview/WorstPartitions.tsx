/** Partitions with the most avoidable files as bars. */
import { Text } from "@mantine/core";
import { bytes, count } from "../../../format/sizes";
import { Bar } from "../Bar";
import type { Health } from "../tableQueries";

export function WorstPartitions({ health }: { health: Health }) {
  const worst = health.worst_partitions;
  if (worst.length === 0) return <Text size="sm">No partition has anything to improve.</Text>;
  const most = Math.max(1, ...worst.map((one) => one.file_count));
  return (
    <>
      <dl className="bars">
        {worst.map((one) => (
          <div key={`${one.spec_id} ${one.partition.text}`} className="bars-row">
            <dt className="cut" style={{ maxWidth: 320 }} title={one.partition.text}>
              {one.partition.text}
            </dt>
            <dd>
              <Bar fill={one.avoidable_file_count / most} tone="unmet" rest={(one.file_count - one.avoidable_file_count) / most} />
            </dd>
            <dd className="right">
              {count(one.avoidable_file_count)} of {count(one.file_count)} avoidable, {bytes(one.total_bytes)}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" mt="xs">
        Orange: files that a rewrite would save. Grey: the others.
      </Text>
    </>
  );
}

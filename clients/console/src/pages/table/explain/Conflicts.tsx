/** Races with other writers: how often file groups were lost, what was wasted, which partitions cool down. */
import { Text } from "@mantine/core";
import { bytes, count, counted, share } from "../../../format/sizes";
import { RunLink } from "../../../parts/links";
import { Section } from "../../../parts/states";
import { Ago, Time } from "../../../parts/Time";
import type { Explanation } from "../tableQueries";

export function Conflicts({ conflicts }: { conflicts: Explanation["conflicts"] }) {
  return (
    <Section title="Conflicts with other writers">
      <Text size="sm" mb="xs">
        {conflicts.lost_groups === 0
          ? `None in ${counted(conflicts.days, "day")}.`
          : `${counted(conflicts.count, "run")} lost ${counted(conflicts.lost_groups, "file group")} in ${counted(conflicts.days, "day")} (${share(conflicts.conflict_rate)} of all), and wrote ${bytes(conflicts.wasted_bytes)} for nothing. Last reason: ${conflicts.last_reason ?? "unknown"}.`}
      </Text>
      {conflicts.other_compactors.map((one) => (
        <Text key={`${one.engine} ${one.application}`} size="sm" className="wrap-anywhere">
          Another compactor works on this table: {one.application ?? one.engine}, {counted(one.count, "snapshot")}, the last <Ago at={one.last_at} />. Switch one of the
          two off: each makes the other's commits fail.
        </Text>
      ))}
      {conflicts.hot_partitions.length > 0 && (
        <div className="rows" style={{ maxHeight: 300 }} tabIndex={0} role="region" aria-label="Partitions that lost their last race">
          <table>
            <thead>
              <tr>
                <th scope="col">Partition</th>
                <th scope="col" className="right">
                  Lost
                </th>
                <th scope="col" className="right">
                  Wasted
                </th>
                <th scope="col">Cools down until</th>
                <th scope="col">Last run</th>
              </tr>
            </thead>
            <tbody>
              {conflicts.hot_partitions.map((one) => (
                <tr key={`${one.spec_id} ${one.partition.text}`}>
                  <td title={one.partition.text}>{one.partition.text}</td>
                  <td className="right">{count(one.losses)}</td>
                  <td className="right">{bytes(one.wasted_bytes)}</td>
                  <td>{one.is_cooling ? <Time at={one.cools_until} /> : "over"}</td>
                  <td>
                    <RunLink runId={one.run_id}>{one.run_id}</RunLink>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

/** Small files that writers made and rewrites removed, by hour. */
import { SegmentedControl, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { count } from "../../format/sizes";
import { Answer, Section } from "../../parts/states";
import { TimeChart } from "../../parts/TimeChart";
import { useUrlState } from "../../parts/useUrlState";
import { historyQuery } from "./fleetQueries";
import type { HistoryBucket } from "./history";

const SPANS = { "24": "24 hours", "168": "7 days" } as const;
const DEFAULTS = { span: "24" };
const perHour = (value: number | null | undefined) => (value === null || value === undefined ? "–" : `${count(Math.round(value))}/h`);

export function SmallFilesSection({ flow }: { flow: Schemas["SmallFileFlow"] }) {
  const [{ span }, setUrl] = useUrlState(DEFAULTS);
  const hours = span in SPANS ? span : "24";
  const query = useQuery(historyQuery(Number(hours)));
  return (
    <Section
      title="Small files made and removed"
      aside={
        query.data != null && (
          <SegmentedControl
            size="xs"
            aria-label="Time shown"
            value={hours}
            onChange={(value) => setUrl({ span: value })}
            data={Object.entries(SPANS).map(([value, label]) => ({ value, label }))}
          />
        )
      }
    >
      <Text size="sm" mb="xs">
        In the last 24 hours {count(flow.made)} made ({flow.made_per_hour.toFixed(1)} per hour) and {count(flow.removed)} removed (
        {flow.removed_per_hour.toFixed(1)} per hour).
      </Text>
      <Answer query={query} height={240}>
        {(buckets) =>
          buckets === null ? (
            <Text size="sm" c="dimmed">
              This server does not keep the figures by hour; the sums above are of its measurements.
            </Text>
          ) : (
            <HistoryChart buckets={buckets} />
          )
        }
      </Answer>
    </Section>
  );
}

function HistoryChart({ buckets }: { buckets: readonly HistoryBucket[] }) {
  const at = useMemo(() => buckets.map((bucket) => bucket.at), [buckets]);
  const series = useMemo(
    () => [
      { label: "made", values: buckets.map(({ made }) => made), color: 1, steps: true },
      { label: "removed", values: buckets.map(({ removed }) => removed), color: 2, steps: true },
    ],
    [buckets],
  );
  if (buckets.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No measurement in this time. The first hour appears when tables were measured twice.
      </Text>
    );
  }
  return <TimeChart label="Small files made and removed in each hour" at={at} series={series} format={perHour} height={200} />;
}

/** The fleet over time: small files made and removed, backlog, bytes and conflicts, by hour or day. */
import { Group, SegmentedControl, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../../../api/client";
import { count } from "../../../format/sizes";
import { Answer, Section } from "../../../parts/states";
import { Time } from "../../../parts/Time";
import { TimeChart } from "../../../parts/TimeChart";
import { useUrlState } from "../../../parts/useUrlState";
import { historyQuery } from "../fleetQueries";
import { type FleetHistory, isSpan, isView, SPANS, VIEWS, type ViewName } from "./history";

export const SEARCH = { days: "1", show: "files" };

export function SmallFilesSection({ flow }: { flow: Schemas["SmallFileFlow"] }) {
  const [{ days, show }, setUrl] = useUrlState(SEARCH);
  const span = isSpan(days) ? days : "1";
  const view = isView(show) ? show : "files";
  const query = useQuery(historyQuery(span));
  return (
    <Section title="Small files made and removed">
      <Text size="sm" mb="xs">
        In the last 24 hours {count(flow.made)} made ({flow.made_per_hour.toFixed(1)} per hour) and {count(flow.removed)} removed (
        {flow.removed_per_hour.toFixed(1)} per hour).
      </Text>
      <Answer query={query} height={280}>
        {(history) => (
          <>
            <Group gap="xs" mb="xs">
              <SegmentedControl size="xs" aria-label="Figure shown" value={view} onChange={(value) => setUrl({ show: value })} data={Object.entries(VIEWS).map(([value, { label }]) => ({ value, label }))} />
              <SegmentedControl size="xs" aria-label="Time shown" value={span} onChange={(value) => setUrl({ days: value })} data={Object.entries(SPANS).map(([value, { label }]) => ({ value, label }))} />
            </Group>
            <HistoryChart history={history} name={view} />
          </>
        )}
      </Answer>
    </Section>
  );
}

function HistoryChart({ history, name }: { history: FleetHistory; name: ViewName }) {
  const view = VIEWS[name];
  const { items, step, known_since } = history;
  const at = useMemo(() => items.map((item) => Date.parse(item.starts_at)), [items]);
  const series = useMemo(() => view.series(items), [items, view]);
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing was recorded in this time{known_since === null ? ": the record begins with the first measurements" : ""}.
      </Text>
    );
  }
  return (
    <>
      <TimeChart label={`${view.about}, by ${step === "1h" ? "hour" : "day"}`} at={at} series={series} format={view.format(step)} height={200} />
      <Text size="xs" c="dimmed">
        {view.about}. The last {step === "1h" ? "hour" : "day"} is not over yet.
        {known_since !== null && <> The record begins <Time at={known_since} />.</>}
      </Text>
    </>
  );
}

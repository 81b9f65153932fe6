/** Runs on a time axis, one row for each table, with the windows in which no run starts. The list has the same runs. */
import { Anchor, Button, Group, NativeSelect, Text } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { now } from "../../api/connection";
import { count, counted } from "../../format/sizes";
import { localTime } from "../../format/times";
import { Answer, Empty, Section } from "../../parts/states";
import { useNow } from "../../parts/Time";
import type { Filters } from "./filters";
import { type Gantt, ganttOf, MOST_TABLES, type RunSummary, type Span } from "./gantt";
import { GanttChart } from "./GanttChart";
import { MOST_RUNS, type TableWindow, timelineQuery, windowsQuery } from "./runsQueries";

const RANGES = [
  { value: "1", label: "Last hour" },
  { value: "6", label: "Last 6 hours" },
  { value: "24", label: "Last 24 hours" },
  { value: "72", label: "Last 3 days" },
  { value: "168", label: "Last 7 days" },
];
const HOUR = 3_600_000;
const AHEAD = 1 / 8; // of the range: windows and waits that come

type Change = { hours?: string; since?: string; until?: string; view?: string };

/** Return the span of the axis: of the filters' instants where given, otherwise up to now and a little further. */
function spanOf({ since, until }: Filters, hours: string, nowMs: number): Span {
  const range = (RANGES.some(({ value }) => value === hours) ? Number(hours) : 24) * HOUR;
  const to = Date.parse(until);
  const end = Number.isNaN(to) ? nowMs + range * AHEAD : to;
  const from = Date.parse(since);
  const start = Number.isNaN(from) ? (Number.isNaN(to) ? nowMs : to) - range : from;
  return start < end ? { from: start, to: end } : { from: end - range, to: end };
}

export function Timeline({ filters, hours, onChange }: { filters: Filters; hours: string; onChange: (change: Change) => void }) {
  const isFixed = filters.since !== "" || filters.until !== "";
  const query = useQuery(timelineQuery(filters, hours, () => spanOf(filters, hours, now())));
  const nowMs = useNow(5_000);
  const range = isFixed ? (
    <Button size="xs" variant="default" onClick={() => onChange({ since: "", until: "" })}>
      Up to now again
    </Button>
  ) : (
    <NativeSelect size="xs" aria-label="Time range" data={RANGES} value={hours} onChange={(event) => onChange({ hours: event.currentTarget.value })} />
  );
  return (
    <Section title="Timeline" aside={range}>
      <Answer query={query} height={480}>
        {({ runs, isCut }) => <Runs runs={runs} isCut={isCut} span={spanOf(filters, hours, nowMs)} nowMs={nowMs} onChange={onChange} />}
      </Answer>
    </Section>
  );
}

function Runs({
  runs,
  isCut,
  span,
  nowMs,
  onChange,
}: {
  runs: readonly RunSummary[];
  isCut: boolean;
  span: Span;
  nowMs: number;
  onChange: (change: Change) => void;
}) {
  const { from, to } = span;
  const gantt = useMemo(() => ganttOf(runs, { from, to }, nowMs), [runs, from, to, nowMs]);
  const windows = useWindows(gantt);
  if (gantt.rows.length === 0) {
    return (
      <Empty title="No run in this time">
        No run that fits the filters was live from {localTime(span.from)} to {localTime(span.to)}. Choose a longer range, or{" "}
        <Anchor component="button" type="button" onClick={() => onChange({ view: "list" })}>
          see the list
        </Anchor>
        .
      </Empty>
    );
  }
  return (
    <>
      <GanttChart gantt={gantt} span={span} nowMs={nowMs} windows={windows} onZoom={(part) => onChange(isoSpan(part))} />
      <Group gap="md" mt="xs">
        <Text size="sm" c="dimmed">
          {counted(gantt.rows.length, "table")}. Arrow keys move between runs, Enter opens one.
          {gantt.tablesLeft > 0 && ` ${count(gantt.tablesLeft)} more tables have runs in this time: the first ${MOST_TABLES} are shown, filter to see the others.`}
          {isCut && ` The newest ${count(MOST_RUNS)} runs are shown: choose a shorter range or filter to see older ones.`}
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={() => onChange({ ...isoSpan(span), view: "list" })}>
          The runs of this time as a list
        </Anchor>
      </Group>
    </>
  );
}

function isoSpan({ from, to }: Span): { since: string; until: string } {
  return { since: new Date(from).toISOString(), until: new Date(to).toISOString() };
}

/** Return the windows of the tables shown, by table. */
function useWindows(gantt: Gantt): ReadonlyMap<string, readonly TableWindow[]> {
  const tables = gantt.rows.filter(({ isRegistered }) => isRegistered).map(({ tableId }) => tableId);
  const found = useQueries({ queries: tables.map((tableId) => windowsQuery(tableId)) });
  return new Map(tables.map((tableId, index) => [tableId, found[index]?.data ?? []]));
}

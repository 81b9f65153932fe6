/** The drawing of the timeline: rows of bars that are links; one stop of the Tab key, arrows within. */
import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { counted } from "../../format/sizes";
import { duration, localTime } from "../../format/times";
import { PageLink } from "../../parts/links";
import { RUN_STATES } from "../../api/runStates";
import { operationName } from "../../api/operations";
import { type Bar, type Gantt, type GanttRow, type Span, ticksOf, timesOf } from "./gantt";
import type { TableWindow } from "./runsQueries";

interface ChartProps {
  readonly gantt: Gantt;
  readonly span: Span;
  readonly nowMs: number;
  readonly windows: ReadonlyMap<string, readonly TableWindow[]>;
  /** Show a shorter span: called for a bar of several runs. */
  readonly onZoom: (span: Span) => void;
}

export function GanttChart({ gantt, span, nowMs, windows, onZoom }: ChartProps) {
  const { from, to } = span;
  const ticks = useMemo(() => ticksOf({ from, to }), [from, to]);
  const place = useRef<HTMLDivElement>(null);
  const share = (at: number) => `${((at - span.from) / (span.to - span.from)) * 100}%`;
  const hasWindows = [...windows.values()].some((all) => all.length > 0);
  return (
    <>
      <Legend hasWindows={hasWindows} />
      <div className="gantt" ref={place} onKeyDown={(event) => move(event, place.current)}>
        <div className="gantt-row gantt-head" aria-hidden="true">
          <span />
          <div className="gantt-lanes">
            {ticks.map((at) => (
              <span key={at} className="gantt-tick" style={{ left: share(at) }}>
                {tickText(at, span)}
              </span>
            ))}
          </div>
        </div>
        <ul className="gantt-rows" aria-label="Runs by table">
          {gantt.rows.map((row, index) => (
            <Row key={row.tableId} row={row} isFirst={index === 0} nowMs={nowMs} onZoom={onZoom}>
              {(windows.get(row.tableId) ?? []).map((window) => (
                <Shade key={`${window.from} ${window.to} ${window.reason}`} window={window} span={span} />
              ))}
              {ticks.map((at) => (
                <span key={at} className="gantt-line" style={{ left: share(at) }} />
              ))}
              {nowMs < span.to && nowMs > span.from && <span className="gantt-now" title="now" style={{ left: share(nowMs) }} />}
            </Row>
          ))}
        </ul>
      </div>
    </>
  );
}

function Legend({ hasWindows }: { hasWindows: boolean }) {
  return (
    <ul className="gantt-legend" aria-label="Colours of the states">
      {RUN_STATES.map((state) => (
        <li key={state}>
          <span className={`gantt-sample gantt-${state}`} /> {state}
        </li>
      ))}
      {hasWindows && (
        <li>
          <span className="gantt-sample gantt-shade-sample" /> window in which no run starts
        </li>
      )}
    </ul>
  );
}

function Shade({ window, span }: { window: TableWindow; span: Span }) {
  const from = Math.max(span.from, window.from);
  const to = Math.min(span.to, window.to);
  if (to <= from) return null;
  const whole = span.to - span.from;
  return (
    <span
      className="gantt-shade"
      title={`${window.reason}: ${localTime(window.from)} to ${localTime(window.to)}${window.isDerived ? ", by the present policy" : ""}`}
      style={{ left: `${((from - span.from) / whole) * 100}%`, width: `${((to - from) / whole) * 100}%` }}
    />
  );
}

function Row({
  row,
  isFirst,
  nowMs,
  onZoom,
  children,
}: {
  row: GanttRow;
  isFirst: boolean;
  nowMs: number;
  onZoom: (span: Span) => void;
  children: React.ReactNode;
}) {
  const runs = row.lanes.flat().reduce((total, bar) => total + bar.runs.length, row.hidden);
  return (
    <li className="gantt-row">
      <div className="gantt-name">
        {row.isRegistered ? (
          <PageLink to="/tables/$tableId" params={{ tableId: row.tableId }} size="sm" className="cut" title={row.table}>
            {row.table}
          </PageLink>
        ) : (
          <span className="cut" title={`${row.table} is not registered any more`}>
            {row.table}
          </span>
        )}
        <Text size="xs" c="dimmed">
          {counted(runs, "run")}
          {row.hidden > 0 && `, ${row.hidden} not drawn`}
        </Text>
      </div>
      <div className="gantt-lanes">
        {children}
        {row.lanes.map((lane, index) => (
          <div key={index} className="gantt-lane">
            {lane.map((bar, place) => (
              <BarLink key={bar.key} bar={bar} nowMs={nowMs} isStop={isFirst && index === 0 && place === 0} onZoom={onZoom} />
            ))}
          </div>
        ))}
      </div>
    </li>
  );
}

function BarLink({ bar, nowMs, isStop, onZoom }: { bar: Bar; nowMs: number; isStop: boolean; onZoom: (span: Span) => void }) {
  const label = barText(bar, nowMs);
  const first = bar.runs[0];
  const shared = {
    className: `gantt-bar gantt-${bar.state}`,
    style: { left: `${bar.left * 100}%`, width: `${bar.width * 100}%` },
    title: label,
    "aria-label": label,
    "data-bar": "",
    tabIndex: isStop ? 0 : -1,
  };
  if (bar.runs.length === 1 && first !== undefined) {
    return <Link to="/runs/$runId" params={{ runId: first.id }} {...shared} />;
  }
  return <button type="button" {...shared} onClick={() => onZoom(around(bar, nowMs))} />;
}

function barText(bar: Bar, nowMs: number): string {
  const first = bar.runs[0];
  if (first === undefined) return "";
  const [from] = timesOf(first, nowMs);
  if (bar.runs.length > 1) return `${bar.runs.length} short runs from ${localTime(from)} on, worst state ${bar.state}: show this time closer`;
  const [, to] = timesOf(first, nowMs);
  const wait = first.waiting_for === null ? "" : `, waits for ${first.waiting_for.replaceAll("_", " ")}`;
  return `${operationName(first.operation)}, ${first.state}${wait}, submitted ${localTime(from)}, ${duration((to - from) / 1000)}${first.detail === null ? "" : `: ${first.detail}`}`;
}

/** Return the time of a bar's runs with a margin on both sides. */
function around(bar: Bar, nowMs: number): Span {
  const times = bar.runs.map((run) => timesOf(run, nowMs));
  const from = Math.min(...times.map(([start]) => start));
  const to = Math.max(...times.map(([, end]) => end));
  const margin = Math.max(60_000, (to - from) / 10);
  return { from: from - margin, to: to + margin };
}

/** Move the focus: left and right among the bars of all rows, up and down to the row before and after. */
function move(event: KeyboardEvent, place: HTMLElement | null): void {
  const bars = [...(place?.querySelectorAll<HTMLElement>("[data-bar]") ?? [])];
  const index = bars.indexOf(document.activeElement as HTMLElement);
  if (index < 0) return;
  const target = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: bars.length - 1 }[event.key] ?? rowTarget(event.key, bars, index);
  const next = target === undefined ? undefined : bars[Math.min(bars.length - 1, Math.max(0, target))];
  if (next === undefined) return;
  event.preventDefault();
  for (const bar of bars) bar.tabIndex = bar === next ? 0 : -1;
  next.focus();
}

function rowTarget(key: string, bars: readonly HTMLElement[], index: number): number | undefined {
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const row = (bar: HTMLElement | undefined) => bar?.closest("li");
  const present = row(bars[index]);
  const found =
    key === "ArrowDown"
      ? bars.findIndex((bar, other) => other > index && row(bar) !== present)
      : bars.findLastIndex((bar, other) => other < index && row(bar) !== present);
  return found < 0 ? undefined : found;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

function tickText(at: number, { from, to }: Span): string {
  const date = new Date(at);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return to - from > 2 * 86_400_000 || isMidnight ? `${DAY.format(date)}${isMidnight ? "" : ` ${CLOCK.format(date)}`}` : CLOCK.format(date);
}

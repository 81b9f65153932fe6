/**
 * Layout of runs on a time axis: one row for each table, overlapping runs on lanes, crowded ones as one bar.
 *
 * Pure: places are shares (0 to 1) of the shown span. The number of rows, lanes and bars is bounded, however many runs there are.
 */
import type { Schemas } from "../../api/client";
import { TERMINAL } from "../../api/runStates";

export type RunSummary = Schemas["RunSummary"];

export interface Bar {
  readonly key: string;
  /** Start and width as shares of the span. */
  readonly left: number;
  readonly width: number;
  /** The runs of the bar, oldest first; more than one where they are too short to be told apart. */
  readonly runs: readonly RunSummary[];
  /** The state to show: of several runs the one that needs attention most. */
  readonly state: Schemas["RunState"];
}

export interface GanttRow {
  readonly tableId: string;
  readonly table: string;
  readonly lanes: readonly (readonly Bar[])[];
  /** Bars for which there was no lane. */
  readonly hidden: number;
  readonly isActive: boolean;
  /** False for a table whose registration was deleted. */
  readonly isRegistered: boolean;
}

export interface Gantt {
  readonly rows: readonly GanttRow[];
  /** Tables with runs in the span that are not shown. */
  readonly tablesLeft: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export const MOST_TABLES = 40;
const MOST_LANES = 3;
const LEAST_WIDTH = 0.004; // about 3 px of 800

const WEIGHT: Readonly<Record<Schemas["RunState"], number>> = {
  failed: 8,
  refused: 7,
  rewriting: 6,
  committing: 5,
  planning: 4,
  queued: 3,
  cancelled: 2,
  succeeded: 1,
  skipped: 0,
};

/** Return the rows of the tables whose runs are in the span: tables with live runs first, then the newest run decides. */
export function ganttOf(runs: readonly RunSummary[], span: Span, nowMs: number, most = MOST_TABLES): Gantt {
  const byTable = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const [start, end] = timesOf(run, nowMs);
    if (end < span.from || start > span.to) continue;
    const known = byTable.get(run.table_id);
    if (known === undefined) byTable.set(run.table_id, [run]);
    else known.push(run);
  }
  const tables = [...byTable.values()].map((all) => all.toSorted((a, b) => a.created_at.localeCompare(b.created_at)));
  tables.sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || newest(b).localeCompare(newest(a)));
  return {
    rows: tables.slice(0, most).map((all) => rowOf(all, span, nowMs)),
    tablesLeft: Math.max(0, tables.length - most),
  };
}

/** Return when a run begins and ends on the axis, in ms: from its submission to its end, or to now. */
export function timesOf(run: RunSummary, nowMs: number): readonly [number, number] {
  const start = Date.parse(run.created_at);
  return [start, run.finished_at === null ? Math.max(start, nowMs) : Date.parse(run.finished_at)];
}

function rowOf(runs: readonly RunSummary[], span: Span, nowMs: number): GanttRow {
  const first = runs[0] as RunSummary;
  const { lanes, hidden } = packed(crowded(runs.map((run) => barOf(run, span, nowMs))));
  return { tableId: first.table_id, table: first.table ?? first.table_id, lanes, hidden, isActive: isActive(runs), isRegistered: first.table !== null };
}

function barOf(run: RunSummary, { from, to }: Span, nowMs: number): Bar {
  const [start, end] = timesOf(run, nowMs);
  const share = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const left = Math.min(share(start), 1 - LEAST_WIDTH);
  return { key: run.id, left, width: Math.max(LEAST_WIDTH, share(end) - left), runs: [run], state: run.state };
}

/** Join bars of least width that would touch. */
function crowded(bars: readonly Bar[]): readonly Bar[] {
  const found: Bar[] = [];
  for (const bar of bars) {
    const last = found.at(-1);
    const isShort = bar.width <= LEAST_WIDTH && last !== undefined && last.runs.every((run) => TERMINAL.has(run.state));
    if (isShort && bar.left < last.left + last.width && last.width <= LEAST_WIDTH * 2) {
      found[found.length - 1] = {
        ...last,
        width: Math.max(last.width, bar.left + bar.width - last.left),
        runs: [...last.runs, ...bar.runs],
        state: WEIGHT[bar.state] > WEIGHT[last.state] ? bar.state : last.state,
      };
    } else found.push(bar);
  }
  return found;
}

/** Put each bar on the first lane that is free at its start. */
function packed(bars: readonly Bar[]): { lanes: Bar[][]; hidden: number } {
  const lanes: Bar[][] = [];
  let hidden = 0;
  for (const bar of bars) {
    const free = lanes.find((lane) => endOf(lane) <= bar.left);
    if (free !== undefined) free.push(bar);
    else if (lanes.length < MOST_LANES) lanes.push([bar]);
    else hidden += 1;
  }
  return { lanes, hidden };
}

function endOf(lane: readonly Bar[]): number {
  const last = lane.at(-1);
  return last === undefined ? 0 : last.left + last.width;
}

const newest = (runs: readonly RunSummary[]) => runs.at(-1)?.created_at ?? "";
const isActive = (runs: readonly RunSummary[]) => runs.some((run) => !run.is_terminal);

const STEPS_MIN = [5, 15, 30, 60, 180, 360, 720, 1_440, 2_880, 10_080] as const;

/** Return round instants of the viewer's zone for the axis, at most `most`. */
export function ticksOf({ from, to }: Span, most = 8): readonly number[] {
  const step = (STEPS_MIN.find((minutes) => (to - from) / (minutes * 60_000) <= most) ?? 10_080) * 60_000;
  const zone = new Date(from).getTimezoneOffset() * 60_000;
  const ticks: number[] = [];
  for (let at = Math.ceil((from - zone) / step) * step + zone; at <= to; at += step) ticks.push(at);
  return ticks;
}

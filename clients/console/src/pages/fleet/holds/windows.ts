/** Quiet hours and blackouts of the fleet, prepared for a timeline: occurrences of one window share a line. */
import type { Schemas } from "../../../api/client";

export type FleetWindow = Schemas["FleetWindow"];
export type FleetWindows = Schemas["FleetWindows"];

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface WindowRow extends Pick<FleetWindow, "kind" | "on_start" | "reason" | "table_count" | "examples"> {
  readonly key: string;
  readonly spans: readonly Span[];
}

/** Return one row for each window, those of most tables first; spans are cut to the time shown. */
export function windowRows(windows: readonly FleetWindow[], from: number, to: number): WindowRow[] {
  const rows = new Map<string, WindowRow>();
  for (const window of windows) {
    const span = { from: Math.max(from, Date.parse(window.starts_at)), to: Math.min(to, Date.parse(window.ends_at)) };
    if (!(span.from < span.to)) continue;
    const key = JSON.stringify([window.kind, window.on_start, window.reason, window.table_count, window.examples.map(({ table_id }) => table_id)]);
    const row = rows.get(key);
    rows.set(key, { ...window, key, spans: [...(row?.spans ?? []), span] });
  }
  return [...rows.values()].sort((one, other) => other.table_count - one.table_count || one.spans[0]!.from - other.spans[0]!.from);
}

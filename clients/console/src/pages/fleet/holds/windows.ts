/** Quiet hours and blackouts of the fleet, prepared for a timeline: occurrences of one window share a line. */
export interface FleetWindow {
  readonly kind: "quiet_hours" | "blackout";
  readonly on_start: "finish" | "drain" | "interrupt";
  readonly reason: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly table_count: number;
  readonly examples: readonly { readonly table: string; readonly table_id: string }[];
}

/** The answer of `GET /v1/fleet/windows`; to be replaced by the generated type. */
export interface FleetWindows {
  readonly items: readonly FleetWindow[];
  readonly omitted_count: number;
  readonly since: string;
  readonly until: string;
  readonly table_count: number;
  readonly window_table_count: number;
}

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

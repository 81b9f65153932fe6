/** Quiet hours and blackouts of the fleet, prepared for a timeline: tables with the same windows share a row. */
export interface FleetWindow {
  readonly kind: string;
  readonly table: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string | null;
}

export interface WindowRow {
  readonly spans: readonly { readonly kind: string; readonly from: number; readonly to: number }[];
  readonly tables: readonly string[];
}

/** Return the windows of an answer; entries without readable times are left out. */
export function windowsOf(body: unknown): readonly FleetWindow[] {
  const items = (body as { items?: unknown }).items;
  if (!Array.isArray(items)) return [];
  return items
    .map((item: Record<string, unknown>) => ({
      kind: String(item["kind"] ?? "quiet_hours"),
      table: String(item["table"] ?? item["table_id"] ?? ""),
      from: Date.parse(String(item["starts_at"] ?? item["since"])),
      to: Date.parse(String(item["ends_at"] ?? item["until"])),
      reason: typeof item["reason"] === "string" ? item["reason"] : null,
    }))
    .filter(({ from, to }) => from < to);
}

/** Return one row for each set of equal windows, those of most tables first; spans are cut to the time shown. */
export function windowRows(windows: readonly FleetWindow[], from: number, to: number): WindowRow[] {
  const byTable = new Map<string, FleetWindow[]>();
  for (const window of windows) {
    if (window.to <= from || window.from >= to) continue;
    byTable.set(window.table, [...(byTable.get(window.table) ?? []), window]);
  }
  const rows = new Map<string, { spans: WindowRow["spans"]; tables: string[] }>();
  for (const [table, own] of byTable) {
    const spans = own
      .map((window) => ({ kind: window.kind, from: Math.max(from, window.from), to: Math.min(to, window.to) }))
      .sort((one, other) => one.from - other.from);
    const key = JSON.stringify(spans);
    const row = rows.get(key) ?? { spans, tables: [] };
    row.tables.push(table);
    rows.set(key, row);
  }
  return [...rows.values()].sort((one, other) => other.tables.length - one.tables.length);
}

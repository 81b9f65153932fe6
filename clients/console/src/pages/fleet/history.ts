/** Hours of the fleet's history, as the API lists them. */
export interface HistoryBucket {
  /** Start of the hour, in ms since the epoch. */
  readonly at: number;
  readonly made: number | null;
  readonly removed: number | null;
}

/** Return the buckets of an answer in the order of time; entries without a readable time are left out. */
export function historyOf(body: unknown): readonly HistoryBucket[] {
  const items = (body as { items?: unknown }).items;
  if (!Array.isArray(items)) return [];
  return items
    .map((item: Record<string, unknown>) => ({
      at: Date.parse(String(item["at"] ?? item["since"] ?? item["starts_at"])),
      made: numberOf(item["made"] ?? item["small_files_made"]),
      removed: numberOf(item["removed"] ?? item["small_files_removed"]),
    }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((one, other) => one.at - other.at);
}

const numberOf = (value: unknown) => (typeof value === "number" ? value : null);

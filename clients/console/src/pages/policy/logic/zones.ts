/**
 * Local times of time zones as instants, by the browser's own zone data (Intl) alone.
 *
 * A zone has one offset from UTC until a change (daylight saving, or a new law), and another one after it: in spring some
 * local times are skipped, in autumn some occur twice.
 */
const MINUTE = 60_000;
const DAY = 86_400_000;
const STEP = 12 * 3_600_000; // no zone changes its offset twice within this time

/** A local time of a zone, as if it were UTC: ms since the epoch. */
export type Wall = number;

export interface OffsetChange {
  /** The instant of the change, in ms. */
  readonly at: number;
  readonly kind: "skipped" | "repeated";
  /** Local times that do not exist, or occur twice: from, up to and not including to. */
  readonly from: Wall;
  readonly to: Wall;
  readonly minutes: number;
}

const formats = new Map<string, Intl.DateTimeFormat | null>();

function formatOf(zone: string): Intl.DateTimeFormat | null {
  if (!formats.has(zone)) formats.set(zone, madeFormat(zone));
  return formats.get(zone)!;
}

function madeFormat(timeZone: string): Intl.DateTimeFormat | null {
  const figures = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", calendar: "gregory", ...figures });
  } catch {
    return null; // no such zone, or one that this browser does not know
  }
}

/** Return whether this browser knows a time zone. */
export function isZone(zone: string): boolean {
  return /^[A-Za-z]/.test(zone) && formatOf(zone) !== null;
}

/** Return the names of the time zones, UTC first. */
export function zoneNames(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
}

/** Return the local time of a zone at an instant. */
export function wallAt(zone: string, at: number): Wall {
  const parts = Object.fromEntries((formatOf(zone) ?? formatOf("UTC")!).formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day!, hour, minute, second) + (((at % 1000) + 1000) % 1000);
}

/** Return the offset of a zone from UTC at an instant, in ms. */
export function offsetAt(zone: string, at: number): number {
  return wallAt(zone, at) - at;
}

/** Return the changes of a zone's offset after `from`, up to `until` (instants), in order. */
export function changesOf(zone: string, from: number, until: number): OffsetChange[] {
  if (!isZone(zone)) return [];
  const found: OffsetChange[] = [];
  let before = offsetAt(zone, from);
  for (let at = from; at < until; at += STEP) {
    const end = Math.min(at + STEP, until);
    const after = offsetAt(zone, end);
    if (after !== before) found.push(changeAt(firstAfter(zone, at, end, before), before, after));
    before = after;
  }
  return found;
}

function firstAfter(zone: string, from: number, until: number, offset: number): number {
  let [low, high] = [from, until];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === offset) low = middle;
    else high = middle;
  }
  return Math.floor(high / 1000) * 1000;
}

function changeAt(at: number, before: number, after: number): OffsetChange {
  const [old, next] = [at + before, at + after];
  const kind = next > old ? "skipped" : "repeated";
  return { at, kind, from: Math.min(old, next), to: Math.max(old, next), minutes: Math.abs(next - old) / MINUTE };
}

/** Return the instants at which the wall clock of a zone shows a time from `start` up to `end`: none, one or two spans. */
export function localSpans(zone: string, start: Wall, end: Wall): { start: number; end: number }[] {
  const [lower, upper] = [start - 2 * DAY, end + 2 * DAY];
  const changes = changesOf(zone, lower, upper);
  const bounds = [lower, ...changes.map(({ at }) => at), upper];
  const spans: { start: number; end: number }[] = [];
  for (let index = 0; index + 1 < bounds.length; index++) {
    const [begins, ends] = [bounds[index]!, bounds[index + 1]!];
    const offset = offsetAt(zone, begins);
    const span = { start: Math.max(begins, start - offset), end: Math.min(ends, end - offset) };
    if (span.start >= span.end) continue;
    const last = spans.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = span.end;
    else spans.push(span);
  }
  return spans;
}

/** Return the day of the week of a local time: 0 is Monday. */
export function weekday(wall: Wall): number {
  return (new Date(wall).getUTCDay() + 6) % 7;
}

/** Return the minutes since local midnight. */
export function minuteOfDay(wall: Wall): number {
  return Math.floor((((wall % DAY) + DAY) % DAY) / MINUTE);
}

/** Return the local midnight of a local time. */
export function midnight(wall: Wall): Wall {
  return Math.floor(wall / DAY) * DAY;
}

const DATE = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** Write the date of a local time: `Sun 28 Mar 2027`. */
export function wallDate(wall: Wall): string {
  return DATE.format(wall).replace(",", "");
}

/** Write the time of day of a local time: `02:30`. */
export function wallClock(wall: Wall): string {
  return new Date(wall).toISOString().slice(11, 16);
}

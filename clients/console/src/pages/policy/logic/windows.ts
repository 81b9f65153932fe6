/** Quiet hours as parts of a week, how they are moved, and how changes of the clock make them shorter or longer. */
import { duration } from "../../../format/times";
import { isZone, localSpans, midnight, minuteOfDay, type OffsetChange, offsetAt, type Wall, wallAt, wallClock, wallDate, weekday } from "./zones";

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];
export const DAY_NAMES: Readonly<Record<Day, string>> = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};
export type OnStart = "finish" | "drain" | "interrupt";
/** What a window does to a rewrite that runs when it begins. */
export const ON_START: Readonly<Record<OnStart, string>> = {
  drain: "No new file groups start; groups in flight finish and are committed; the rest waits.",
  interrupt: "Groups in flight are stopped within 5 s; finished groups are committed; the rest waits.",
  finish: "A running rewrite continues to its end; only new runs wait.",
};
const WEEK_MINUTES = 7 * 1440;

export interface QuietWindow {
  readonly days: readonly Day[];
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly onStart: OnStart;
  /** Place in the document's list. */
  readonly index: number;
}

/** Return the minutes of a time of day, null if it is none. */
export function minutesOf(clock: unknown): number | null {
  const found = typeof clock === "string" ? /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock) : null;
  return found === null ? null : Number(found[1]) * 60 + Number(found[2]);
}

/** Write minutes as a time of day; a day later is the same. */
export function clockOf(minutes: number): string {
  const inDay = ((minutes % 1440) + 1440) % 1440;
  return `${String(Math.floor(inDay / 60)).padStart(2, "0")}:${String(inDay % 60).padStart(2, "0")}`;
}

/** Return the windows of a document that can be drawn; others are left to the errors of the YAML. */
export function windowsOf(value: unknown): QuietWindow[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown, index) => {
    if (each === null || typeof each !== "object") return [];
    const { days, from, to, time_zone: zone = "UTC", on_start: onStart = "drain" } = each as Record<string, unknown>;
    const known = Array.isArray(days) ? DAYS.filter((day) => days.includes(day)) : DAYS;
    if (minutesOf(from) === null || minutesOf(to) === null || typeof zone !== "string" || !isZone(zone)) return [];
    const how = onStart === "finish" || onStart === "interrupt" ? onStart : "drain";
    return [{ days: known, from: from as string, to: to as string, zone, onStart: how, index }];
  });
}

/** Return the length of a window in minutes; equal times are a whole day. */
export function lengthOf({ from, to }: Pick<QuietWindow, "from" | "to">): number {
  const length = minutesOf(to)! - minutesOf(from)!;
  return length > 0 ? length : length + 1440;
}

/** A part of a window on one day of the week. */
export interface Segment {
  /** 0 is Monday. */
  readonly day: number;
  readonly from: number;
  readonly to: number;
  /** Whether the window begins and ends with this part, and is not continued from or on another day. */
  readonly begins: boolean;
  readonly ends: boolean;
}

/** Return the parts of a window by day, shifted by `shift` minutes (for a grid of another zone). */
export function segmentsOf(window: QuietWindow, shift = 0): Segment[] {
  const length = lengthOf(window);
  return window.days.flatMap((day) => {
    const start = DAYS.indexOf(day) * 1440 + minutesOf(window.from)! + shift;
    const parts: Segment[] = [];
    for (let at = start; at < start + length; ) {
      const next = Math.min(start + length, (Math.floor(at / 1440) + 1) * 1440);
      const inWeek = ((at % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
      const from = inWeek % 1440;
      parts.push({ day: Math.floor(inWeek / 1440), from, to: from + next - at, begins: at === start, ends: next === start + length });
      at = next;
    }
    return parts;
  });
}

/** Return the difference of two zones' wall clocks at an instant, in minutes. */
export function shiftBetween(from: string, to: string, at: number): number {
  return Math.round((offsetAt(to, at) - offsetAt(from, at)) / 60_000);
}

/** Return a window moved by days and minutes. Over midnight its days move, too. */
export function moved(window: QuietWindow, days: number, minutes: number): QuietWindow {
  const start = minutesOf(window.from)! + minutes;
  const shift = days + Math.floor(start / 1440);
  const shifted = window.days.map((day) => (((DAYS.indexOf(day) + shift) % 7) + 7) % 7);
  return {
    ...window,
    days: DAYS.filter((_, index) => shifted.includes(index)),
    from: clockOf(start),
    to: clockOf(start + (lengthOf(window) % 1440)),
  };
}

/** Return the window that a rectangle of the grid stands for. */
export function drawn(a: { day: number; minute: number }, b: { day: number; minute: number }, zone: string): Omit<QuietWindow, "index"> {
  const [first, last] = [Math.min(a.day, b.day), Math.max(a.day, b.day)];
  const [from, to] = [Math.min(a.minute, b.minute), Math.max(a.minute, b.minute)];
  return { days: DAYS.slice(first, last + 1), from: clockOf(from), to: clockOf(to), zone, onStart: "drain" };
}

/** Write a window as the document has it; defaults are left out where the document had none. */
export function windowValue(window: Omit<QuietWindow, "index">): Record<string, unknown> {
  return {
    ...(window.days.length === 7 ? {} : { days: [...window.days] }),
    from: window.from,
    to: window.to,
    time_zone: window.zone,
    ...(window.onStart === "drain" ? {} : { on_start: window.onStart }),
  };
}

/** Describe a window in words: `Mon to Fri, 22:00 to 06:00 of the next day, Europe/Berlin`. */
export function described(window: QuietWindow): string {
  const isNext = minutesOf(window.to)! <= minutesOf(window.from)!;
  return `${daysText(window.days)}, ${window.from} to ${window.to}${isNext ? " of the next day" : ""}, ${window.zone}`;
}

function daysText(days: readonly Day[]): string {
  if (days.length === 7) return "every day";
  const short = (day: Day) => DAY_NAMES[day].slice(0, 3);
  const places = days.map((day) => DAYS.indexOf(day));
  const isRow = places.every((place, index) => index === 0 || place === places[index - 1]! + 1);
  return isRow && days.length > 2 ? `${short(days[0]!)} to ${short(days.at(-1)!)}` : days.map(short).join(", ");
}

/** Return whether a window contains an instant. */
export function contains(window: QuietWindow, at: number): boolean {
  const wall = wallAt(window.zone, at);
  const [day, minute] = [weekday(wall), minuteOfDay(wall)];
  return segmentsOf(window).some((part) => part.day === day && part.from <= minute && minute < part.to);
}

/** Return what a change of the clock does to the windows of its zone, in a sentence each. */
export function effectsOf(windows: readonly QuietWindow[], zone: string, change: OffsetChange): string[] {
  const first = midnight(change.from);
  return windows.flatMap((window) => {
    if (window.zone !== zone) return [];
    return [first - 86_400_000, first].flatMap((day) => effectOf(window, day));
  });
}

function effectOf(window: QuietWindow, day: Wall): string[] {
  if (!window.days.includes(DAYS[weekday(day)]!)) return [];
  const start = day + minutesOf(window.from)! * 60_000;
  const planned = lengthOf(window) * 60_000;
  const spans = localSpans(window.zone, start, start + planned);
  const real = spans.reduce((sum, span) => sum + span.end - span.start, 0);
  const name = `The window of ${wallDate(start)}, ${window.from} to ${window.to},`;
  if (spans.length === 0) return [`${name} does not take place: its local time does not exist.`];
  const begins = wallAt(window.zone, spans[0]!.start);
  const late = begins > start ? ` and begins at ${wallClock(begins)}` : "";
  const twice = spans.length > 1 ? ", in two parts" : "";
  if (real === planned) return late === "" ? [] : [`${name} begins at ${wallClock(begins)}.`];
  return [`${name} lasts ${duration(real / 1000)} instead of ${duration(planned / 1000)}${late}${twice}.`];
}

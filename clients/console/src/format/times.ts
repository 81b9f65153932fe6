/** Instants and durations as text: the viewer's zone on the page, UTC on hover. */
const DAY = new Intl.DateTimeFormat("en-CA", { dateStyle: "short" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** Return an instant in the viewer's zone: `2026-11-25 14:03:59`. */
export function localTime(at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : `${DAY.format(date)} ${CLOCK.format(date)}`;
}

/** Return the name of the viewer's zone, such as `Europe/Berlin`. */
export const zone = (): string => CLOCK.resolvedOptions().timeZone;

export function utcTime(at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Return a duration in at most two units: `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  const whole = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

/** Return the distance of an instant from `nowMs`: `3 min ago`, `in 2 h`. */
export function distance(at: string | number, nowMs: number): string {
  const seconds = (new Date(at).getTime() - nowMs) / 1000;
  if (Math.abs(seconds) < 2) return "now";
  return seconds < 0 ? `${duration(-seconds)} ago` : `in ${duration(seconds)}`;
}

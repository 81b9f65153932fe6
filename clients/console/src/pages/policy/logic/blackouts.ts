/** Blackouts of a policy as instants, in order of time. */
import { isZone, localSpans } from "./zones";

export interface BlackoutSpan {
  /** Place in the document's list. */
  readonly index: number;
  readonly reason: string;
  readonly onStart: string;
  readonly start: number;
  readonly end: number;
}

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/;

/** Return the blackouts of a document that can be placed in time; wrong ones are left to the errors of the YAML. */
export function blackoutsOf(value: unknown): BlackoutSpan[] {
  if (!Array.isArray(value)) return [];
  const found = value.flatMap((each: unknown, index) => {
    if (each === null || typeof each !== "object") return [];
    const { from, to, time_zone: zone, reason, on_start: onStart } = each as Record<string, unknown>;
    const span = spanOf(from, to, zone);
    if (span === null) return [];
    return [{ index, reason: String(reason ?? ""), onStart: typeof onStart === "string" ? onStart : "drain", ...span }];
  });
  return found.sort((a, b) => a.start - b.start);
}

function spanOf(from: unknown, to: unknown, zone: unknown): { start: number; end: number } | null {
  if (typeof from !== "string" || typeof to !== "string") return null;
  if (typeof zone !== "string") {
    const [start, end] = [Date.parse(from), Date.parse(to)];
    return /(Z|[+-]\d\d:\d\d)$/.test(from) && /(Z|[+-]\d\d:\d\d)$/.test(to) && start < end ? { start, end } : null;
  }
  const [first, last] = [localOf(from), localOf(to)];
  if (first === null || last === null || !isZone(zone)) return null;
  const spans = localSpans(zone, first, last);
  return spans.length === 0 ? null : { start: spans[0]!.start, end: spans.at(-1)!.end };
}

function localOf(text: string): number | null {
  const found = LOCAL.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1).map((part) => Number(part ?? 0));
  return Date.UTC(year!, month! - 1, day!, hour, minute, second);
}

/** Return the blackouts that hold now or begin within some weeks. */
export function upcoming(spans: readonly BlackoutSpan[], now: number, weeks: number): BlackoutSpan[] {
  return spans.filter(({ start, end }) => end > now && start < now + weeks * 7 * 86_400_000);
}

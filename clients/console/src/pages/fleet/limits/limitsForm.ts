/** Limits as texts of a form: read from the API's answer, checked, and merged with a version that came meanwhile. */
import type { Schemas } from "../../../api/client";

type Limits = Schemas["Limits"];
export type LimitKey = "parallel_runs" | "parallel_groups" | "bandwidth" | "requests";
export const LIMIT_KEYS: readonly LimitKey[] = ["parallel_runs", "parallel_groups", "bandwidth", "requests"];
/** The limits that a catalog can have of its own. */
export const CATALOG_KEYS: readonly LimitKey[] = ["parallel_runs", "bandwidth", "requests"];
/** Texts of the limits; empty is unlimited, as `parallel_groups` of a catalog always is. */
export type LimitTexts = Readonly<Record<LimitKey, string>>;
export interface LimitsForm {
  readonly fleet: LimitTexts;
  readonly catalogs: Readonly<Record<string, LimitTexts>>;
}

export const NO_LIMITS: LimitTexts = { parallel_runs: "", parallel_groups: "", bandwidth: "", requests: "" };
const RATE = /^\s*([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*(?:(B|[kKMGT]B|[KMGT]iB)(?:\/s)?|([kKMGT]?)(?:bit\/s|bps))?\s*$/;
const LEAST_BANDWIDTH = 65_536;
const MOST_AT_ONCE = 10_000;
const POWERS = "KMGT";

/** Return the bytes per second of a text such as `400MB`, `50MiB/s` or `400Mbit/s`; null when it is none. */
export function rateOfText(text: string): number | null {
  const match = RATE.exec(text);
  if (match === null) return null;
  const [, digits, unit, bits] = match;
  const power = (letter: string | undefined) => POWERS.indexOf((letter ?? "").toUpperCase()) + 1;
  if (bits !== undefined) return Math.floor((Number(digits) * 1000 ** power(bits)) / 8);
  if (unit === undefined || unit === "B") return Math.floor(Number(digits));
  return Math.floor(Number(digits) * (unit.endsWith("iB") ? 1024 : 1000) ** power(unit[0]));
}

/** Return a text that means exactly these bytes: `400MB`, `128MiB`, or the number. */
export function textOfRate(value: number | null): string {
  if (value === null) return "";
  for (const [base, suffix] of [[1000, "B"], [1024, "iB"]] as const) {
    for (let power = POWERS.length; power > 0; power -= 1) {
      const size = base ** power;
      if (value >= size && value % size === 0) return `${value / size}${POWERS[power - 1]}${suffix}`;
    }
  }
  return String(value);
}

/** Return why a text can't be this limit; null when it can, or is empty. */
export function problemOf(key: LimitKey, text: string): string | null {
  if (text.trim() === "") return null;
  if (key === "bandwidth") {
    const value = rateOfText(text);
    if (value === null) return "A rate such as 400MB, 50MiB/s or 400Mbit/s";
    if (value < LEAST_BANDWIDTH) return "At least 64KiB, or rewrites would not end";
    return value > Number.MAX_SAFE_INTEGER ? "That is more than any network moves" : null;
  }
  const value = /^\s*[0-9]{1,16}\s*$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1)) return "A whole number from 1, or empty for no limit";
  return key !== "requests" && value > MOST_AT_ONCE ? `At most ${MOST_AT_ONCE}` : null;
}

/** Return the first reason why the form can't be sent; null when it can. */
export function problemOfForm(form: LimitsForm): string | null {
  const all = [form.fleet, ...Object.values(form.catalogs)];
  if (all.some((limits) => LIMIT_KEYS.some((key) => problemOf(key, limits[key]) !== null))) return "Correct the fields marked above.";
  const sharesRate = form.fleet.bandwidth.trim() !== "" || form.fleet.requests.trim() !== "";
  if (sharesRate && form.fleet.parallel_runs.trim() === "") {
    return "A limit on bandwidth or requests needs parallel runs: a run out of reach gets the limit divided by them.";
  }
  return null;
}

const textOf = (value: number | null) => (value === null ? "" : String(value));

const textsOf = (limits: Schemas["CatalogLimits"] & { parallel_groups?: number | null }): LimitTexts => ({
  parallel_runs: textOf(limits.parallel_runs),
  parallel_groups: textOf(limits.parallel_groups ?? null),
  bandwidth: textOfRate(limits.bandwidth),
  requests: textOf(limits.requests),
});

export const formOf = (limits: Limits): LimitsForm => ({
  fleet: textsOf(limits),
  catalogs: Object.fromEntries(Object.entries(limits.catalogs).map(([name, own]) => [name, textsOf(own)])),
});

const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));

const valuesOf = (texts: LimitTexts) => ({
  parallel_runs: numberOf(texts.parallel_runs),
  bandwidth: texts.bandwidth.trim() === "" ? null : texts.bandwidth.trim(),
  requests: numberOf(texts.requests),
});

const isEmpty = (texts: LimitTexts) => LIMIT_KEYS.every((key) => texts[key].trim() === "");

/** Return the body to send; catalogs without any limit are left out. */
export function bodyOf(form: LimitsForm): Schemas["LimitsReplace"] {
  const catalogs = Object.entries(form.catalogs).filter(([, texts]) => !isEmpty(texts));
  return { ...valuesOf(form.fleet), parallel_groups: numberOf(form.fleet.parallel_groups), catalogs: Object.fromEntries(catalogs.map(([name, texts]) => [name, valuesOf(texts)])) };
}

const merged = (base: LimitTexts, mine: LimitTexts, theirs: LimitTexts): LimitTexts =>
  Object.fromEntries(LIMIT_KEYS.map((key) => [key, mine[key] === base[key] ? theirs[key] : mine[key]])) as unknown as LimitTexts;

/** Return the form with what was changed here kept, and everything else as in the newer version. */
export function rebased(base: LimitsForm, mine: LimitsForm, theirs: LimitsForm): LimitsForm {
  const names = new Set([...Object.keys(mine.catalogs), ...Object.keys(theirs.catalogs)]);
  const of = (form: LimitsForm, name: string) => (Object.hasOwn(form.catalogs, name) ? form.catalogs[name]! : NO_LIMITS);
  return {
    fleet: merged(base.fleet, mine.fleet, theirs.fleet),
    catalogs: Object.fromEntries([...names].map((name) => [name, merged(of(base, name), of(mine, name), of(theirs, name))])),
  };
}

/** Measured rates of the last ten minutes, kept by the page: the API has only the present one. */
import type { Schemas } from "../../../api/client";
import type { Series } from "../../../parts/TimeChart";

export const KEPT_MS = 10 * 60_000;
const GAP_MS = 20_000; // longer without an answer: the line is broken, not drawn across

export interface RateSample {
  /** The server's time in ms since the epoch. */
  readonly at: number;
  /** Null: not known, because Redis or the server did not answer. */
  readonly rates: readonly Schemas["LiveRate"][] | null;
}

/** Return the samples with a new one added, without those older than ten minutes. */
export function withSample(samples: readonly RateSample[], sample: RateSample): readonly RateSample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.at <= last.at) return samples;
  const kept = samples.filter(({ at }) => at > sample.at - KEPT_MS);
  const isBroken = last !== undefined && sample.at - last.at > GAP_MS;
  return isBroken ? [...kept, { at: last.at + 1, rates: null }, sample] : [...kept, sample];
}

/** Return the samples with an empty one in front, so that the axis always spans ten minutes. */
export function tenMinutes(samples: readonly RateSample[]): readonly RateSample[] {
  const last = samples.at(-1);
  return last === undefined ? samples : [{ at: last.at - KEPT_MS, rates: null }, ...samples.filter(({ at }) => at > last.at - KEPT_MS)];
}

const rateOf = (sample: RateSample, catalog: string | null) =>
  sample.rates?.find((rate) => rate.catalog === catalog)?.bytes_per_second ?? null;

/**
 * Return the stack of rates by catalog, its top being the rate of the whole fleet, and the fleet's limit.
 *
 * The API measures catalogs that have limits; the rate of the others is the rest of the fleet's rate.
 */
export function rateSeries(samples: readonly RateSample[]): Series[] {
  const named = new Set(samples.flatMap(({ rates }) => rates ?? []).map(({ catalog }) => catalog));
  const catalogs = [...named].filter((catalog) => catalog !== null).sort();
  const total = samples.map((sample) => rateOf(sample, null));
  const shares = catalogs.map((catalog) =>
    samples.map((sample) => (sample.rates === null ? null : (rateOf(sample, catalog) ?? 0))),
  );
  const sums = shares.map((_, level) =>
    samples.map((sample, at) =>
      sample.rates === null ? null : shares.slice(0, level + 1).reduce((sum, share) => sum + (share[at] ?? 0), 0),
    ),
  );
  const named_sum = sums.at(-1);
  const others = total.map((value, at) => (value === null ? null : Math.max(0, value - (named_sum?.[at] ?? 0))));
  const limits = samples.map(({ rates }) => rates?.find(({ catalog }) => catalog === null)?.bytes_per_second_limit ?? null);
  return [
    {
      label: catalogs.length === 0 ? "all catalogs" : "other catalogs",
      values: total,
      shown: others,
      color: 0,
      fill: true,
    },
    ...catalogs
      .map((catalog, level): Series => ({
        label: catalog,
        values: sums[level]!,
        shown: shares[level]!,
        color: level + 2,
        fill: true,
      }))
      .reverse(),
    ...(limits.some((limit) => limit !== null)
      ? [{ label: "limit of the fleet", values: limits, color: 1, steps: true, dashed: true }]
      : []),
  ];
}

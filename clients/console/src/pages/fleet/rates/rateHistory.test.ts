import { describe, expect, it } from "vitest";
import type { Schemas } from "../../../api/client";
import { KEPT_MS, type RateSample, rateSeries, tenMinutes, withSample } from "./rateHistory";

const rate = (catalog: string | null, bytes_per_second: number, limit: number | null = null): Schemas["LiveRate"] => ({
  catalog,
  bytes_per_second,
  runs: 1,
  bytes_per_second_limit: limit,
  requests_per_second_limit: null,
});

describe("samples of rates", () => {
  it("are kept for ten minutes", () => {
    const old: RateSample[] = [{ at: 0, rates: [] }, { at: 5_000, rates: [] }];
    expect(withSample(old, { at: KEPT_MS + 1_000, rates: [] }).map(({ at }) => at)).toEqual([5_000, 5_001, KEPT_MS + 1_000]);
  });

  it("are not drawn across a time without an answer", () => {
    const after = withSample([{ at: 0, rates: [] }], { at: 60_000, rates: [] });
    expect(after[1]).toEqual({ at: 1, rates: null });
  });

  it("ignore an answer that came too late", () => {
    const samples: RateSample[] = [{ at: 10, rates: [] }];
    expect(withSample(samples, { at: 9, rates: [] })).toBe(samples);
  });

  it("span ten minutes from the first on", () => {
    const samples = tenMinutes([{ at: KEPT_MS, rates: [] }]);
    expect(samples.map(({ at }) => at)).toEqual([0, KEPT_MS]);
  });
});

describe("the stack of rates", () => {
  const samples: RateSample[] = [
    { at: 1, rates: [rate(null, 100, 200), rate("b", 20), rate("a", 30)] },
    { at: 2, rates: null },
    { at: 3, rates: [rate(null, 50, 200), rate("a", 10)] },
  ];

  it("ends at the rate of the fleet, and shows the rest as other catalogs", () => {
    const [others] = rateSeries(samples);
    expect(others).toMatchObject({ label: "other catalogs", values: [100, null, 50], shown: [50, null, 40] });
  });

  it("adds each catalog to those below it", () => {
    const byLabel = new Map(rateSeries(samples).map((series) => [series.label, series]));
    expect(byLabel.get("a")).toMatchObject({ values: [30, null, 10], shown: [30, null, 10] });
    expect(byLabel.get("b")).toMatchObject({ values: [50, null, 10], shown: [20, null, 0] });
  });

  it("draws the limit only when there is one", () => {
    expect(rateSeries(samples).at(-1)).toMatchObject({ label: "limit of the fleet", values: [200, null, 200], dashed: true });
    expect(rateSeries([{ at: 1, rates: [rate(null, 5)] }]).map(({ label }) => label)).toEqual(["all catalogs"]);
  });
});

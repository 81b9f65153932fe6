import { describe, expect, it } from "vitest";
import { bodyOf, type LimitsForm, NO_LIMITS, problemOf, problemOfForm, rateOfText, rebased, textOfRate } from "./limitsForm";

const form = (fleet: Partial<LimitsForm["fleet"]>, catalogs: LimitsForm["catalogs"] = {}): LimitsForm => ({
  fleet: { ...NO_LIMITS, ...fleet },
  catalogs,
});

describe("rates as text", () => {
  it.each([
    ["400MB", 400_000_000],
    ["50MiB/s", 52_428_800],
    ["400Mbit/s", 50_000_000],
    ["1.5 GB", 1_500_000_000],
    ["65536", 65_536],
    ["8kbps", 1_000],
  ])("%s", (text, value) => expect(rateOfText(text)).toBe(value));

  it.each(["fast", "-1MB", "400 M", "4e8", "400mb", ""])("%j is none", (text) => expect(rateOfText(text)).toBeNull());

  it.each([400_000_000, 52_428_800, 65_536, 123_456_789, 1_500_000_000])("%i is read back unchanged", (value) =>
    expect(rateOfText(textOfRate(value))).toBe(value),
  );
});

describe("a form of limits", () => {
  it("refuses a bandwidth under which rewrites would not end", () => expect(problemOf("bandwidth", "1kB")).not.toBeNull());
  it("refuses no parallel runs", () => expect(problemOf("parallel_runs", "0")).not.toBeNull());
  it("takes an empty text for no limit", () => expect(bodyOf(form({})).bandwidth).toBeNull());
  it("needs parallel runs with a rate", () => {
    expect(problemOfForm(form({ bandwidth: "400MB" }))).toContain("parallel runs");
    expect(problemOfForm(form({ bandwidth: "400MB", parallel_runs: "4" }))).toBeNull();
  });
  it("sends parallel groups of the fleet only", () => {
    const body = bodyOf(form({ parallel_groups: "4" }, { sea: { ...NO_LIMITS, requests: "5" } }));
    expect(body.parallel_groups).toBe(4);
    expect(body.catalogs?.["sea"]).not.toHaveProperty("parallel_groups");
  });
  it("leaves out catalogs without a limit", () =>
    expect(bodyOf(form({}, { lake: NO_LIMITS, sea: { ...NO_LIMITS, requests: "5" } })).catalogs).toEqual({
      sea: { parallel_runs: null, bandwidth: null, requests: 5 },
    }));
});

describe("a newer version", () => {
  it("keeps what was changed here, and takes the rest from there", () => {
    const base = form({ bandwidth: "1MB", requests: "5" }, { lake: NO_LIMITS });
    const mine = form({ bandwidth: "2MB", requests: "5" }, { lake: NO_LIMITS });
    const theirs = form({ bandwidth: "3MB", requests: "6" }, { lake: NO_LIMITS, sea: { ...NO_LIMITS, parallel_runs: "1" } });
    expect(rebased(base, mine, theirs)).toEqual(
      form({ bandwidth: "2MB", requests: "6" }, { lake: NO_LIMITS, sea: { ...NO_LIMITS, parallel_runs: "1" } }),
    );
  });
});

import { expect, test } from "vitest";
import { barOf, isMet, measuredText, type MeasuredCondition, measure, metricWords, missingText, wantedText } from "./conditions";

const condition: MeasuredCondition = {
  metric: "small_file_count",
  unit: "count",
  operator: "at_least",
  wanted: 20,
  measured: 17,
  is_lower_bound: false,
  holds: false,
  is_negated: false,
  path: "/all/0",
  detail: null,
};

test("values have their unit", () => {
  expect(measure(3600, "seconds")).toBe("1 h");
  expect(measure(0.5, "ratio")).toBe("50 %");
  expect(measure(1048576, "bytes")).toBe("1.00 MiB");
  expect(measure(12345, "count")).toBe("12,345");
  expect(measure(12.3456, "percent")).toBe("12.3 %");
  expect(metricWords("some_new_metric")).toBe("some new metric");
});

test("a condition is written as measured and wanted, with what is missing", () => {
  expect(wantedText(condition)).toBe("at least 20");
  expect(measuredText(condition)).toBe("17");
  expect(missingText(condition)).toBe("3 short");
  expect(missingText({ ...condition, operator: "at_most", wanted: 10 })).toBe("7 too much");
  expect(missingText({ ...condition, holds: true })).toBeNull();
  expect(measuredText({ ...condition, is_lower_bound: true })).toBe("at least 17");
  expect(measuredText({ ...condition, measured: null, detail: "it was never rewritten" })).toBe("it was never rewritten");
});

test("a negated condition is met when its comparison is false, and by nothing that is not measured", () => {
  expect(wantedText({ ...condition, is_negated: true })).toBe("not at least 20");
  expect(isMet({ ...condition, is_negated: true })).toBe(true);
  expect(isMet({ ...condition, is_negated: true, holds: true })).toBe(false);
  expect(isMet({ ...condition, is_negated: true, measured: null, detail: "no files" })).toBe(false);
  expect(isMet({ ...condition, measured: null, holds: true, detail: "never rewritten" })).toBe(true);
});

test("the bar reaches beyond the greater value, and a share is of the whole", () => {
  expect(barOf(condition)).toEqual({ fill: 17 / 22, mark: 20 / 22 });
  expect(barOf({ measured: 0.2, wanted: 0.5, unit: "ratio" })).toEqual({ fill: 0.2, mark: 0.5 });
  expect(barOf({ measured: 0, wanted: 0, unit: "count" })).toEqual({ fill: 0, mark: 0 });
  expect(barOf({ measured: null, wanted: 1, unit: "count" })).toBeNull();
});

import { expect, test } from "vitest";
import { RATE_POINTS, RateRing } from "./ring";

test("the newest points are kept, oldest first", () => {
  const ring = new RateRing(3);
  for (const at of [1, 2, 3, 4, 5]) ring.push(at, at * 10, 100);
  expect(ring.points()).toEqual({ at: [3, 4, 5], rate: [30, 40, 50], budget: [100, 100, 100] });
});

test("ten minutes at two reports a second fill it, and no more", () => {
  const ring = new RateRing();
  for (let report = 0; report < 5_000; report += 1) ring.push(report * 500, report, null);
  expect(ring.length).toBe(RATE_POINTS);
  expect(ring.points().at[0]).toBe((5_000 - RATE_POINTS) * 500);
});

test("figures that are not known stay unknown", () => {
  const ring = new RateRing(2);
  ring.push(1, null, null);
  expect(ring.points()).toEqual({ at: [1], rate: [null], budget: [null] });
});

test("a report that is not later replaces the newest", () => {
  const ring = new RateRing(3);
  ring.push(10, 1, 1);
  ring.push(10, 2, 1);
  ring.push(9, 3, 1);
  expect(ring.points()).toEqual({ at: [10], rate: [3], budget: [1] });
});

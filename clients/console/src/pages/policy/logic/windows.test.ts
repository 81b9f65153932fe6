import { describe, expect, test } from "vitest";
import { blackoutsOf, upcoming } from "./blackouts";
import { contains, described, drawn, effectsOf, lengthOf, moved, segmentsOf, shiftBetween, windowsOf, windowValue } from "./windows";
import { changesOf, isZone, localSpans, wallAt, wallClock, wallDate, weekday } from "./zones";

const at = (text: string) => Date.parse(text);
const YEAR = [at("2026-11-25T00:00Z"), at("2027-11-25T00:00Z")] as const;
const window = (from: string, to: string, days = ["mon"], zone = "Europe/Berlin") =>
  windowsOf([{ days, from, to, time_zone: zone }])[0]!;

describe("changes of the clock", () => {
  test("Berlin in 2027", () => {
    const [spring, autumn, ...rest] = changesOf("Europe/Berlin", ...YEAR);
    expect(rest).toEqual([]);
    expect(spring).toMatchObject({ kind: "skipped", at: at("2027-03-28T01:00Z"), minutes: 60 });
    expect([wallDate(spring!.from), wallClock(spring!.from), wallClock(spring!.to)]).toEqual(["Sun 28 Mar 2027", "02:00", "03:00"]);
    expect(autumn).toMatchObject({ kind: "repeated", at: at("2027-10-31T01:00Z") });
    expect([wallClock(autumn!.from), wallClock(autumn!.to)]).toEqual(["02:00", "03:00"]);
  });
  test("half an hour on Lord Howe Island, midnight in Havana, none in UTC and Tokyo", () => {
    expect(changesOf("Australia/Lord_Howe", ...YEAR).map(({ minutes }) => minutes)).toEqual([30, 30]);
    const havana = changesOf("America/Havana", ...YEAR).map(({ from, kind }) => [kind, wallClock(from)]);
    expect(havana).toEqual([["skipped", "00:00"], ["repeated", "00:00"]]);
    expect(changesOf("UTC", ...YEAR)).toEqual([]);
    expect(changesOf("Asia/Tokyo", ...YEAR)).toEqual([]);
  });
  test("names that are not zones", () => {
    expect([isZone("Europe/Berlin"), isZone("UTC"), isZone("Europe/Berln"), isZone(""), isZone("+02:00")]).toEqual([true, true, false, false, false]);
  });
});

describe("local times as instants", () => {
  const local = (text: string) => at(`${text}Z`);
  test("on both sides of a change", () => {
    expect(localSpans("Europe/Berlin", local("2027-03-27T12:00"), local("2027-03-28T12:00"))).toEqual([
      { start: at("2027-03-27T11:00Z"), end: at("2027-03-28T10:00Z") },
    ]);
  });
  test("a span in the skipped hour is none, one that begins in it begins after it", () => {
    expect(localSpans("Europe/Berlin", local("2027-03-28T02:00"), local("2027-03-28T03:00"))).toEqual([]);
    expect(localSpans("Europe/Berlin", local("2027-03-28T02:30"), local("2027-03-28T04:00"))[0]).toEqual({ start: at("2027-03-28T01:00Z"), end: at("2027-03-28T02:00Z") });
  });
  test("a span in the repeated hour is twice", () => {
    expect(localSpans("Europe/Berlin", local("2027-10-31T02:15"), local("2027-10-31T02:45"))).toEqual([
      { start: at("2027-10-31T00:15Z"), end: at("2027-10-31T00:45Z") },
      { start: at("2027-10-31T01:15Z"), end: at("2027-10-31T01:45Z") },
    ]);
  });
  test("the wall clock", () => {
    const wall = wallAt("Asia/Kolkata", at("2026-11-25T20:00Z"));
    expect([wallDate(wall), wallClock(wall), weekday(wall)]).toEqual(["Thu 26 Nov 2026", "01:30", 3]);
  });
});

describe("windows in a week", () => {
  test("over midnight a window belongs to the day it starts, also from Sunday to Monday", () => {
    expect(segmentsOf(window("22:00", "06:00", ["sun"]))).toEqual([
      { day: 6, from: 1320, to: 1440, begins: true, ends: false },
      { day: 0, from: 0, to: 360, begins: false, ends: true },
    ]);
  });
  test("equal times are a whole day, midnight as end is the end of the day", () => {
    expect(lengthOf(window("09:00", "09:00"))).toBe(1440);
    expect(segmentsOf(window("22:00", "00:00"))).toEqual([{ day: 0, from: 1320, to: 1440, begins: true, ends: true }]);
    expect(segmentsOf(window("00:00", "00:00"))).toHaveLength(1);
  });
  test("shifted to another zone", () => {
    expect(shiftBetween("Asia/Tokyo", "Europe/Berlin", at("2026-12-01T00:00Z"))).toBe(-480);
    expect(segmentsOf(window("02:00", "10:00"), -480).map(({ day, from, to }) => [day, from, to])).toEqual([[6, 1080, 1440], [0, 0, 120]]);
  });
  test("moving over midnight moves the days", () => {
    expect(moved(window("23:00", "01:00", ["mon", "sun"]), 0, 120)).toMatchObject({ days: ["mon", "tue"], from: "01:00", to: "03:00" });
    expect(moved(window("00:30", "01:00", ["mon"]), 0, -60)).toMatchObject({ days: ["sun"], from: "23:30", to: "00:00" });
    expect(moved(window("09:00", "09:00", ["mon"]), 1, 30)).toMatchObject({ days: ["tue"], from: "09:30", to: "09:30" });
  });
  test("a rectangle is a window of its days", () => {
    expect(drawn({ day: 4, minute: 1440 }, { day: 0, minute: 1080 }, "UTC")).toMatchObject({ days: ["mon", "tue", "wed", "thu", "fri"], from: "18:00", to: "00:00" });
  });
  test("in words, and as a value without defaults", () => {
    expect(described(window("22:00", "06:00", ["mon", "tue", "wed"]))).toBe("Mon to Wed, 22:00 to 06:00 of the next day, Europe/Berlin");
    expect(windowValue(window("09:00", "17:00"))).toEqual({ days: ["mon"], from: "09:00", to: "17:00", time_zone: "Europe/Berlin" });
  });
  test("wrong windows are left out", () => {
    expect(windowsOf([{ from: "9", to: "10:00" }, null, 3, { from: "09:00", to: "10:00", time_zone: "Nowhere/At" }])).toEqual([]);
    expect(windowsOf("off")).toEqual([]);
  });
  test("whether a window holds now", () => {
    expect(contains(window("22:00", "06:00", ["tue"]), at("2026-11-25T04:00Z"))).toBe(true);
    expect(contains(window("22:00", "06:00", ["tue"]), at("2026-11-25T05:00Z"))).toBe(false);
  });
});

describe("windows on the days of changes", () => {
  const [spring, autumn] = changesOf("Europe/Berlin", ...YEAR);
  const effects = (from: string, to: string, change = spring!, days = ["sat", "sun"]) => effectsOf([window(from, to, days)], "Europe/Berlin", change);
  test("longer and shorter nights", () => {
    expect(effects("22:00", "06:00", spring, ["sat"])).toEqual(["The window of Sat 27 Mar 2027, 22:00 to 06:00, lasts 7 h instead of 8 h."]);
    expect(effects("22:00", "06:00", autumn, ["sat"])).toEqual(["The window of Sat 30 Oct 2027, 22:00 to 06:00, lasts 9 h instead of 8 h."]);
  });
  test("a window in the skipped hour, and one that begins in it", () => {
    expect(effects("02:00", "03:00")[0]).toContain("does not take place");
    expect(effects("02:30", "05:00")[0]).toContain("lasts 2 h instead of 2 h 30 min and begins at 03:00");
  });
  test("a window in the repeated hour comes twice", () => expect(effects("02:15", "02:45", autumn)[0]).toContain("in two parts"));
  test("other times and other days are not affected", () => {
    expect(effects("10:00", "12:00")).toEqual([]);
    expect(effects("22:00", "06:00", spring, ["mon"])).toEqual([]);
  });
});

test("blackouts as instants, in order", () => {
  const spans = blackoutsOf([
    { from: "2026-12-24", to: "2026-12-27T06:00", time_zone: "Europe/Berlin", reason: "holidays" },
    { from: "2026-12-01T00:00:00Z", to: "2026-12-02T00:00:00+01:00", reason: "move", on_start: "interrupt" },
    { from: "2026-12-01", to: "2026-12-02", reason: "without zone" },
  ]);
  expect(spans.map(({ index, start, end }) => [index, start, end])).toEqual([
    [1, at("2026-12-01T00:00Z"), at("2026-12-01T23:00Z")],
    [0, at("2026-12-23T23:00Z"), at("2026-12-27T05:00Z")],
  ]);
  expect(upcoming(spans, at("2026-12-02T00:00Z"), 2)).toEqual([]);
  expect(upcoming(spans, at("2026-12-20T00:00Z"), 2)).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import { type Filters, isFiltered, isoOf, localOf, pathOf, queryOf, wordsOf } from "./filters";
import { windowsOf } from "./runsQueries";

const NONE: Filters = { state: [], operation: [], catalog: "", team: "", table: "", since: "", until: "" };

describe("filters", () => {
  test("without any the list has no query", () => {
    expect(queryOf(NONE)).toEqual({});
    expect(isFiltered(NONE)).toBe(false);
    expect(pathOf(NONE)).toBe("/v1/runs");
  });

  test("each becomes a parameter of the API and an option of the CLI", () => {
    const filters = { ...NONE, state: ["failed", "queued"], table: "lake.web.clicks", team: "sales" };
    expect(pathOf(filters)).toBe("/v1/runs?state=failed%2Cqueued&owner_team=sales&table_id=lake.web.clicks");
    expect(wordsOf(filters).join(" ")).toBe("packhouse runs list --state failed --state queued --team sales --table lake.web.clicks");
  });

  test("an instant that can't be read is not a filter", () => {
    expect(isFiltered({ ...NONE, since: "yesterday" })).toBe(false);
    expect(localOf("yesterday")).toBe("");
  });

  test("an instant survives the way through the field", () => {
    expect(isoOf(localOf("2026-11-25T10:30:00.000Z"))).toBe("2026-11-25T10:30:00.000Z");
  });
});

test("quiet hours are also those of the week before, a blackout comes once", () => {
  const times = { starts_at: "2026-11-25T08:00:00Z", ends_at: "2026-11-25T16:00:00Z", reason: "r" };
  const [before, coming] = windowsOf([{ kind: "quiet_hours", ...times }]);
  expect(before).toMatchObject({ from: Date.parse("2026-11-18T08:00:00Z"), to: Date.parse("2026-11-18T16:00:00Z"), isDerived: true });
  expect(coming).toMatchObject({ from: Date.parse(times.starts_at), isDerived: false });
  expect(windowsOf([{ kind: "blackout", ...times }])).toHaveLength(1);
});

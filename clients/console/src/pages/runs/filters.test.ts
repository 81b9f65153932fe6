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

  test("an instant that can't be read is no filter", () => {
    expect(isFiltered({ ...NONE, since: "yesterday" })).toBe(false);
    expect(localOf("yesterday")).toBe("");
  });

  test("an instant survives the way through the field", () => {
    expect(isoOf(localOf("2026-11-25T10:30:00.000Z"))).toBe("2026-11-25T10:30:00.000Z");
  });
});

test("windows without an end last, and answers of other shapes give none", () => {
  expect(windowsOf({ items: [{ starts_at: "2026-11-25T10:00:00Z", ends_at: null }] })[0]?.to).toBeGreaterThan(Date.now());
  expect(windowsOf({ items: [{ kind: "blackout" }] })).toEqual([]);
  expect(windowsOf(null)).toEqual([]);
});

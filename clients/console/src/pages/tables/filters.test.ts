import { expect, test } from "vitest";
import { commandOf, DEFAULTS, isFiltered, pathOf, queryOf } from "./filters";

test("without filters only the order is asked for", () => {
  expect(queryOf(DEFAULTS)).toEqual({ sort: "-avoidable_file_count" });
  expect(isFiltered(DEFAULTS)).toBe(false);
});

test("filters are named as in the API, and incomplete labels are left out", () => {
  const state = { ...DEFAULTS, search: " shop ", team: "sales", label: ["tier:gold", "tier"], paused: "no", run: ["failed"] };
  expect(queryOf(state)).toEqual({
    search: "shop",
    owner_team: "sales",
    label: ["tier:gold"],
    paused: false,
    last_run_state: ["failed"],
    sort: "-avoidable_file_count",
  });
  expect(isFiltered(state)).toBe(true);
});

test("a search of any length is one that the API takes", () => {
  expect(queryOf({ ...DEFAULTS, search: "x".repeat(500) }).search).toHaveLength(200);
  expect("search" in queryOf({ ...DEFAULTS, search: "  " })).toBe(false);
});

test("lists are repeated parameters in the path, and hostile text is escaped", () => {
  expect(pathOf({ ...DEFAULTS, verdict: ["held", "new"], search: "a&b=c" })).toBe(
    "/v1/fleet/tables?search=a%26b%3Dc&verdict=held&verdict=new&sort=-avoidable_file_count",
  );
});

test("the command has the same filters, or there is none", () => {
  expect(commandOf({ ...DEFAULTS, search: "it's", verdict: ["held"] })).toBe(
    `packhouse fleet tables --search 'it'\\''s' --verdict held --sort=-avoidable_file_count`,
  );
  expect(commandOf({ ...DEFAULTS, paused: "yes" })).toBeNull();
});

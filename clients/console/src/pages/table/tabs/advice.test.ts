import { expect, test } from "vitest";
import { layoutSuggestion, neverDueSuggestion, patchOf, upkeepSuggestions } from "./advice";

const setting = (value: unknown) => ({ value, origin: "default" });
const layout = (changes: object) => ({ layout: "cluster", cluster_by: ["city"], because: "why", query_count: 9, columns: [], ...changes }) as never;

test("a dotted setting becomes a nested patch", () => {
  expect(patchOf("maintenance.expire_snapshots", { keep_last: 10 })).toEqual({ maintenance: { expire_snapshots: { keep_last: 10 } } });
});

test("one column is sorted by, several get a curve, and what is set already is not advice", () => {
  const binpack = { "rewrite.strategy": setting("binpack"), "rewrite.columns": setting([]) };
  expect(layoutSuggestion(layout({}), binpack)?.patch).toEqual({ rewrite: { strategy: "sort", columns: ["city"] } });
  expect(layoutSuggestion(layout({ cluster_by: ["a", "b"] }), binpack)?.patch).toEqual({ rewrite: { strategy: "zorder", columns: ["a", "b"] } });
  expect(layoutSuggestion(layout({}), { "rewrite.strategy": setting("sort"), "rewrite.columns": setting(["city"]) })).toBeNull();
  expect(layoutSuggestion(layout({ layout: "unknown", cluster_by: [] }), binpack)).toBeNull();
  expect(layoutSuggestion(layout({ layout: "binpack", cluster_by: [] }), { "rewrite.strategy": setting("sort") })?.patch).toEqual({ rewrite: { strategy: "binpack", columns: [] } });
});

test("operations that are off and have something to do are advised", () => {
  const operation = (changes: object) => ({ operation: "expire_snapshots", setting: "maintenance.expire_snapshots", is_on: false, assumed: { keep_last: 10 }, count: 3, blocked: null, detail: "3 of 13", ...changes }) as never;
  const found = upkeepSuggestions([operation({}), operation({ is_on: true, assumed: null }), operation({ count: 0 }), operation({ blocked: "gc_disabled" }), operation({ operation: "remove_orphans" })]);
  expect(found.map(({ because, patch }) => [because, patch])).toEqual([["3 of 13", { maintenance: { expire_snapshots: { keep_last: 10 } } }]]);
});

test("a rule is added to the present ones once", () => {
  const triggers = { advice: [{ text: "16 of its 18 files are in partitions that no rule makes due." }] } as never;
  const suggestion = neverDueSuggestion(triggers, { triggers: setting([{ name: "many" }]) });
  const rules = (suggestion?.patch as { triggers: { name: string }[] }).triggers;
  expect(rules.map(({ name }) => name)).toEqual(["many", "settled few files"]);
  expect(neverDueSuggestion(triggers, { triggers: setting(rules) })).toBeNull();
  expect(neverDueSuggestion({ advice: [] } as never, { triggers: setting([]) })).toBeNull();
});

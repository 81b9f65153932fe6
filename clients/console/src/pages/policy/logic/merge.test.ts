import { describe, expect, test } from "vitest";
import { parsePolicy, withSettings } from "./document";
import { leaves, root } from "./fixture";
import { mergeChanges, mergePatch, threeWay } from "./merge";

const base = { priority: "normal", limits: { bandwidth: 50_000_000, requests: 100 }, schedule: { cron: "0 2 * * *" } };
const theirs = { priority: "high", limits: { bandwidth: 80_000_000 }, schedule: { cron: "0 2 * * *" } };
const MINE = "priority: low # mine\nlimits:\n  bandwidth: 80MB/s\n  requests: 100\n  parallel_groups: 2\n";

describe("a three-way merge", () => {
  const merge = threeWay(base, theirs, parsePolicy(MINE).value!, leaves, root);
  const names = (versions: readonly { leaf: { name: string } }[]) => versions.map(({ leaf }) => leaf.name).sort();
  test("only what both changed differently is a conflict", () => {
    expect(names(merge.conflicts)).toEqual(["priority"]);
    expect(names(merge.taken)).toEqual(["limits.requests"]);
    expect(names(merge.kept)).toEqual(["limits.parallel_groups", "schedule.cron"]);
    expect(names(merge.agreed)).toEqual(["limits.bandwidth"]);
  });
  test("the merge is my text with their changes and the choices", () => {
    const text = withSettings(MINE, mergeChanges(merge, { priority: "theirs" }, root));
    expect(text).toBe("priority: high # mine\nlimits:\n  bandwidth: 80MB/s\n  parallel_groups: 2\n");
    expect(withSettings(MINE, mergeChanges(merge, { priority: "mine" }, root))).toContain("priority: low");
  });
  test("their sizes come in readable units", () => {
    const only = threeWay({}, { limits: { bandwidth: 80_000_000 } }, {}, leaves, root);
    expect(withSettings("", mergeChanges(only, {}, root))).toBe("limits:\n  bandwidth: 80MB/s\n");
  });
});

test("a merge patch sets, removes and replaces lists", () => {
  expect(mergePatch({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: null }, d: [2], e: { f: null } })).toEqual({ a: { c: 2 }, d: [2], e: {} });
  expect(({} as Record<string, unknown>).x).toBeUndefined();
  mergePatch({}, JSON.parse('{"__proto__": {"x": 1}}'));
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

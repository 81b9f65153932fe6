import { describe, expect, test } from "vitest";
import { counts, type FileGroup, type GroupNews, merged, newsOf } from "./groups";
import type { RunEvent } from "../live/history";

const group = (ordinal: number, state: FileGroup["state"]): FileGroup => ({ ordinal, state, reason: null }) as FileGroup;
const event = (kind: string, details: Record<string, unknown>): RunEvent => ({ kind, details }) as unknown as RunEvent;

describe("news of events", () => {
  test("written, committed and dropped groups are read", () => {
    expect(newsOf(event("group_written", { group: 4 }))).toEqual([[4, { state: "written", reason: null }]]);
    expect(newsOf(event("committed", { groups: [1, 2] })).map(([ordinal]) => ordinal)).toEqual([1, 2]);
    expect(newsOf(event("group_dropped", { reasons: { "7": "source_gone" } }))).toEqual([[7, { state: "dropped", reason: "source_gone" }]]);
  });

  test("other events and shapes of later versions say nothing", () => {
    expect(newsOf(event("commit_sent", { groups: [1] }))).toEqual([]);
    expect(newsOf(event("group_written", {}))).toEqual([]);
    expect(newsOf(event("group_dropped", { reasons: null }))).toEqual([]);
  });
});

test("a group never goes back to an earlier state", () => {
  const news = new Map<number, GroupNews>([
    [0, { state: "written", reason: null }],
    [1, { state: "written", reason: null }],
    [2, { state: "dropped", reason: "source_gone" }],
  ]);
  const found = merged([group(0, "running"), group(1, "committed"), group(2, "committed")], news);
  expect(found.map(({ state }) => state)).toEqual(["written", "committed", "committed"]);
  expect(counts(found)).toMatchObject({ written: 1, committed: 2, dropped: 0 });
});

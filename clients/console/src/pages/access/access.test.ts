import { describe, expect, it } from "vitest";
import { changesOf } from "./changes";
import { type Key, stateOf, teamsOf } from "./keys";
import { sequenceReport } from "./sequence";

const links = (...sequences: (number | null)[]) => sequences.map((sequence) => ({ sequence }));

describe("the sequence of audit rows", () => {
  it("is complete without a gap", () => expect(sequenceReport(links(null, 9, 8, 7))).toEqual({ kind: "contiguous", first: 7, last: 9 }));
  it("may be sealed in another order than written", () => expect(sequenceReport(links(8, 9, 7)).kind).toBe("contiguous"));
  it("shows the newest gap", () => expect(sequenceReport(links(9, 6, 3))).toEqual({ kind: "gap", after: 6, before: 9 }));
  it("shows a repetition", () => expect(sequenceReport(links(9, 9))).toEqual({ kind: "twice", at: 9 }));
  it("is unknown without a sealed row", () => expect(sequenceReport(links(null))).toEqual({ kind: "none" }));
});

describe("changes of an object", () => {
  it("are named by their path, changed ones first", () => {
    expect(changesOf({ name: "a", limits: { bandwidth: 1 } }, { name: "a", limits: { bandwidth: 2, requests: null } })).toEqual([
      { path: "limits.bandwidth", kind: "changed", before: "1", after: "2" },
      { path: "limits.requests", kind: "added", before: "", after: "null" },
      { path: "name", kind: "same", before: "a", after: "a" },
    ]);
  });
  it("compare lists as a whole", () => expect(changesOf({ teams: ["a"] }, { teams: ["a", "b"] })[0]).toMatchObject({ before: '["a"]', after: '["a","b"]' }));
  it("of a deleted object are removals", () => expect(changesOf({ name: "a" }, null)).toMatchObject([{ path: "name", kind: "removed" }]));
  it("keep hostile names as text", () => expect(changesOf(null, { __proto__x: "<b>" })).toMatchObject([{ path: "__proto__x", after: "<b>" }]));
});

describe("keys", () => {
  const key = { revoked_at: null, expires_at: null } as Key;
  it("are revoked for good", () => expect(stateOf({ ...key, revoked_at: "2026-01-01T00:00:00Z", expires_at: "2020-01-01T00:00:00Z" }, 0)).toBe("revoked"));
  it("expire at their instant", () => {
    const expiring = { ...key, expires_at: "2026-01-01T00:00:00Z" };
    expect(stateOf(expiring, Date.parse("2025-12-31T23:59:59Z"))).toBe("valid");
    expect(stateOf(expiring, Date.parse("2026-01-01T00:00:00Z"))).toBe("expired");
  });
  it("are of every team without a name", () => expect([teamsOf(" , "), teamsOf("a, b")]).toEqual([null, ["a", "b"]]));
});

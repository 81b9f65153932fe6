import { describe, expect, it } from "vitest";
import { isKind, summaryOf } from "./signals";

describe("a signal in a line", () => {
  it("names what a commit added", () =>
    expect(summaryOf({ kind: "commit", snapshot_id: "7", added_files: 1, added_bytes: 1024 })).toBe("snapshot 7, 1 file, 1.00 KiB"));
  it("names the percentiles that were given", () =>
    expect(summaryOf({ kind: "query_latency", p50_seconds: null, p95_seconds: 2.5, p99_seconds: null, query_count: 1 })).toBe("p95 2.5 s, of 1 query"));
  it("names queries without a filter", () =>
    expect(summaryOf({ kind: "filters", queries: [{ columns: [], query_count: 3 }, { columns: ["a", "b"], query_count: 2 }] })).toBe("no filter (3); a and b (2)"));
  it("says until when it holds", () =>
    expect(summaryOf({ kind: "backpressure", slow_down: true, reason: "too many files", valid_seconds: 300 })).toBe("slow down for 5 min: too many files"));
});

describe("a kind in the URL", () => {
  it("must be one of the API", () => expect([isKind("commit"), isKind("constructor")]).toEqual([true, false]));
});

import { describe, expect, test } from "vitest";
import { canonical, differing, isSame, readable } from "./canonical";
import { check } from "./check";
import { leaf, leaves, root } from "./fixture";
import { meaningsOf, nearest, nodesAt, wordsOf } from "./schema";
import { shown } from "./shown";
import { readDuration, readRate, readSize, writeSize } from "./units";

describe("settings of the schema", () => {
  test("merged objects are entered, objects that can be off are whole", () => {
    const names = leaves.map(({ name }) => name);
    expect(names).toContain("rewrite.deletes.ratio");
    expect(names).toContain("rewrite.full.eligibility");
    expect(names).toContain("maintenance.expire_snapshots");
    expect(names).toContain("seal");
    expect(names).not.toContain("seal.after");
    expect(names).not.toContain("rewrite");
  });
  test("references and alternatives are resolved", () => {
    expect(wordsOf(nodesAt(root, ["rewrite", "strategy"]))).toContain("zorder");
    expect(wordsOf(nodesAt(root, ["quiet_hours", 0, "on_start"]))).toEqual(["finish", "drain", "interrupt"]);
    expect(nodesAt(root, ["constructor"])).toEqual([]);
  });
  test("metrics have their meanings", () => {
    const [metric] = nodesAt(root, ["triggers", 0, "all", 0, "metric"]);
    expect(meaningsOf({ enum: metric!.enum!, description: root.$defs!.Metric!.description! }).file_count).toBe("live data files");
  });
  test("the nearest name is found, and none for a foreign word", () => {
    expect(nearest("rewrit", ["rewrite", "limits"])).toBe("rewrite");
    expect(nearest("bandwith", ["requests", "bandwidth"])).toBe("bandwidth");
    expect(nearest("xyz", ["rewrite", "limits"])).toBeNull();
  });
});

describe("figures", () => {
  test("sizes and rates", () => {
    expect(readSize("128MiB")).toBe(134_217_728);
    expect(readSize("1.5 kB")).toBe(1500);
    expect(readSize("50XB")).toBeNull();
    expect(readRate("50MB/s")).toBe(50_000_000);
    expect(readRate("400Mbit/s")).toBe(50_000_000);
    expect(readRate("1000")).toBe(1000);
    expect(writeSize(500_000_000)).toBe("500MB");
    expect(writeSize(1_073_741_825)).toBe(1_073_741_825);
  });
  test("durations", () => {
    expect(readDuration("6h")).toBe(21_600);
    expect(readDuration("P1DT2H")).toBe(93_600);
    expect(readDuration("P")).toBeNull();
  });
  test("as text", () => {
    expect(shown(134_217_728, ["size"])).toBe("128 MiB");
    expect(shown(50_000_000, ["rate"])).toBe("50 MB/s");
    expect(shown([], [])).toBe("none");
  });
});

describe("documents that mean the same", () => {
  test("units and defaults do not matter", () => {
    expect(isSame("128MiB", 134_217_728, leaf("rewrite.target_file_bytes"), root)).toBe(true);
    expect(isSame("400Mbit/s", 50_000_000, leaf("limits.bandwidth"), root)).toBe(true);
    expect(isSame("PT6H", "6h", leaf("schedule.min_interval"), root)).toBe(true);
    const window = { days: ["mon"], from: "09:00", to: "10:00" };
    expect(isSame([window], [{ ...window, time_zone: "UTC", on_start: "drain" }], leaf("quiet_hours"), root)).toBe(true);
    expect(isSame([window], [{ ...window, on_start: "finish" }], leaf("quiet_hours"), root)).toBe(false);
  });
  test("conditions of triggers are compared by their figures", () => {
    const rule = (below: unknown) => [{ name: "x", all: [{ metric: "average_file_bytes", below }] }];
    expect(isSame(rule("32MB"), rule(32_000_000), leaf("triggers"), root)).toBe(true);
    expect(isSame(rule("2d"), rule("48h"), leaf("triggers"), root)).toBe(true);
  });
  test("null is not set", () => {
    expect(differing({ priority: null }, {}, leaves, root)).toEqual([]);
    expect(differing({ priority: "high" }, {}, leaves, root).map(({ name }) => name)).toEqual(["priority"]);
  });
  test("stored numbers become readable", () => {
    const policy = { rewrite: { target_file_bytes: 268_435_456, min_input_files: 5 }, limits: { bandwidth: 50_000_000, requests: 1000 } };
    expect(readable(policy, root, root)).toEqual({
      rewrite: { target_file_bytes: "256MiB", min_input_files: 5 },
      limits: { bandwidth: "50MB/s", requests: 1000 },
    });
    expect(canonical(readable(policy, root, root), root, root)).toEqual(policy);
  });
  test("a name of an object's prototype is only a name", () => {
    expect(check(JSON.parse('{"__proto__": 1, "constructor": 2}'), root).map(({ isName }) => isName)).toEqual([true, true]);
    expect(() => canonical(JSON.parse('{"__proto__": {"a": 1}}'), root, root)).not.toThrow();
  });
});

describe("flaws", () => {
  const messages = (value: unknown) => check(value, root).map(({ path, message, hint }) => [path.join("."), message, hint]);
  test("a right policy has none", () => {
    expect(
      messages({
        preset: "balanced",
        seal: "off",
        rewrite: { small_file_bytes: "75%", large_file_bytes: "off", columns: ["a", { name: "b", direction: "desc" }] },
        triggers: [{ name: "x", any: [{ metric: "file_count", above: 3 }, { all: [{ not: { metric: "newest_file_age", below: "2d" } }] }] }],
        limits: { bandwidth: "50MB/s", share_percent: 30 },
        blackouts: [{ from: "2026-12-24", to: "2026-12-27", time_zone: "Europe/Berlin", reason: "x" }],
      }),
    ).toEqual([]);
  });
  test("unknown names have the nearest one", () => {
    expect(messages({ rewrit: {} })).toEqual([["rewrit", "'rewrit' is not a field here", "did you mean 'rewrite'?"]]);
    expect(messages({ limits: { bandwith: 1 } })[0]![2]).toBe("did you mean 'bandwidth'?");
  });
  test("wrong words, types and ranges", () => {
    expect(messages({ priority: "hihg" })).toEqual([["priority", "must be 'low', 'normal' or 'high'", "did you mean 'high'?"]]);
    expect(messages({ enabled: "yes" })[0]![1]).toBe("must be true or false");
    expect(messages({ rewrite: { min_input_files: 1 } })[0]![1]).toBe("must be a whole number from 2 to 10000");
    expect(messages({ rewrite: { target_file_bytes: "1KiB" } })[0]![1]).toContain("from 1.00 MiB to 16.0 GiB");
    expect(messages({ limits: [] })[0]![1]).toBe("must be an object, not a list");
    expect(messages({ quiet_hours: [{ from: "9:00", to: "10:00" }] })[0]![1]).toContain("a time of day");
    expect(messages({ quiet_hours: [{ from: "09:00" }] })[0]![1]).toBe("'to' is missing");
    expect(messages({ triggers: [{ name: "x", all: [{ metric: "smal_file_count", above: 1 }] }] })[0]![2]).toBe("did you mean 'small_file_count'?");
  });
});

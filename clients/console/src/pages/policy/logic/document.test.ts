import { describe, expect, test } from "vitest";
import { contextAt, suggestions } from "./completion";
import { lineOf, parsePolicy, pointerPath, policyText, rangeOf, withSetting, withSettings } from "./document";
import { root } from "./fixture";

const TEXT = `# of the dashboards
priority: high # until May
rewrite:
  # readers want this
  target_file_bytes: 256MiB
  min_input_files: 5
limits:
  bandwidth: 50MB/s
`;

describe("changes keep what they do not change", () => {
  test("a value, with all comments", () => {
    expect(withSetting(TEXT, ["limits", "bandwidth"], "80MB/s")).toBe(TEXT.replace("50MB/s", "80MB/s"));
    expect(withSetting(TEXT, ["priority"], "low")).toBe(TEXT.replace("high", "low"));
  });
  test("a new setting of a new section", () => {
    expect(withSetting(TEXT, ["schedule", "cron"], "0 2 * * *")).toBe(`${TEXT}schedule:\n  cron: 0 2 * * *\n`);
    expect(withSetting("", ["seal"], { after: "1h" })).toBe("seal:\n  after: 1h\n");
  });
  test("the last setting of a section removes the section", () => {
    expect(withSetting(TEXT, ["limits", "bandwidth"], undefined)).toBe(TEXT.replace("limits:\n  bandwidth: 50MB/s\n", ""));
  });
  test("an emptied document keeps its comments", () => {
    expect(withSetting("# why\npriority: high\n", ["priority"], undefined)).toBe("# why\n");
    expect(withSetting("priority: high\n", ["priority"], undefined)).toBe("");
  });
  test("a section without value, and one that is a scalar, become sections", () => {
    expect(withSetting("rewrite:\n", ["rewrite", "engine"], "auto")).toBe("rewrite:\n  engine: auto\n");
    expect(withSetting("rewrite: 3\n", ["rewrite", "engine"], "auto")).toBe("rewrite:\n  engine: auto\n");
  });
  test("lists are written at the indentation that the text has", () => {
    const flat = "triggers:\n- name: x\n  all:\n  - metric: file_count\n    above: 3\n";
    expect(withSetting(flat, ["priority"], "low")).toBe(`${flat}priority: low\n`);
  });
  test("several at once, words that look like other types stay texts", () => {
    const text = withSettings("", [[["rewrite", "compression"], "true"], [["priority"], "low"]]);
    expect(parsePolicy(text).value).toEqual({ rewrite: { compression: "true" }, priority: "low" });
  });
});

describe("stored policies as text", () => {
  test("sizes are readable, short lists are in a line", () => {
    const text = policyText(
      { rewrite: { target_file_bytes: 134_217_728 }, quiet_hours: [{ days: ["mon", "fri"], from: "22:00", to: "06:00", time_zone: "UTC", on_start: "drain" }] },
      root,
    );
    expect(text).toContain("target_file_bytes: 128MiB");
    expect(text).toContain("days: [mon, fri]");
    expect(parsePolicy(text).value).toMatchObject({ quiet_hours: [{ from: "22:00" }] });
  });
  test("a policy that sets nothing is an empty text", () => expect(policyText({}, root)).toBe(""));
});

describe("texts that are not a policy", () => {
  test("the line of the error", () => {
    const { fault, value } = parsePolicy("priority: high\nrewrite: [a,\nlimits: {}\n");
    expect(value).toBeNull();
    expect(fault!.line).toBeGreaterThan(1);
    expect(fault!.message).not.toContain("\n");
  });
  test("lists, scalars, duplicates and anchors without end", () => {
    expect(parsePolicy("- a\n").fault?.message).toContain("map of settings");
    expect(parsePolicy("a: 1\na: 2\n").fault?.line).toBe(2);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi".split("").map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`).join("\n")}\n`;
    expect(parsePolicy(bomb).fault).not.toBeNull();
  });
  test("an empty text sets nothing", () => {
    expect(parsePolicy("").value).toEqual({});
    expect(parsePolicy("# only this\n").value).toEqual({});
  });
});

describe("places", () => {
  const parsed = parsePolicy(TEXT);
  const at = (path: (string | number)[], place?: "name" | "value") => TEXT.slice(...rangeOf(parsed, path, place));
  test("of values, names and what is not there", () => {
    expect(at(["limits", "bandwidth"])).toBe("50MB/s");
    expect(at(["limits", "bandwidth"], "name")).toBe("bandwidth");
    expect(at(["limits", "requests"])).toBe("limits");
    expect(at(["rewrite"])).toBe("rewrite");
    expect(lineOf(TEXT, rangeOf(parsed, ["limits", "bandwidth"])[0])).toBe(8);
  });
  test("of items in lists", () => {
    const text = "triggers:\n  - name: x\n    all:\n      - {metric: file_cout, above: 3}\n";
    expect(text.slice(...rangeOf(parsePolicy(text), ["triggers", 0, "all", 0, "metric"]))).toBe("file_cout");
  });
  test("pointers", () => expect(pointerPath("/a~1b/0/c")).toEqual(["a/b", 0, "c"]));
});

describe("completion", () => {
  const complete = (text: string) => {
    const position = text.indexOf("|");
    const context = contextAt(text.replace("|", ""), position)!;
    return { context, labels: suggestions(root, context, ["UTC"]).map(({ label }) => label) };
  };
  test("names of the top, without those that are there", () => {
    const { labels, context } = complete("priority: high\nre|\nlimits:\n  requests: 5\n");
    expect(context.path).toEqual([]);
    expect(labels).toContain("rewrite");
    expect(labels).not.toContain("priority");
    expect(labels).not.toContain("limits");
  });
  test("names inside of sections, of sections of sections, and of items", () => {
    expect(complete("rewrite:\n  full:\n    |").labels).toContain("eligibility");
    expect(complete("rewrite:\n  full:\n    interval: 1d\n  |").labels).toContain("engine");
    expect(complete("rewrite:\n  engine: auto\n  en|").labels).not.toContain("engine");
    expect(complete("quiet_hours:\n  - days: [mon]\n    |").labels).toEqual(expect.arrayContaining(["from", "to", "on_start"]));
    expect(complete("triggers:\n- name: x\n  all:\n  - |").labels).toContain("metric");
    expect(complete("triggers:\n- name: x\n  all:\n  - metric: file_count\n    |").labels).toContain("at_least");
  });
  test("values", () => {
    expect(complete("rewrite:\n  strategy: |").labels).toContain("hilbert");
    expect(complete("enabled: |").labels).toEqual(["true", "false"]);
    expect(complete("quiet_hours:\n  - days: [mon, t|").labels).toContain("tue");
    expect(complete("quiet_hours:\n  - time_zone: |").labels).toEqual(["UTC"]);
    expect(complete("seal: |").labels).toEqual(["off"]);
    expect(complete("limits:\n  bandwidth: |").labels).toEqual(expect.arrayContaining(["unlimited", "50MB/s"]));
  });
  test("nothing in comments", () => expect(contextAt("# re", 4)).toBeNull());
});

import { expect, test } from "vitest";
import { applyCommand, putRequest, setCommand } from "./commands";
import { covers, originOf, readScope, scopeText, suggestedName } from "./scopes";

const target = { path: "/v1/tables/tbl_1/policy", word: "lake.shop.o'rders", scope: [] };

test("the text of the editor is a here-document that it cannot end", () => {
  expect(applyCommand({ ...target, word: "sales", scope: ["--team", "growth"] }, "a: 1\nPOLICY\n", "why not")).toBe(
    "packhouse policy apply sales --team growth -f - -m 'why not' <<'POLICY_'\na: 1\nPOLICY\nPOLICY_",
  );
  expect(applyCommand(target, "", "")).toContain("'lake.shop.o'\\''rders' -f - <<'POLICY'\n{}\nPOLICY");
});
test("single settings", () => {
  expect(setCommand(target, [["limits.bandwidth", "50MB/s"], ["seal", undefined], ["quiet_hours", []]], "")).toBe(
    "packhouse policy set 'lake.shop.o'\\''rders' --set limits.bandwidth=50MB/s --unset seal --set 'quiet_hours=[]'",
  );
});
test("writes name the version that was read", () => {
  expect(putRequest(target, {}, '"3"', "a b").path).toBe("/v1/tables/tbl_1/policy?message=a%20b");
  expect(putRequest(target, {}, '"3"', "").headers).toEqual({ "If-Match": '"3"' });
  expect(putRequest(target, {}, null, "").headers).toEqual({ "If-None-Match": "*" });
});
test("scopes", () => {
  const inner = { kind: "namespace" as const, catalog: "lake", namespace: ["a", "b"] };
  expect([scopeText(inner), suggestedName(inner)]).toEqual(["namespace lake.a.b", "namespace-lake-a-b"]);
  expect(covers(inner, { catalog: "lake", namespace: ["a", "b", "c"], name: "t" })).toBe(true);
  expect(covers(inner, { catalog: "lake", namespace: ["a"], name: "t" })).toBe(false);
  const pattern = { kind: "pattern" as const, pattern: "lake.*.ev?nts(" };
  expect(covers(pattern, { catalog: "lake", namespace: ["x", "y"], name: "events(" })).toBe(true);
  expect(originOf(pattern, "events")).toBe("pattern events");
  expect(readScope('{"kind":"team"}')).toBeNull();
  expect(readScope('{"kind":"label","key":"tier","value":""}')).toEqual({ kind: "label", key: "tier", value: "" });
  expect(readScope("nonsense")).toBeNull();
});

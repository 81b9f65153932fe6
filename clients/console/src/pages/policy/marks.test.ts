import { InvalidInputError } from "@packhouse/client";
import { expect, test } from "vitest";
import { check } from "./logic/check";
import { parsePolicy } from "./logic/document";
import { root } from "./logic/fixture";
import { marksOf } from "./marks";

const refusal = (...errors: { pointer: string; message: string }[]) =>
  new InvalidInputError({ errors: errors.map((each) => ({ ...each, value: null, hint: null })), title: "", detail: "", status: 422, code: "invalid_input" } as never);
const marks = (text: string, error: unknown = null) => {
  const parsed = parsePolicy(text);
  return marksOf(parsed, parsed.value === null ? [] : check(parsed.value, root), error).map(({ name, range }) => [name, text.slice(...range)]);
};

test("flaws and refusals have their places", () => {
  expect(marks("limits:\n  bandwith: 3\n")).toEqual([["limits.bandwith", "bandwith"]]);
  const text = "limits:\n  share_percent: 30\n";
  expect(marks(text, refusal({ pointer: "/policy/limits/share_percent", message: "x" }))).toEqual([["limits.share_percent", "30"]]);
  expect(marks(text, refusal({ pointer: "/policy/limits/available_bandwidth", message: "x" }))).toEqual([["limits.available_bandwidth", "limits"]]);
});
test("the server's error at a place that has one already is left out", () => {
  expect(marks("priority: x\n", refusal({ pointer: "/policy/priority", message: "x" }))).toHaveLength(1);
});
test("other errors are not marks, a text that can't be read has one", () => {
  expect(marks("priority: low\n", new Error("x"))).toEqual([]);
  expect(marks("a: [\n")).toHaveLength(1);
});

import { expect, test } from "vitest";
import { labelPatch } from "./labels";

test("only what changes is part of the patch", () => {
  expect(labelPatch({ a: "1", b: "2", c: "3" }, { a: "1", b: "9", d: "4" })).toEqual({ c: null, b: "9", d: "4" });
  expect(labelPatch({}, {})).toEqual({});
});

test("a label named like a property of objects is a label", () => {
  expect(labelPatch({ constructor: "x" }, {})).toEqual({ constructor: null });
  expect(labelPatch({}, { toString: "x" })).toEqual({ toString: "x" });
});

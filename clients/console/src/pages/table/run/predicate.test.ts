import { expect, test } from "vitest";
import { gapOf, predicateOf, valueOf } from "./predicate";

test("without a complete row all partitions are meant", () => {
  expect(predicateOf([], {})).toBeNull();
  expect(predicateOf([{ column: "", op: "eq", text: "1" }, { column: "a", op: "eq", text: " " }], {})).toBeNull();
  expect(gapOf({ column: "a", op: "is_null", text: "" })).toBeNull();
});

test("one row is a comparison, several are joined by and", () => {
  expect(predicateOf([{ column: "at", op: "ge", text: "2026-11-01" }], { at: "timestamptz" })).toEqual({ column: "at", op: "ge", value: "2026-11-01" });
  expect(predicateOf([{ column: "user", op: "in", text: "1, 2,," }, { column: "region", op: "is_not_null", text: "x" }], { user: "long" })).toEqual({
    and: [
      { column: "user", op: "in", values: [1, 2] },
      { column: "region", op: "is_not_null" },
    ],
  });
});

test("a value has the type of its column, without loss", () => {
  expect(valueOf("12", "int")).toBe(12);
  expect(valueOf("12", "string")).toBe("12");
  expect(valueOf("9007199254740993", "long")).toBe("9007199254740993");
  expect(valueOf("12.5", "decimal(9, 2)")).toBe(12.5);
  expect(valueOf("TRUE", "boolean")).toBe(true);
  expect(valueOf("eu", "int")).toBe("eu");
});

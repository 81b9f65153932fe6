import { expect, test } from "vitest";
import { smallestChange } from "./smallestChange";

test.each([
  ["a: 1\nb: 2\n", "a: 1\nb: 3\n"],
  ["aa", "aaa"],
  ["aaa", "aa"],
  ["", "x"],
  ["x", ""],
  ["abab", "ab"],
])("%j becomes %j", (before, after) => {
  const { from, to, insert } = smallestChange(before, after)!;
  expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
});
test("equal texts need no change", () => expect(smallestChange("a", "a")).toBeNull());
test("only the value is replaced", () => expect(smallestChange("a: 1\nb: 2\n", "a: 5\nb: 2\n")).toEqual({ from: 3, to: 4, insert: "5" }));

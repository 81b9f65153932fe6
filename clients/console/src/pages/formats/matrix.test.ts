import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { commonReason, enginesOf, matrixRows } from "./matrix";

const cell = (strategy: string | null, engine: string | null, reason: string | null = null): Schemas["Cell"] => ({
  operation: "rewrite",
  strategy,
  engine,
  possible: reason === null,
  reason,
});

describe("the capability matrix", () => {
  const cells = [cell("sort", "arrow"), cell("sort", "native", "no procedure"), cell(null, null)];
  it("has a row for each strategy, with its engines", () => {
    expect(matrixRows(cells).map(({ strategy, cells: own }) => [strategy, [...own.keys()]])).toEqual([
      ["sort", ["arrow", "native"]],
      [null, [""]],
    ]);
    expect(enginesOf(cells)).toEqual(["arrow", "native"]);
  });
  it("names a reason that holds for everything, once", () => {
    expect(commonReason([cell("sort", "arrow", "not served"), cell("binpack", "arrow", "not served")])).toBe("not served");
    expect(commonReason(cells)).toBeNull();
    expect(commonReason([])).toBeNull();
  });
});

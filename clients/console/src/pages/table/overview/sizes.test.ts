import { expect, test } from "vitest";
import { classText, seriesOf } from "./sizes";

const MIB = 2 ** 20;

test("a class is named by its bounds", () => {
  expect(classText({ from_bytes: 0, below_bytes: MIB })).toBe("below 1 MiB");
  expect(classText({ from_bytes: MIB, below_bytes: 8 * MIB })).toBe("1 MiB to 8 MiB");
  expect(classText({ from_bytes: 1024 * MIB, below_bytes: null })).toBe("1 GiB and more");
});

const classes = (...counts: number[]) => counts.map((count, index) => ({ from_bytes: index * MIB, below_bytes: (index + 1) * MIB, file_count: count, total_bytes: 0 }));
const measurement = (small: number, all: number, size_classes: unknown) => ({ small_file_count: small, file_count: all, size_classes }) as never;

test("classes are drawn where every measurement has them, without those that are always empty", () => {
  const series = seriesOf([measurement(1, 3, classes(1, 0, 2)), measurement(0, 1, classes(0, 0, 1))]);
  expect(series.map(({ label, values, shown }) => [label, values, shown])).toEqual([
    ["2 MiB to 3 MiB", [3, 1], [2, 1]],
    ["below 1 MiB", [1, 0], [1, 0]],
  ]);
});

test("with one old measurement among them, small and other files are drawn", () => {
  const series = seriesOf([measurement(1, 3, null), measurement(0, 1, classes(0, 1))]);
  expect(series.map(({ label, values, shown }) => [label, values, shown])).toEqual([
    ["Other files", [3, 1], [2, 1]],
    ["Small files", [1, 0], [1, 0]],
  ]);
  expect(seriesOf([]).every(({ values }) => values.length === 0)).toBe(true);
});

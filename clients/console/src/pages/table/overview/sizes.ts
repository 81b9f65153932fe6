/** Size classes of files: their names, and their counts over time. */
import type { Schemas } from "../../../api/client";
import { bytes } from "../../../format/sizes";
import type { Series } from "../../../parts/TimeChart";
import type { Measurement } from "../tableQueries";

type SizeClass = Pick<Schemas["SizeClass"], "from_bytes" | "below_bytes">;

export function classText({ from_bytes: from, below_bytes: below }: SizeClass): string {
  const short = (size: number) => bytes(size).replace(".00", "");
  if (below === null) return `${short(from)} and more`;
  return from === 0 ? `below ${short(below)}` : `${short(from)} to ${short(below)}`;
}

/**
 * Return series of files over time: one for each size class that ever has files, where all measurements have classes;
 * otherwise small files and the others.
 */
export function seriesOf(measurements: readonly Measurement[]): Series[] {
  const newest = measurements.at(-1);
  const classes = newest?.size_classes;
  if (classes && measurements.every((one) => one.size_classes)) {
    return classes
      .map((one, index) => ({
        label: classText(one),
        color: index,
        values: measurements.map(({ size_classes: all }) => all?.find(({ from_bytes: from }) => from === one.from_bytes)?.file_count ?? 0),
      }))
      .filter(({ values }) => values.some((value) => value > 0));
  }
  return [
    { label: "Small files", color: 1, values: measurements.map((one) => one.small_file_count), fill: true },
    { label: "Other files", color: 0, values: measurements.map((one) => one.file_count - one.small_file_count) },
  ];
}

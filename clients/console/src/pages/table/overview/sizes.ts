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
 * Return series of files over time, stacked: one for each size class that ever has files, where all measurements have
 * classes; otherwise small files and the others. The largest class is at the top and first, so that others cover it.
 */
export function seriesOf(measurements: readonly Measurement[]): Series[] {
  const classes = measurements.at(-1)?.size_classes;
  if (classes && measurements.every((one) => one.size_classes)) {
    const layers = classes.map((one, index) => ({
      label: classText(one),
      color: index,
      shown: measurements.map(({ size_classes: all }) => all?.find(({ from_bytes: from }) => from === one.from_bytes)?.file_count ?? 0),
    }));
    return stacked(layers.filter(({ shown }) => shown.some((value) => value > 0)));
  }
  return stacked([
    { label: "Small files", color: 1, shown: measurements.map((one) => one.small_file_count) },
    { label: "Other files", color: 0, shown: measurements.map((one) => one.file_count - one.small_file_count) },
  ]);
}

/** Return layers, the lowest first, as filled series that reach to the sum of a layer and those below it. */
function stacked(layers: readonly { label: string; color: number; shown: readonly number[] }[]): Series[] {
  let below: readonly number[] = [];
  return layers
    .map((layer): Series => {
      below = layer.shown.map((value, at) => value + (below[at] ?? 0));
      return { ...layer, values: below, fill: true };
    })
    .reverse();
}

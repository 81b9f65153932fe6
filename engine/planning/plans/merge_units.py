"""Which candidates of a partition may merge with one another: all, or those of one tier, one span of time, one window.

A *merge unit* is such a set. What a strategy allows is said here and nowhere else: candidates are counted, and packed
into file groups, unit by unit.

- `tiered`: files of one class of sizes. Each class has its own least number, and what comes of it lands in a class
  above, so that a byte is rewritten about once for each class (MaxCompute's levels 0 to 2).
- `window`: neighbours in the order of arrival, as Paimon's core picks them for append tables: a window fires at
  `rewrite.min_input_files`, and drops its first file when they come to twice the target by then. One that fires takes
  more until it makes a whole output. A file between that is no candidate ends it, so rows stay in the order they came.
- `rewrite.max_time_span`: files whose data was committed in the same span, counted from 1970: with `1d` days of UTC.
  Such borders never move, so that a second rewrite finds nothing to do.

A full rewrite takes whole partitions: neither tiers nor windows divide it, only spans of time.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles
from engine.planning.measures.tiers import tier_of
from engine.planning.plans.rewrite_limits import RewriteLimits

_NEVER: Final = np.iinfo(np.int64).max
_WINDOW_TARGETS: Final = 2


@dataclass(frozen=True, slots=True)
class MergeUnits:
    """`unit_of` is the unit of each file; `partition_of` and `least_files` (fewer are left alone) are over units."""

    unit_of: Ints
    partition_of: Ints
    least_files: Ints

    def count(self, flags: Flags) -> Ints:
        """Return the number of flagged files by unit."""
        return np.bincount(self.unit_of[flags], minlength=len(self.partition_of)).astype(np.int64)

    def total(self, column: Ints, flags: Flags) -> Ints:
        """Return sums of the flagged files by unit."""
        sums = np.zeros(len(self.partition_of), dtype=np.int64)
        np.add.at(sums, self.unit_of[flags], column[flags])
        return sums

    def in_partitions(self, by_unit: Ints | Flags, partitions: int) -> Ints:
        """Return sums over the units of each partition."""
        sums = np.zeros(partitions, dtype=np.int64)
        np.add.at(sums, self.partition_of, by_unit.astype(np.int64))
        return sums


def merge_units(
    files: PartitionedFiles, wanted: Flags, forced: Flags, limits: RewriteLimits, *, full: bool
) -> MergeUnits:
    """Return the units of the wanted files; the others are in some unit too, where nobody counts them."""
    places, least = files.partition_of, np.full(len(files.names), limits.min_input_files, dtype=np.int64)
    units = MergeUnits(places, np.arange(len(files.names), dtype=np.int64), least)
    if limits.tiers and not full:
        units = _by_tier(units, files, limits)
    if limits.time_span_ms is not None:
        units = _divided(units, files.data_at_ms // limits.time_span_ms)
    if limits.is_window and not full:
        units = _in_windows(units, files, wanted, forced, limits)
    return units


def _by_tier(units: MergeUnits, files: PartitionedFiles, limits: RewriteLimits) -> MergeUnits:
    divided = _divided(units, tier_of(files, limits))
    needs = np.array([*(tier.files for tier in limits.tiers), limits.min_input_files], dtype=np.int64)
    least = np.zeros(len(divided.partition_of), dtype=np.int64)
    least[divided.unit_of] = needs[tier_of(files, limits)]
    return MergeUnits(divided.unit_of, divided.partition_of, least)


def _divided(units: MergeUnits, by: Ints) -> MergeUnits:
    """Cut each unit into one for each value that its files have; the units keep their order, then go by the value."""
    values, place = np.unique(by, return_inverse=True)
    keys, unit_of = np.unique(units.unit_of * max(1, len(values)) + place, return_inverse=True)
    before = keys // max(1, len(values))
    return MergeUnits(unit_of.astype(np.int64), units.partition_of[before], units.least_files[before])


def _in_windows(
    units: MergeUnits, files: PartitionedFiles, wanted: Flags, forced: Flags, limits: RewriteLimits
) -> MergeUnits:
    """Make a unit of each window. Of the rest, what a delete or its size forces is a unit alone; others never fire."""
    order = files.in_order_of_arrival(np.ones_like(wanted))
    unit_of, least = units.unit_of.copy(), units.least_files.copy()
    least[:] = _NEVER  # what is in no window stays in the unit it was in
    partition_of = [units.partition_of]
    made = len(units.partition_of)
    for stretch in _neighbours(order, units.unit_of, wanted):
        for window in _windows(stretch, files, forced, limits):
            unit_of[window] = made
            partition_of.append(units.partition_of[units.unit_of[window[:1]]])
            made += 1
    fires = np.ones(made - len(least), dtype=np.int64)
    return MergeUnits(unit_of, np.concatenate(partition_of), np.concatenate([least, fires]))


def _neighbours(order: Ints, unit_of: Ints, wanted: Flags) -> Iterator[Ints]:
    """Yield stretches of wanted files of one unit that no other file lies between."""
    inside = wanted[order]
    starts = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) | np.diff(unit_of[order], prepend=-1))
    for stretch in np.split(order, starts[starts > 0]):
        if len(stretch) and wanted[stretch[0]]:
            yield stretch


def _windows(stretch: Ints, files: PartitionedFiles, forced: Flags, limits: RewriteLimits) -> Iterator[Ints]:
    """Yield the windows of a stretch, and forced files that are in none."""
    running = [0, *np.cumsum(files.file_bytes[stretch]).tolist()]
    start, least = 0, limits.min_input_files
    while start < len(stretch):
        whole = bisect_left(running, running[start] + limits.target_bytes, lo=start)
        end = min(max(start + least, whole), len(stretch))
        too_large = running[min(start + least, end)] - running[start] >= _WINDOW_TARGETS * limits.target_bytes
        if end - start >= least and not too_large:
            yield stretch[start:end]
            start = end
            continue
        if forced[stretch[start]]:
            yield stretch[start : start + 1]
        start += 1

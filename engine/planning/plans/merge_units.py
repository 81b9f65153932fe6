"""Merge units: sets of a partition's candidates that may be merged: all, or those of one tier, time span or window.

This module alone defines the units of each strategy: candidates are counted, and packed into file groups, by unit.

- `tiered`: files of one size class. Each class has its own least number of files, and its outputs belong to a higher
  class, so that a byte is rewritten about once for each class (MaxCompute's levels 0 to 2).
- `window`: neighbours in the order of arrival, as Paimon's core selects them for append tables: a window fires at
  `rewrite.min_input_files`, and drops its first file if its files reach twice the target by then. A window that fires
  takes more files until it makes a whole output. A file that is not a candidate ends it, so that rows stay in the
  order of arrival.
- `rewrite.max_time_span`: files whose data was committed in the same span, counted from 1970: with `1d` days of UTC.
  Such borders never move, so that a second rewrite has nothing to do.

Where a table has buckets, files of different buckets are never merged, nor those with deletion vectors and those
without, as in Paimon's core (`AppendCompactCoordinator`). A full rewrite rewrites whole partitions or buckets, which
time spans divide, but not tiers. With `window`, files that it leaves divide them: the files between two of these are a
unit.
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
    """`unit_of` is the unit of each file; `partition_of` and `least_files` (fewer are skipped) are by unit."""

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
    """Return the units of the wanted files; other files have a unit as well, but are not counted."""
    places, least = files.partition_of, np.full(len(files.names), limits.min_input_files, dtype=np.int64)
    units = MergeUnits(places, np.arange(len(files.names), dtype=np.int64), least)
    if files.has_buckets:
        units = _divided(units, files.bucket)
    if limits.tiers and not full:
        units = _by_tier(units, files, limits)
    has_vector = (files.delete_files > 0) & limits.has_vectors
    if limits.has_vectors:
        units = _divided(units, has_vector.astype(np.int64))
    if limits.time_span_ms is not None:
        units = _divided(units, np.where(has_vector, 0, files.data_at_ms // limits.time_span_ms))
    if limits.is_window:
        units = _in_stretches(units, files, wanted) if full else _in_windows(units, files, wanted, forced, limits)
    return units


def _by_tier(units: MergeUnits, files: PartitionedFiles, limits: RewriteLimits) -> MergeUnits:
    divided = _divided(units, tier_of(files, limits))
    needs = np.array([*(tier.files for tier in limits.tiers), limits.min_input_files], dtype=np.int64)
    least = np.zeros(len(divided.partition_of), dtype=np.int64)
    least[divided.unit_of] = needs[tier_of(files, limits)]
    return MergeUnits(divided.unit_of, divided.partition_of, least)


def _divided(units: MergeUnits, by: Ints) -> MergeUnits:
    """Divide each unit by the value of its files; units keep their order, then are ordered by the value."""
    values, place = np.unique(by, return_inverse=True)
    keys, unit_of = np.unique(units.unit_of * max(1, len(values)) + place, return_inverse=True)
    before = keys // max(1, len(values))
    return MergeUnits(unit_of.astype(np.int64), units.partition_of[before], units.least_files[before])


def _in_windows(
    units: MergeUnits, files: PartitionedFiles, wanted: Flags, forced: Flags, limits: RewriteLimits
) -> MergeUnits:
    """Make a unit of each window, and of each forced file outside windows; all other files never fire."""
    order = files.in_buckets_by_arrival()
    unit_of, least = units.unit_of.copy(), units.least_files.copy()
    least[:] = _NEVER  # files outside windows stay in their unit
    partition_of = [units.partition_of]
    made = len(units.partition_of)
    for stretch in _neighbours(order, units.unit_of, wanted):
        for window in _windows(stretch, files, forced, limits):
            unit_of[window] = made
            partition_of.append(units.partition_of[units.unit_of[window[:1]]])
            made += 1
    fires = np.ones(made - len(least), dtype=np.int64)
    return MergeUnits(unit_of, np.concatenate(partition_of), np.concatenate([least, fires]))


def _in_stretches(units: MergeUnits, files: PartitionedFiles, wanted: Flags) -> MergeUnits:
    """Make a unit of all adjacent wanted files, so that no output has rows from both sides of a file that stays."""
    order = files.in_buckets_by_arrival()
    left_before = np.zeros(len(wanted), np.int64)
    left_before[order] = np.cumsum(~wanted[order])
    return _divided(units, left_before)


def _neighbours(order: Ints, unit_of: Ints, wanted: Flags) -> Iterator[Ints]:
    """Yield runs of adjacent wanted files of one unit, without other files between them."""
    inside = wanted[order]
    starts = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) | np.diff(unit_of[order], prepend=-1))
    for stretch in np.split(order, starts[starts > 0]):
        if len(stretch) and wanted[stretch[0]]:
            yield stretch


def _windows(stretch: Ints, files: PartitionedFiles, forced: Flags, limits: RewriteLimits) -> Iterator[Ints]:
    """Yield the windows of adjacent files, and forced files outside windows."""
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

"""Overlap of a column's value ranges among the files of a partition: the number of files that a lookup has to open.

A file's range is from the column's lower to its upper bound. A file without bounds may contain any value, so it
overlaps all others of its partition. Two figures: the *depth*, the most files that share one value; and the *files for
a lookup*, the number of files that may contain a value, averaged over all bounds, which are distributed like the data.
The share of files that a reader skips is *pruned*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.planning.measures.partitions import Ints, PartitionedFiles

Floats = npt.NDArray[np.float64]

UNKNOWN: Final = -1


@dataclass(frozen=True, slots=True)
class ColumnRanges:
    """Bounds of one column by file, as ranks among all bounds; both `UNKNOWN` where a file has none."""

    lower: Ints
    upper: Ints


@dataclass(frozen=True, slots=True)
class Overlap:
    """By partition: the depth, and the mean number of files for a lookup; the worst of several columns."""

    depth: Floats
    lookup_files: Floats


def measure_overlap(files: PartitionedFiles, columns: Sequence[ColumnRanges]) -> Overlap:
    """Measure the overlap of files in each column, separately for each partition; without columns, none is known."""
    if not columns:
        counts = files.count().astype(np.float64)
        return Overlap(counts, counts)
    measured = [_measure(files, column) for column in columns]
    return Overlap(
        np.maximum.reduce([one.depth for one in measured]), np.maximum.reduce([one.lookup_files for one in measured])
    )


def overlap_document(files: PartitionedFiles, overlap: Overlap, partition: int) -> Mapping[str, Any]:
    """Return the figures of one partition as JSON-ready values."""
    count = int(files.count()[partition])
    lookup = float(overlap.lookup_files[partition])
    return {
        "files": count,
        "overlap_depth": int(overlap.depth[partition]),
        "files_for_a_lookup": round(lookup, 2),
        "pruned_share": round(1 - lookup / max(1, count), 4),
    }


def _measure(files: PartitionedFiles, ranges: ColumnRanges) -> Overlap:
    partitions = len(files.names)
    known = ranges.lower != UNKNOWN
    everywhere = files.count(~known)
    place = files.partition_of[known]
    many = int(ranges.upper.max(initial=0)) + 2
    lower, upper = place * many + ranges.lower[known], place * many + ranges.upper[known]
    points = np.concatenate([lower, upper])
    # files of earlier partitions have both begun and ended, so they cancel out
    begun = np.searchsorted(np.sort(lower), points, side="right")
    ended = np.searchsorted(np.sort(upper), points, side="left")
    shared = begun - ended
    owner = np.concatenate([place, place])
    depth = np.zeros(partitions, dtype=np.int64)
    np.maximum.at(depth, owner, shared)
    count = np.maximum(1, np.bincount(owner, minlength=partitions))
    mean = np.bincount(owner, weights=shared, minlength=partitions) / count
    return Overlap((depth + everywhere).astype(np.float64), mean + everywhere)

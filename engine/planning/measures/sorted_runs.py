"""Sorted runs of the buckets of a table with a primary key, counted by Paimon's rule: as vectors over buckets.

Each file of level 0 is a sorted run, and each other level of a bucket with files is one: files of one level do not
overlap. Paimon counts the same (`org.apache.paimon.mergetree.Levels.numberOfSortedRuns`). Files that wait for a bucket
(`bucket-postpone`, stored as bucket -2) are in no merge tree and count as none.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles

_LATEST: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class FullestBucket:
    """The bucket with the most sorted runs of a table; of equal ones the first by partition, then by number.

    `hides_level0`: readers skip its files of level 0 until they are compacted. `stop_trigger`: the number of sorted
    runs at which the table's own option stops writers, None without one.
    """

    spec_id: int
    partition: str
    bucket: int
    sorted_run_count: int
    level0_file_count: int
    hides_level0: bool = False
    stop_trigger: int | None = None


@dataclass(frozen=True, slots=True)
class SortedRuns:
    """Columns over the buckets with files, ordered by partition, then by number.

    `partition_of` is the ordinal of a bucket's partition in `files`. `oldest_level0_ms`: the commit time of its oldest
    file of level 0, milliseconds since 1970; the largest number without one. `rows`: the files that are in buckets;
    `bucket_of`: the ordinal of each one's bucket among these columns.
    """

    files: PartitionedFiles
    partition_of: Ints
    bucket: Ints
    sorted_run_count: Ints
    level0_file_count: Ints
    oldest_level0_ms: Ints
    rows: Ints
    bucket_of: Ints

    @staticmethod
    def of(files: PartitionedFiles) -> "SortedRuns":
        """Count the sorted runs of the buckets of a table whose buckets have levels."""
        rows = np.flatnonzero(files.bucket >= 0)
        width = _width(files.bucket[rows])
        keys, bucket_of = np.unique(files.partition_of[rows] * width + files.bucket[rows], return_inverse=True)
        level = files.level[rows]
        level0 = _count(bucket_of, level == 0, len(keys))
        depth, above = _width(level), level > 0
        levels = np.unique(bucket_of[above] * depth + level[above]) // depth
        others = np.bincount(levels, minlength=len(keys))
        oldest = np.full(len(keys), _LATEST, np.int64)
        np.minimum.at(oldest, bucket_of[level == 0], files.data_at_ms[rows][level == 0])
        counts = (level0 + others, level0, oldest)
        return SortedRuns(files, keys // width, keys % width, *counts, rows, bucket_of.astype(np.int64))

    def greatest(self, column: Ints) -> Ints:
        """Return by partition the greatest value of a column over its buckets; 0 for a partition without buckets."""
        found = np.zeros(len(self.files.names), np.int64)
        np.maximum.at(found, self.partition_of, column)
        return found

    def commits_since_level0(self, figures: TableMeasures) -> Ints:
        """Return by bucket the known commits to the table since that of its oldest file of level 0; 0 without one."""
        at_ms = np.sort(np.fromiter(figures.committed_at_ms.values(), np.int64, len(figures.committed_at_ms)))
        return len(at_ms) - np.searchsorted(at_ms, self.oldest_level0_ms, side="right")

    def fullest(self, figures: TableMeasures) -> FullestBucket | None:
        """Return the bucket with the most sorted runs; None for a table without files in buckets."""
        if not len(self.bucket):
            return None
        at = int(np.argmax(self.sorted_run_count))
        place = int(self.partition_of[at])
        return FullestBucket(
            spec_id=int(self.files.spec_ids[place]),
            partition=self.files.names[place],
            bucket=int(self.bucket[at]),
            sorted_run_count=int(self.sorted_run_count[at]),
            level0_file_count=int(self.level0_file_count[at]),
            hides_level0=figures.hides_level0,
            stop_trigger=figures.stop_trigger,
        )


def _count(bucket_of: Ints, flags: Flags, buckets: int) -> Ints:
    return np.bincount(bucket_of[flags], minlength=buckets).astype(np.int64)


def _width(numbers: Ints) -> int:
    """Return the factor by which pairs of an ordinal and such a number become one number; both are below 2^31."""
    return 1 + int(numbers.max(initial=0))

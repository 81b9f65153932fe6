"""Health of partitions as columns: counts and bytes of each partition, in any order, with objects only for a page.

A table may have 10⁵ partitions, so everything is a vector over partitions; `PartitionColumns.pick` makes objects.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles
from engine.planning.measures.read_optimized import COMPLETE, complete_until_ms
from engine.planning.measures.row_groups import have_small_row_groups
from engine.planning.measures.sorted_runs import SortedRuns


class PartitionKey(StrEnum):
    """Values that partitions can be sorted by; `PARTITION` is the text of the partition."""

    AVERAGE_FILE_BYTES = "average_file_bytes"
    AVOIDABLE_FILE_COUNT = "avoidable_file_count"
    FILE_COUNT = "file_count"
    FILES_WITH_DELETES = "files_with_deletes"
    PARTITION = "partition"
    SMALL_FILE_COUNT = "small_file_count"
    TOTAL_BYTES = "total_bytes"


@dataclass(frozen=True, slots=True)
class SizeRules:
    """Sizes by which files are judged: below `small_bytes` small, above `large_bytes` over-large (None: none is).

    `small_row_group_bytes`: row groups below this mean size are too small (`row_groups`); None: none are.
    """

    small_bytes: int
    large_bytes: int | None
    small_row_group_bytes: int | None = None

    def are_small(self, files: PartitionedFiles) -> Flags:
        """Return flags of the files that are small."""
        flags: Flags = files.file_bytes < self.small_bytes
        return flags

    def are_large(self, files: PartitionedFiles) -> Flags:
        """Return flags of the files that are over-large."""
        none: Flags = np.zeros(len(files.file_bytes), np.bool_)
        return none if self.large_bytes is None else files.file_bytes > self.large_bytes

    def flags(self, files: PartitionedFiles) -> "FileFlags":
        """Return the flags of files by their sizes and deletes."""
        return FileFlags(
            is_small=self.are_small(files),
            is_large=self.are_large(files),
            is_chopped=have_small_row_groups(files, self.small_row_group_bytes),
            is_deleted=files.delete_files > 0,
        )


@dataclass(frozen=True, slots=True)
class FileFlags:
    """Flags over files: small, over-large, with too small row groups, with deletes."""

    is_small: Flags
    is_large: Flags
    is_chopped: Flags
    is_deleted: Flags


@dataclass(frozen=True, slots=True)
class PartitionHealth:
    """Health of one partition. `avoidable_file_count`: all small files except one.

    `largest_small_file_share`: the largest small file's bytes as a share of all small files'; None without small files.
    `sorted_run_count`, `level0_file_count`: the most of one bucket; None for a table whose buckets have no levels.
    `read_optimized_until`: read-optimized views have all rows that were committed before; None: they have all rows, or
    the buckets have no levels.
    """

    spec_id: int
    partition: str
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    large_file_count: int
    small_row_group_file_count: int
    files_with_deletes: int
    total_bytes: int
    average_file_bytes: int
    largest_small_file_share: float | None
    sorted_run_count: int | None = None
    level0_file_count: int | None = None
    read_optimized_until: datetime | None = None


NO_FIGURES: Final = TableMeasures()
_OF_LEVELS: Final = ("sorted_run_count", "level0_file_count")
_COUNTS: Final = (
    *("file_count", "small_file_count", "avoidable_file_count", "large_file_count", "small_row_group_file_count"),
    *("files_with_deletes", "total_bytes", "average_file_bytes"),
)


@dataclass(frozen=True, slots=True)
class PartitionColumns:
    """The fields of `PartitionHealth` as vectors over partitions, ordered by spec id, then by the partition's text.

    `sorted_run_count` and `level0_file_count` are 0 where `has_levels` is False. `read_optimized_until_ms`: see
    `read_optimized.complete_until_ms`.
    """

    spec_ids: Ints
    names: tuple[str, ...]
    file_count: Ints
    small_file_count: Ints
    avoidable_file_count: Ints
    large_file_count: Ints
    small_row_group_file_count: Ints
    files_with_deletes: Ints
    total_bytes: Ints
    average_file_bytes: Ints
    largest_small_file_share: npt.NDArray[np.float64]
    sorted_run_count: Ints
    level0_file_count: Ints
    read_optimized_until_ms: Ints
    has_levels: bool

    @staticmethod
    def of(
        files: PartitionedFiles, flags: FileFlags, figures: TableMeasures = NO_FIGURES, runs: SortedRuns | None = None
    ) -> "PartitionColumns":
        """Return the health of every partition of the files.

        Args:
            files: files of the table.
            flags: flags of these files.
            figures: figures of the same table.
            runs: its sorted runs; None for a table whose buckets have no levels.
        """
        counts, totals = files.count(), files.total(files.file_bytes)
        none = np.zeros(len(files.names), np.int64)
        until = np.full(len(files.names), COMPLETE, np.int64)
        if figures.last_level is not None:
            until = complete_until_ms(files, figures.last_level, figures.committed_at_ms.values())
        return PartitionColumns(
            spec_ids=files.spec_ids,
            names=files.names,
            file_count=counts,
            small_file_count=files.count(flags.is_small),
            avoidable_file_count=files.avoidable(flags.is_small),
            large_file_count=files.count(flags.is_large),
            small_row_group_file_count=files.count(flags.is_chopped),
            files_with_deletes=files.count(flags.is_deleted),
            total_bytes=totals,
            average_file_bytes=totals // np.maximum(1, counts),
            largest_small_file_share=files.largest_share(flags.is_small),
            sorted_run_count=none if runs is None else runs.greatest(runs.sorted_run_count),
            level0_file_count=none if runs is None else runs.greatest(runs.level0_file_count),
            read_optimized_until_ms=until,
            has_levels=runs is not None,
        )

    def order(self, key: PartitionKey, *, descending: bool) -> Ints:
        """Return the places of the partitions in the order of a key, ties in the order of partitions."""
        if key is PartitionKey.PARTITION:
            # compared as text, not as NumPy strings: those have the width of the longest one
            by_name = sorted(range(len(self.names)), key=self.names.__getitem__, reverse=descending)
            return np.array(by_name, dtype=np.int64)
        values: Ints = getattr(self, key.value)
        ordered: Ints = np.argsort(-values if descending else values, kind="stable")
        return ordered

    def worst(self, top: int) -> tuple[PartitionHealth, ...]:
        """Return at most `top` partitions that a rewrite can improve, worst first.

        Order: by avoidable files, then by files with deletes, large files, files with small row groups, and sorted runs
        of a bucket in addition to one.
        """
        keys = (
            self.avoidable_file_count,
            self.files_with_deletes,
            self.large_file_count,
            self.small_row_group_file_count,
            np.maximum(0, self.sorted_run_count - 1),
        )
        order: Ints = np.lexsort([-key for key in reversed(keys)])[:top]
        return self.pick(order[np.any([key[order] > 0 for key in keys], axis=0)])

    def pick(self, places: Ints) -> tuple[PartitionHealth, ...]:
        """Return the health of the partitions at these places, in their order."""
        names = (*_COUNTS, *_OF_LEVELS) if self.has_levels else _COUNTS
        columns = {name: getattr(self, name)[places].tolist() for name in names}
        shares = self.largest_small_file_share[places].tolist()
        until = self.read_optimized_until_ms[places].tolist()
        return tuple(
            PartitionHealth(
                spec_id=int(self.spec_ids[place]),
                partition=self.names[place],
                largest_small_file_share=share if columns["small_file_count"][row] else None,
                read_optimized_until=instant_of(until[row]),
                **{name: values[row] for name, values in columns.items()},
            )
            for row, (place, share) in enumerate(zip(places.tolist(), shares, strict=True))
        )


def instant_of(until_ms: int) -> datetime | None:
    """Return a time of `read_optimized_until_ms`; None for a view that has all rows."""
    return None if until_ms == COMPLETE else datetime.fromtimestamp(until_ms / 1000, UTC)

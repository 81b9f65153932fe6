"""Health of a table's files: sums, sizes, deletes, a score, and the partitions most in need of a rewrite.

The score is 100 for a table that no rewrite could improve, and decreases with extra cost for readers. Parts, each 0 to
100:

- `file_sizes` (weight 0.6): share of files that are not avoidable small ones. One small file of a partition is not
  avoidable: there is nothing to merge it with.
- `deletes` (weight 0.3): share of rows that no delete may hide; equality deletes count every row they may touch.
- `large_files` (weight 0.1): share of bytes that are not in over-large files.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
import pyarrow as pa

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.metadata import MetadataHealth
from engine.planning.measures.partition_health import (
    NO_FIGURES,
    PartitionColumns,
    PartitionHealth,
    SizeRules,
    instant_of,
)
from engine.planning.measures.partitions import Ints, partition_files
from engine.planning.measures.read_optimized import COMPLETE
from engine.planning.measures.sorted_runs import FullestBucket, SortedRuns

MIB: Final = 2**20
SIZE_CLASSES: Final = (MIB, 8 * MIB, 32 * MIB, 128 * MIB, 512 * MIB, 1024 * MIB)
"""Upper bounds (exclusive, bytes) of the size classes; a last class has no bound."""

WEIGHTS: Final = {"file_sizes": 0.6, "deletes": 0.3, "large_files": 0.1}


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Files of `from_bytes` to below `below_bytes` (None: no bound)."""

    from_bytes: int
    below_bytes: int | None
    file_count: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class TableHealth:
    """Health of a snapshot. `deleted_rows` is an upper bound; files with deletes are those that deletes may apply to.

    `outside_file_count`: files that no run opens, as they or their deletes are outside the table's allowed locations.
    `avoidable_bytes`: bytes of small files in partitions with avoidable ones, which merging would read.
    `old_spec_file_count`, `old_spec_bytes`: files under a partition spec that is not the table's current one.
    `fullest_bucket`: the bucket with the most sorted runs; None for a table whose buckets have no levels, or no files.
    `level0_file_count`: the most files of level 0 of one bucket, which need not be that one; None without levels.
    `read_optimized_until`: read-optimized views have all rows that were committed before; None: all rows, or no levels.
    """

    partition_count: int
    file_count: int
    total_bytes: int
    record_count: int
    average_file_bytes: int
    small_file_bytes: int
    large_file_bytes: int | None
    small_row_group_bytes: int | None
    small_file_count: int
    small_file_share: float
    avoidable_file_count: int
    avoidable_bytes: int
    large_file_count: int
    small_row_group_file_count: int
    files_with_deletes: int
    files_with_equality_deletes: int
    outside_file_count: int
    old_spec_file_count: int
    old_spec_bytes: int
    deleted_rows: int
    score: int
    score_parts: dict[str, float]
    size_classes: tuple[SizeClass, ...]
    worst_partitions: tuple[PartitionHealth, ...]
    metadata: MetadataHealth
    fullest_bucket: FullestBucket | None = None
    level0_file_count: int | None = None
    read_optimized_until: datetime | None = None


def health(
    digest: pa.Table,
    *,
    small_bytes: int,
    large_bytes: int | None,
    current_spec_id: int,
    figures: TableMeasures = NO_FIGURES,
    small_row_group_bytes: int | None = None,
    top: int = 20,
) -> TableHealth:
    """Return the health of a digest's files.

    Args:
        digest: live data files, with the schema `planning.measures.digest.FILE_DIGEST`.
        small_bytes: files below this size are small.
        large_bytes: files above this size are over-large; None: no file is.
        current_spec_id: the partition spec of new files; files under any other are under an old one.
        figures: figures of the same table.
        small_row_group_bytes: row groups below this mean size are too small (`planning.measures.row_groups`); None:
            none are.
        top: number of the worst partitions to list, by avoidable files, then by files with deletes, large
            ones, those with small row groups, and those with several sorted runs in a bucket.
    """
    files = partition_files(digest)
    count, total = len(files.file_bytes), int(files.file_bytes.sum())
    flags = SizeRules(small_bytes, large_bytes, small_row_group_bytes).flags(files)
    is_old_spec = files.are_of_other_specs(current_spec_id)
    runs = SortedRuns.of(files) if figures.has_levels else None
    partitions = PartitionColumns.of(files, flags, figures, runs)
    avoidable = partitions.avoidable_file_count
    hidden = np.where(
        files.equality_deletes > 0, files.record_count, np.minimum(files.deleted_rows, files.record_count)
    )
    parts = {
        "file_sizes": _percent(1 - _share(int(avoidable.sum()), count)),
        "deletes": _percent(1 - _share(int(hidden.sum()), int(files.record_count.sum()))),
        "large_files": _percent(1 - _share(int(files.file_bytes[flags.is_large].sum()), total)),
    }
    return TableHealth(
        partition_count=len(files.names),
        file_count=count,
        total_bytes=total,
        record_count=int(files.record_count.sum()),
        average_file_bytes=total // max(1, count),
        small_file_bytes=small_bytes,
        large_file_bytes=large_bytes,
        small_row_group_bytes=small_row_group_bytes,
        small_file_count=int(flags.is_small.sum()),
        small_file_share=round(_share(int(flags.is_small.sum()), count), 4),
        avoidable_file_count=int(avoidable.sum()),
        avoidable_bytes=int(files.total(files.file_bytes, flags.is_small)[avoidable > 0].sum()),
        large_file_count=int(flags.is_large.sum()),
        small_row_group_file_count=int(flags.is_chopped.sum()),
        files_with_deletes=int(flags.is_deleted.sum()),
        files_with_equality_deletes=int((files.equality_deletes > 0).sum()),
        outside_file_count=int(files.is_outside.sum()),
        old_spec_file_count=int(is_old_spec.sum()),
        old_spec_bytes=int(files.file_bytes[is_old_spec].sum()),
        deleted_rows=int(np.minimum(files.deleted_rows, files.record_count).sum()),
        score=int(sum(WEIGHTS[name] * value for name, value in parts.items())),
        score_parts=parts,
        size_classes=_size_classes(files.file_bytes),
        worst_partitions=partitions.worst(top),
        metadata=MetadataHealth.of(figures),
        fullest_bucket=None if runs is None else runs.fullest(figures),
        level0_file_count=None if runs is None else int(runs.level0_file_count.max(initial=0)),
        read_optimized_until=instant_of(int(partitions.read_optimized_until_ms.min(initial=COMPLETE))),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _percent(share: float) -> float:
    return round(100 * share, 1)


def _size_classes(file_bytes: Ints) -> tuple[SizeClass, ...]:
    class_of = np.searchsorted(np.array(SIZE_CLASSES), file_bytes, side="right")
    counts = np.bincount(class_of, minlength=len(SIZE_CLASSES) + 1).tolist()
    sums = [int(file_bytes[class_of == at].sum()) for at in range(len(counts))]
    return tuple(
        SizeClass(start, end, counted, summed)
        for start, end, counted, summed in zip((0, *SIZE_CLASSES), (*SIZE_CLASSES, None), counts, sums, strict=True)
    )

"""The digest's rows grouped by (partition spec, partition), as numpy arrays for health and planning.

Everything is a vector over files or over partitions; there is no Python object per file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ABSENT: Final = -1
"""Bucket and level of files in formats without them. Paimon stores bucket -1 for tables without buckets."""


@dataclass(frozen=True, slots=True)
class PartitionedFiles:
    """Columns over files (`partition_of` is the ordinal of a file's partition) and columns over partitions.

    Partitions are ordered by spec id, then by the partition's text, regardless of the order of the digest's rows.
    `bucket` and `level` are `ABSENT` in formats without them. `refusals`: by partition, the code of the reason why its
    format can't rewrite it.
    """

    partition_of: Ints
    file_bytes: Ints
    row_groups: Ints
    record_count: Ints
    delete_files: Ints
    deleted_rows: Ints
    equality_deletes: Ints
    is_parquet: Flags
    is_encrypted: Flags
    is_outside: Flags
    sequence_number: Ints
    data_at_ms: Ints
    bucket: Ints
    level: Ints
    paths: pa.ChunkedArray
    recorded_order: pa.ChunkedArray
    spec_ids: Ints
    names: tuple[str, ...]
    refusals: Mapping[int, str]

    @property
    def is_refused(self) -> Flags:
        """Flags of the partitions that their format can't rewrite."""
        flags = np.zeros(len(self.names), np.bool_)
        flags[list(self.refusals)] = True
        return flags

    def are_of_other_specs(self, spec_id: int | None) -> Flags:
        """Return flags of files under other partition specs than this one; None: no file is flagged."""
        if spec_id is None:
            return np.zeros(len(self.partition_of), np.bool_)
        flags: Flags = (self.spec_ids != spec_id)[self.partition_of]
        return flags

    @property
    def has_buckets(self) -> bool:
        """Whether files of one partition are in several buckets, which are never merged."""
        return bool(len(self.bucket)) and bool((self.bucket != self.bucket[0]).any())

    def count(self, flags: Flags | None = None) -> Ints:
        """Return the number of (flagged) files by partition."""
        rows = self.partition_of if flags is None else self.partition_of[flags]
        return np.bincount(rows, minlength=len(self.names)).astype(np.int64)

    def total(self, column: Ints, flags: Flags | None = None) -> Ints:
        """Return exact sums by partition: bytes of a partition may exceed the exact integers of a float64."""
        sums = np.zeros(len(self.names), dtype=np.int64)
        rows, values = (self.partition_of, column) if flags is None else (self.partition_of[flags], column[flags])
        np.add.at(sums, rows, values)
        return sums

    def avoidable(self, is_small: Flags) -> Ints:
        """Return the number of avoidable files by partition: all small files except one, which can't be merged."""
        return np.maximum(0, self.count(is_small) - 1)

    def largest_share(self, is_small: Flags) -> npt.NDArray[np.float64]:
        """Return by partition the bytes of the largest flagged file as a share of all flagged files'; NaN for none."""
        largest = np.zeros(len(self.names), dtype=np.int64)
        np.maximum.at(largest, self.partition_of[is_small], self.file_bytes[is_small])
        share: npt.NDArray[np.float64] = largest / np.maximum(1, self.total(self.file_bytes, is_small))
        share[self.count(is_small) == 0] = np.nan
        return share

    def in_order_of_arrival(self, flags: Flags) -> Ints:
        """Return the flagged files, partition by partition, in the order in which their data was added.

        Order: sequence number (all are 0 if the table has none), then time, then path.
        """
        rows = np.flatnonzero(flags)
        if not len(rows):
            return rows
        keys = pa.table(
            {
                "partition": self.partition_of[rows],
                "sequence": self.sequence_number[rows],
                "time": self.data_at_ms[rows],
                "path": self.paths.take(pa.array(rows)),
            }
        )
        order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.column_names]).to_numpy()
        ordered: Ints = rows[order]
        return ordered

    def in_buckets_by_arrival(self) -> Ints:
        """Return all files partition by partition, then bucket by bucket, each in the order of arrival."""
        order = self.in_order_of_arrival(np.ones(len(self.partition_of), np.bool_))
        if self.has_buckets:  # the sort is stable
            order = order[np.lexsort((self.bucket[order], self.partition_of[order]))]
        return order

    def number_buckets(self) -> tuple[Ints, Ints]:
        """Return the ordinal of each file's bucket among all buckets of the table, and each bucket's partition."""
        width = 3 + int(self.bucket.max(initial=0))  # numbers begin at -2
        keys, bucket_of = np.unique(self.partition_of * width + self.bucket + 2, return_inverse=True)
        return bucket_of.astype(np.int64), keys // width


def partition_files(digest: pa.Table) -> PartitionedFiles:
    """Return the files of a digest (`planning.measures.digest.FILE_DIGEST`) grouped by partition."""
    codes, values = _dictionary(digest["partition"])
    specs, spec_of = _distinct(_ints(digest["spec_id"]))
    keys, partition_of = _distinct(spec_of * max(1, len(values)) + codes)
    spec_ids, names = specs[keys // max(1, len(values))], [values[code] for code in keys % max(1, len(values))]
    formats, format_values = _dictionary(digest["file_format"])
    return PartitionedFiles(
        partition_of=partition_of,
        file_bytes=_ints(digest["file_bytes"]),
        row_groups=_ints(digest["row_groups"]),
        record_count=_ints(digest["record_count"]),
        delete_files=_ints(digest["delete_files"]),
        deleted_rows=_ints(digest["deleted_rows"]),
        equality_deletes=_ints(digest["equality_deletes"]),
        is_parquet=np.array([value == "parquet" for value in format_values], dtype=np.bool_)[formats],
        is_encrypted=digest["is_encrypted"].to_numpy(),
        is_outside=digest["is_outside"].to_numpy(),
        sequence_number=_ints(digest["sequence_number"]),
        data_at_ms=_ints(digest["data_at_ms"]),
        bucket=_ints(pc.fill_null(digest["bucket"], ABSENT)),
        level=_ints(pc.fill_null(digest["level"], ABSENT)),
        paths=digest["path"],
        recorded_order=digest["recorded_order"],
        spec_ids=spec_ids,
        names=tuple(names),
        refusals=_refusals(digest["refusal"], partition_of),
    )


def _refusals(column: pa.ChunkedArray, partition_of: Ints) -> Mapping[int, str]:
    """Return the refusal of each partition with one; the files of a partition have the same."""
    if column.null_count == len(column):
        return {}
    rows = np.flatnonzero(pc.is_valid(column).to_numpy())
    partitions, first = np.unique(partition_of[rows], return_index=True)
    codes = column.take(pa.array(rows[first])).to_pylist()
    return dict(zip(partitions.tolist(), codes, strict=True))


def _distinct(values: Ints) -> tuple[Ints, Ints]:
    """Return the sorted distinct values, and the index of each value among them; for small, non-negative numbers."""
    distinct: Ints = np.flatnonzero(np.bincount(values))
    place = np.zeros(int(distinct[-1]) + 1 if len(distinct) else 0, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[values]


def _ints(column: pa.ChunkedArray) -> Ints:
    values: Ints = column.to_numpy().astype(np.int64, copy=False)
    return values


def _dictionary(column: pa.ChunkedArray) -> tuple[Ints, list[str]]:
    """Return codes into sorted distinct values; chunks may have different dictionaries."""
    if len(column) == 0:
        return np.zeros(0, dtype=np.int64), []
    whole = column.unify_dictionaries().combine_chunks()
    array = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    ordered = pc.sort_indices(array.dictionary).to_numpy()
    rank = np.empty(len(ordered), dtype=np.int64)
    rank[ordered] = np.arange(len(ordered))
    return rank[array.indices.to_numpy(zero_copy_only=False)], array.dictionary.take(pa.array(ordered)).to_pylist()

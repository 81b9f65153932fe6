"""The live files of one snapshot as columns, and the digest for planning."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.domain.errors import CommitConflict
from engine.domain.runs.files import InputFile
from engine.formats.iceberg.manifests.decoding import ENTRIES, EQUALITY_DELETES
from engine.formats.iceberg.manifests.reading import ManifestReader
from engine.formats.iceberg.metadata.deletes import DeleteCounts, PositionDeleteIndex, count_deletes
from engine.planning.measures.digest import FILE_DIGEST

_INPUT: Final = ("path", "file_bytes", "record_count", "sequence_number", "row_groups", "first_row_id")
_PARTITION_KEY: Final = {"spec_id": pa.int32(), "partition": pa.string()}


@dataclass(frozen=True)
class LiveFiles:
    """Live data and delete entries of one snapshot, with the schema `manifests.ENTRIES`.

    `manifest_count`, `manifest_bytes`: of the manifests that list them. `committed_at_ms` has the commit time of every
    retained snapshot by its id; `sequence_at_ms` by its sequence number. `order_marks`: by the id of a sort order, the
    mark of files in it (`sort_orders.order_marks`).
    """

    data: pa.Table
    deletes: pa.Table
    manifest_count: int = 0
    manifest_bytes: int = 0
    committed_at_ms: Mapping[int, int] = field(default_factory=dict)
    sequence_at_ms: Mapping[int, int] = field(default_factory=dict)
    order_marks: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def empty() -> "LiveFiles":
        """Return the files of a table without snapshots."""
        return LiveFiles(ENTRIES.empty_table(), ENTRIES.empty_table())

    @staticmethod
    def read(reader: ManifestReader, manifests: Sequence[ManifestFile]) -> "LiveFiles":
        """Read the files of a snapshot from its manifests; the caller adds commit times."""
        return LiveFiles(
            reader.live(each for each in manifests if each.content == ManifestContent.DATA),
            reader.live(each for each in manifests if each.content == ManifestContent.DELETES),
            manifest_count=len(manifests),
            manifest_bytes=sum(each.manifest_length for each in manifests),
        )

    @property
    def nbytes(self) -> int:
        """Bytes in memory, for the cache."""
        return int(self.data.nbytes + self.deletes.nbytes)

    @cached_property
    def counts(self) -> DeleteCounts:
        """Counts of the deletes that may apply to each data file."""
        return count_deletes(self.data, self.deletes)

    @cached_property
    def _position_deletes(self) -> PositionDeleteIndex:
        return PositionDeleteIndex(deletes=self.deletes)

    @property
    def equality_delete_files(self) -> int:
        """Number of live equality-delete files."""
        return int(pc.sum(pc.equal(self.deletes["content"], EQUALITY_DELETES)).as_py() or 0)

    def digest(self) -> pa.Table:
        """Return the data files in the shape of `planning.measures.digest.FILE_DIGEST`."""
        added_at_ms = self._added_at_ms()
        none = pa.nulls(self.data.num_rows, pa.int32())
        counted = {
            "delete_files": pa.array(self.counts.files, pa.int32()),
            "deleted_rows": pa.array(self.counts.rows, pa.int64()),
            "equality_deletes": pa.array(self.counts.equality, pa.int32()),
            "is_outside": self._is_outside(),
            "recorded_order": self._recorded_order(),
            "added_at_ms": added_at_ms,
            "data_at_ms": self._data_at_ms(added_at_ms),
            "bucket": none,  # buckets of a partition spec are part of the partition
            "level": none,
            "refusal": pa.nulls(self.data.num_rows, FILE_DIGEST.field("refusal").type),
        }
        columns = [counted[f.name] if f.name in counted else self.data[f.name] for f in FILE_DIGEST]
        return pa.table(columns, schema=FILE_DIGEST)

    def delete_files(self) -> Mapping[tuple[int, str], int]:
        """Return the number of live delete files by their (spec id, partition)."""
        keys = pa.table({name: self.deletes[name].cast(of) for name, of in _PARTITION_KEY.items()})
        counted = keys.group_by(list(_PARTITION_KEY)).aggregate([([], "count_all")])
        return {(row["spec_id"], row["partition"]): row["count_all"] for row in counted.to_pylist()}

    def deletes_since_ms(self) -> Mapping[tuple[int, str], int]:
        """Return the latest time at which the oldest live delete file of each (spec id, partition) was committed."""
        if not self.deletes.num_rows:
            return {}
        known = pa.array(self.sequence_at_ms.keys(), pa.int64())
        times = pa.array(self.sequence_at_ms.values(), pa.int64())
        found = times.take(pc.index_in(self.deletes["sequence_number"], value_set=known))
        oldest = min(self.sequence_at_ms.values(), default=0)  # of an expired snapshot: committed before these
        keys = {name: self.deletes[name].cast(of) for name, of in _PARTITION_KEY.items()}
        least = pa.table({**keys, "at": pc.fill_null(found, oldest)}).group_by(list(_PARTITION_KEY))
        rows = least.aggregate([("at", "min")]).to_pylist()
        return {(row["spec_id"], row["partition"]): row["at_min"] for row in rows}

    @property
    def outside_files(self) -> int:
        """Number of live data and delete files outside of the table's places."""
        return sum(int(pc.sum(each["is_outside"]).as_py() or 0) for each in (self.data, self.deletes))

    def _is_outside(self) -> pa.ChunkedArray:
        """Return for each data file whether it or a delete file that may apply to it is outside of the places."""
        outside = self.deletes.filter(self.deletes["is_outside"])
        if not outside.num_rows:
            return self.data["is_outside"]
        counts = count_deletes(self.data, outside)
        return pc.or_(self.data["is_outside"], pa.array((counts.files > 0) | (counts.equality > 0)))

    def _recorded_order(self) -> pa.DictionaryArray:
        """Return the mark of the sort order that the manifests record for each file; null without a known one."""
        known = pa.array(self.order_marks.keys(), pa.int32())
        marks = pa.array(self.order_marks.values(), pa.string())
        codes = pc.index_in(self.data["sort_order_id"], value_set=known).combine_chunks()
        return pa.DictionaryArray.from_arrays(codes, marks)

    def _added_at_ms(self) -> pa.ChunkedArray:
        """Return when each data file was committed; null if its snapshot is no longer retained."""
        known = pa.array(self.committed_at_ms.keys(), pa.int64())
        times = pa.array(self.committed_at_ms.values(), pa.int64())
        return times.take(pc.index_in(self.data["snapshot_id"], value_set=known))

    def _data_at_ms(self, added_at_ms: pa.ChunkedArray) -> pa.Array:
        """Return the time by which the newest data of each file was committed; later rewrites do not count.

        The commit time of the oldest retained snapshot with the file's data sequence number or a later one. Version 1
        has no sequence numbers: there it is the time the file was added, 0 if unknown.
        """
        if not self.sequence_at_ms or set(self.sequence_at_ms) == {0}:
            return pc.fill_null(added_at_ms, 0)
        known = np.array(sorted(self.sequence_at_ms), dtype=np.int64)
        times = np.array([self.sequence_at_ms[number] for number in known.tolist()], dtype=np.int64)
        place = np.searchsorted(known, self.data["sequence_number"].to_numpy())
        return pa.array(times[np.minimum(place, len(known) - 1)], pa.int64())

    def inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return inputs by path, each with the position deletes that apply to it.

        Raises:
            CommitConflict: a path is not live in this snapshot.
        """
        rows = self.data.filter(pc.is_in(self.data["path"], value_set=pa.array(paths, pa.string())))
        columns = (rows[name].to_pylist() for name in _INPUT)
        found = {
            path: InputFile(path, size, rows_in, number, row_groups=row_groups, first_row_id=first)
            for path, size, rows_in, number, row_groups, first in zip(*columns, strict=True)
        }
        if self.deletes.num_rows:
            found |= {
                row["path"]: _with_deletes(found[row["path"]], row, self._position_deletes) for row in _keys(rows)
            }
        if missing := [path for path in paths if path not in found]:
            raise CommitConflict(
                f"{len(missing)} of {len(paths)} files are not live any more, the first is {missing[0]}"
            )
        return found


def _keys(rows: pa.Table) -> Iterator[Mapping[str, Any]]:
    """Yield the key for looking up deletes, for each file."""
    yield from rows.select(["path", "spec_id", "partition", "sequence_number"]).to_pylist()


def _with_deletes(file: InputFile, key: Mapping[str, Any], deletes: PositionDeleteIndex) -> InputFile:
    return replace(file, deletes=deletes.of(**key))

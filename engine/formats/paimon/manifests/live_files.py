"""The live data files of a snapshot: added by its manifests and deleted by none; and the digest for planning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.checks import check_live
from engine.formats.intake.limits import Malformed
from engine.formats.intake.outside_files import PathSummary, are_outside
from engine.formats.paimon.manifests.arrivals import Arrivals
from engine.formats.paimon.manifests.entries import ADD, ENTRIES
from engine.formats.paimon.metadata.partition_fields import SPEC_ID
from engine.formats.paimon.metadata.partitions import PartitionCodec
from engine.planning.measures.digest import FILE_DIGEST
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import file_name

_IDENTITY: Final = ("partition", "bucket", "level", "name")
"""Columns that identify a file. The same name at another level is another entry: a file that moves is not rewritten."""

_OF_BUCKET: Final = ("partition", "bucket")
_OF_FILE: Final = (*_OF_BUCKET, "name")


@dataclass(frozen=True, slots=True)
class LiveFiles:
    """Live files of one snapshot, with the schema of `entries.ENTRIES`, and of deletion vectors."""

    files: pa.Table
    vectors: pa.Table
    codec: PartitionCodec
    location: str

    @staticmethod
    def of(entries: pa.Table, vectors: pa.Table, *, codec: PartitionCodec, location: str) -> "LiveFiles":
        """Merge the entries of all manifests of a snapshot.

        Raises:
            Malformed: a file is added twice, or together they exceed the limit of one table.
        """
        check_live(entries)
        return LiveFiles(_merged(entries), vectors, codec, location)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, for the cache."""
        return int(self.files.nbytes + self.vectors.nbytes)

    def paths(self) -> pa.ChunkedArray:
        """Return the path of each file."""
        texts, codes = self._buckets()
        folders = texts.take(codes)
        inside = pc.binary_join_element_wise(folders, self.files["name"], "/")
        return pc.coalesce(self.files["external_path"], inside)

    def at(self, paths: Sequence[str]) -> "LiveFiles":
        """Return only the files that are at these paths."""
        names = pa.array(map(file_name, paths), pa.string())
        named = replace(self, files=self.files.filter(pc.is_in(self.files["name"], value_set=names)))
        return replace(self, files=named.files.filter(pc.is_in(named.paths(), value_set=pa.array(paths, pa.string()))))

    def folder(self, partition: bytes, bucket: int) -> str:
        """Return the folder of a bucket's new files; `partition` is its binary row."""
        return f"{self.location}/{self.codec.directory(self.codec.values(partition), bucket)}"

    def formats(self) -> Sequence[str]:
        """Return the formats of the files, each once."""
        found: list[str] = _formats(self.files["name"]).dictionary.to_pylist()
        return found

    def arrived(self, entries: pa.Table) -> pa.ChunkedArray:
        """Return the paths of files that the entries of a commit add, without those that move to another level."""
        return replace(self, files=_added(entries, by=_OF_FILE)).paths()

    def digest(self, arrivals: Arrivals, places: AllowedFolders) -> pa.Table:
        """Return the files in the shape of `planning.measures.digest.FILE_DIGEST`.

        Args:
            arrivals: the commits of the newest snapshots.
            places: folders that the table's files may be in.
        """
        rows, paths = self.files.num_rows, self.paths()
        vector, deleted = self._deletes()
        added_at_ms = arrivals.added_at_ms(paths)
        columns = {
            "path": paths,
            "spec_id": pa.repeat(pa.scalar(SPEC_ID, pa.int32()), rows),
            "partition": self.partitions(),
            "file_format": _formats(self.files["name"]),
            "file_bytes": self.files["file_bytes"],
            "row_groups": pa.repeat(pa.scalar(0, pa.int32()), rows),
            "record_count": self.files["record_count"],
            "sequence_number": pc.max_element_wise(self.files["min_sequence"], pa.scalar(0, pa.int64())),
            "is_encrypted": pa.repeat(False, rows),
            "is_outside": _outside(paths, places),
            "delete_files": vector,
            "deleted_rows": deleted,
            "equality_deletes": pa.repeat(pa.scalar(0, pa.int32()), rows),
            "recorded_order": pa.nulls(rows, pa.string()).dictionary_encode(),
            "added_at_ms": added_at_ms,
            "data_at_ms": arrivals.data_at_ms(paths),
            "bucket": self.files["bucket"],
            "level": self.files["level"],
            "refusal": pa.nulls(rows, pa.string()).dictionary_encode(),
        }
        return pa.table([columns[field.name] for field in FILE_DIGEST], schema=FILE_DIGEST)

    def partitions(self) -> pa.DictionaryArray:
        """Return the canonical JSON of each file's partition, encoded once per partition."""
        stored = self.files["partition"].combine_chunks().dictionary_encode()
        texts = [self.codec.encode(self.codec.values(each)) for each in stored.dictionary.to_pylist()]
        if len(set(texts)) != len(texts):  # rows of one partition that are stored in two forms
            return pa.array(texts, pa.string()).take(stored.indices).dictionary_encode()
        return pa.DictionaryArray.from_arrays(stored.indices, pa.array(texts, pa.string()))

    def vector_counts(self) -> Mapping[tuple[int, str], int]:
        """Return the number of deletion vectors of live files by (spec id, partition)."""
        vector, _ = self._deletes()
        table = pa.table({"partition": self.partitions().cast(pa.string()), "vectors": vector})
        counted = table.group_by("partition").aggregate([("vectors", "sum")])
        return {(SPEC_ID, row["partition"]): row["vectors_sum"] for row in counted.to_pylist() if row["vectors_sum"]}

    def _buckets(self) -> tuple[pa.Array, pa.Array]:
        """Return the folder of each bucket that has files, and the number of the folder of each file."""
        frame = _frame(self.files, _OF_BUCKET)
        distinct = frame.unique(maintain_order=True).with_row_index("code")
        codes = frame.join(distinct, on=list(_OF_BUCKET), how="left", maintain_order="left")["code"]
        values: dict[bytes, Sequence[object]] = {}
        texts = []
        for _, partition, bucket in distinct.iter_rows():
            if partition not in values:
                values[partition] = self.codec.values(partition)
            texts.append(f"{self.location}/{self.codec.directory(values[partition], bucket)}")
        return pa.array(texts, pa.string()), codes.to_arrow().cast(pa.int32())

    def _deletes(self) -> tuple[pa.Array, pa.Array]:
        """Return for each file whether it has a deletion vector (0 or 1), and how many rows that deletes at most."""
        on = list(_OF_FILE)
        vectors = _frame(self.vectors, (*on, "deleted_rows")).with_columns(pl.lit(1, pl.Int32).alias("vector"))
        if vectors.select(on).is_duplicated().any():
            raise Malformed("a data file has two deletion vectors")
        files = _frame(self.files, (*on, "record_count"))
        joined = files.join(vectors, on=on, how="left", maintain_order="left")
        has_one = joined["vector"].fill_null(0)
        if joined.select((pl.col("deleted_rows") > pl.col("record_count")).any()).item():
            raise Malformed("a deletion vector deletes more rows than its file has")
        rows = joined.select(
            pl.when(pl.col("vector").is_null()).then(0).otherwise(pl.coalesce("deleted_rows", "record_count"))
        ).to_series()
        return has_one.to_arrow().cast(pa.int32()), rows.to_arrow().cast(pa.int64())


def _merged(entries: pa.Table) -> pa.Table:
    """Return the entries that add a file, without those that another entry deletes."""
    added = _added(entries, by=_IDENTITY)
    if _frame(added, _IDENTITY).is_duplicated().any():
        raise Malformed("a data file is added twice")
    return pa.concat_tables([ENTRIES.empty_table(), added]).combine_chunks()


def _added(entries: pa.Table, *, by: Sequence[str]) -> pa.Table:
    """Return the entries that add a file, without those whose columns `by` are those of an entry that deletes one."""
    is_added = pc.equal(entries["kind"], ADD)
    added = entries.filter(is_added)
    if added.num_rows == entries.num_rows:
        return added
    deleted = _frame(entries.filter(pc.invert(is_added)), by).unique()
    left = _frame(added, by).with_row_index("at").join(deleted, on=list(by), how="anti")["at"].sort()
    return added.take(left.to_arrow())


def _frame(table: pa.Table, names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(table.select(list(names)))


def _formats(names: pa.ChunkedArray) -> pa.Array:
    """Return the format of each file by the end of its name; empty without one."""
    ends = pc.struct_field(pc.extract_regex(names, r"\.(?P<end>[A-Za-z0-9]{1,16})$"), "end")
    return pc.utf8_lower(pc.fill_null(ends, "")).combine_chunks().dictionary_encode()


def _outside(paths: pa.ChunkedArray, places: AllowedFolders) -> pa.Array:
    if PathSummary.of(paths).is_inside(places):
        return pa.array(np.zeros(len(paths), dtype=np.bool_))
    return are_outside(paths, places)

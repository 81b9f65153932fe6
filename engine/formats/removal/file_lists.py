"""Lists of files to delete: compressed Parquet, in memory and in the store, that is read in batches.

A list has the paths as the table's metadata has them, in the order in which they are deleted: data and delete files
before the manifests that name them, manifests before manifest lists. So the rest of an interrupted deletion can still
be found from the remaining files. A list read from a store is untrusted.

Memory: about 30 bytes per file, and one batch of `BATCH_ROWS` paths.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.domain.runs.removals import FileCount
from engine.formats.base import REMOVED_FILES
from engine.formats.intake.errors import printable_path
from engine.formats.intake.limits import Malformed
from engine.formats.intake.parquet.footers import checked_file
from engine.formats.intake.parquet.pages import check_decoded
from engine.formats.removal.path_keys import Keys, keys_of

BATCH_ROWS: Final = 50_000
_LARGEST_BATCH: Final = 256 * 2**20
_UUID, _SEQUENCE, _UPDATED = b"packhouse.table-uuid", b"packhouse.next-sequence-number", b"packhouse.updated-ms"


class FileKind(StrEnum):
    """Kinds of files, in the order in which they are deleted."""

    DATA = "data"
    POSITION_DELETES = "position_deletes"
    EQUALITY_DELETES = "equality_deletes"
    DELETION_VECTORS = "deletion_vectors"
    CHANGELOG = "changelogs"
    INDEX = "indexes"
    MANIFEST = "manifests"
    MANIFEST_LIST = "manifest_lists"
    INDEX_MANIFEST = "index_manifests"
    STATISTICS = "statistics"
    PARTITION_STATISTICS = "partition_statistics"
    METADATA = "metadata_files"
    KEPT = "kept_lists"
    """Never deleted: in the record of an expiry, the manifest lists of the snapshots that it keeps."""


CONTENT: Final = frozenset(
    {
        *(FileKind.DATA, FileKind.POSITION_DELETES, FileKind.EQUALITY_DELETES, FileKind.DELETION_VECTORS),
        *(FileKind.CHANGELOG, FileKind.INDEX),
    }
)
"""Kinds of files that manifests name."""

LISTED: Final = REMOVED_FILES


@dataclass(frozen=True, slots=True)
class Origin:
    """The version of a table that a list was made from."""

    uuid: str
    next_sequence_number: int
    updated_ms: int

    def document(self) -> dict[bytes, bytes]:
        """Return it as metadata of a Parquet file."""
        numbers = {_SEQUENCE: self.next_sequence_number, _UPDATED: self.updated_ms}
        return {_UUID: self.uuid.encode(), **{name: str(value).encode() for name, value in numbers.items()}}


@dataclass(frozen=True, slots=True)
class FileList:
    """A list of files; `body` is a Parquet file with the schema `LISTED`."""

    body: bytes = field(repr=False)
    origin: Origin
    rows: int

    @classmethod
    def read(cls, body: bytes) -> Self:
        """Return the list in a file's content.

        Raises:
            Malformed: it is not a list of files, or was not written completely.
        """
        try:
            stored = checked_file(body)
            footer = stored.parquet
            told = footer.metadata.metadata or {}
            origin = Origin(told[_UUID].decode(), int(told[_SEQUENCE]), int(told[_UPDATED]))
            groups = [footer.metadata.row_group(number) for number in range(footer.metadata.num_row_groups)]
        except (OSError, ValueError, KeyError) as error:
            raise Malformed("it is not a complete list of files") from error
        is_listed = footer.schema_arrow.remove_metadata().equals(LISTED)
        if not is_listed or any(g.num_rows > BATCH_ROWS or g.total_byte_size > _LARGEST_BATCH for g in groups):
            raise Malformed("it has other columns than a list of files, or batches that are too large")
        for number in range(len(groups)):
            check_decoded(stored, body, [number], _LARGEST_BATCH)
        return cls(body, origin, footer.metadata.num_rows)

    def batches(self) -> Iterator[pa.Table]:
        """Yield the files, at most `BATCH_ROWS` at once."""
        stored = pq.ParquetFile(io.BytesIO(self.body))
        for number in range(stored.num_row_groups):
            yield stored.read_row_group(number, use_threads=False)

    def keys(self) -> Keys:
        """Return the key of each file's path."""
        return np.concatenate([np.empty(0, np.uint64), *(keys_of(batch["path"]) for batch in self.batches())])

    def only(self, is_wanted: npt.NDArray[np.bool_]) -> "FileList":
        """Return the files for which the mask, which has one value for each, is true."""
        if bool(is_wanted.all()):
            return self
        wanted, start = ListWriter(self.origin), 0
        for batch in self.batches():
            wanted.add(batch.filter(pa.array(is_wanted[start : start + batch.num_rows])))
            start += batch.num_rows
        return wanted.finish()

    def filtered(self, keep: Callable[[pa.Table], pa.Table]) -> "FileList":
        """Return the files that a function returns of each batch."""
        wanted = ListWriter(self.origin)
        for batch in self.batches():
            wanted.add(keep(batch))
        return wanted.finish()

    def counts(self) -> Mapping[str, FileCount]:
        """Return the number of files and bytes of each kind."""
        found: dict[str, FileCount] = {}
        for batch in self.batches():
            for kind, count in counts_of(batch).items():
                found[kind] = found.get(kind, FileCount()) + count
        return found

    def samples(self, most: int) -> list[dict[str, Any]]:
        """Return the first files as JSON-ready values; ids of snapshots are text, as they exceed 2^53."""
        first = next(self.batches(), LISTED.empty_table())
        rows: list[dict[str, Any]] = first.slice(0, most).to_pylist()
        return [_sample(row) for row in rows]


def _sample(row: dict[str, Any]) -> dict[str, Any]:
    number = row["snapshot_id"]
    path = printable_path(row["path"])
    return {**row, "path": path, "snapshot_id": None if number is None else str(number)}


class ListWriter:
    """Collects files to a list; each call of `add` is compressed, in batches."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._sink = io.BytesIO()
        self._writer = pq.ParquetWriter(
            self._sink,
            LISTED,
            compression="zstd",
            use_dictionary=["kind"],
            column_encoding={"path": "DELTA_BYTE_ARRAY"},
            write_statistics=False,
            store_schema=False,
        )
        self._rows = 0
        self._waiting: list[pa.Table] = []

    def add(self, files: pa.Table) -> None:
        """Add files, a table with the schema `LISTED`."""
        self._waiting.append(files)
        if sum(each.num_rows for each in self._waiting) >= BATCH_ROWS:
            self._write()

    def finish(self) -> FileList:
        """Return the list."""
        self._write()
        self._writer.add_key_value_metadata({k.decode(): v.decode() for k, v in self._origin.document().items()})
        self._writer.close()
        return FileList(self._sink.getvalue(), self._origin, self._rows)

    def _write(self) -> None:
        together = pa.concat_tables([LISTED.empty_table(), *self._waiting])
        self._waiting = []
        self._rows += together.num_rows
        if together.num_rows:
            self._writer.write_table(together, row_group_size=BATCH_ROWS)


def batches_of(lists: Sequence[FileList]) -> Iterator[pa.Table]:
    """Yield the files of lists, at most `BATCH_ROWS` at once."""
    return (batch for each in lists for batch in each.batches())


def listed(paths: Any, kind: FileKind, *, file_bytes: Any = None, snapshot_ids: Any = None) -> pa.Table:
    """Return files of one kind as a table with the schema `LISTED`; the arguments are Arrow or Python sequences."""
    rows = len(paths)
    columns = {
        "path": paths,
        "kind": pa.repeat(kind.value, rows),
        "file_bytes": pa.nulls(rows, pa.int64()) if file_bytes is None else file_bytes,
        "snapshot_id": pa.nulls(rows, pa.int64()) if snapshot_ids is None else snapshot_ids,
    }
    return pa.table([_column(columns[each.name], each.type) for each in LISTED], schema=LISTED)


def _column(values: Any, of: pa.DataType) -> Any:
    return values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, of)


def counts_of(files: pa.Table) -> Mapping[str, FileCount]:
    """Return the number of files and bytes of each kind. Sizes are untrusted: negative ones count as zero."""
    sizes = pc.max_element_wise(pc.fill_null(files["file_bytes"], 0), 0).cast(pa.float64())
    by_kind = (
        pa.table({"kind": files["kind"], "size": sizes})
        .group_by("kind")
        .aggregate([([], "count_all"), ("size", "sum")])
    )
    return {row["kind"]: FileCount(row["count_all"], int(row["size_sum"] or 0)) for row in by_kind.to_pylist()}

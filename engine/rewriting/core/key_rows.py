"""Rows of a key table's files as records of a fixed width: hashes of key and values, and the fields that order them.

Records are distributed to slices by their key and kept in unnamed files of the machine's temporary folder, so that the
rows of one key, in whichever file, are compared in memory with those of about a million rows. Files are decoded one
column of one row group at a time, as in the kernel's comparison of rows.
"""

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.reading.parquet_input import ParquetInput, Segments
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY
from engine.rewriting.kernel.reading.read_ahead import ReadAhead
from engine.rewriting.kernel.reading.row_check import checked_columns, open_checked
from engine.rewriting.kernel.reading.row_hashes import RowHasher
from engine.rewriting.kernel.storage.transfer import Transfer

Records = npt.NDArray[Any]
"""Structured arrays of `record_type`."""

RETRACTS: Final = 1
HAS_VECTOR: Final = 2
"""Bits of `flags`: the row deletes its key; rows of its file are deleted by a vector."""

_LARGEST_INT: Final = 2**31 - 1
_NUMBER: Final = pa.field("_SEQUENCE_NUMBER", pa.int64(), metadata={FIELD_ID_KEY: str(_LARGEST_INT - 1)})
_KIND: Final = pa.field("_VALUE_KIND", pa.int8(), metadata={FIELD_ID_KEY: str(_LARGEST_INT - 2)})
"""Columns that Paimon adds to the files of key tables, `org.apache.paimon.table.SpecialFields`."""

_OLD_KINDS: Final = (1, 3)
"""`RowKind.isRetract`: the row before an update, and a deletion."""

_SLICE_BITS: Final = np.uint64(20)
"""The lowest bits of a hash order the keys of a slice; those above choose the slice."""


def record_type(order: Sequence[str]) -> np.dtype[Any]:
    """Return the type of records with these columns of `sequence.field`."""
    fields = [("key", "<u8"), ("row", "<u8"), ("number", "<i8"), ("flags", "u1")]
    return np.dtype([*fields, *zip(order_names(len(order)), ("u1", "<i8") * len(order), strict=True)])


def order_names(count: int) -> tuple[str, ...]:
    """Return the names of the fields that order the rows of a key, the first one decides first.

    For each of `count` columns of `sequence.field` a flag, 0 for nulls, and the value: nulls are ordered below all
    values in both directions, `CodeGenUtils.newRecordComparator`.
    """
    return tuple(name for at in range(count) for name in (f"has{at}", f"order{at}"))


class KeyRowReader:
    """Reads files of one bucket.

    Args:
        target: the columns that are compared.
        keys: columns of the primary key.
        order: columns of `sequence.field`: whole numbers, dates or timestamps.
        is_descending: they decide in descending order.
        transfer: paced access to the files.
    """

    def __init__(
        self, *, target: pa.Schema, keys: Sequence[str], order: Sequence[str], is_descending: bool, transfer: Transfer
    ) -> None:
        self._target = pa.schema([*target, _NUMBER, _KIND])
        self._keys, self._order = frozenset(keys), list(order)
        self._is_descending = is_descending
        self._transfer = transfer

    def records(self, files: Sequence[TaskInput], *, with_vectors: frozenset[str] = frozenset()) -> Iterator[Records]:
        """Yield the records of each row group; `with_vectors`: paths of files with a deletion vector.

        Raises:
            InputFault: a file can't be read, or is no file of a key table.
            Refused: a column can't be compared.
            Stopped: the task was ordered to stop.
        """
        with ReadAhead() as ahead:
            openings = ((one.file_bytes, partial(open_checked, one, self._transfer)) for one in files)
            for one, source in zip(files, ahead.each(openings, most=2), strict=True):
                try:
                    for records in self._of_file(source, ahead):
                        records["flags"] |= HAS_VECTOR if one.path in with_vectors else 0
                        yield records
                finally:
                    source.close()

    def _of_file(self, source: ParquetInput, ahead: ReadAhead) -> Iterator[Records]:
        columns = checked_columns(source.schema, self._target)
        lacking = {*self._keys, _NUMBER.name, _KIND.name} - {wanted.name for wanted, _ in columns}
        if lacking:
            raise InputFault(f"{source.uri}: no columns {', '.join(sorted(lacking))}")
        leaves = [leaf for _, own in columns for leaf in own]
        metadata = source.metadata
        fetches = (
            (metadata.row_group(at).total_byte_size, partial(source.fetch, at, leaves))
            for at in range(metadata.num_row_groups)
        )
        for at, segments in enumerate(ahead.each(fetches, most=2)):
            yield self._of_row_group(source, at, segments, columns)

    def _of_row_group(
        self, source: ParquetInput, at: int, segments: Segments, columns: Sequence[tuple[pa.Field, list[int]]]
    ) -> Records:
        count = source.metadata.row_group(at).num_rows
        found = np.zeros(count, record_type(self._order))
        key, row = RowHasher(count), RowHasher(count)
        for wanted, leaves in columns:
            self._transfer.bucket.check()
            column = source.decode(at, segments, leaves).column(0)
            if wanted.name == _KIND.name:
                found["flags"] = np.isin(_whole(column), _OLD_KINDS)  # RETRACTS
                continue
            row.add(column, wanted)
            if wanted.name == _NUMBER.name:
                found["number"] = _whole(column)
            if wanted.name in self._keys:
                key.add(column, wanted)
            if wanted.name in self._order:
                has_value, value = order_names(len(self._order))[2 * self._order.index(wanted.name) :][:2]
                found[has_value], found[value] = column.is_valid(), self._directed(_whole(column))
        found["key"], found["row"] = key.finish(), row.finish()
        return found

    def _directed(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return values so that the largest decides."""
        return ~values if self._is_descending else values


class Slices:
    """Records in temporary files, all records of a key in the same one. Closing deletes them.

    Args:
        count: the number of slices, below 2^16.
        kind: the `record_type` of the records.
    """

    def __init__(self, *, count: int, kind: np.dtype[Any]) -> None:
        self._kind = kind
        self._files: list[IO[bytes]] = [tempfile.TemporaryFile() for _ in range(count)]  # noqa: SIM115 - see `close`

    def add(self, records: Records) -> None:
        """Append records, each to the slice of its key."""
        numbers = ((records["key"] >> _SLICE_BITS) % np.uint64(len(self._files))).astype(np.uint16)
        whole = records.view(np.dtype((np.void, self._kind.itemsize)))  # moved as bytes, 10 times as fast as by fields
        grouped = whole[np.argsort(numbers, kind="stable")]
        counts = np.bincount(numbers, minlength=len(self._files))
        for file, part in zip(self._files, np.split(grouped, np.cumsum(counts)[:-1]), strict=True):
            file.write(part.tobytes())

    def read(self, at: int) -> Records:
        """Return the records of one slice."""
        self._files[at].seek(0)
        return np.frombuffer(self._files[at].read(), self._kind)

    def close(self) -> None:
        """Delete the files."""
        for file in self._files:
            file.close()


def _whole(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return whole numbers, dates or timestamps as 64 bits, and nulls as 0."""
    of = column.type
    if pt.is_timestamp(of):
        column = column.cast(pa.timestamp("us", of.tz))
    elif pt.is_date32(of):
        column = column.cast(pa.int32())
    filled: npt.NDArray[np.int64] = pc.fill_null(column.cast(pa.int64()), 0).to_numpy()
    return filled

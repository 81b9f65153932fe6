"""Rows of a key table's files as records of a fixed width: hashes of key and values, and the fields that order them.

Records are distributed to slices by their key and kept in unnamed files of the machine's temporary folder, so that the
rows of one key, in whichever file, are compared in memory with those of about a million rows. Files are decoded one
column of one row group at a time, as in the kernel's comparison of rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.formats.paimon.task.orc_rows import OrcReader
from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import UNREADABLE_LAYOUT, Refused
from engine.rewriting.kernel.merging.record_slices import Records, whole_numbers
from engine.rewriting.kernel.reading.column_numbers import SchemaNumbers
from engine.rewriting.kernel.reading.decoded_columns import DecodedRows, RowReader, row_groups
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY
from engine.rewriting.kernel.reading.row_hashes import RowHasher
from engine.rewriting.kernel.storage.transfer import Transfer

RETRACTS: Final = 1
HAS_VECTOR: Final = 2
"""Bits of `flags`: the row deletes its key; rows of its file are deleted by a vector."""

_LARGEST_INT: Final = 2**31 - 1
_NUMBER: Final = pa.field("_SEQUENCE_NUMBER", pa.int64(), metadata={FIELD_ID_KEY: str(_LARGEST_INT - 1)})
_KIND: Final = pa.field("_VALUE_KIND", pa.int8(), metadata={FIELD_ID_KEY: str(_LARGEST_INT - 2)})
"""Columns that Paimon adds to the files of key tables, `org.apache.paimon.table.SpecialFields`."""

_OLD_KINDS: Final = (1, 3)
"""`RowKind.isRetract`: the row before an update, and a deletion."""


def _with_own_columns(columns: pa.Schema) -> pa.Schema:
    return pa.schema([*columns, _NUMBER, _KIND])


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
        schemas: those of files by id; ORC files, and others without field ids, are read by their names.
        keys: columns of the primary key.
        order: columns of `sequence.field`: whole numbers, dates or timestamps.
        is_descending: they decide in descending order.
        transfer: paced access to the files.
        is_orc: they are ORC files, otherwise Parquet.
    """

    def __init__(
        self,
        *,
        target: pa.Schema,
        schemas: Mapping[int, pa.Schema],
        keys: Sequence[str],
        order: Sequence[str],
        is_descending: bool,
        transfer: Transfer,
        is_orc: bool,
    ) -> None:
        self._target = _with_own_columns(target)
        written = {number: _with_own_columns(each) for number, each in schemas.items()}
        self._read: RowReader = (
            OrcReader(written) if is_orc else partial(row_groups, numbers=SchemaNumbers(written, self._target))
        )
        self._keys, self._order = frozenset(keys), list(order)
        self._is_descending = is_descending
        self._transfer = transfer

    def records(self, files: Sequence[TaskInput], *, with_vectors: frozenset[str] = frozenset()) -> Iterator[Records]:
        """Yield the records of each row group; `with_vectors`: paths of files with a deletion vector.

        Raises:
            InputFault: a file can't be read.
            Refused: a column can't be compared, or is not in a file.
            Stopped: the task was ordered to stop.
        """
        for group in self._read(files, self._target, self._transfer):
            if lacking := {*self._keys, _NUMBER.name, _KIND.name} - group.names:
                raise Refused(UNREADABLE_LAYOUT, f"{group.uri}: no columns {', '.join(sorted(lacking))}")
            records = self._of_rows(group)
            records["flags"] |= HAS_VECTOR if files[group.file].path in with_vectors else 0
            yield records

    def _of_rows(self, group: DecodedRows) -> Records:
        found = np.zeros(group.count, record_type(self._order))
        key, row = RowHasher(group.count), RowHasher(group.count)
        for wanted, column in group.columns():
            if wanted.name == _KIND.name:
                found["flags"] = np.isin(whole_numbers(column), _OLD_KINDS)  # RETRACTS
                continue
            row.add(column, wanted)
            if wanted.name == _NUMBER.name:
                found["number"] = whole_numbers(column)
            if wanted.name in self._keys:
                key.add(column, wanted)
            if wanted.name in self._order:
                has_value, value = order_names(len(self._order))[2 * self._order.index(wanted.name) :][:2]
                found[has_value], found[value] = column.is_valid(), self._directed(whole_numbers(column))
        found["key"], found["row"] = key.finish(), row.finish()
        return found

    def _directed(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return values so that the largest decides."""
        return ~values if self._is_descending else values

"""Find the rows that a merge by key leaves out, by sorting: all but the newest of a key, and newest ones that delete.

They are left out like rows of position deletes, so that the rewrite itself knows nothing of keys. Only the columns of
the rule are read for it, and sorted within a bound of memory (`ordering.arranging`). Memory beyond that: a byte for
each row, and eight for each row that is left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.contract import MergeKey, RowOrder, SortColumn, TaskInput
from engine.rewriting.kernel.merging.key_columns import KeyColumns, version_numbers
from engine.rewriting.kernel.ordering.arranging import Arrangement
from engine.rewriting.kernel.ordering.seen_rows import plain_column
from engine.rewriting.kernel.reading.column_numbers import FileNumbers
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY
from engine.rewriting.kernel.reading.rows import GroupReader, Rows
from engine.rewriting.kernel.storage.transfer import Transfer

_VERSION: Final = ("days", "version")
"""A version in two numbers: INT96 timestamps have a day beside the time; others have a null there."""

_PLACE: Final = "place"
"""The number of a row among all rows of the inputs, which decides between equal versions."""

_DELETED: Final = "deleted"

Places = npt.NDArray[np.int64]


def left_out_rows(
    *, inputs: Sequence[TaskInput], schema: pa.Schema, key: MergeKey, transfer: Transfer, numbers: FileNumbers | None
) -> PositionDeletes:
    """Return the rows of each input that a merge by a key leaves out.

    Raises:
        Refused: a column of the key or the version has a type that can't be one.
        InputFault, OutputFault, Stopped: as `GroupReader.units` and `Arrangement.arranged`.
    """
    columns = KeyColumns.of(schema, key)
    starts = list(accumulate((one.record_count for one in inputs), initial=0))
    reader = GroupReader(
        inputs=inputs, target=columns.target, deletes=_no_deletes(inputs), transfer=transfer, numbers=numbers
    )
    sorted_schema = _schema(columns)
    order = RowOrder(
        strategy="sort",
        columns=tuple(SortColumn(at) for at in range(len(sorted_schema) - 1)),
        memory_bytes=key.memory_bytes,
    )
    check = transfer.bucket.check
    arrangement = Arrangement(schema=sorted_schema, order=order, rows=starts[-1], check=check)
    arranged = arrangement.arranged(_keyed(reader, columns, starts))
    is_left_out = np.zeros(starts[-1], np.bool_)
    for places in _left_out(arranged, sorted_schema, len(columns.key)):
        is_left_out[places] = True
    return PositionDeletes(positions=[np.flatnonzero(is_left_out[slice(*each)]) for each in pairwise(starts)])


def _no_deletes(inputs: Sequence[TaskInput]) -> PositionDeletes:
    return PositionDeletes(positions=[np.empty(0, dtype=np.int64) for _ in inputs])


def _schema(columns: KeyColumns) -> pa.Schema:
    """Return the schema of the rows to sort: the key, the version, the place; and whether the row deletes."""
    fields = [pa.field(f"key{at}", one.type) for at, one in enumerate(columns.key)]
    fields += [pa.field(name, pa.int64()) for name in (*_VERSION, _PLACE)]
    fields.append(pa.field(_DELETED, pa.bool_()))
    return pa.schema([one.with_metadata({FIELD_ID_KEY: str(at).encode()}) for at, one in enumerate(fields)])


def _keyed(reader: GroupReader, columns: KeyColumns, starts: Sequence[int]) -> Iterator[Rows]:
    """Yield the rows to sort."""
    width = len(columns.key)
    for unit in reader.units():
        rows = unit.live_rows()
        first = starts[unit.input_index] + unit.start
        version = version_numbers(rows.columns[width])
        place = pa.chunked_array([np.arange(first, first + rows.count)], type=pa.int64())
        deleted = rows.columns[width + 1] if columns.deleted else pa.chunked_array([pa.nulls(rows.count, pa.bool_())])
        made = [*rows.columns[:width], *version, place, deleted]
        yield Rows(made, rows.count, rows.source_rows, rows.logical_bytes, frozenset())


def _left_out(arranged: Iterable[Rows], schema: pa.Schema, width: int) -> Iterator[Places]:
    """Yield the places of rows to leave out; the last row of each slice is compared with the first of the next."""
    held = schema.empty_table()
    for rows in arranged:
        plain = [plain_column(one.chunks, field.type) for one, field in zip(rows.columns, schema, strict=True)]
        table = pa.concat_tables([held, pa.Table.from_arrays(plain, schema=schema)])
        count = table.num_rows - 1
        has_newer = _all(pc.equal(one.slice(0, count), one.slice(1)) for one in table.columns[:width])
        yield _chosen(table.slice(0, count), has_newer, width)
        held = table.slice(count)
    yield _chosen(held, pa.chunked_array([pa.repeat(pa.scalar(False), held.num_rows)]), width)


def _chosen(table: pa.Table, has_newer: pa.ChunkedArray, width: int) -> Places:
    """Return the places of rows that have a newer one of their key, or have a key and delete it."""
    has_key = _all(one.is_valid() for one in table.columns[:width])
    deletes = pc.and_(pc.fill_null(table[_DELETED], False), has_key)
    found: Places = table[_PLACE].filter(pc.or_(has_newer, deletes)).to_numpy()
    return found


def _all(masks: Iterable[pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return where all masks are true; null is false: a row with a null in its key is no other row's."""
    first, *rest = (pc.fill_null(mask, False) for mask in masks)
    for mask in rest:
        first = pc.and_(first, mask)
    return first

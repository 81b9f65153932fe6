"""The rows of a whole group in another order, within a bound on memory.

The order is only known when the last row was read. As long as the rows are fewer than `RowOrder.memory_bytes`, as Arrow
holds them, they stay in memory. More go to disk (`spilling`) part by part, but for their key columns; when the order is
known each part is put into it and written to disk again, and what goes out is merged from all parts, each read once
from beginning to end. So the temporary folder holds about what the group has before compression, twice for one part.

Memory beyond that bound, for every row of the group: the key columns, and up to 64 bytes while the order is found (12
afterwards); and one part (a quarter of the bound) again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import RowOrder
from engine.rewriting.kernel.ordering import Positions, check_type, order_of
from engine.rewriting.kernel.projection import field_id
from engine.rewriting.kernel.reading import Rows
from engine.rewriting.kernel.spilling import SpilledRows

SLICE_BYTES: Final = 16 * 2**20
"""About so much of the ordered rows is handed on at a time."""

_PARTS: Final = 4
"""One part is this fraction of the memory."""

_BATCHES: Final = 16
"""One slice is so many batches on disk: one batch of each part is in memory while they are merged."""


class Arrangement:
    """Takes rows in the order of the inputs and gives them in the order asked for."""

    def __init__(self, *, schema: pa.Schema, order: RowOrder, check: Callable[[], None]) -> None:
        """`schema` is the target's, with field ids; `check` is called now and then and may raise to stop the task.

        Raises:
            Refused: a column is of a type without an order.
        """
        self._plain = pa.schema([pa.field(str(at), field.type) for at, field in enumerate(schema)])
        self._order = order
        self._check = check
        places = {field_id(field): at for at, field in enumerate(schema)}
        self._places = [places[column.field_id] for column in order.columns]
        for place in self._places:
            check_type(schema.field(place))
        self._keys: list[list[pa.Array]] = [[] for _ in order.columns]
        self._held: list[Rows] = []
        self._held_bytes = 0
        self._parts: list[SpilledRows] = []
        self._read = _Seen()

    def arranged(self, source: Iterable[Rows]) -> Iterator[Rows]:
        """Read all rows, then yield them in order.

        Raises:
            OutputFault: the temporary folder can't hold the rows.
        """
        try:
            for rows in source:
                self._add(rows)
            if self._parts:
                self._spill()
                yield from self._merged()
            else:
                yield from self._from_memory()
        finally:
            for part in self._parts:
                part.close()

    def _add(self, rows: Rows) -> None:
        self._read.add(rows)
        for kept, place in zip(self._keys, self._places, strict=True):
            kept.extend(rows.columns[place].chunks)
        self._held.append(rows)
        self._held_bytes += sum(column.nbytes for column in rows.columns)
        if self._held_bytes > self._order.memory_bytes // (_PARTS if self._parts else 1):
            self._spill()

    def _from_memory(self) -> Iterator[Rows]:
        count = sum(rows.count for rows in self._held)
        order = self._order_of_keys()
        # taken out column by column, so that only one is in memory twice
        columns = [_joined([rows.columns.pop(0) for rows in self._held], field.type) for field in self._plain]
        step = self._slice_rows(count)
        for start in range(0, count, step):
            self._check()
            positions = pa.array(order[start : start + step])
            yield self._read.rows([column.take(positions) for column in columns], len(positions))

    def _order_of_keys(self) -> Positions:
        types = [self._plain.field(place).type for place in self._places]
        columns = [_chunked(chunks, of) for chunks, of in zip(self._keys, types, strict=True)]
        self._keys = []
        return order_of(columns, self._order, check=self._check)

    def _slice_rows(self, count: int) -> int:
        return max(1, count * SLICE_BYTES // max(1, self._read.nbytes))

    def _spill(self) -> None:
        """Write what is held to disk, in parts of at most a quarter of the memory."""
        most = max(1, self._order.memory_bytes // _PARTS * sum(r.count for r in self._held) // max(1, self._held_bytes))
        for rows in self._held:
            table = self._table(rows)
            for start in range(0, rows.count, most):
                piece = table.slice(start, most)
                if not self._parts or self._parts[-1].rows + piece.num_rows > most:
                    self._parts.append(SpilledRows(self._plain))
                self._parts[-1].add(piece, batch_rows=most)
                self._check()
        self._held, self._held_bytes = [], 0

    def _table(self, rows: Rows) -> pa.Table:
        columns = [_plain(column.chunks, field.type) for column, field in zip(rows.columns, self._plain, strict=True)]
        return pa.Table.from_arrays(columns, schema=self._plain)

    def _merged(self) -> Iterator[Rows]:
        order = self._order_of_keys()
        step = self._slice_rows(len(order))
        starts = np.cumsum([0, *(part.rows for part in self._parts)])
        part_of = (np.searchsorted(starts, order, side="right") - 1).astype(np.int32)
        for at in range(len(self._parts)):
            self._put_into_order(at, order[part_of == at] - starts[at], batch_rows=max(1, step // _BATCHES))
        del order
        for start in range(0, len(part_of), step):
            self._check()
            owners = part_of[start : start + step]
            counts = np.bincount(owners, minlength=len(self._parts)).tolist()
            pieces = [part.read(count) for part, count in zip(self._parts, counts, strict=True) if count]
            positions = np.empty(len(owners), dtype=np.int64)
            positions[np.argsort(owners, kind="stable")] = np.arange(len(owners))
            table = pa.concat_tables(pieces).combine_chunks().take(pa.array(positions))
            yield self._read.rows(table.columns, table.num_rows)

    def _put_into_order(self, at: int, positions: Positions, *, batch_rows: int) -> None:
        self._check()
        before, after = self._parts[at], SpilledRows(self._plain)
        before.finish()
        table = before.read(before.rows)
        before.close()
        self._parts[at] = after
        after.add(table.combine_chunks().take(pa.array(positions)), batch_rows=batch_rows)
        after.finish()


class _Seen:
    """What was read, for what goes out to be measured and encoded by."""

    def __init__(self) -> None:
        self.nbytes = 0
        self._count = 0
        self._source_rows = 0
        self._logical_bytes = 0
        self._coded: Counter[int | None] = Counter()

    def add(self, rows: Rows) -> None:
        self.nbytes += sum(column.nbytes for column in rows.columns)
        self._count += rows.count
        self._source_rows += rows.source_rows
        self._logical_bytes += rows.logical_bytes
        self._coded.update(dict.fromkeys(rows.dictionary_ids, rows.count))

    def rows(self, columns: Sequence[pa.ChunkedArray], count: int) -> Rows:
        coded = frozenset(number for number, rows in self._coded.items() if 2 * rows >= self._count)
        return Rows(list(columns), count, self._source_rows, self._logical_bytes, coded)


def _joined(columns: Sequence[pa.ChunkedArray], of: pa.DataType) -> pa.ChunkedArray:
    """Return columns one after the other, as one chunk where that is possible: rows are taken from it by position."""
    chunked = _chunked([chunk for column in columns for chunk in column.chunks], of)
    if pt.is_dictionary(chunked.type):
        chunked = chunked.unify_dictionaries()
    whole = chunked.combine_chunks()
    return whole if isinstance(whole, pa.ChunkedArray) else pa.chunked_array([whole])


def _chunked(chunks: Sequence[pa.Array], of: pa.DataType) -> pa.ChunkedArray:
    """Return chunks as one column: a dictionary if all are, else of the plain type."""
    if chunks and all(pt.is_dictionary(chunk.type) for chunk in chunks):
        return pa.chunked_array(chunks)
    return _plain(chunks, of)


def _plain(chunks: Sequence[pa.Array], of: pa.DataType) -> pa.ChunkedArray:
    plain = [chunk.dictionary_decode() if pt.is_dictionary(chunk.type) else chunk for chunk in chunks]
    return pa.chunked_array(plain, type=of)

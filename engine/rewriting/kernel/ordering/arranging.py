"""External sort of the rows of a whole group, with bounded memory.

The order is only known after the last row was read. Rows of up to `RowOrder.memory_bytes`, in Arrow's memory format,
stay in memory. Further rows are spilled to disk (`spilling`); when all rows are read, they are distributed to ranges of
the order (`ranges`), each a file that fits into memory, and sorted range by range. So each row is written to disk twice
and read twice, and the temporary folder contains about the uncompressed size of the group, and a sixteenth more.

The curve of rows in memory uses their ranks; that of rows on disk uses ranks in a sample, the same for all ranges.

Memory beyond that bound: up to 64 bytes for every row in memory while its order is computed, and the columns of the
order for the sample of at most a million rows. It does not depend on the size of the group.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.ordering.keys import Keys, Positions, check_type, keys_of, order_of
from engine.rewriting.kernel.ordering.ranges import Columns, Ranges
from engine.rewriting.kernel.ordering.seen_rows import SeenRows, plain_column
from engine.rewriting.kernel.ordering.spilling import SpilledRows, check_room
from engine.rewriting.kernel.reading.projection import field_id
from engine.rewriting.kernel.reading.rows import Rows

SLICE_BYTES: Final = 16 * 2**20
"""Approximate bytes of ordered rows that are yielded at a time."""

_PARTS: Final = 4
"""Number of parts of the memory bound; a part is written to disk, or read from it, at a time."""

SAMPLED: Final = 2048
"""Rows of each part that are added to the sample."""

MOST_SAMPLED: Final = 1 << 20
"""The most rows in the sample; beyond it every second row is dropped, and parts add half as many."""

_RANKED: Final = 1 << 16
"""Rows of the sample for ranks on a curve: the number of cells of a column."""

_MOST_RANGES: Final = 256
"""The most files that are open at a time; a range larger than memory is divided into ranges again."""

_DOUBT: Final = 2
"""Factor by which later rows may be smaller than earlier ones: a group that may still fit is not refused early."""

_PLACE: Final = pa.field("place", pa.int64())
_ALONG: Final = RowOrder("sort", (SortColumn(0),))
"""The order of rows with a column of positions on a curve."""


class Arrangement:
    """Reads rows in the order of the inputs and yields them in the requested order."""

    def __init__(self, *, schema: pa.Schema, order: RowOrder, rows: int, check: Callable[[], None]) -> None:
        """Start without rows; `schema` is the target's, with field ids, and `rows` the number of rows to come.

        `check` is called repeatedly and may raise to stop the task.

        Raises:
            Refused: a column has a type without an order.
        """
        self._plain = pa.schema([pa.field(str(at), field.type) for at, field in enumerate(schema)])
        self._order = order
        self._expected = rows
        self._check = check
        places = {field_id(field): at for at, field in enumerate(schema)}
        self._places = [places[column.field_id] for column in order.columns]
        for place in self._places:
            check_type(schema.field(place))
        self._by = _Keys(self._plain, self._places, order)
        self._held: list[Rows] = []
        self._held_bytes = 0
        self._spilled = SpilledRows(self._plain, segment_bytes=order.memory_bytes)
        self._sample: list[pa.Table] = []
        self._sampled = SAMPLED
        self.ranked_by: Columns = ()
        """The order's columns of the sampled rows that define ranks on a curve, once rows are on disk."""
        self._read = SeenRows()

    def arranged(self, source: Iterable[Rows]) -> Iterator[Rows]:
        """Read all rows, then yield them in order.

        Raises:
            OutputFault: the temporary folder has no room for the rows.
        """
        try:
            for rows in source:
                self._add(rows)
            if self._spilled.rows:
                self._spill()
                yield from self._from_disk()
            elif self._held:
                pieces = [[held.columns.pop(0) for held in self._held] for _ in self._plain]
                yield from self._in_order(pieces, self._by)
        finally:
            self._spilled.close()

    def _add(self, rows: Rows) -> None:
        self._read.add(rows)
        self._held.append(rows)
        self._held_bytes += sum(column.nbytes for column in rows.columns)
        if self._held_bytes > self._order.memory_bytes // (_PARTS if self._spilled.rows else 1):
            self._spill()

    def _in_order(self, pieces: list[list[pa.ChunkedArray]], by: "_Keys") -> Iterator[Rows]:
        """Yield the rows of some pieces, given by column, in order; the lists are emptied."""
        nbytes = sum(piece.nbytes for column in pieces for piece in column)
        keys = [_chunked(pieces[place], by.schema.field(place).type) for place in by.places]
        positions = order_of(keys, by.order, check=self._check)
        del keys
        # removed column by column, so that only one column is in memory twice
        columns = [_joined(pieces.pop(0), field.type) for field in self._plain]
        step = max(1, len(positions) * SLICE_BYTES // max(1, nbytes))
        for start in range(0, len(positions), step):
            self._check()
            some = pa.array(positions[start : start + step])
            yield self._read.rows([column.take(some) for column in columns], len(some))

    def _spill(self) -> None:
        """Write the rows in memory to disk, in parts of about a quarter of the memory bound, and release them."""
        part = max(1, self._order.memory_bytes // _PARTS)
        pieces: list[pa.Table] = []
        while self._held:
            table = self._table(self._held.pop(0))
            step = max(1, table.num_rows * part // max(1, table.nbytes))
            for start in range(0, table.num_rows, step):
                pieces.append(table.slice(start, step))
                if 2 * sum(piece.nbytes for piece in pieces) >= part:
                    self._write(pieces)
                    pieces = []
        if pieces:
            self._write(pieces)
        self._held_bytes = 0

    def _write(self, pieces: Sequence[pa.Table]) -> None:
        """Write a part to disk and keep a sample of it."""
        self._check()
        part = pa.concat_tables(pieces).combine_chunks()
        self._spilled.add(part)
        wanted = max(1, self._sampled * _PARTS * part.nbytes // max(1, self._order.memory_bytes))
        self._sample.append(_every(max(1, part.num_rows // wanted), part.select(self._places)))
        if sum(some.num_rows for some in self._sample) > MOST_SAMPLED:
            self._sampled = max(1, self._sampled // 2)
            self._sample = [_every(2, pa.concat_tables(self._sample))]
        more = (self._expected - self._spilled.rows) * self._spilled.disk_bytes // self._spilled.rows
        check_room(more // _DOUBT)

    def _table(self, rows: Rows) -> pa.Table:
        columns = [
            plain_column(column.chunks, field.type) for column, field in zip(rows.columns, self._plain, strict=True)
        ]
        return pa.Table.from_arrays(columns, schema=self._plain)

    def _from_disk(self) -> Iterator[Rows]:
        """Yield the spilled rows in order."""
        sample = pa.concat_tables(self._sample).combine_chunks()
        self._sample = []
        spilled = self._spilled.read(self._order.memory_bytes // (2 * _PARTS))
        if self._order.strategy == "sort":
            yield from self._by_ranges(spilled, self._spilled.nbytes, sample, self._by)
            return
        self.ranked_by = _every(-(-sample.num_rows // _RANKED), sample).columns
        by = _Keys(self._plain.append(_PLACE), [len(self._plain)], _ALONG)
        keyed = (table.append_column(_PLACE, self._on_curve(table.select(self._places))) for table in spilled)
        yield from self._by_ranges(keyed, self._spilled.nbytes, pa.table([self._on_curve(sample)], [_PLACE.name]), by)

    def _on_curve(self, table: pa.Table) -> pa.Array:
        """Return the positions of rows on the curve, as signed numbers; `table` has the order's columns.

        They are computed once and written to disk with the row.
        """
        keys = keys_of(table.columns, self._order, sample=self.ranked_by, check=self._check).values
        return pa.array((keys ^ np.uint64(1 << 63)).view(np.int64))

    def _by_ranges(self, tables: Iterator[pa.Table], nbytes: int, sample: pa.Table, by: "_Keys") -> Iterator[Rows]:
        """Yield rows that do not fit into memory in order: distribute them to ranges, then sort range by range."""
        memory = self._order.memory_bytes
        wanted = min(_MOST_RANGES, max(2, -(-2 * nbytes // max(1, memory))))
        ranges = Ranges(sample.columns, keys_of=partial(by.of, check=self._check), wanted=wanted)
        files = [SpilledRows(by.schema, segment_bytes=memory) for _ in range(ranges.count)]
        try:
            for table in tables:
                self._check()
                _deal_out(table, ranges.places(table.select(by.places).columns), files)
            place_of = ranges.places(sample.columns)
            for at, file in enumerate(files):
                rest = sample.filter(pa.array(place_of == at)) if file.nbytes > memory else sample.slice(0, 0)
                yield from self._range(file, rest, by, at in ranges.of_one_key)
        finally:
            for file in files:
                file.close()

    def _range(self, file: SpilledRows, sample: pa.Table, by: "_Keys", has_one_key: bool) -> Iterator[Rows]:
        """Yield the rows of a range in order; `sample` has rows of it if it does not fit into memory."""
        memory = self._order.memory_bytes
        if has_one_key:
            for table in file.read(SLICE_BYTES):
                self._check()
                yield self._read.rows(table.columns[: len(self._plain)], table.num_rows)
        elif sample.num_rows:
            yield from self._by_ranges(file.read(memory // (2 * _PARTS)), file.nbytes, sample, by)
        elif file.rows:
            whole = pa.concat_tables(file.read(memory))
            pieces = [[column] for column in whole.columns]
            del whole
            yield from self._in_order(pieces, by)


class _Keys(NamedTuple):
    """The sort columns of rows on disk: positions of columns in a schema."""

    schema: pa.Schema
    places: Sequence[int]
    order: RowOrder

    def of(self, columns: Columns, check: Callable[[], None]) -> Keys:
        return keys_of(columns, self.order, check=check).values


def _every(step: int, table: pa.Table) -> pa.Table:
    """Return every `step`-th row, as a copy."""
    return table.take(pa.array(np.arange(0, table.num_rows, step)))


def _deal_out(table: pa.Table, places: Positions, files: Sequence[SpilledRows]) -> None:
    """Add each row to the file of its range."""
    along = pa.array(np.argsort(places.astype(np.int16), kind="stable"))
    dealt = table.combine_chunks().take(along)
    start = 0
    for file, count in zip(files, np.bincount(places, minlength=len(files)).tolist(), strict=True):
        file.add(dealt.slice(start, count))
        start += count


def _joined(columns: Sequence[pa.ChunkedArray], of: pa.DataType) -> pa.ChunkedArray:
    """Return the concatenated columns, as one chunk if possible: rows are taken from it by position."""
    chunked = _chunked(columns, of)
    if pt.is_dictionary(chunked.type):
        chunked = chunked.unify_dictionaries()
    whole = chunked.combine_chunks()
    return whole if isinstance(whole, pa.ChunkedArray) else pa.chunked_array([whole])


def _chunked(columns: Sequence[pa.ChunkedArray], of: pa.DataType) -> pa.ChunkedArray:
    """Return the concatenated columns: dictionary-encoded if all are, otherwise of the plain type."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    if chunks and all(pt.is_dictionary(chunk.type) for chunk in chunks):
        return pa.chunked_array(chunks)
    return plain_column(chunks, of)

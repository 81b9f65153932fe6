"""The rows of a whole group in another order, within a bound on memory.

The order is only known when the last row was read. As long as the rows are fewer than `RowOrder.memory_bytes`, as Arrow
holds them, they stay in memory. More go to disk (`spilling`); when all are read, they are dealt out to the ranges of
the order (`ranges`), each a file that fits memory, and put into order range by range. So each row is written to disk
twice and read twice, and the temporary folder holds about what the group has before compression, and a sixteenth more.

A curve of rows in memory goes by their ranks; of rows on disk by ranks in a sample of them, the same for all ranges.

Memory beyond that bound: up to 64 bytes for every row that is in memory while their order is found, and the columns of
the order of at most a million rows, the sample. It does not grow with the group.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import OrderColumn, RowOrder
from engine.rewriting.kernel.ordering.keys import Keys, Positions, check_type, keys_of, order_of
from engine.rewriting.kernel.ordering.ranges import Columns, Ranges
from engine.rewriting.kernel.ordering.spilling import SpilledRows, check_room
from engine.rewriting.kernel.reading.projection import field_id
from engine.rewriting.kernel.reading.rows import Rows

SLICE_BYTES: Final = 16 * 2**20
"""About so much of the ordered rows is handed on at a time."""

_PARTS: Final = 4
"""One part is this fraction of the memory: so much goes to disk, or comes from it, at a time."""

SAMPLED: Final = 2048
"""Rows of each part that are in the sample."""

MOST_SAMPLED: Final = 1 << 20
"""When the sample has more rows, every second one goes, and parts give half as many."""

_RANKED: Final = 1 << 16
"""Rows of the sample that a curve ranks by: as many as a column has cells."""

_MOST_RANGES: Final = 256
"""Files that are open at a time; a range that holds more than memory is cut into ranges once more."""

_DOUBT: Final = 2
"""By so much rows to come may be smaller than those before: a group is not given up early that might fit."""

_PLACE: Final = pa.field("place", pa.int64())
_ALONG: Final = RowOrder("sort", (OrderColumn(0),))
"""How rows are ordered that carry their place on a curve."""


class Arrangement:
    """Takes rows in the order of the inputs and gives them in the order asked for."""

    def __init__(self, *, schema: pa.Schema, order: RowOrder, rows: int, check: Callable[[], None]) -> None:
        """`schema` is the target's, with field ids; so many `rows` will come.

        `check` is called now and then and may raise to stop the task.

        Raises:
            Refused: a column is of a type without an order.
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
        """The columns of the order of the rows that a curve ranks by, once any are on disk."""
        self._read = _Seen()

    def arranged(self, source: Iterable[Rows]) -> Iterator[Rows]:
        """Read all rows, then yield them in order.

        Raises:
            OutputFault: the temporary folder can't hold the rows.
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
        """Yield the rows of some pieces, listed by column, in order; the lists are used up."""
        nbytes = sum(piece.nbytes for column in pieces for piece in column)
        keys = [_chunked(pieces[place], by.schema.field(place).type) for place in by.places]
        positions = order_of(keys, by.order, check=self._check)
        del keys
        # taken out column by column, so that only one is in memory twice
        columns = [_joined(pieces.pop(0), field.type) for field in self._plain]
        step = max(1, len(positions) * SLICE_BYTES // max(1, nbytes))
        for start in range(0, len(positions), step):
            self._check()
            some = pa.array(positions[start : start + step])
            yield self._read.rows([column.take(some) for column in columns], len(some))

    def _spill(self) -> None:
        """Write what is held to disk, in parts of about a quarter of the memory, and let go of it."""
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
        columns = [_plain(column.chunks, field.type) for column, field in zip(rows.columns, self._plain, strict=True)]
        return pa.Table.from_arrays(columns, schema=self._plain)

    def _from_disk(self) -> Iterator[Rows]:
        """Yield what was spilled in order."""
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
        """Return the places of rows on the curve, as signed numbers in the same order; `table` has the order's columns.

        They are found once and go to disk with the row.
        """
        keys = keys_of(table.columns, self._order, sample=self.ranked_by, check=self._check).values
        return pa.array((keys ^ np.uint64(1 << 63)).view(np.int64))

    def _by_ranges(self, tables: Iterator[pa.Table], nbytes: int, sample: pa.Table, by: "_Keys") -> Iterator[Rows]:
        """Yield rows in order that are too many for memory: dealt out to ranges, then range by range."""
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
        """Yield the rows of a range in order; `sample` has rows of it if it is too large for memory."""
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
    """What rows on disk are ordered by: columns at some places of a schema."""

    schema: pa.Schema
    places: Sequence[int]
    order: RowOrder

    def of(self, columns: Columns, check: Callable[[], None]) -> Keys:
        return keys_of(columns, self.order, check=check).values


def _every(step: int, table: pa.Table) -> pa.Table:
    """Return each so many-th row, as a copy."""
    return table.take(pa.array(np.arange(0, table.num_rows, step)))


def _deal_out(table: pa.Table, places: Positions, files: Sequence[SpilledRows]) -> None:
    """Add each row to the file of its range."""
    along = pa.array(np.argsort(places.astype(np.int16), kind="stable"))
    dealt = table.combine_chunks().take(along)
    start = 0
    for file, count in zip(files, np.bincount(places, minlength=len(files)).tolist(), strict=True):
        file.add(dealt.slice(start, count))
        start += count


class _Seen:
    """What was read, for what goes out to be measured and encoded by."""

    def __init__(self) -> None:
        self._count = 0
        self._source_rows = 0
        self._logical_bytes = 0
        self._coded: Counter[int | None] = Counter()

    def add(self, rows: Rows) -> None:
        self._count += rows.count
        self._source_rows += rows.source_rows
        self._logical_bytes += rows.logical_bytes
        self._coded.update(dict.fromkeys(rows.dictionary_ids, rows.count))

    def rows(self, columns: Sequence[pa.ChunkedArray], count: int) -> Rows:
        coded = frozenset(number for number, rows in self._coded.items() if 2 * rows >= self._count)
        return Rows(list(columns), count, self._source_rows, self._logical_bytes, coded)


def _joined(columns: Sequence[pa.ChunkedArray], of: pa.DataType) -> pa.ChunkedArray:
    """Return columns one after the other, as one chunk where that is possible: rows are taken from it by position."""
    chunked = _chunked(columns, of)
    if pt.is_dictionary(chunked.type):
        chunked = chunked.unify_dictionaries()
    whole = chunked.combine_chunks()
    return whole if isinstance(whole, pa.ChunkedArray) else pa.chunked_array([whole])


def _chunked(columns: Sequence[pa.ChunkedArray], of: pa.DataType) -> pa.ChunkedArray:
    """Return columns one after the other: a dictionary if all are, else of the plain type."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    if chunks and all(pt.is_dictionary(chunk.type) for chunk in chunks):
        return pa.chunked_array(chunks)
    return _plain(chunks, of)


def _plain(chunks: Sequence[pa.Array], of: pa.DataType) -> pa.ChunkedArray:
    plain = [chunk.dictionary_decode() if pt.is_dictionary(chunk.type) else chunk for chunk in chunks]
    return pa.chunked_array(plain, type=of)

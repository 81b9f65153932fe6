"""Writing of rows into Parquet files: collected until a row group is full, then written with one call.

Each `write_table` call starts a row group, so a row group is only written when it is complete. Encoding follows the
inputs of a file's first row group: a column gets a dictionary only if most of those rows had one, and stays a
dictionary array throughout if every piece of it is one and the joined dictionary fits its page (strings are then
neither built nor hashed).

Memory: the rows of one row group, at most `MOST_PENDING` times the row-group size as Arrow holds them.
"""

import io
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from engine.rewriting.kernel.contract import RowOrder, WriteSettings
from engine.rewriting.kernel.kernel_task import ParquetDialect
from engine.rewriting.kernel.parquet.thrift import Struct
from engine.rewriting.kernel.reading.lineage import ROW_ID, SEQUENCE_NUMBER
from engine.rewriting.kernel.reading.projection import leaf_ids, without_ids
from engine.rewriting.kernel.reading.rows import Rows
from engine.rewriting.kernel.storage.transfer import OutputSink
from engine.rewriting.kernel.writing.float_facts import FloatFacts, FloatTally, float_facts
from engine.rewriting.kernel.writing.layout import OutputLayout
from engine.rewriting.kernel.writing.outputs import OutputFiles
from engine.rewriting.kernel.writing.own_footers import (
    OwnFooter,
    OwnFooterStream,
    as_arrow,
    has_floats,
    with_exact_floats,
)

MOST_PENDING: Final = 4
"""Limit of collected rows in Arrow's memory format, in row-group sizes; beyond it a row group is written early."""

BATCH_ROWS: Final = 16 * 1024
"""Rows encoded at a time; the writer checks the page size only between batches, so batches of wide rows are smaller."""


class GroupWriter:
    """Writes the outputs of a task from decoded rows."""

    def __init__(
        self,
        *,
        schema: pa.Schema,
        settings: WriteSettings,
        dialect: ParquetDialect,
        files: OutputFiles,
        layout: OutputLayout,
        order: RowOrder | None = None,
        own_footer: OwnFooter | None = None,
    ) -> None:
        """Make a writer; `order` is that of the rows, for the footers; `own_footer`: one that Arrow can't write."""
        self._format = OutputSchema(
            schema=schema,
            settings=settings,
            dialect=dialect,
            order=order,
            has_page_index=True,
            unordered_ids=frozenset() if own_footer is None else own_footer.unordered_ids,
        )
        self._end = as_arrow if own_footer is None else own_footer.end
        self._changes_footer = own_footer is not None or has_floats(schema)
        self._facts: list[Mapping[int, FloatFacts]] = []  # by row group of the open file
        self._files = files
        self._layout = layout
        self._most_bytes = MOST_PENDING * settings.row_group_bytes
        self._pending = _Pending()
        self._open: tuple[OutputSink, OutputSink | OwnFooterStream, Encoder] | None = None

    def add(self, rows: Rows) -> None:
        """Add rows; write full row groups. Raises OutputFault, Stopped."""
        self._layout.observe_input(rows.source_rows, rows.logical_bytes)
        self._pending.add(rows)
        while self._pending.rows:
            wanted = self._layout.next_row_group()
            if self._pending.rows < wanted and self._pending.nbytes < self._most_bytes:
                return
            self._write(min(wanted, self._pending.rows))

    def finish(self) -> None:
        """Write the remaining rows and close the last file."""
        while self._pending.rows:
            self._write(self._pending.rows)
        self._close()

    def _write(self, count: int) -> None:
        taken, dictionary_ids = self._pending.take(count)
        if self._open is None:
            sink = self._files.begin()
            target = OwnFooterStream(sink) if self._changes_footer else sink
            encoder = Encoder(
                stream=pa.PythonFile(target, mode="w"),
                form=self._format,
                first=taken,
                dictionary_ids=dictionary_ids,
                statistics=self._format.bounded(),
            )
            self._open = sink, target, encoder
        sink, _, encoder = self._open
        before = sink.position
        encoder.write(taken, count)
        self._facts.append(encoder.float_facts)
        self._layout.observe_written(count, sink.position - before)
        if self._layout.file_is_full():
            self._close()

    def _close(self) -> None:
        if self._open is None:
            return
        sink, target, encoder = self._open
        target.begin_footer()
        encoder.close()
        if isinstance(target, OwnFooterStream):
            target.finish(self._finished)
        sink.close()
        self._files.finish(sink, encoder.rows)
        self._open = None
        self._facts = []
        self._layout.close_file()

    def _finished(self, metadata: Struct) -> bytes:
        beside_nan = self._format.dialect.bounds_beside_nan
        return self._end(with_exact_floats(metadata, self._format.leaf_ids, self._facts, bounds_beside_nan=beside_nan))


class _Pending:
    """Rows collected for a row group, and numbers of rows whose leaves were dictionary-coded, by leaf."""

    def __init__(self) -> None:
        self._parts: deque[Rows] = deque()
        self.rows = 0
        self.nbytes = 0

    def add(self, rows: Rows) -> None:
        self._parts.append(rows)
        self.rows += rows.count
        self.nbytes += sum(column.nbytes for column in rows.columns)

    def take(self, count: int) -> tuple[list[list[pa.Array]], frozenset[int | None]]:
        """Return the first `count` rows as chunks of each column, and the ids of leaves that are mostly coded."""
        taken: list[tuple[int, Rows]] = []
        left = count
        while left:
            part = self._parts.popleft()
            use = min(left, part.count)
            taken.append((use, part))
            if use < part.count:
                self._parts.appendleft(_rest(part, use))
            left -= use
        chunks = [
            [chunk for use, part in taken for chunk in part.columns[i].slice(0, use).chunks]
            for i in range(len(taken[0][1].columns))
        ]
        self.rows -= count
        self.nbytes = sum(column.nbytes for part in self._parts for column in part.columns)
        return chunks, mostly([(use, part.dictionary_ids) for use, part in taken])


def _rest(part: Rows, use: int) -> Rows:
    columns = [column.slice(use) for column in part.columns]
    return Rows(columns, part.count - use, part.source_rows, part.logical_bytes, part.dictionary_ids)


def mostly(votes: Sequence[tuple[int, frozenset[int | None]]]) -> frozenset[int | None]:
    """Return the ids that at least half of the rows have, from pairs (rows, their ids)."""
    total = sum(rows for rows, _ in votes)
    ids = frozenset().union(*(ids for _, ids in votes))
    return frozenset(i for i in ids if 2 * sum(rows for rows, found in votes if i in found) >= total)


class OutputSchema:
    """The target schema and values derived from it, computed once per task."""

    def __init__(
        self,
        *,
        schema: pa.Schema,
        settings: WriteSettings,
        dialect: ParquetDialect,
        order: RowOrder | None = None,
        has_page_index: bool = False,
        unordered_ids: Collection[int] = (),
    ) -> None:
        """Make a format.

        `has_page_index`: also write bounds and offsets of pages, so that readers can skip pages; `unordered_ids`: the
        leaves whose bytes do not compare as their values do, so that they have no bounds.
        """
        self._unordered_ids = frozenset(unordered_ids)
        self.schema = schema.remove_metadata()
        self.has_page_index = has_page_index
        self.settings = settings
        self.dialect = dialect
        self.leaf_ids = leaf_ids(list(schema))
        self.leaf_paths = _leaf_paths(self.schema)
        self.sorting_columns = [
            pq.SortingColumn(self.leaf_ids.index(column.field_id), column.descending, column.nulls_first)
            for column in takewhile(
                lambda column: not column.is_int96,
                order.columns if order is not None and order.strategy == "sort" else (),
            )
        ]

    def bounded(self) -> bool | Sequence[str]:
        """Return the paths of the leaves that get statistics, True for all of them."""
        if not self._unordered_ids:
            return True
        leaves = zip(self.leaf_paths, self.leaf_ids, strict=True)
        return [path for path, number in leaves if number not in self._unordered_ids]

    def options(self, dictionary_ids: frozenset[int | None], widest_bytes: float) -> dict[str, Any]:
        """Return the writer's options; `widest_bytes` is the mean size of a value in the widest column."""
        settings = self.settings
        leaves = list(zip(self.leaf_paths, self.leaf_ids, strict=True))
        # whatever the inputs have: ids are runs of ascending numbers, and few commits changed the rows of a group
        coded_ids = (dictionary_ids | {SEQUENCE_NUMBER}) - {ROW_ID}
        coded = [path for path, number in leaves if number in coded_ids]
        runs = {path: "DELTA_BINARY_PACKED" for path, number in leaves if number == ROW_ID}
        return {
            "version": "2.6",
            "compression": "none" if settings.codec == "uncompressed" else settings.codec,
            "compression_level": settings.level,
            "use_dictionary": coded or False,
            "column_encoding": runs or None,
            "data_page_size": settings.page_bytes,
            "dictionary_pagesize_limit": settings.dictionary_page_bytes,
            "write_batch_size": max(1, min(BATCH_ROWS, int(settings.page_bytes / max(1.0, widest_bytes)))),
            "write_page_checksum": True,
            "store_schema": False,
            "store_decimal_as_integer": self.dialect.decimals_as_integers,
            "sorting_columns": self.sorting_columns or None,
        }


def _leaf_paths(schema: pa.Schema) -> list[str]:
    """Return the Parquet paths of the leaves, as the writer names them."""
    footer = io.BytesIO()
    pq.write_metadata(schema, footer, store_schema=False)
    parquet = pq.read_metadata(footer).schema
    return [parquet.column(i).path for i in range(len(parquet))]


class Encoder:
    """One Parquet file that Arrow encodes into a stream."""

    def __init__(
        self,
        *,
        stream: Any,
        form: OutputSchema,
        first: list[list[pa.Array]],
        dictionary_ids: frozenset[int | None],
        statistics: bool | Sequence[str] = True,
    ) -> None:
        """Open the file.

        Args:
            stream: what it is written to.
            form: its schema and settings.
            first: the columns of the first row group, which decide what stays a dictionary array.
            dictionary_ids: the field ids of the leaves that get a dictionary.
            statistics: of all leaves, of none, or of those with these paths.
        """
        self._form = form
        self._tally = FloatTally(form.schema)
        self.float_facts: dict[int, FloatFacts] = {}
        """Facts of the float columns of the last row group, by field id."""
        self.rows = 0
        limit = form.settings.dictionary_page_bytes
        fields = [
            field.with_type(pa.dictionary(pa.int32(), field.type)) if _stays_dictionary(chunks, limit) else field
            for field, chunks in zip(form.schema, first, strict=True)
        ]
        self._schema = pa.schema(fields if form.dialect.has_field_ids else without_ids(fields))
        self._writer = pq.ParquetWriter(
            stream,
            self._schema,
            write_statistics=statistics,
            write_page_index=form.has_page_index,
            **form.options(dictionary_ids, _widest(first)),
        )

    def write(self, columns: list[list[pa.Array]], count: int) -> None:
        """Write one row group."""
        self.float_facts = dict(
            found
            for field, chunks in zip(self._form.schema, columns, strict=True)
            for found in float_facts(field, chunks)
        )
        self._tally.add(self.float_facts)
        fitted = [_fitted(chunks, field.type) for field, chunks in zip(self._schema, columns, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(fitted, schema=self._schema), row_group_size=count)
        self.rows += count

    def close(self) -> None:
        """Write the footer; the stream stays open."""
        facts = self._tally.key_values() if self._form.dialect.has_field_ids else {}  # they are by field id
        if key_values := self._form.dialect.key_values | facts:
            self._writer.add_key_value_metadata(key_values)
        self._writer.close()


def _stays_dictionary(chunks: list[pa.Array], limit: int) -> bool:
    """Return whether every chunk is a dictionary array and the joined dictionary fits its page."""
    if not all(pt.is_dictionary(chunk.type) for chunk in chunks):
        return False
    if sum(chunk.dictionary.nbytes for chunk in chunks) <= limit:
        return True
    joined = pa.chunked_array(chunks).unify_dictionaries()
    return bool(joined.chunk(0).dictionary.nbytes <= limit)


def _fitted(chunks: list[pa.Array], wanted: pa.DataType) -> pa.ChunkedArray:
    """Return the chunks as one column of the wanted type; all share one dictionary if it is a dictionary type."""
    if not pt.is_dictionary(wanted):
        plain = [chunk.dictionary_decode() if pt.is_dictionary(chunk.type) else chunk for chunk in chunks]
        return pa.chunked_array(plain, type=wanted)
    coded = [chunk if pt.is_dictionary(chunk.type) else chunk.dictionary_encode() for chunk in chunks]
    return pa.chunked_array(coded, type=wanted).unify_dictionaries()


def _widest(columns: list[list[pa.Array]]) -> float:
    """Return the mean size in bytes of a value in the widest column."""
    means: list[float] = [sum(chunk.nbytes for chunk in chunks) / max(1, sum(map(len, chunks))) for chunks in columns]
    return max(means)

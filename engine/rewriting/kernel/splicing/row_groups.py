"""Page splicing: output row groups made of the inputs' column chunks, copied without decoding where possible.

In each output row group a column is copied when all its chunks may be (`CopyPlanner`): their bytes are concatenated in
one chunk, footer and statistics are rewritten. All other columns are decoded, encoded by Arrow and their chunks added.
So the decision is made for each row group and column, and any doubt costs time, never a value.

Inputs are used whole, row group by row group: an output's row group ends at the end of the input's row group that is
nearest to the size from `OutputLayout`. If that differs by more than `TOLERANCE`, the row group is cut within an
input's row group and encoded completely.

Memory: the stored bytes of the inputs of one output row group, the encoded columns of the output, and about
`DECODED_BYTES` of decoded values, or one column if that is more. A row group ends early when its values before
compression reach `MOST_PENDING` row-group sizes, which also bounds the size of a column.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.errors import OutputFault
from engine.rewriting.kernel.kernel_task import ParquetDialect
from engine.rewriting.kernel.library.loading import loading_limit
from engine.rewriting.kernel.parquet.footers import FLOATS, MAGIC, TYPE, row_group
from engine.rewriting.kernel.parquet.thrift import Struct
from engine.rewriting.kernel.reading.rows import Unit
from engine.rewriting.kernel.splicing.compiled import CompiledPass
from engine.rewriting.kernel.splicing.copy_plans import CopyPlanner
from engine.rewriting.kernel.splicing.encoding import Encoded, Encoding
from engine.rewriting.kernel.splicing.forms import OutputForm
from engine.rewriting.kernel.splicing.plans import Copied, Piece
from engine.rewriting.kernel.storage.transfer import OutputSink
from engine.rewriting.kernel.verbatim.columns import VerbatimColumns
from engine.rewriting.kernel.writing.float_facts import FloatTally
from engine.rewriting.kernel.writing.layout import OutputLayout
from engine.rewriting.kernel.writing.outputs import OutputFiles
from engine.rewriting.kernel.writing.own_footers import exact_floats
from engine.rewriting.kernel.writing.rows import MOST_PENDING

TOLERANCE: Final = 1 / 8
"""Allowed deviation of a row group's end from the layout, as a share of the wanted rows."""

FAILED_BEFORE: Final = "an earlier task of the group failed, so this one ran without the library"


class Splicer:
    """Writes the outputs of a task from undecoded units."""

    def __init__(
        self,
        *,
        schema: pa.Schema,
        settings: WriteSettings,
        dialect: ParquetDialect,
        files: OutputFiles,
        layout: OutputLayout,
        check: Callable[[], None],
        verbatim: VerbatimColumns | None = None,
        uses_pass: bool = True,
    ) -> None:
        """Make a splicer.

        Args:
            schema: the target's, with field ids.
            settings: of the outputs.
            dialect: the form of the outputs' values.
            files: the outputs.
            layout: the sizes of files and row groups.
            check: raises when the task must stop.
            verbatim: columns that outputs take over from the inputs.
            uses_pass: whether the compiled pass may be used.
        """
        self._form = OutputForm(schema, dialect, verbatim)
        counts_nans = layout.expects_several_files or not dialect.bounds_beside_nan
        self._pass = CompiledPass.of(settings) if uses_pass else None
        files.pass_limit = loading_limit() if uses_pass else FAILED_BEFORE
        self._planner = CopyPlanner(
            form=self._form,
            settings=settings,
            counts_nans=counts_nans,
            check=check,
            merger=self._pass,
        )
        self._encoding = Encoding(
            schema=schema, settings=settings, dialect=dialect, form=self._form, check=check, merger=self._pass
        )
        self._dialect = dialect
        self._files = files
        self._layout = layout
        self._check = check
        self._most_bytes = MOST_PENDING * settings.row_group_bytes
        self._exact = partial(exact_floats, bounds_beside_nan=dialect.bounds_beside_nan)
        self._pending: deque[Piece] = deque()
        self._rows = 0  # pending
        self._bytes = 0  # upper bound of the decoded bytes of one pending column
        self._open: _SplicedFile | None = None

    def suits(self, first: Unit) -> bool:
        """Return whether splicing gains anything on inputs like this one."""
        return self._planner.gains(first)

    def write(self, units: Iterable[Unit]) -> None:
        """Write all rows of the units, in order. Raises as `GroupReader.units`, and OutputFault."""
        for unit in units:
            self._layout.observe_input(unit.rows, unit.logical_bytes)
            self._pending.append(Piece(unit, 0, unit.rows))
            self._rows += unit.rows
            self._bytes += self._pending[-1].most_bytes
            while self._pending and (self._rows >= self._layout.next_row_group() or self._bytes >= self._most_bytes):
                self._write_row_group(min(self._rows, self._layout.next_row_group()))
        while self._pending:
            self._write_row_group(self._layout.next_row_group())
        self._close()

    def write_empty_file(self) -> None:
        """Write a file without rows. Raises OutputFault."""
        self._open = _SplicedFile(self._files.begin(), self._form, self._exact)
        self._close()

    def _write_row_group(self, wanted: int) -> None:
        pieces = _take(self._pending, wanted)
        rows = sum(piece.rows for piece in pieces)
        self._rows -= rows
        self._bytes = sum(piece.most_bytes for piece in self._pending)
        if self._open is None:
            self._open = _SplicedFile(self._files.begin(), self._form, self._exact)
        before = self._open.sink.position
        plans = self._planner.plan(pieces)
        encoded = self._encoding.encode(pieces, plans)
        self._files.merged_columns += sum(one.is_merged for one in encoded.values())
        self._files.pass_limit = (self._pass and self._pass.limit) or self._files.pass_limit
        columns = [one if isinstance(one, Copied) else encoded[leaf] for leaf, one in enumerate(plans)]
        self._open.write(rows, columns, self._check)
        self._layout.observe_written(rows, self._open.sink.position - before)
        if self._layout.file_is_full():
            self._close()

    def _close(self) -> None:
        if self._open is None:
            return
        self._open.close(self._dialect)
        self._files.finish(self._open.sink, self._open.rows)
        self._open = None
        self._layout.close_file()


def _take(pending: deque[Piece], wanted: int) -> list[Piece]:
    """Remove and return the pieces of a row group of about `wanted` rows; all of them when they are fewer."""
    taken: list[Piece] = []
    rows = 0
    while pending and rows < wanted:
        taken.append(pending.popleft())
        rows += taken[-1].rows
    if rows <= wanted:
        return taken
    over, short = rows - wanted, wanted - (rows - taken[-1].rows)
    if len(taken) > 1 and short <= min(over, wanted * TOLERANCE):
        pending.appendleft(taken.pop())
    elif over > wanted * TOLERANCE:
        last = taken.pop()
        cut = last.start + short
        taken.append(replace(last, stop=cut))
        pending.appendleft(replace(last, start=cut))
    return taken


class _SplicedFile:
    """One output file under construction."""

    def __init__(self, sink: OutputSink, form: OutputForm, exact: Callable[..., Struct]) -> None:
        self.sink = sink
        self._exact = exact
        self.rows = 0
        self._form = form
        self._row_groups: list[Struct] = []
        self._tally = FloatTally(form.schema)
        sink.write(MAGIC)

    def write(self, rows: int, columns: Sequence[Copied | Encoded], check: Callable[[], None]) -> None:
        """Write one row group. Raises Stopped, OutputFault."""
        begin = self.sink.position
        chunks = []
        for column, path in zip(columns, self._form.template.paths, strict=True):
            check()
            chunk = column.chunk
            if chunk.metadata[TYPE][1] in FLOATS:
                chunk = chunk.with_statistics(self._exact(chunk.statistics, column.facts))
            chunks.append((chunk, chunk.placed(self.sink.position, path)))
            self.sink.write_all(column.buffers)
        found = zip(self._form.leaf_ids, (one.facts for one in columns), strict=True)
        self._tally.add({number: facts for number, facts in found if number is not None and facts is not None})
        self._row_groups.append(row_group(chunks, rows=rows, offset=begin, ordinal=len(self._row_groups)))
        self.rows += rows

    def close(self, dialect: ParquetDialect) -> None:
        """Write the footer and finish the file. Raises OutputFault when Arrow reads the footer differently."""
        facts = self._tally.key_values() if dialect.has_field_ids else {}  # they are by field id
        footer = self._form.footer(self._row_groups, {**dialect.key_values, **facts})
        read: Any = pq.read_metadata(pa.BufferReader(MAGIC + footer))
        if read.num_rows != self.rows or not read.schema.to_arrow_schema().equals(self._form.read_schema):
            raise OutputFault(f"{self.sink.uri}: its footer says other rows or columns than were written")
        self.sink.begin_footer()
        self.sink.write(footer)
        self.sink.close()

"""Divide the rows of a group by the partitions of another partition spec, with bounded memory.

The partitions are only known after the last row was read, and only one output file is open at a time. Rows of up to
`memory_bytes`, in Arrow's memory format, stay in memory. Beyond that they are written to unnamed files in the machine's
temporary folder, partition after partition, and each partition is later read from all of these files: every row is
written once and read once.
"""

import base64
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.contract import PartitionField, PartitionValues
from engine.rewriting.kernel.errors import TOO_MANY_PARTITIONS, UNSUPPORTED_PARTITION, Refused
from engine.rewriting.kernel.ordering.seen_rows import SeenRows, plain_column
from engine.rewriting.kernel.ordering.spilling import check_room, spilling
from engine.rewriting.kernel.partitioning.transforms import transformed
from engine.rewriting.kernel.reading.projection import child_fields, field_id
from engine.rewriting.kernel.reading.rows import Rows

MEMORY_BYTES: Final = 256 * 2**20
"""The most bytes of rows in memory while partitions are not known."""

MOST_PARTITIONS: Final = 10_000
"""The most partitions of a group; each is at least one output file."""

_CALENDAR: Final = range(-719_162, 2_932_897)
"""Days of the years 1 to 9999, since 1970."""

_DAY: Final = 86_400_000_000
"""Microseconds of a day."""

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PartitionedRows:
    """The rows of one partition: its values, their number, and the rows in the order in which they were added."""

    values: PartitionValues
    count: int
    rows: Iterator[Rows]


class PartitionDivider:
    """Collects rows and returns them by partition."""

    def __init__(
        self,
        *,
        schema: pa.Schema,
        fields: Sequence[PartitionField],
        rows: int,
        check: Callable[[], None],
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        """Start without rows.

        Args:
            schema: the target schema, with field ids.
            fields: the fields of the partition spec, at least one.
            rows: the number of rows to come, to recognize a temporary folder that is too small early.
            check: called repeatedly; may raise to stop the task.
            memory_bytes: the most bytes of rows in memory.

        Raises:
            Refused: a field's column is not in the schema.
        """
        self._plain = pa.schema([pa.field(str(at), field.type) for at, field in enumerate(schema)])
        self._fields = [(field, _place(schema, field)) for field in fields]
        self._expected = rows
        self._check = check
        self._most_bytes = memory_bytes
        self._codes: dict[PartitionValues, int] = {}
        self._counts: list[int] = []
        self._held: list[tuple[Rows, Codes]] = []
        self._held_bytes = 0
        self._files: list[_SpilledPart] = []
        self._seen = SeenRows()

    def add(self, rows: Rows) -> None:
        """Add rows.

        Raises:
            Refused: a transform is not supported, or there are more than `MOST_PARTITIONS` partitions.
            OutputFault: the temporary folder has no room for the rows.
        """
        self._check()
        self._seen.add(rows)
        codes = self._codes_of(rows)
        for code, count in enumerate(np.bincount(codes, minlength=len(self._counts)).tolist()):
            self._counts[code] += count
        self._held.append((rows, codes))
        self._held_bytes += sum(column.nbytes for column in rows.columns)
        if self._held_bytes > self._most_bytes:
            self._spill()

    def partitions(self) -> Iterator[PartitionedRows]:
        """Yield the partitions; each one's rows must be used before the next is asked for."""
        if self._files and self._held:
            self._spill()
        held = [(rows, *_by_code(codes)) for rows, codes in self._held]
        self._held = []
        for values, code in self._codes.items():
            found = self._from_disk(code) if self._files else self._from_memory(code, held)
            yield PartitionedRows(values, self._counts[code], found)

    def close(self) -> None:
        """Release memory and disk space."""
        self._held = []
        while self._files:
            self._files.pop().close()

    def _codes_of(self, rows: Rows) -> Codes:
        """Return the number of each row's partition; new partitions get the next numbers."""
        combined: Codes = np.zeros(rows.count, np.int64)
        columns: list[list[Any]] = []
        parts: list[Codes] = []
        for field, place in self._fields:
            values = transformed(_column(rows.columns, place, self._plain), field)
            coded = values.dictionary_encode(null_encoding="encode")
            columns.append(raw_values(coded.dictionary))
            _check_calendar(field, coded.dictionary.type, columns[-1])
            parts.append(coded.indices.to_numpy(zero_copy_only=False).astype(np.int64))
            # renumbered after each field, so that products never overflow
            combined = np.unique(combined * len(coded.dictionary) + parts[-1], return_inverse=True)[1]
        _, first, local = np.unique(combined, return_index=True, return_inverse=True)
        numbers = [
            self._code(tuple(column[part[at]] for column, part in zip(columns, parts, strict=True)))
            for at in first.tolist()
        ]
        return np.array(numbers, np.int64)[local]

    def _code(self, values: PartitionValues) -> int:
        if values not in self._codes:
            if len(self._codes) == MOST_PARTITIONS:
                raise Refused(TOO_MANY_PARTITIONS, f"its rows are in more than {MOST_PARTITIONS} partitions")
            self._codes[values] = len(self._codes)
            self._counts.append(0)
        return self._codes[values]

    def _from_memory(self, code: int, held: Sequence[tuple[Rows, Codes, Codes]]) -> Iterator[Rows]:
        for rows, along, codes in held:
            start, end = np.searchsorted(codes, [code, code + 1])
            if start < end:
                self._check()
                at = pa.array(along[start:end])
                yield self._seen.rows([column.take(at) for column in rows.columns], len(at))

    def _from_disk(self, code: int) -> Iterator[Rows]:
        for file in self._files:
            self._check()
            if (table := file.read(code)) is not None:
                yield self._seen.rows(table.columns, table.num_rows)

    def _spill(self) -> None:
        """Write the rows in memory to a file, partition after partition, and release them."""
        self._check()
        left = self._expected - sum(len(codes) for _, codes in self._held) - sum(file.rows for file in self._files)
        sorted_rows = [(self._table(rows), *_by_code(codes)) for rows, codes in self._held]
        self._held = []
        file = _SpilledPart(self._plain)
        self._files.append(file)
        for code in range(len(self._counts)):
            pieces = []
            for table, along, codes in sorted_rows:
                start, end = np.searchsorted(codes, [code, code + 1])
                if start < end:
                    pieces.append(table.take(pa.array(along[start:end])))
            if pieces:
                file.write(code, pa.concat_tables(pieces).combine_chunks())
        file.finish()
        self._held_bytes = 0
        check_room(left * file.disk_bytes // max(1, file.rows) // 2)

    def _table(self, rows: Rows) -> pa.Table:
        columns = [plain_column(each.chunks, field.type) for each, field in zip(rows.columns, self._plain, strict=True)]
        return pa.Table.from_arrays(columns, schema=self._plain)


class _SpilledPart:
    """A file of the temporary folder with rows ordered by partition; each partition can be read on its own."""

    def __init__(self, schema: pa.Schema) -> None:
        self.rows = 0
        self.disk_bytes = 0
        self._batches: dict[int, range] = {}
        self._written = 0
        with spilling():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` does
            self._writer: Any = pa.ipc.new_file(self._file, schema)
        self._reader: Any = None

    def write(self, code: int, table: pa.Table) -> None:
        """Add all rows of a partition."""
        batches = table.to_batches()
        with spilling():
            for batch in batches:
                self._writer.write_batch(batch)
        self._batches[code] = range(self._written, self._written + len(batches))
        self._written += len(batches)
        self.rows += table.num_rows

    def finish(self) -> None:
        """End writing."""
        with spilling():
            self._writer.close()
            self.disk_bytes = self._file.tell()
            self._reader = pa.ipc.open_file(self._file)

    def read(self, code: int) -> pa.Table | None:
        """Return the rows of a partition, None if there are none."""
        numbers = self._batches.get(code)
        if numbers is None:
            return None
        with spilling():
            return pa.Table.from_batches([self._reader.get_batch(number) for number in numbers])

    def close(self) -> None:
        """Release the space."""
        self._file.close()


def _by_code(codes: Codes) -> tuple[Codes, Codes]:
    """Return the positions ordered by code, and the codes in this order."""
    along = np.argsort(codes, kind="stable")
    return along, codes[along]


def _place(schema: pa.Schema, field: PartitionField) -> list[int]:
    """Return the positions of a column from the top level of the schema down to it, through structs."""

    def walk(fields: Sequence[pa.Field]) -> list[int] | None:
        for at, each in enumerate(fields):
            if field_id(each) == field.field_id:
                return [at]
            if pt.is_struct(each.type) and (inner := walk(child_fields(each.type))) is not None:
                return [at, *inner]
        return None

    found = walk(list(schema))
    if found is None:
        raise Refused(UNSUPPORTED_PARTITION, f"the column with field id {field.field_id} is in no struct of the schema")
    return found


def _column(columns: Sequence[pa.ChunkedArray], place: Sequence[int], schema: pa.Schema) -> pa.Array:
    top, *inner = place
    whole: Any = plain_column(columns[top].chunks, schema.field(top).type).combine_chunks()
    column = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
    return pc.struct_field(column, inner) if inner else column


def _check_calendar(field: PartitionField, of: pa.DataType, values: Sequence[Any]) -> None:
    """Refuse partitions of days that most readers can't express."""
    if field.transform == "day" or pt.is_date32(of):
        day = 1
    elif pt.is_timestamp(of) and of.unit != "ns":  # 64 bits of nanoseconds end in 2262
        day = _DAY
    else:
        return
    if any(value is not None and value // day not in _CALENDAR for value in values):
        detail = f"{field.transform} of the column with field id {field.field_id} is outside of the years 1 to 9999"
        raise Refused(UNSUPPORTED_PARTITION, detail)


def raw_values(values: pa.Array) -> list[Any]:
    """Return values as JSON has them: see `contract.PartitionValues`."""
    of = values.type
    if pt.is_date32(of):
        values = values.cast(pa.int32())
    elif pt.is_timestamp(of) or pt.is_time64(of):
        values = values.cast(pa.int64())
    return [_json(value) for value in values.to_pylist()]


def _json(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, Decimal) else value

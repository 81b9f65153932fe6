"""Rows of ORC files, for the comparison of a compaction's inputs and outputs.

Arrow's reader wants to seek, so each file is copied to an unnamed file of the machine's temporary folder, in a few
large requests, and read from there in batches of a bounded number of rows.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import NO_FIELD_IDS, UNREADABLE_LAYOUT, InputFault, Refused
from engine.rewriting.kernel.reading.arrow_errors import reading
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY, child_fields, field_id
from engine.rewriting.kernel.storage.transfer import Transfer

ORC: Final = ".orc"
"""The end of an ORC file's name."""

WITHOUT_ORC: Final = "this pyarrow was built without ORC"
"""Reason of a refusal."""

BATCH_ROWS: Final = 2**16
_COPY_BYTES: Final = 8 * 2**20


@dataclass(frozen=True, slots=True)
class OrcRows:
    """A batch of rows of one ORC file: rows `start` to `start + count` of the file with this place in the list."""

    file: int
    uri: str
    start: int
    batch: pa.RecordBatch
    places: Sequence[tuple[pa.Field, pa.Field]]
    """Fields of the target that the file has, each with the file's own."""

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.batch.num_rows)

    @property
    def names(self) -> frozenset[str]:
        """Names in the target of the columns that the file has."""
        return frozenset(wanted.name for wanted, _ in self.places)

    def columns(self) -> Iterator[tuple[pa.Field, pa.ChunkedArray]]:
        """Yield each column with its field of the target. Raises Refused: its nested fields are other ones."""
        for wanted, own in self.places:
            array = self.batch.column(own.name)
            yield wanted, pa.chunked_array([array.view(_with_ids(array.type, own, self.uri))])


@dataclass(frozen=True, slots=True)
class OrcReader:
    """Reads ORC files. Their columns are found by name, as Paimon does: `schemas` has the fields, with ids, by id."""

    schemas: Mapping[int, pa.Schema]

    def __call__(self, files: Sequence[TaskInput], target: pa.Schema, transfer: Transfer) -> Iterator[OrcRows]:
        """Yield the rows of files, with the fields of `target` that they have.

        Raises:
            InputFault: a file can't be read, or has another number of rows than stated.
            Refused: its schema is unknown, or Arrow has no value for one of its values.
            Stopped: the task was ordered to stop.
        """
        for place, file in enumerate(files):
            written = None if file.schema_id is None else self.schemas.get(file.schema_id)
            if written is None:
                raise Refused(NO_FIELD_IDS, f"{file.path}: written under a schema that is newer than the plan")
            own = {field_id(each): each for each in written}
            fields = [(wanted, own[field_id(wanted)]) for wanted in target if field_id(wanted) in own]
            with _copied(file, transfer) as copy:
                yield from _rows_of(place, file, copy, fields, transfer)


def _rows_of(
    place: int, file: TaskInput, copy: IO[bytes], fields: Sequence[tuple[pa.Field, pa.Field]], transfer: Transfer
) -> Iterator[OrcRows]:
    """Yield the rows of a file; `fields`: those of the target, each with the file's own."""
    start = 0
    with reading(file.path):
        fragment = _orc_format(file.path).make_fragment(pa.PythonFile(copy, mode="r"))
        present = frozenset(fragment.physical_schema.names)
        places = [(wanted, own) for wanted, own in fields if own.name in present]
        batches = iter(
            fragment.to_batches(
                columns=[own.name for _, own in places], batch_size=BATCH_ROWS, batch_readahead=1, use_threads=False
            )
        )
    while True:
        transfer.bucket.check()
        with reading(file.path):
            batch = next(batches, None)
        if batch is None:
            break
        yield OrcRows(place, file.path, start, batch, places)
        start += batch.num_rows
    if start != file.record_count:
        raise InputFault(f"{file.path}: {start} rows, {file.record_count} expected")


def _orc_format(uri: str) -> Any:
    """Return Arrow's reader of ORC.

    Raises:
        Refused: the pyarrow of the executors was built without it; the result says so in `check_limit`.
    """
    try:
        from pyarrow.dataset import OrcFileFormat  # noqa: PLC0415 - tasks that read no ORC need no such pyarrow
    except ImportError as error:
        raise Refused(UNREADABLE_LAYOUT, f"{uri}: {WITHOUT_ORC}") from error
    return OrcFileFormat()


@contextmanager
def _copied(file: TaskInput, transfer: Transfer) -> Iterator[IO[bytes]]:
    source = transfer.open(file.path, file.file_bytes)
    try:
        size = source.size()
        if file.file_bytes not in (None, size):
            raise InputFault(f"{file.path}: {size} bytes, but the manifest has {file.file_bytes}")
        with tempfile.TemporaryFile() as copy:
            for offset in range(0, size, _COPY_BYTES):
                copy.write(source.read(offset, min(_COPY_BYTES, size - offset)))
            yield copy
    finally:
        source.close()


def _with_ids(of: pa.DataType, own: pa.Field, uri: str) -> pa.DataType:
    """Return a type of an ORC file with the field ids that its schema has for the same names."""
    parts = child_fields(own.type)
    if not parts:
        return of
    if pt.is_struct(of):
        by_name = {each.name: each for each in parts}
        return pa.struct([_field(of.field(at), by_name.get(of.field(at).name), uri) for at in range(of.num_fields)])
    if pt.is_map(of) and len(parts) == 2:  # noqa: PLR2004 - key and value
        return pa.map_(_field(of.key_field, parts[0], uri), _field(of.item_field, parts[1], uri))
    if pt.is_list(of) and len(parts) == 1:
        return pa.list_(_field(of.value_field, parts[0], uri))
    raise Refused(UNREADABLE_LAYOUT, f"{uri}: column {own.name[:100]} is {str(of)[:100]} in the file")


def _field(given: pa.Field, own: pa.Field | None, uri: str) -> pa.Field:
    if own is None:
        raise Refused(UNREADABLE_LAYOUT, f"{uri}: field {given.name[:100]} is not in the file's schema")
    number = {FIELD_ID_KEY: str(field_id(own)).encode()}
    return pa.field(given.name, _with_ids(given.type, own, uri), given.nullable, number)

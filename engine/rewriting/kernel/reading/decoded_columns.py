"""Files decoded one column of one row group at a time, for checks of rows that do not use the code that wrote them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import NO_FIELD_IDS, InputFault, Refused
from engine.rewriting.kernel.parquet.encodings import dictionary_leaves
from engine.rewriting.kernel.reading.column_numbers import FileNumbers
from engine.rewriting.kernel.reading.fetched_input import Segments
from engine.rewriting.kernel.reading.lineage import LINEAGE_IDS, NO_LINEAGE, ROW_ID, RowLineage
from engine.rewriting.kernel.reading.parquet_input import ParquetInput
from engine.rewriting.kernel.reading.projection import Constants, field_id, leaf_ids, repeated
from engine.rewriting.kernel.reading.read_ahead import ReadAhead
from engine.rewriting.kernel.storage.transfer import Transfer


class DecodedRows(Protocol):
    """Consecutive rows of one file, decoded column by column."""

    @property
    def file(self) -> int:
        """The file's place in the list."""
        ...

    @property
    def uri(self) -> str:
        """The file's address."""
        ...

    @property
    def start(self) -> int:
        """The first row's place in the file."""
        ...

    @property
    def count(self) -> int:
        """The number of rows."""
        ...

    @property
    def names(self) -> frozenset[str]:
        """Names in the target of the columns that the file has."""
        ...

    def columns(self) -> Iterator[tuple[pa.Field, pa.ChunkedArray]]:
        """Yield each column with its field of the target. Raises InputFault, Refused, Stopped."""
        ...


RowReader = Callable[[Sequence[TaskInput], pa.Schema, Transfer], Iterator[DecodedRows]]
"""Yields the rows of files with the fields of the target that they have, as `row_groups` does."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A fetched row group: rows `start` to `start + count` of the file with this place in the list.

    `places`: the fields of the target that the file has, each with its Parquet columns; `constants`: those that it
    lacks, each with its value in all rows. `lineage`: fields of row lineage, each with its Parquet columns if the file
    has it; rows without a value have that of `inherited`.
    """

    file: int
    source: ParquetInput
    number: int
    start: int
    count: int
    segments: Segments
    places: Sequence[tuple[pa.Field, list[int]]]
    constants: Sequence[tuple[pa.Field, pa.Scalar]]
    transfer: Transfer
    lineage: Sequence[tuple[pa.Field, list[int]]] = ()
    inherited: RowLineage = NO_LINEAGE

    @property
    def uri(self) -> str:
        """The address of the file."""
        return self.source.uri

    @property
    def names(self) -> frozenset[str]:
        """Names in the target of the columns that the file has."""
        return frozenset(wanted.name for wanted, _ in self.places)

    def columns(self) -> Iterator[tuple[pa.Field, pa.ChunkedArray]]:
        """Decode one column after the other. Raises as `ParquetInput.decode`, and Stopped."""
        for wanted, leaves in self.places:
            yield wanted, self._decoded(leaves)
        for wanted, value in self.constants:
            yield wanted, pa.chunked_array([repeated(value, self.count)])
        for wanted, leaves in self.lineage:
            yield wanted, self._inherited(wanted, leaves)

    def _decoded(self, leaves: Sequence[int]) -> pa.ChunkedArray:
        self.transfer.bucket.check()
        return self.source.decode(self.number, self.segments, leaves).column(0)

    def _inherited(self, wanted: pa.Field, leaves: Sequence[int]) -> pa.ChunkedArray:
        """Return a column of row lineage, without the code that fills it in outputs (`lineage.RowLineage`)."""
        implied: Any = pa.scalar(self.inherited.sequence_number, pa.int64())
        if field_id(wanted) == ROW_ID:
            places = pa.array(np.arange(self.start, self.start + self.count))
            implied = pc.add(places, self.inherited.first_row_id)
        stored = self._decoded(leaves) if leaves else pa.chunked_array([pa.nulls(self.count, pa.int64())])
        return pc.if_else(pc.is_valid(stored), stored, implied)

    def with_inheritance(self, target: pa.Schema, file: TaskInput) -> "RowGroup":
        """Return it with the lineage of its rows instead of the columns in which the file stores it."""
        stored = {field_id(wanted): leaves for wanted, leaves in self.places}
        others = [(wanted, leaves) for wanted, leaves in self.places if field_id(wanted) not in LINEAGE_IDS]
        lineage = [(each, stored.get(field_id(each), [])) for each in target if field_id(each) in LINEAGE_IDS]
        has_ids = file.first_row_id is not None
        return replace(self, places=others, lineage=lineage if has_ids else (), inherited=RowLineage.of(file))


def row_groups(
    files: Sequence[TaskInput],
    target: pa.Schema,
    transfer: Transfer,
    numbers: FileNumbers | None = None,
    constants: Constants | None = None,
    *,
    inherits: bool = False,
) -> Iterator[RowGroup]:
    """Yield the row groups of files, with the fields of `target` that they have or that are among the `constants`.

    `inherits`: columns of row lineage have the values that rows inherit from their file, not those that it stores.

    Raises:
        InputFault: a file can't be read, or has another number of rows than stated.
        Refused: `no_field_ids`: its columns can't be told apart.
        Stopped: the task was ordered to stop.
    """
    with ReadAhead() as ahead:
        openings = ((one.file_bytes, partial(_open, one, transfer, numbers)) for one in files)
        for file, source in enumerate(ahead.each(openings, most=2)):
            try:
                groups = _of_file(file, source, target, ahead, transfer, constants=constants or {})
                yield from (each.with_inheritance(target, files[file]) for each in groups) if inherits else groups
            finally:
                source.close()


def _of_file(
    file: int, source: ParquetInput, target: pa.Schema, ahead: ReadAhead, transfer: Transfer, *, constants: Constants
) -> Iterator[RowGroup]:
    if any(field_id(field) is None for field in source.schema):
        raise Refused(NO_FIELD_IDS, f"{source.uri}: columns without ids can't be compared")
    places, found = _places(source.schema, target), set(map(field_id, source.schema))
    by_id = {field_id(each): each for each in target}
    lacking = [(by_id[number], value) for number, value in constants.items() if number in by_id.keys() - found]
    leaves = [leaf for _, own in places for leaf in own]
    metadata, start = source.metadata, 0
    fetches = (
        (metadata.row_group(at).total_byte_size, partial(source.fetch, at, leaves))
        for at in range(metadata.num_row_groups)
    )
    for at, segments in enumerate(ahead.each(fetches, most=2)):
        count = metadata.row_group(at).num_rows
        yield RowGroup(file, source, at, start, count, segments, places, lacking, transfer)
        start += count


def _open(one: TaskInput, transfer: Transfer, numbers: FileNumbers | None) -> ParquetInput:
    own = None if numbers is None else numbers.of(one)
    source = ParquetInput.open(one.path, transfer, expected_bytes=one.file_bytes, numbers=own)
    if source.metadata.num_rows != one.record_count:
        source.close()
        raise InputFault(f"{one.path}: {source.metadata.num_rows} rows, {one.record_count} expected")
    strings = [
        source.metadata.schema.column(leaf).path
        for leaf, is_coded in enumerate(dictionary_leaves(source.metadata))
        if is_coded and _may_stay_coded(source.metadata.schema.column(leaf))
    ]
    if strings:
        source.select_dictionaries(strings)  # each value is hashed once then
    return source


def _may_stay_coded(column: Any) -> bool:
    return bool(column.physical_type == "BYTE_ARRAY" and column.max_repetition_level == 0)


def _places(schema: pa.Schema, target: pa.Schema) -> list[tuple[pa.Field, list[int]]]:
    counts = [len(leaf_ids([field])) for field in schema]
    firsts = np.cumsum([0, *counts]).tolist()
    place = {field_id(field): i for i, field in enumerate(schema)}
    found = [(wanted, place[field_id(wanted)]) for wanted in target if field_id(wanted) in place]
    return [(wanted, list(range(firsts[i], firsts[i + 1]))) for wanted, i in found]

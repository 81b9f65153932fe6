"""Reading of a group's rows in order: inputs one after the other, row group by row group, deletes applied, projected.

Deletes refer to positions of rows in the file, so they are applied first; row groups without live rows are not fetched.
Inconsistent counts (rows in the footer against rows in the manifest) fail the group with the file's name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise
from operator import is_
from typing import Any, Final

import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import INT96_TIMESTAMPS, MISSING_REQUIRED_FIELD, InputFault, Refused
from engine.rewriting.kernel.reading.column_numbers import FileNumbers
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.fetched_input import SMALL_FILE_BYTES, TAIL_BYTES, FetchedInput, Segments
from engine.rewriting.kernel.reading.lineage import RowLineage, lineage_places
from engine.rewriting.kernel.reading.parquet_input import KnownSchemas, ParquetInput
from engine.rewriting.kernel.reading.projection import Constants, Projection, all_ids, field_id, leaf_ids
from engine.rewriting.kernel.reading.read_ahead import ReadAhead, Window
from engine.rewriting.kernel.storage.transfer import Transfer

BATCH_BYTES: Final = 2**20
BATCH_FILES: Final = 16
"""The most tiny local inputs that are opened together."""

MOST_SHAPES: Final = 8
"""Input schemas remembered; files of a group have few."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Live rows of one input row group as the target's columns.

    `dictionary_ids` are the field ids of the leaves that are dictionary-coded in the input; `logical_bytes` is the size
    of the whole row group of `source_rows` before compression.
    """

    columns: list[pa.ChunkedArray]
    count: int
    source_rows: int
    logical_bytes: int
    dictionary_ids: frozenset[int | None]


@dataclass(frozen=True, slots=True)
class Unit:
    """One row group of an input, fetched and not decoded.

    `start` is its first row in the file, `rows` the number of its rows, and `keep` is true for each row that is not
    deleted; None: all of them. `dictionary_ids` and `logical_bytes` as in `Rows`. `lineage`: what its rows inherit.
    """

    source: ParquetInput
    shape: "Shape"
    input_index: int
    row_group: int
    start: int
    segments: Segments
    rows: int
    logical_bytes: int
    dictionary_ids: frozenset[int | None]
    lineage: RowLineage
    keep: pa.BooleanArray | None = None

    def decode(self, fields: tuple[int, ...]) -> list[pa.ChunkedArray]:
        """Return these top-level fields of the target, by position, all rows. Raises as `ParquetInput.decode`."""
        part = self.shape.of_fields(fields)
        table = self.source.decode(self.row_group, self.segments, part.leaves)
        columns = part.projection.apply(table.columns, self.rows)
        return [self._with_lineage(at, column) for at, column in zip(fields, columns, strict=True)]

    def live_rows(self) -> "Rows":
        """Return its live rows, as all columns of the target. Raises as `ParquetInput.decode`."""
        table = self.source.decode(self.row_group, self.segments, self.shape.leaves)
        kept = table if self.keep is None else table.filter(self.keep)
        columns = self.shape.projection.apply(kept.columns, kept.num_rows)
        made = [self._with_lineage(at, column, self.keep) for at, column in enumerate(columns)]
        return Rows(made, kept.num_rows, table.num_rows, self.logical_bytes, self.dictionary_ids)

    def _with_lineage(
        self, field: int, column: pa.ChunkedArray, keep: pa.BooleanArray | None = None
    ) -> pa.ChunkedArray:
        """Return a column, filled if it is one of row lineage; `keep` as in `RowLineage.filled`."""
        number = self.shape.lineage.get(field)
        if number is None:
            return column
        return self.lineage.filled(number, column, start=self.start, rows=self.rows, keep=keep)


class GroupReader:
    """Streams the inputs of a task."""

    def __init__(
        self,
        *,
        inputs: Sequence[TaskInput],
        target: pa.Schema,
        deletes: PositionDeletes,
        transfer: Transfer,
        numbers: FileNumbers | None = None,
        constants: Constants | None = None,
        uses_library: bool = False,
    ) -> None:
        """Make a reader; `numbers`: ids of columns by name, for files without ids; `constants`: of absent columns."""
        self._inputs = inputs
        self._target = target
        self._deletes = deletes
        self._transfer = transfer
        self._numbers = numbers
        self._constants = constants or {}
        self._known = KnownSchemas(uses_library=uses_library)
        self._shapes: list[Shape] = []
        self._last: tuple[tuple[Any, Any], list[str], Shape] | None = None
        self._dictionaries: list[str] = []
        self.rows_read = 0
        self.seconds_waiting = 0.0

    @property
    def pass_limit(self) -> str:
        """The fault inside the library after which it read no more footers; empty without one."""
        return self._known.footers.limit

    def rows(self) -> Iterator[Rows]:
        """Yield the live rows of every row group that has any; raises as `units`."""
        return map(Unit.live_rows, self.units())

    def units(self) -> Iterator[Unit]:
        """Yield every row group that keeps a row.

        Raises:
            InputFault: an input is missing, truncated, corrupt, or its number of rows differs from the manifest.
            Refused: the kernel can't read an input, or not as the target schema.
            Stopped: the task was ordered to stop.
        """
        with ReadAhead(self._window()) as ahead:
            opened = (source for batch in self._timed(ahead.each(self._openings())) for source in batch)
            for index, source in enumerate(opened):
                try:
                    yield from self._units_of(index, source, ahead)
                finally:
                    source.close()
                self.rows_read += self._inputs[index].record_count

    def _window(self) -> Window:
        is_remote = any(self._transfer.storage.is_remote(one.path) for one in self._inputs[:1])
        transfer = self._transfer
        return Window(is_remote=is_remote, times_busy=lambda: transfer.times_busy, check=transfer.bucket.check)

    def _openings(self) -> Iterator[tuple[int, Callable[[], list[ParquetInput]]]]:
        """Yield (bytes, fetch) of inputs to open.

        Tiny local files are opened together, since handing over to a thread costs as much as reading one of them.
        """
        batch: list[TaskInput] = []
        most = 1 if self._inputs and self._transfer.storage.is_remote(self._inputs[0].path) else BATCH_FILES
        for one in self._inputs:
            if batch and (len(batch) == most or _opening_bytes([*batch, one]) > BATCH_BYTES):
                yield _opening_bytes(batch), partial(self._open, batch, self._dictionaries)
                batch = []
            batch.append(one)
        if batch:
            yield _opening_bytes(batch), partial(self._open, batch, self._dictionaries)

    def _open(self, batch: list[TaskInput], dictionaries: list[str]) -> list[ParquetInput]:
        fetched = [FetchedInput.of(one.path, self._transfer, one.file_bytes) for one in batch]
        numbers = [None if self._numbers is None else self._numbers.of(one) for one in batch]
        return ParquetInput.open_all(fetched, numbers, dictionaries, self._known)

    def _units_of(self, index: int, source: ParquetInput, ahead: ReadAhead) -> Iterator[Unit]:
        groups, expected = source.row_groups, self._inputs[index].record_count
        if source.footer.rows != expected:
            raise InputFault(f"{source.uri}: {source.footer.rows} rows, the manifest says {expected}")
        coded = tuple(source.dictionary_leaves)
        shape = self._shape_of(source, coded)
        numbers, lineage = shape.coded(coded).ids, RowLineage.of(self._inputs[index])
        wanted = list(self._live_row_groups(index, groups))
        for (i, start), segments in zip(
            wanted, self._fetched(source, [i for i, _ in wanted], shape, ahead), strict=True
        ):
            self._transfer.bucket.check()
            rows, size = groups[i]
            keep = self._deletes.keep_mask(index, start, rows)
            yield Unit(source, shape, index, i, start, segments, rows, size, numbers, lineage, keep)

    def _fetched(
        self, source: ParquetInput, row_groups: Sequence[int], shape: "Shape", ahead: ReadAhead
    ) -> Iterator[Segments]:
        """Yield the segments of row groups; without a thread if opening has fetched the whole file."""
        if source.is_whole:
            return (source.fetch(i, shape.leaves) for i in row_groups)
        sizes = (source.row_groups[i][1] for i in row_groups)
        fetches = ((size, partial(source.fetch, i, shape.leaves)) for size, i in zip(sizes, row_groups, strict=True))
        return self._timed(ahead.each(fetches, most=2))

    def _shape_of(self, source: ParquetInput, coded: tuple[bool, ...]) -> "Shape":
        """Return the shape for reading this file; read its dictionaries like the last file's, as most are alike."""
        shape = self._shape(source)
        strings = shape.coded(coded).strings
        if strings != source.dictionaries:
            source.select_dictionaries(strings)
            shape = self._shape(source)
            self._dictionaries = strings
        return shape

    def _shape(self, source: ParquetInput) -> "Shape":
        if self._last is not None:
            schema, dictionaries, shape = self._last
            if dictionaries == source.dictionaries and all(map(is_, schema, source.footer.schema)):
                return shape
        shape = self._compared_shape(source)
        self._last = source.footer.schema, source.dictionaries, shape
        return shape

    def _compared_shape(self, source: ParquetInput) -> "Shape":
        for shape in self._shapes:
            if shape.schema.equals(source.schema, check_metadata=True):
                return shape
        shape = Shape.of(source, self._target, self._constants)
        self._shapes = [shape, *self._shapes[:MOST_SHAPES]]
        return shape

    def _live_row_groups(self, index: int, groups: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield (row group, file row it starts at) of those that keep a row."""
        start = 0
        for i, (rows, _) in enumerate(groups):
            if rows > self._deletes.deleted_within(index, start, rows):
                yield i, start
            start += rows

    def _timed(self, results: Iterator[Any]) -> Iterator[Any]:
        """Add up the time that the task waits for its inputs."""
        while True:
            begun = self._transfer.now()
            try:
                result = next(results)
            except StopIteration:
                return
            finally:
                self.seconds_waiting += self._transfer.now() - begun
            yield result


@dataclass(frozen=True, slots=True)
class PartialProjection:
    """The projection to some fields of the target, and the Parquet columns that it needs."""

    projection: Projection
    leaves: Sequence[int]


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """Dictionary-coded columns of an input: the paths of those that can be read as dictionaries, and all their ids."""

    strings: list[str]
    ids: frozenset[int | None]


@dataclass(frozen=True)
class Shape:
    """Facts shared by inputs with the same Arrow schema.

    `columns` are the Parquet columns of each top-level field, `ids` the field id of every Parquet column, `strings`
    number and path of those that can be read as dictionaries, `lineage` the positions in the target and field ids of
    the columns of row lineage.
    """

    schema: pa.Schema
    projection: Projection
    columns: Sequence[range]
    ids: list[int | None]
    strings: list[tuple[int, str]]
    lineage: Mapping[int, int]
    parts: dict[tuple[int, ...], PartialProjection] = field(default_factory=dict)
    known_coded: "dict[tuple[bool, ...], CodedColumns]" = field(default_factory=dict)

    @cached_property
    def leaves(self) -> list[int]:
        """The Parquet columns to read for the whole target."""
        return self._leaves(self.projection)

    def coded(self, leaves: tuple[bool, ...]) -> "CodedColumns":
        """Return the names of the columns that are dictionary-coded, from whether each is."""
        if leaves not in self.known_coded:
            if len(self.known_coded) >= MOST_SHAPES:
                self.known_coded.clear()
            strings = [path for leaf, path in self.strings if leaves[leaf]]
            ids = frozenset(number for number, is_coded in zip(self.ids, leaves, strict=True) if is_coded)
            self.known_coded[leaves] = CodedColumns(strings, ids)
        return self.known_coded[leaves]

    def of_fields(self, fields: tuple[int, ...]) -> PartialProjection:
        """Return what reads only these fields of the target, by position."""
        if fields not in self.parts:
            projection = self.projection.part(fields)
            self.parts[fields] = PartialProjection(projection, self._leaves(projection))
        return self.parts[fields]

    def _leaves(self, projection: Projection) -> list[int]:
        return [leaf for column in projection.source_columns for leaf in self.columns[column]]

    @staticmethod
    def of(source: ParquetInput, target: pa.Schema, constants: Constants) -> "Shape":
        """Return the shape of an input. Raises Refused and InputFault as `GroupReader.units`."""
        parquet = source.metadata.schema
        columns = [parquet.column(i) for i in range(len(parquet))]
        for column in columns:
            if column.physical_type == "INT96":
                raise Refused(INT96_TIMESTAMPS, f"{source.uri}: column {column.path}")
        ids = [leaf_ids([one]) for one in source.schema]
        ends = list(accumulate(map(len, ids), initial=0))
        if ends[-1] != len(columns):
            raise InputFault(f"{source.uri}: {len(columns)} columns, but {ends[-1]} leaves in its schema")
        try:
            projection = Projection(source=source.schema, target=target, constants=constants)
        except Refused as refusal:
            raise Refused(refusal.reason, f"{source.uri}: {refusal.detail}") from refusal
        inner = constants.keys() - set(map(field_id, target))
        if lost := inner.difference(all_ids(source.schema)):
            detail = (
                f"{source.uri}: the field with id {min(lost)}, which has a value by the metadata, is not in the file"
            )
            raise Refused(MISSING_REQUIRED_FIELD, detail)
        strings = [
            (i, column.path)
            for i, column in enumerate(columns)
            if column.physical_type == "BYTE_ARRAY" and column.max_repetition_level == 0
        ]
        owned = [range(*each) for each in pairwise(ends)]
        numbers = list(chain.from_iterable(ids))
        return Shape(source.schema, projection, owned, numbers, strings, lineage_places(target))


def _opening_bytes(batch: Sequence[TaskInput]) -> int:
    """Return the bytes that opening these inputs reads."""
    return sum(one.file_bytes if one.file_bytes < SMALL_FILE_BYTES else TAIL_BYTES for one in batch)

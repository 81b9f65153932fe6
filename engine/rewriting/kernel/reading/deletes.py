"""Position deletes: the deleted rows of each input, from position-delete files and deletion vectors.

A delete applies to an input only if the task lists its file for that input: a delete file that is older than the data
may contain the same path. Paths are compared in one spelling (`storage.canonical`). Positions past the end of a file
and repeated positions are ignored. Of an input with a deletion vector only this is read, as the specification says: it
has the rows of the input's position-delete files too. A vector with a wrong row fails the group.

Memory: eight bytes for each delete that hits an input of this group; other files' deletes are dropped row group by row
group. Of a Puffin file only the task's vectors are read, those near to each other with one request.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput, TaskVector
from engine.rewriting.kernel.errors import NO_FIELD_IDS, UNSUPPORTED_DELETE_FILE, InputFault, Refused
from engine.rewriting.kernel.reading.deletion_vectors import LEAST_BYTES, DamagedVector, Positions, positions_in
from engine.rewriting.kernel.reading.parquet_input import GAP_BYTES, ParquetInput
from engine.rewriting.kernel.reading.projection import leaf_ids
from engine.rewriting.kernel.reading.read_ahead import ReadAhead, Window
from engine.rewriting.kernel.storage.stores.addresses import canonical
from engine.rewriting.kernel.storage.transfer import Transfer

FILE_PATH_ID: Final = 2147483546
POSITION_ID: Final = 2147483545
OTHER_FORMATS: Final = (".avro", ".orc", ".puffin")

MOST_VECTOR_ROWS: Final = 2**27
"""Rows that the deletion vectors of one task may delete: 1 GiB of positions."""
MOST_VECTOR_BYTES: Final = 2**28
"""Largest deletion vector that is read; its part for 65,536 rows takes at most 8 KiB."""
TOGETHER_BYTES: Final = 8 * 2**20
"""Size up to which neighbouring deletion vectors are read with one request."""


class PositionDeletes:
    """Deleted rows per input: sorted positions, each once, each within the file."""

    def __init__(self, *, positions: Sequence[Positions]) -> None:
        self._positions = positions

    @staticmethod
    def read(inputs: Sequence[TaskInput], transfer: Transfer) -> "PositionDeletes":
        """Read every delete file of the task once.

        Raises:
            InputFault: a delete file is missing or corrupt, or a deletion vector is not as the metadata states.
            Refused: `unsupported_delete_file` (not Parquet, or vectors above the limits), `no_field_ids`.
        """
        hits: list[list[Positions]] = [[] for _ in inputs]
        listed = [one for one in inputs if one.vector is None]
        sizes = {path: size for one in listed for path, size in zip(one.delete_paths, _sizes(one), strict=True)}
        for path, size in sizes.items():
            wanted = {canonical(one.path): i for i, one in enumerate(inputs) if path in one.delete_paths}
            _collect(_open(path, size, transfer), wanted, hits)
        found = [_within(some, one.record_count) for some, one in zip(hits, inputs, strict=True)]
        for index, positions in _vectors(inputs, transfer):
            found[index] = positions
        return PositionDeletes(positions=found)

    def of(self, places: Sequence[int]) -> "PositionDeletes":
        """Return the deleted rows of some inputs, by their places."""
        return PositionDeletes(positions=[self._positions[at] for at in places])

    def count(self, index: int | None = None) -> int:
        """Return the number of deleted rows of one input, or of all."""
        if index is not None:
            return len(self._positions[index])
        return sum(len(found) for found in self._positions)

    def deleted_within(self, index: int, start: int, rows: int) -> int:
        """Return the number of deleted rows among the `rows` rows from file row `start` on."""
        first, last = self._range(index, start, rows)
        return last - first

    def keep_mask(self, index: int, start: int, rows: int) -> pa.BooleanArray | None:
        """Return true for each row to keep out of the `rows` rows from `start` on; None: all of them."""
        first, last = self._range(index, start, rows)
        if first == last:
            return None
        mask = np.ones(rows, dtype=np.bool_)
        mask[self._positions[index][first:last] - start] = False
        return pa.array(mask)

    def _range(self, index: int, start: int, rows: int) -> tuple[int, int]:
        if not len(self._positions[index]):
            return 0, 0
        first, last = np.searchsorted(self._positions[index], [start, start + rows])
        return int(first), int(last)


def _within(found: list[Positions], rows: int) -> Positions:
    if not found:
        return np.empty(0, dtype=np.int64)
    unique = np.unique(np.concatenate(found))
    return unique[(unique >= 0) & (unique < rows)]


@dataclass(frozen=True, slots=True)
class _Vector:
    """The deletion vector of the input with this number."""

    index: int
    of: TaskInput
    at: TaskVector

    @property
    def end(self) -> int:
        return self.at.offset + self.at.length

    def check(self) -> None:
        at, name = self.at, f"{self.at.path}: deletion vector of {self.of.path}"
        if at.offset < 0 or at.length < LEAST_BYTES or self.end > at.file_bytes:
            raise InputFault(f"{name}: {at.length} bytes from {at.offset} on, the file has {at.file_bytes}")
        if at.length > MOST_VECTOR_BYTES:
            raise Refused(
                UNSUPPORTED_DELETE_FILE, f"{name} has {at.length} bytes, at most {MOST_VECTOR_BYTES} are read"
            )

    def positions(self, blob: memoryview) -> Positions:
        try:
            return positions_in(blob, rows=self.at.rows, file_rows=self.of.record_count)
        except DamagedVector as error:
            place = f"deletion vector of {self.of.path} at byte {self.at.offset}"
            raise InputFault(f"{self.at.path}: {place}: {error}") from error


def _vectors(inputs: Sequence[TaskInput], transfer: Transfer) -> Iterator[tuple[int, Positions]]:
    """Yield the numbers of inputs with a deletion vector, and its positions. Raises as `PositionDeletes.read`."""
    wanted = [_Vector(index, one, one.vector) for index, one in enumerate(inputs) if one.vector is not None]
    rows = sum(one.at.rows for one in wanted)
    if rows > MOST_VECTOR_ROWS:
        detail = f"{len(wanted)} deletion vectors delete {rows} rows, at most {MOST_VECTOR_ROWS} are read by a task"
        raise Refused(UNSUPPORTED_DELETE_FILE, detail)
    for one in wanted:
        one.check()
    if not wanted:
        return
    is_remote = transfer.storage.is_remote(wanted[0].at.path)
    window = Window(is_remote=is_remote, times_busy=lambda: transfer.times_busy, check=transfer.bucket.check)
    with ReadAhead(window) as ahead:
        spans = list(_spans(wanted))
        fetches = (
            (max(one.end for one in span) - span[0].at.offset, partial(_fetch, span, transfer)) for span in spans
        )
        for span, fetched in zip(spans, ahead.each(fetches), strict=True):
            for one in span:
                start = one.at.offset - span[0].at.offset
                yield one.index, one.positions(fetched[start : start + one.at.length])


def _spans(wanted: Sequence[_Vector]) -> Iterator[list[_Vector]]:
    """Yield the vectors to read together: near to each other in one file."""
    span: list[_Vector] = []
    end = 0
    for one in sorted(wanted, key=lambda each: (each.at.path, each.at.offset)):
        is_near = bool(span) and one.at.path == span[0].at.path and one.at.offset - end <= GAP_BYTES
        if span and not (is_near and one.end - span[0].at.offset <= TOGETHER_BYTES):
            yield span
            span, end = [], 0
        span.append(one)
        end = max(end, one.end)
    if span:
        yield span


def _fetch(span: Sequence[_Vector], transfer: Transfer) -> memoryview:
    first = span[0].at
    source = transfer.open(first.path, first.file_bytes)
    try:
        if (size := source.size()) != first.file_bytes:
            raise InputFault(f"{first.path}: {size} bytes, but the manifest has {first.file_bytes}")
        return memoryview(source.read(first.offset, max(one.end for one in span) - first.offset))
    finally:
        source.close()


def _sizes(one: TaskInput) -> Sequence[int | None]:
    return one.delete_bytes or [None] * len(one.delete_paths)


def _collect(source: ParquetInput, wanted: dict[str, int], hits: list[list[Positions]]) -> None:
    try:
        names, positions = _leaves(source.uri, source.schema)
        source.select_dictionaries([source.metadata.schema.column(names).path])
        for i in range(source.metadata.num_row_groups):
            table = source.decode(i, source.fetch(i, [names, positions]), [names, positions])
            for found, at in zip(*_chunks(table, reverse=names > positions), strict=True):
                _assign(found, at, wanted, hits)
    finally:
        source.close()


def _open(path: str, file_bytes: int | None, transfer: Transfer) -> ParquetInput:
    """Open a delete file; refuse it if its name has the suffix of another format."""
    if path.lower().endswith(OTHER_FORMATS):
        raise Refused(UNSUPPORTED_DELETE_FILE, f"{path} is not a Parquet file")
    return ParquetInput.open(path, transfer, expected_bytes=file_bytes)


def _chunks(table: pa.Table, *, reverse: bool) -> tuple[list[pa.Array], list[pa.Array]]:
    """Return the chunks of paths and of positions, cut alike."""
    batches = table.to_batches()
    first, second = [batch.column(0) for batch in batches], [batch.column(1) for batch in batches]
    return (second, first) if reverse else (first, second)


def _assign(paths: pa.Array, positions: pa.Array, wanted: dict[str, int], hits: list[list[Positions]]) -> None:
    """Append to each input's hits the positions of rows with its path."""
    coded = paths if isinstance(paths, pa.DictionaryArray) else paths.dictionary_encode()
    owners = np.array([_owner(name, wanted) for name in coded.dictionary.to_pylist()] or [-1], dtype=np.int64)
    rows = owners[coded.indices.to_numpy(zero_copy_only=False)]
    values = positions.to_numpy(zero_copy_only=False)
    for index in np.unique(rows[rows >= 0]):
        hits[int(index)].append(values[rows == index])


def _owner(name: str, wanted: dict[str, int]) -> int:
    try:
        return wanted.get(canonical(name), -1)
    except Refused:
        return -1  # another file's path, in a storage that this task does not touch


def _leaves(path: str, schema: pa.Schema) -> tuple[int, int]:
    """Return the numbers of the Parquet columns with path and position, by their reserved field ids."""
    ids = leaf_ids(list(schema))
    if FILE_PATH_ID not in ids or POSITION_ID not in ids:
        raise Refused(NO_FIELD_IDS, f"{path}: no columns with the ids of a position delete")
    return ids.index(FILE_PATH_ID), ids.index(POSITION_ID)

"""Position deletes: the deleted rows of each input.

A delete applies to an input only if the task lists its file for that input: a delete file that is older than the data
may contain the same path. Paths are compared in one spelling (`storage.canonical`). Positions past the end of a file
and repeated positions are ignored.

Memory: eight bytes for each delete that hits an input of this group; other files' deletes are dropped row group by row
group.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import NO_FIELD_IDS, UNSUPPORTED_DELETE_FILE, Refused
from engine.rewriting.kernel.reading.parquet_input import ParquetInput
from engine.rewriting.kernel.reading.projection import leaf_ids
from engine.rewriting.kernel.storage.stores.addresses import canonical
from engine.rewriting.kernel.storage.transfer import Transfer

FILE_PATH_ID: Final = 2147483546
POSITION_ID: Final = 2147483545
OTHER_FORMATS: Final = (".avro", ".orc", ".puffin")

Positions = np.ndarray[Any, np.dtype[np.int64]]


class PositionDeletes:
    """Deleted rows per input: sorted positions, each once, each within the file."""

    def __init__(self, *, positions: Sequence[Positions]) -> None:
        self._positions = positions

    @staticmethod
    def read(inputs: Sequence[TaskInput], transfer: Transfer) -> "PositionDeletes":
        """Read every delete file of the task once.

        Raises:
            InputFault: a delete file is missing or corrupt.
            Refused: `unsupported_delete_file` (not Parquet), `no_field_ids`.
        """
        hits: list[list[Positions]] = [[] for _ in inputs]
        sizes = {path: size for one in inputs for path, size in zip(one.delete_paths, _sizes(one), strict=True)}
        for path, size in sizes.items():
            wanted = {canonical(one.path): i for i, one in enumerate(inputs) if path in one.delete_paths}
            _collect(_open(path, size, transfer), wanted, hits)
        return PositionDeletes(
            positions=[_within(found, one.record_count) for found, one in zip(hits, inputs, strict=True)]
        )

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

"""The check of a merge by key: the outputs have the newest row of each key, once, and no key that it deletes.

It does not use the code that chose the rows, but for the reading of versions as numbers: inputs and outputs are read
again and compared slice by slice, by hashes of their keys. It is about keys and versions; that outputs have whole rows
of the inputs is what `row_check` compares. Keys are compared by hashes of 64 bits: two of 10 million keys have the same
with a chance of 3 in a million, which fails the group without a fault.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.contract import MergeKey, TaskInput
from engine.rewriting.kernel.errors import InputFault, OutputFault
from engine.rewriting.kernel.merging.key_columns import KeyColumns, version_numbers
from engine.rewriting.kernel.merging.record_slices import Records, Slices
from engine.rewriting.kernel.reading.column_numbers import FileNumbers
from engine.rewriting.kernel.reading.decoded_columns import row_groups
from engine.rewriting.kernel.reading.row_hashes import RowHasher
from engine.rewriting.kernel.storage.transfer import Transfer

SLICE_ROWS: Final = 2**20
MOST_SLICES: Final = 256
"""Rows of a slice, and the most slices: each is an open file, so that slices of larger inputs have more rows."""

_VERSION: Final = (("has_days", "days"), ("has_time", "time"))
_RECORD: Final = np.dtype(
    [
        ("key", "<u8"),
        ("has_days", "u1"),
        ("days", "<i8"),
        ("has_time", "u1"),
        ("time", "<i8"),
        ("place", "<i8"),
        ("deletes", "u1"),
    ]
)
_COMPARED: Final = ["key", "has_days", "days", "has_time", "time"]


def check_newest_rows(
    *,
    inputs: Sequence[TaskInput],
    outputs: Sequence[TaskInput],
    schema: pa.Schema,
    key: MergeKey,
    transfer: Transfer,
    numbers: FileNumbers | None,
) -> None:
    """Check that the outputs of a merge have the rows that it has to keep, by their keys and versions.

    Raises:
        OutputFault: they have others.
        InputFault: an input can't be read again.
        Stopped: the task was ordered to stop.
    """
    reader = _RecordReader(KeyColumns.of(schema, key), transfer, numbers)
    rows = sum(one.record_count for one in inputs)
    count = min(MOST_SLICES, max(1, -(-rows // SLICE_ROWS)))
    before, after = Slices(count=count, kind=_RECORD), Slices(count=count, kind=_RECORD)
    try:
        try:
            without_key_after = _add(reader, outputs, after)
        except InputFault as fault:
            raise OutputFault(f"what was written can't be read back: {fault}") from fault
        without_key = _add(reader, inputs, before, choose=_newest)
        wrong = sum(_wrong_keys(before.read(at), after.read(at)) for at in range(count))
    finally:
        before.close()
        after.close()
    if wrong or without_key != without_key_after:
        names = ", ".join(one.path for one in outputs[:3]) or "no output"
        kept = f"{without_key_after} of {without_key} rows without a key"
        raise OutputFault(f"{names}: {wrong} rows are not the newest of their key, and {kept} were kept")


def _add(
    reader: "_RecordReader",
    files: Sequence[TaskInput],
    slices: Slices,
    choose: Callable[[Records], Records] = lambda records: records,
) -> int:
    """Add the chosen records of each row group to slices; return the number of rows with a null in their key.

    Of the inputs the newest of a row group are sufficient: a key with very many rows has few records then.
    """
    without_key = 0
    for records, has_key in reader.records(files):
        slices.add(choose(records[has_key]))
        without_key += int((~has_key).sum())
    return without_key


def _wrong_keys(before: Records, after: Records) -> int:
    """Return the number of keys that only one side has, or that both have with different versions."""
    newest = _newest(before)
    wanted = newest[newest["deletes"] == 0]
    found = after[np.lexsort([after[name] for name in reversed(_COMPARED)])]
    if len(wanted) == len(found) and all((wanted[name] == found[name]).all() for name in _COMPARED):
        return 0
    sides = ({tuple(row) for row in side[_COMPARED].tolist()} for side in (wanted, found))
    return max(1, len(next(sides) ^ next(sides)))


def _newest(records: Records) -> Records:
    """Return the newest record of each key."""
    ordered = records[np.lexsort([records[name] for name in ("place", *reversed(_COMPARED))])]
    keys = ordered["key"]
    return ordered[np.flatnonzero(np.append(keys[1:] != keys[:-1], len(keys) > 0))]


class _RecordReader:
    """Reads files as records."""

    def __init__(self, columns: KeyColumns, transfer: Transfer, numbers: FileNumbers | None) -> None:
        self._columns = columns
        self._transfer = transfer
        self._numbers = numbers

    def records(self, files: Sequence[TaskInput]) -> Iterator[tuple[Records, npt.NDArray[np.bool_]]]:
        """Yield the records of each row group, and which of them have a key: a column that a file lacks is null."""
        keys = {one.name for one in self._columns.key}
        starts = list(accumulate((one.record_count for one in files), initial=0))
        for group in row_groups(files, self._columns.target, self._transfer, self._numbers):
            made, hasher = np.zeros(group.count, _RECORD), RowHasher(group.count)
            has_key = np.full(group.count, keys <= group.names)
            made["place"] = np.arange(group.count) + (starts[group.file] + group.start)
            for wanted, column in group.columns():
                if wanted.name in keys:
                    hasher.add(column, wanted)
                    has_key &= column.is_valid().to_numpy()
                elif wanted.name == self._columns.version.name:
                    _set_version(made, column)
                else:
                    made["deletes"] = pc.fill_null(column, False).to_numpy()
            made["key"] = hasher.finish()
            yield made, has_key


def _set_version(records: Records, column: pa.ChunkedArray) -> None:
    for (has, name), part in zip(_VERSION, version_numbers(column), strict=True):
        records[has] = part.is_valid().to_numpy()
        records[name] = pc.fill_null(part, 0).to_numpy()

"""Look for times in the inputs of a compaction that Paimon's core 1.4.2 would change or can't read.

Pypaimon writes them. They are looked for before the core is asked. Footers show what can have them; values are read
only from ORC files that were not written in Java, and only those of timestamps.
"""

from collections.abc import Iterator, Sequence
from io import SEEK_END, SEEK_SET, RawIOBase
from pathlib import PurePosixPath
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.formats.paimon.task.contract import TimeChecks
from engine.formats.paimon.task.orc_rows import ORC, WITHOUT_ORC
from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import UNREADABLE_LAYOUT, Refused
from engine.rewriting.kernel.reading.arrow_errors import reading
from engine.rewriting.kernel.reading.parquet_input import ParquetInput
from engine.rewriting.kernel.storage.transfer import OpenInput, Transfer

PARQUET: Final = ".parquet"
"""The end of a Parquet file's name."""

_INT64: Final = "INT64"
_NANOS: Final = "nanoseconds"
_IN_JAVA: Final = "ORC_JAVA"
_SECOND: Final = 10**9
_MILLI: Final = 10**6
_TO_PARQUET: Final = "let pypaimon write these rows again, to a table with file.format: parquet"


def check_times(checks: TimeChecks, inputs: Sequence[TaskInput], transfer: Transfer) -> str:
    """Look for times that the core would change; return which files could not be looked at and why, empty if none.

    Raises:
        Refused: a file has such a time; or it is outside of the table.
        InputFault: a file can't be read.
        StorageFault: the storage did not answer.
        Stopped: the task was ordered to stop.
    """
    limits = set()
    for one in inputs:
        suffix = PurePosixPath(one.path).suffix
        if suffix == PARQUET and checks.parquet:
            _check_parquet(one, transfer)
        elif suffix == ORC and checks.orc:
            limits.add(_check_orc(one, transfer, writes_orc=checks.writes_orc))
    return "; ".join(sorted(filter(None, limits)))


def _check_parquet(file: TaskInput, transfer: Transfer) -> None:
    """Refuse timestamps in nanoseconds as INT64, which the core takes for another unit; it reads them as INT96."""
    source = ParquetInput.open(file.path, transfer, expected_bytes=file.file_bytes)
    source.close()
    for column in map(source.metadata.schema.column, range(source.metadata.num_columns)):
        if column.physical_type == _INT64 and _NANOS in str(column.logical_type):
            text = f"{file.path}: column {column.path[:100]} has nanoseconds as INT64, which Paimon's core misreads"
            raise Refused(UNREADABLE_LAYOUT, f"{text}: use TIMESTAMP(6), or let Paimon's Java library write it")


def _check_orc(file: TaskInput, transfer: Transfer, *, writes_orc: bool) -> str:
    """Refuse times before 1970 that ORC's Java library can't read or would write a second later.

    Returns:
        Why they could not be looked for: Arrow has no values for times before 1677 or after 2262, or no ORC at all.
    """
    source, problem = transfer.open(file.path, file.file_bytes), ""
    try:
        for name, values in _timestamps(file, source, transfer):
            if problem := _problem(values, writes_orc=writes_orc):
                problem = f"{file.path}: column {name[:100]} has {problem}: {_TO_PARQUET}"
                break
    except Refused as refusal:
        return f"times before 1970 were not looked for: {refusal}"
    finally:
        source.close()
    if problem:
        raise Refused(UNREADABLE_LAYOUT, problem)
    return ""


def _problem(values: pa.Array, *, writes_orc: bool) -> str:
    """Return what a column of nanoseconds since 1970 has that the core would change or can't read, empty if nothing."""
    early = pc.filter(values, pc.less(values, 0))
    if pc.any(pc.not_equal(pc.multiply(pc.divide(early, _MILLI), _MILLI), early)).as_py():
        return "times before 1970 with parts of a millisecond, which Paimon's core can't read from ORC files of C++"
    if writes_orc and pc.any(pc.greater(early, -_SECOND)).as_py():
        return "times in the last second before 1970, which Paimon's core writes to ORC files as a second later"
    return ""


def _timestamps(file: TaskInput, source: OpenInput, transfer: Transfer) -> Iterator[tuple[str, pa.Array]]:
    """Yield the values of timestamps of a file that was not written in Java, as nanoseconds, by stripe and column.

    Raises:
        InputFault: the file can't be read.
        Refused: Arrow lacks ORC, or has no value for one of them.
    """
    try:
        from pyarrow.orc import ORCFile  # noqa: PLC0415 - tasks that read no ORC need no such pyarrow
    except ImportError as error:
        raise Refused(UNREADABLE_LAYOUT, f"{file.path}: {WITHOUT_ORC}") from error
    with reading(file.path):
        opened = ORCFile(pa.PythonFile(_Positioned(source), mode="r"))
        if opened.writer == _IN_JAVA:
            return
        names = [each.name for each in opened.schema if _has_timestamps(each.type)]
    for stripe in range(opened.nstripes if names else 0):
        transfer.bucket.check()
        with reading(file.path):
            batch = opened.read_stripe(stripe, columns=names)
        for name in names:
            for values in _nested(batch.column(name)):
                yield name, values.cast(pa.timestamp("ns", values.type.tz)).cast(pa.int64())


def _has_timestamps(of: pa.DataType) -> bool:
    return pt.is_timestamp(of) or any(_has_timestamps(of.field(at).type) for at in range(of.num_fields))


def _nested(array: Any) -> Iterator[pa.Array]:
    """Yield the arrays of timestamps that an array is or has, without what is null above them."""
    if pt.is_timestamp(array.type):
        yield array
    elif pt.is_struct(array.type):
        for part in array.flatten():
            yield from _nested(part)
    elif pt.is_map(array.type):
        yield from _nested(array.keys)
        yield from _nested(array.items)
    elif pt.is_list(array.type):
        yield from _nested(array.flatten())


class _Positioned(RawIOBase):
    """A position in an input: Arrow's reader of ORC takes a file of Python."""

    def __init__(self, source: OpenInput) -> None:
        self._source = source
        self._size = source.size()
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1) -> Any:
        """Return up to `size` bytes, all that are left without one. Raises as `OpenInput.read`."""
        left = max(0, self._size - self._at)
        length = left if size is None or size < 0 else min(size, left)
        found = self._source.read(self._at, length) if length else b""
        self._at += length
        return found

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Change the position."""
        begin = {SEEK_SET: 0, SEEK_END: self._size}.get(whence, self._at)
        self._at = max(0, begin + offset)
        return self._at

"""Rows that wait on disk: unnamed files of the machine's temporary folder (`TMPDIR`), gone with whatever ends the task.

They are no part of the task's share of bandwidth, which is of the table's storage. They are not compressed: at this
speed that would cost more than the rest of the work.
"""

import shutil
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pyarrow as pa

from engine.rewriting.kernel.errors import OutputFault

_SEGMENTS: Final = 16
"""A file is a fraction like this of all rows before it, or larger: few are open, and little is on disk twice."""


class SpilledRows:
    """Rows on disk, in the order in which they were added, to be read once: what is read gives its space free.

    `nbytes` is what they take in memory, `disk_bytes` what was written.
    """

    def __init__(self, schema: pa.Schema, *, segment_bytes: int) -> None:
        """Begin without a file; `schema` has no dictionaries, `segment_bytes` is the least that one file holds."""
        self.rows = 0
        self.nbytes = 0
        self.disk_bytes = 0
        self._schema = schema
        self._least = segment_bytes
        self._segments: deque[_Segment] = deque()

    def add(self, table: pa.Table) -> None:
        """Add rows. Raises OutputFault when the temporary folder takes no more."""
        if not table.num_rows:
            return
        if not self._segments or self._segments[-1].disk_bytes >= max(self._least, self.disk_bytes // _SEGMENTS):
            self._segments.append(_Segment(self._schema))
        self.disk_bytes += self._segments[-1].write(table)
        self.rows += table.num_rows
        self.nbytes += table.nbytes

    def read(self, at_a_time: int) -> Iterator[pa.Table]:
        """Yield all rows, about so many bytes at a time or as many as were added at once; nothing can be added then."""
        found: list[pa.RecordBatch] = []
        size = 0
        for batch in self._batches():
            found.append(batch)
            size += batch.nbytes
            if size >= at_a_time:
                yield pa.Table.from_batches(found)
                found, size = [], 0
        if found:
            yield pa.Table.from_batches(found)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        while self._segments:
            yield from self._segments[0].batches()
            self._segments.popleft().close()

    def close(self) -> None:
        """Give all space free."""
        while self._segments:
            self._segments.popleft().close()


class _Segment:
    """One file of the temporary folder."""

    def __init__(self, schema: pa.Schema) -> None:
        self.disk_bytes = 0
        with _faults():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` does
            self._writer: Any = pa.ipc.new_stream(self._file, schema)

    def write(self, table: pa.Table) -> int:
        """Add rows and return the bytes that they take."""
        before = self.disk_bytes
        with _faults():
            self._writer.write_table(table)
            self.disk_bytes = self._file.tell()
        return self.disk_bytes - before

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield what was written."""
        with _faults():
            self._writer.close()
            self._file.seek(0)
            reader = pa.ipc.open_stream(self._file)
        while True:
            with _faults():
                batch = next(reader, None)
            if batch is None:
                return
            yield batch

    def close(self) -> None:
        self._file.close()


def check_room(more_bytes: int) -> None:
    """Raise OutputFault when the temporary folder lacks room for so many more bytes: now, not when it is full."""
    with _faults():
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if free < more_bytes:
            raise OSError(f"at least {more_bytes} bytes more are needed, {free} are free")


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"the rows to be ordered don't fit the temporary folder {tempfile.tempdir} (TMPDIR): {error}"
        raise OutputFault(f"{message}; give it room, or lower rewrite.max_ordered_bytes") from error

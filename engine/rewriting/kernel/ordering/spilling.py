"""Rows spilled to disk: unnamed files in the machine's temporary folder (`TMPDIR`), which vanish when the task ends.

They do not count towards the task's share of bandwidth, which applies to the table's storage. They are not compressed:
at this speed that would cost more than the other work.
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
"""A file has at least 1/16 of the bytes of all earlier rows: few files are open, and little is on disk twice."""


_SETTING: Final = "rewrite.max_ordered_bytes (rewrite.max_group_bytes without an order of rows)"


class SpilledRows:
    """Rows on disk, in the order in which they were added, to be read once: reading releases their space.

    `nbytes` is their size in memory, `disk_bytes` the bytes written.
    """

    def __init__(self, schema: pa.Schema, *, segment_bytes: int) -> None:
        """Start without a file; `schema` has no dictionaries, `segment_bytes` is the least size of a file."""
        self.rows = 0
        self.nbytes = 0
        self.disk_bytes = 0
        self._schema = schema
        self._least = segment_bytes
        self._segments: deque[_Segment] = deque()

    def add(self, table: pa.Table) -> None:
        """Add rows. Raises OutputFault when the temporary folder is full."""
        if not table.num_rows:
            return
        if not self._segments or self._segments[-1].disk_bytes >= max(self._least, self.disk_bytes // _SEGMENTS):
            self._segments.append(_Segment(self._schema))
        self.disk_bytes += self._segments[-1].write(table)
        self.rows += table.num_rows
        self.nbytes += table.nbytes

    def read(self, at_a_time: int) -> Iterator[pa.Table]:
        """Yield all rows, about `at_a_time` bytes or one added table at a time; no rows can be added afterwards."""
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
        """Release all space."""
        while self._segments:
            self._segments.popleft().close()


class _Segment:
    """One file of the temporary folder."""

    def __init__(self, schema: pa.Schema) -> None:
        self.disk_bytes = 0
        with spilling():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` does
            self._writer: Any = pa.ipc.new_stream(self._file, schema)

    def write(self, table: pa.Table) -> int:
        """Add rows and return the bytes written."""
        before = self.disk_bytes
        with spilling():
            self._writer.write_table(table)
            self.disk_bytes = self._file.tell()
        return self.disk_bytes - before

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the written batches."""
        with spilling():
            self._writer.close()
            self._file.seek(0)
            reader = pa.ipc.open_stream(self._file)
        while True:
            with spilling():
                batch = next(reader, None)
            if batch is None:
                return
            yield batch

    def close(self) -> None:
        self._file.close()


def check_room(more_bytes: int) -> None:
    """Raise OutputFault early when the temporary folder has no room for `more_bytes`, instead of when it is full."""
    with spilling():
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if free < more_bytes:
            raise OSError(f"at least {more_bytes} bytes more are needed, {free} are free")


@contextmanager
def spilling() -> Iterator[None]:
    """Turn errors of the temporary folder into OutputFault."""
    try:
        yield
    except OSError as error:
        message = f"the rows of the group don't fit the temporary folder {tempfile.tempdir} (TMPDIR): {error}"
        raise OutputFault(f"{message}; give it room, or lower {_SETTING} if the format divides partitions") from error

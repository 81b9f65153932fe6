"""Rows that wait on disk: unnamed files of the machine's temporary folder (`TMPDIR`), gone with whatever ends the task.

They are no part of the task's share of bandwidth, which is of the table's storage.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from engine.rewriting.kernel.errors import OutputFault


class SpilledRows:
    """Rows on disk, in the order in which they were added; `finish` ends the adding."""

    def __init__(self, schema: pa.Schema) -> None:
        """Begin a file for rows of a schema without dictionaries.

        Raises:
            OutputFault: the temporary folder takes no file.
        """
        self.rows = 0
        self._rest: pa.Table = schema.empty_table()
        self._reader: Iterator[Any] = iter(())
        with _faults():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` does
            self._writer: Any = pa.ipc.new_stream(self._file, schema)

    def add(self, table: pa.Table, *, batch_rows: int) -> None:
        """Add rows, to be read about `batch_rows` at a time. Raises OutputFault when the temporary folder is full."""
        with _faults():
            self._writer.write_table(table, max_chunksize=batch_rows)
        self.rows += table.num_rows

    def finish(self) -> None:
        """End the adding; what is read begins with the first row."""
        with _faults():
            self._writer.close()
            self._file.seek(0)
            self._reader = iter(pa.ipc.open_stream(self._file))

    def read(self, rows: int) -> pa.Table:
        """Return the next so many rows; there must be as many."""
        found, count = [self._rest], self._rest.num_rows
        while count < rows:
            with _faults():
                batch = next(self._reader)
            found.append(pa.Table.from_batches([batch]))
            count += batch.num_rows
        joined = pa.concat_tables(found)
        self._rest = joined.slice(rows)
        return joined.slice(0, rows)

    def close(self) -> None:
        """Give the space free."""
        self._file.close()


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        folder = tempfile.gettempdir()
        message = f"the rows to be ordered don't fit the temporary folder {folder} (TMPDIR): {error}"
        raise OutputFault(message) from error

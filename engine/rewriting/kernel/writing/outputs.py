"""The files of a task: named by number, checked against the storage when complete, removed when the task fails."""

import base64

from engine.rewriting.kernel.contract import PartitionValues, TaskOutput
from engine.rewriting.kernel.errors import OutputFault
from engine.rewriting.kernel.storage.transfer import OutputSink, Transfer


class OutputFiles:
    """The output files of a task, complete and open ones."""

    def __init__(self, *, stem: str, transfer: Transfer) -> None:
        """Start without files; `stem` is the path of the outputs up to their number."""
        self._stem = stem
        self._transfer = transfer
        self._begun: list[OutputSink] = []
        self.complete: list[TaskOutput] = []
        self.partition: PartitionValues | None = None
        """The partition of the files that are finished from now on; None: the group's own."""
        self.merged_columns = 0
        """The columns of row groups that the compiled pass put together."""
        self.pass_limit = ""
        """The reason for which the compiled pass was not used, or not to the end; empty if it was."""

    @property
    def rows_written(self) -> int:
        """Rows in complete files."""
        return sum(output.record_count for output in self.complete)

    def begin(self) -> OutputSink:
        """Create the next file. Raises OutputFault."""
        sink = self._transfer.create(f"{self._stem}{len(self.complete)}.parquet")
        self._begun.append(sink)
        return sink

    def finish(self, sink: OutputSink, rows: int) -> None:
        """Record a closed file as complete. Raises OutputFault when its size in the storage differs."""
        stored = sink.stored_bytes
        if stored != sink.position:
            raise OutputFault(f"{sink.uri}: {sink.position} bytes were written, the storage has {stored}")
        footer = base64.b64encode(sink.footer()).decode()
        self.complete.append(TaskOutput(sink.uri, stored, rows, footer, self.partition))

    def discard(self) -> None:
        """Delete every file that was created."""
        for sink in self._begun:
            sink.abandon()
        for sink in self._begun:
            if sink.exists:
                self._transfer.storage.delete(sink.uri)

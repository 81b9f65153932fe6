"""Layout of outputs: numbers of files and row groups. Arithmetic only.

Outputs: the plan's number, rows divided evenly, as long as the written bytes result in files between 3/4 and 7/4 of the
target; otherwise `n = max(1, floor(bytes / target + 1/3))` for the rows that are not in a file yet, with the bytes per
row measured so far. By that formula a file is between 5/6 and 5/3 of the target (or is the only one), inside the
75 %-180 % that planning skips: rewriting is stable and leaves no small remainder. Many tiny files shrink a lot when
they are merged: without measuring they would become small files again.

Row groups: by the row-group size (measured by the inputs' logical bytes per row), but never less than
`MIN_ROW_GROUP_BYTES` stored, unless the file is smaller.
"""

import math
from typing import Final

from engine.rewriting.kernel.kernel_task import KernelTask

MIN_ROW_GROUP_BYTES: Final = 64 * 2**20
"""The least stored bytes of a row group, unless it is the whole file."""


LEAST_SHARE: Final = 0.75
MOST_SHARE: Final = 1.75
"""Shares of the target between which the plan's number of outputs is kept."""


def output_count(total_bytes: float, target_bytes: int) -> int:
    """Return the number of files for `total_bytes`."""
    return max(1, math.floor(total_bytes / target_bytes + 1 / 3))


class OutputLayout:
    """Computes where files and row groups end, in rows, from the sizes observed so far."""

    def __init__(
        self, *, target_bytes: int, row_group_bytes: int, rows: int, stored_bytes: float, planned_outputs: int
    ) -> None:
        """Start a layout; `rows` are the live rows of the group, `stored_bytes` their size in the inputs."""
        self._target = target_bytes
        self._row_group = row_group_bytes
        self._unplaced = rows  # rows that are in no closed file
        self._in_file = 0  # rows in the open file
        self._last = 0  # rows in the last row group
        self._planned = planned_outputs  # remaining files of the plan, including the open one
        self._stored_per_row = stored_bytes / max(1, rows)
        self._logical_per_row = 0.0
        self._measured = (0, 0)

    @property
    def expects_several_files(self) -> bool:
        """Whether, as far as is known, the rows go into more than one file."""
        return self._files() > 1

    def observe_input(self, rows: int, logical_bytes: int) -> None:
        """Record the logical bytes (encoded, not compressed) per row of an input's row group."""
        if rows and not self._logical_per_row:
            self._logical_per_row = logical_bytes / rows

    def observe_written(self, rows: int, stored_bytes: int) -> None:
        """Record a row group written to the open file, with its size."""
        self._in_file += rows
        self._last = rows
        self._measured = (self._measured[0] + rows, self._measured[1] + stored_bytes)
        self._stored_per_row = max(1e-9, self._measured[1] / self._measured[0])

    def close_file(self) -> None:
        """Record that the open file is complete."""
        self._unplaced -= self._in_file
        self._in_file = 0
        self._planned -= 1

    def next_row_group(self) -> int:
        """Return the rows of the next row group of the open file, at least one."""
        left = max(1, self._file_rows() - self._in_file)
        return math.ceil(left / self._row_groups(left))

    def file_is_full(self) -> bool:
        """Return whether to close the open file: it is done, or its remainder is below half its last row group."""
        if self._in_file >= self._unplaced:
            return True
        wanted = self._file_rows()
        if wanted >= self._unplaced:
            return False
        return (wanted - self._in_file) * 2 < self._last

    def _file_rows(self) -> int:
        return math.ceil(self._unplaced / self._files())

    def _files(self) -> int:
        """Return the number of files for the rows that are in no closed file."""
        targets = self._unplaced * self._stored_per_row / self._target
        least = LEAST_SHARE if self._planned > 1 else 0.0
        if self._planned >= 1 and least <= targets / self._planned <= MOST_SHARE:
            return self._planned
        return output_count(targets * self._target, self._target)

    def _row_groups(self, rows: int) -> int:
        return max(1, math.floor(rows / self._row_group_rows()))

    def _row_group_rows(self) -> float:
        logical = self._row_group / self._logical_per_row if self._logical_per_row else 0.0
        stored = MIN_ROW_GROUP_BYTES / self._stored_per_row if self._stored_per_row else 0.0
        return max(1.0, logical, stored)


def layout_of(task: KernelTask, live: int, *, planned: int) -> OutputLayout:
    """Return the layout of a task's outputs.

    Args:
        task: the task.
        live: rows of the outputs.
        planned: the number of outputs that the plan predicted; 0: it did not.
    """
    rows = sum(one.record_count for one in task.read.files)
    stored = sum(one.file_bytes for one in task.read.files)
    return OutputLayout(
        target_bytes=task.write.settings.target_file_bytes,
        row_group_bytes=task.write.settings.row_group_bytes,
        rows=live,
        stored_bytes=stored * live / max(1, rows),
        planned_outputs=planned,
    )

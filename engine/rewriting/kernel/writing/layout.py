"""How many outputs and row groups: arithmetic only.

Outputs: the plan's number, rows divided evenly, as long as what is really written makes files between 3/4 and 7/4 of
the target; else `n = max(1, floor(bytes / target + 1/3))` for what is still to be put into a file, with the bytes per
row measured so far. By that formula a file lies between 5/6 and 5/3 of the target (or is the only one), inside the
75 %-180 % that planning leaves alone: rewriting is stable and no sliver is left. Many tiny files shrink a lot when they
are joined: without measuring they would become small files again.

Row groups: as the row-group size wants (measured by the inputs' logical bytes per row), but never less than
`MIN_ROW_GROUP_BYTES` stored, unless the file is smaller.
"""

import math
from typing import Final

MIN_ROW_GROUP_BYTES: Final = 64 * 2**20
"""Stored bytes that a row group has at least, unless it is the whole file."""


LEAST_SHARE: Final = 0.75
MOST_SHARE: Final = 1.75
"""Shares of the target between which the plan's number of outputs is kept."""


def output_count(total_bytes: float, target_bytes: int) -> int:
    """Return how many files to make of so many bytes."""
    return max(1, math.floor(total_bytes / target_bytes + 1 / 3))


class Layout:
    """Where to cut. Rows in, rows out; it is told what is written."""

    def __init__(
        self, *, target_bytes: int, row_group_bytes: int, rows: int, stored_bytes: float, planned_outputs: int
    ) -> None:
        """`rows` are the live rows of the group, `stored_bytes` what they take in the inputs."""
        self._target = target_bytes
        self._row_group = row_group_bytes
        self._unplaced = rows  # rows that are in no closed file
        self._in_file = 0  # rows in the open file
        self._last = 0  # rows in the last row group
        self._planned = planned_outputs  # files that the plan still expects, the open one among them
        self._stored_per_row = stored_bytes / max(1, rows)
        self._logical_per_row = 0.0
        self._measured = (0, 0)

    @property
    def expects_several_files(self) -> bool:
        """Whether, by what is known so far, the rows go into more than one file."""
        return self._files() > 1

    def observe_input(self, rows: int, logical_bytes: int) -> None:
        """Learn the logical bytes (encoded, not compressed) per row from an input's row group."""
        if rows and not self._logical_per_row:
            self._logical_per_row = logical_bytes / rows

    def observe_written(self, rows: int, stored_bytes: int) -> None:
        """Learn that a row group went into the open file, and how large it became."""
        self._in_file += rows
        self._last = rows
        self._measured = (self._measured[0] + rows, self._measured[1] + stored_bytes)
        self._stored_per_row = max(1e-9, self._measured[1] / self._measured[0])

    def close_file(self) -> None:
        """Learn that the open file is complete."""
        self._unplaced -= self._in_file
        self._in_file = 0
        self._planned -= 1

    def next_row_group(self) -> int:
        """Return the rows of the next row group, at least one; the open file gets it."""
        left = max(1, self._file_rows() - self._in_file)
        return math.ceil(left / self._row_groups(left))

    def file_is_full(self) -> bool:
        """Return whether to close the open file: done, or less than half its last row group is left for it."""
        if self._in_file >= self._unplaced:
            return True
        wanted = self._file_rows()
        if wanted >= self._unplaced:
            return False
        return (wanted - self._in_file) * 2 < self._last

    def _file_rows(self) -> int:
        return math.ceil(self._unplaced / self._files())

    def _files(self) -> int:
        """Return into how many files the rows go that are in no closed file."""
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

"""Time of one lane of a run for file groups: the plan's estimate, corrected by measurements of this run.

An estimate may keep groups from being sent before a window begins, and then the run waits until the window has passed,
for hours. So a group is held back only if it would not end in time even if it is faster than estimated by the factor
that the evidence leaves open: ten where nothing was measured, one and a half after several runs of the table, one and a
quarter after the first groups of this run. Limits are certain: a group never takes less time than they allow. A group
that is sent and does not end in time is stopped by the window as any other.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from engine.domain.runs.plans import FileGroup
from engine.domain.runs.times import RunSize, TimeEstimate

_NEWEST: Final = 8
_UNCERTAINTY: Final = 1.25
"""Factor of uncertainty once groups of this run were measured."""


class LaneTimes:
    """Estimates the seconds that one lane of a run takes."""

    def __init__(self, estimate: TimeEstimate) -> None:
        self._costs = estimate.costs
        self._lanes = estimate.lanes
        self._limit = estimate.limit.bytes_per_second
        self._measured: deque[tuple[float, float]] = deque(maxlen=_NEWEST)

    def add(self, groups: Sequence[FileGroup], seconds: float) -> None:
        """Add a measurement: groups that a lane finished, and the seconds it took."""
        self._measured.append((self._expected(groups), seconds))

    def seconds(self, groups: Sequence[FileGroup]) -> float:
        """Return the expected seconds of a lane."""
        return self._expected(groups) * self._correction

    def least_seconds(self, groups: Sequence[FileGroup]) -> float:
        """Return the least seconds that a lane can take according to the evidence."""
        least = self.seconds(groups) / (_UNCERTAINTY if self._measured else self._costs.uncertainty)
        return max(least, _size(groups).bytes / self._limit) if self._limit else least

    @property
    def evidence(self) -> str:
        """The basis of estimates, in words."""
        return "measured in this run" if self._measured else self._costs.evidence

    def _expected(self, groups: Sequence[FileGroup]) -> float:
        """Return the plan's estimate in seconds: the lane's own time, or that of its share of the limit if longer."""
        size = _size(groups)
        limited = 2 * size.bytes * self._lanes / self._limit if self._limit else 0.0  # each byte is read and written
        return max(self._costs.lane_seconds(size), limited)

    @property
    def _correction(self) -> float:
        expected = sum(before for before, _ in self._measured)
        measured = sum(seconds for _, seconds in self._measured)
        return measured / expected if expected > 0 and measured > 0 else 1.0


def _size(groups: Sequence[FileGroup]) -> RunSize:
    files = sum(len(group.inputs) for group in groups)
    return RunSize(len(groups), files, sum(group.input_bytes for group in groups))

"""Activity and backlog of the fleet over time, in intervals of equal length."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from engine.domain.runs.run import RunState

HOUR: Final = timedelta(hours=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class HistoryStep(StrEnum):
    """Lengths of intervals; intervals of a day begin at midnight UTC."""

    HOUR = "1h"
    DAY = "1d"

    @property
    def length(self) -> timedelta:
        """The length of one interval."""
        return HOUR if self is HistoryStep.HOUR else timedelta(days=1)


def floor_of(instant: datetime, length: timedelta) -> datetime:
    """Return the start of the interval that contains an instant, in UTC."""
    return _EPOCH + (instant - _EPOCH) // length * length


@dataclass(frozen=True, slots=True)
class BacklogSample:
    """Sums over the newest measurements of tables at one instant."""

    sampled_at: datetime
    measured_tables: int
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int
    history_bytes: int


@dataclass(frozen=True, slots=True)
class EndedRunSums:
    """Sums over the runs that ended in an interval in one state."""

    runs: int = 0
    rewritten_files: int = 0
    rewritten_bytes: int = 0
    wasted_bytes: int = 0
    groups_committed: int = 0
    groups_lost: int = 0


@dataclass(frozen=True, slots=True)
class TableActivity:
    """Small files made and removed in an hour, and the last sample of the hour; None: there is none."""

    small_files_made: int
    small_files_removed: int
    sample: BacklogSample | None


@dataclass(frozen=True, slots=True)
class FleetInterval:
    """Activity in one interval; `backlog`: the last sample in it, None if it has none."""

    starts_at: datetime
    ends_at: datetime
    small_files_made: int
    small_files_removed: int
    ended_runs: Mapping[RunState, int]
    sums: EndedRunSums
    backlog: BacklogSample | None


@dataclass(frozen=True, slots=True)
class FleetHistory:
    """Intervals in order, without gaps; none before `known_since`, the first hour in the record (None: no hour is)."""

    step: HistoryStep
    known_since: datetime | None
    intervals: tuple[FleetInterval, ...]

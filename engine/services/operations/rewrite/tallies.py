"""Groups that an attempt finds, and the report of its work with the counts for later predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from engine.domain.ids import TableId
from engine.domain.runs.drops import DropReason
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.left_out import LeftOutItem
from engine.domain.runs.run import GroupOutline, GroupState
from engine.domain.runs.times import RunKind, RunSize, RunTime

_MOST_WAITED: Final = 0.1
"""Largest share of waiting for limits in an attempt's time; above it the time depends on the limit, not the work."""


_UNFINISHED: Final = frozenset({GroupState.PLANNED, GroupState.RUNNING, GroupState.WRITTEN})


@dataclass(frozen=True, slots=True)
class GroupLedger:
    """All file groups of a run as stored at one time, also those of earlier attempts."""

    groups: Sequence[GroupOutline]

    @property
    def places(self) -> frozenset[Place]:
        """The partitions of the groups."""
        return frozenset(group.place for group in self.groups)

    @property
    def has_committed(self) -> bool:
        """Whether a group is committed."""
        return any(group.state is GroupState.COMMITTED for group in self.groups)

    @property
    def unfinished(self) -> Sequence[GroupOutline]:
        """The groups that are neither committed nor dropped."""
        return [group for group in self.groups if group.state in _UNFINISHED]

    def with_dropped(self, reason: DropReason) -> "GroupLedger":
        """Return the ledger after the unfinished groups were dropped."""
        dropped = {group.ordinal: replace(group, state=GroupState.DROPPED, reason=reason) for group in self.unfinished}
        return GroupLedger([dropped.get(group.ordinal, group) for group in self.groups])


@dataclass(frozen=True, slots=True)
class AttemptTally:
    """Groups written in an attempt, and the seconds that its tasks waited (summed over their threads)."""

    kind: RunKind = RunKind.PACK
    lanes: int = 1
    groups: int = 0
    files: int = 0
    bytes: int = 0
    waited_seconds: float = 0.0

    def with_group(self, files: int, size: int) -> "AttemptTally":
        """Return the tally with another written group: its input files and bytes."""
        return replace(self, groups=self.groups + 1, files=self.files + files, bytes=self.bytes + size)

    def with_wait(self, seconds: float) -> "AttemptTally":
        """Return the tally with more seconds of waiting."""
        return replace(self, waited_seconds=self.waited_seconds + seconds)

    def time(self, table_id: TableId, machine: str, seconds: float) -> RunTime | None:
        """Return the attempt's time; None if it is not evidence: no group was written, or limits made it wait."""
        if not self.groups or seconds <= 0 or self.waited_seconds > _MOST_WAITED * seconds:
            return None
        size = RunSize(self.groups, self.files, self.bytes, lanes=min(self.lanes, self.groups))
        return RunTime(table_id, machine, self.kind, size, seconds)


@dataclass(frozen=True, slots=True)
class WorkReport:
    """Work of a path until all groups were done or the attempt was asked to stop.

    Attributes:
        tally: the groups that were written, and what their tasks waited for.
        may_leave_files: whether a task may have left files that no group names.
        order: how far files overlap before and after, JSON-ready; None without a requested order of rows.
        left_out: the partitions that the plan left out since the format can't rewrite them.
    """

    tally: AttemptTally = field(default_factory=AttemptTally)
    may_leave_files: bool = False
    order: Mapping[str, Any] | None = None
    left_out: Sequence[LeftOutItem] = ()

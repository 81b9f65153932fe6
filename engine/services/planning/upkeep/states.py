"""Whether operations that the policy schedules besides rewriting are due on a table, and when.

Used by explain, by the overview of a table's upkeep and by the coordinator. Reads metadata: call in a thread.
"""

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Self

from engine.domain.errors import NotEligible, TableUnreadable
from engine.domain.policies import OFF, EffectivePolicy, Metric
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from engine.formats.base import OpenTable
from engine.planning.due.table_conditions import holds_in_seconds, measure_conditions, table_values
from engine.planning.due.triggers import MeasuredCondition
from engine.services.planning.upkeep.operations import UPKEEP, OperationPlan, plan_upkeep, switched_on
from engine.services.planning.upkeep.record import UpkeepRecord

LEAST_INTERVAL: Final = timedelta(hours=1)
"""Least time between two automatic runs of an operation that does not wait for its interval."""


@dataclass(frozen=True, slots=True)
class UpkeepState:
    """An operation of upkeep on a table: what a run would do now, and whether it is due.

    `due_at`: when it is due if nothing more is written; None: never by the passing of time alone, or `blocked` has the
    reason why not. `conditions`: those of the setting's `when`, as measured. `count`, `superseded_bytes`, `is_worth`:
    as those of `OperationPlan`.
    """

    operation: Operation
    setting: str
    is_due: bool
    due_at: datetime | None
    words: str
    blocked: str | None = None
    conditions: tuple[MeasuredCondition, ...] = ()
    count: int = 0
    superseded_bytes: int = 0
    is_worth: bool = True

    @classmethod
    def of(
        cls, operation: Operation, setting: str, work: OperationPlan, earliest: datetime | None, now: datetime
    ) -> Self:
        """Return the state of an operation with this work that may not start before `earliest`; None: at no time."""
        state = cls(
            operation,
            setting,
            is_due=False,
            due_at=None,
            words=work.words,
            count=work.count,
            superseded_bytes=work.superseded_bytes,
            is_worth=work.is_worth,
        )
        if earliest is None or (work.count and not work.is_worth):
            return state
        if work.count:
            return replace(state, is_due=earliest <= now, due_at=max(earliest, now))
        return state if work.next_at is None else replace(state, due_at=max(earliest, work.next_at))


def upkeep_states(table: OpenTable, policy: EffectivePolicy, record: UpkeepRecord) -> tuple[UpkeepState, ...]:
    """Return the state of every operation that the policy has switched on, in the order in which they run.

    Operations that the table's format does not have are left out: some are on by default.
    """
    return tuple(
        upkeep_state(table, policy, each, record) for each in switched_on(policy) if UPKEEP[each].is_possible(table)
    )


def upkeep_state(table: OpenTable, policy: EffectivePolicy, operation: Operation, record: UpkeepRecord) -> UpkeepState:
    """Return the state of an operation that the policy has switched on."""
    setting = OPERATIONS[operation].setting
    try:
        work = plan_upkeep(table, policy, operation, record.now, record.needed)
    except (NotEligible, TableUnreadable) as error:
        return UpkeepState(operation, setting, is_due=False, due_at=None, words=error.message, blocked=error.code)
    value = policy.values[setting]
    try:
        conditions, holds_in = _when(table, policy, setting, record)
    except TableUnreadable as error:
        return UpkeepState(operation, setting, is_due=False, due_at=None, words=error.message, blocked=error.code)
    earliest = _earliest(value["interval"], work, holds_in, record.last_ends.get(operation), record.now)
    return replace(UpkeepState.of(operation, setting, work, earliest, record.now), conditions=conditions)


def _when(
    table: OpenTable, policy: EffectivePolicy, setting: str, record: UpkeepRecord
) -> tuple[tuple[MeasuredCondition, ...], float | None]:
    """Return the measured conditions of a setting's `when`, and the seconds until all hold (None: never)."""
    if not policy.values[setting].get("when"):  # most have none, and the document takes longer than all else here
        return (), None
    part: Any = policy.document()
    for name in setting.split("."):
        part = getattr(part, name)
    now, left = record.now, record.left
    unreferenced = math.nan if left is None else float(left.bytes)
    values = table_values(table.figures(), int(now.timestamp() * 1000), unreferenced_bytes=unreferenced)
    holds_in = holds_in_seconds(part.when, values)
    if holds_in is not None and any(each.metric is Metric.UNREFERENCED_BYTES for each in part.when):
        next_at = None if left is None else left.next_at  # a search before it would delete nothing
        holds_in = None if next_at is None else max(holds_in, (next_at - now).total_seconds())
    return measure_conditions(part.when, values), holds_in


def _earliest(
    interval: Any, work: OperationPlan, holds_in: float | None, last_end: datetime | None, now: datetime
) -> datetime | None:
    """Return the earliest automatic start: at the interval, or sooner if it is urgent or the conditions hold by then.

    Returns None if the setting's interval is off, and neither is the case.
    """
    begin = datetime.min.replace(tzinfo=UTC) if last_end is None else last_end
    soonest = begin if last_end is None else begin + LEAST_INTERVAL
    starts = [] if interval == OFF else [begin if last_end is None else begin + timedelta(seconds=interval)]
    if work.is_urgent:
        starts.append(soonest)
    if holds_in is not None:
        starts.append(max(soonest, _after(now, holds_in)))
    return min((max(each, now) for each in starts), default=None)


def _after(now: datetime, seconds: float) -> datetime:
    """Return an instant after now; those beyond the calendar are its end."""
    try:
        return now + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)

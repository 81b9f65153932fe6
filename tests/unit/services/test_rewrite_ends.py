"""How an attempt at a rewrite ends, by the states of its file groups and the request to stop: the whole table."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.policies import OnStart
from engine.domain.runs.drops import DropReason, Loss
from engine.domain.runs.plans import NOTHING_LATER, Later, Plan, Prediction, SkippedPartition
from engine.domain.runs.run import GroupOutline, GroupState, WaitingFor
from engine.services.operations.rewrite.decisions import decide_end, decide_without_groups
from engine.services.operations.rewrite.tallies import GroupLedger
from engine.services.runs.attempts import AttemptStop, Stop
from engine.services.runs.budgets import DayBudget
from engine.services.runs.ending import AttemptOutcome, Ended
from engine.services.runs.holds import StartBlocker

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
ROOM = DayBudget(None, None, None)
SPENT = DayBudget(10, 0, NOON, deferred=2)
QUIET = StartBlocker(WaitingFor.QUIET_HOURS, NOON, OnStart.DRAIN, "quiet_hours", "quiet until noon")
MORE = Later(partitions=3, files=30, bytes=300)

OLD, DONE = (GroupState.COMMITTED, 1, None), (GroupState.COMMITTED, 2, None)
LOST = (GroupState.DROPPED, 2, DropReason.lost(Loss.SOURCE_GONE))
REFUSED = (GroupState.DROPPED, 2, DropReason.refused("row_too_large: 1 GiB"))
PASSING = (GroupState.DROPPED, 2, DropReason.refused("unreadable: a file is missing"))
FAILED = (GroupState.DROPPED, 2, DropReason.failed("java.lang.OutOfMemoryError"))
OPEN, WRITTEN = (GroupState.PLANNED, 2, None), (GroupState.WRITTEN, 2, None)
Made = tuple[GroupState, int, DropReason | None]


def ledger(made: Sequence[Made]) -> GroupLedger:
    return GroupLedger(
        [
            GroupOutline(at, state, attempt, 0, f'{{"day": {at}}}', 100, 10, 0, {}, None, reason)
            for at, (state, attempt, reason) in enumerate(made)
        ]
    )


def brief(outcome: AttemptOutcome) -> tuple[str, str]:
    """Return the state of the run, or what it waits for, and the reason."""
    if isinstance(outcome, Ended):
        return outcome.state.value, outcome.reason
    return f"waits for {outcome.waiting_for}", outcome.reason


def a_plan(skipped: tuple[SkippedPartition, ...]) -> Plan:
    return Plan(1, 0, (), skipped, len(skipped), Prediction(0, 0, 0, 0, 0, 0.0))


CASES: list[tuple[list[Made], AttemptStop | None, DayBudget, Later, tuple[str, str]]] = [
    ([DONE, DONE], None, ROOM, NOTHING_LATER, ("succeeded", "committed")),
    ([DONE, LOST], None, ROOM, NOTHING_LATER, ("succeeded", "committed")),
    ([DONE, REFUSED], None, ROOM, NOTHING_LATER, ("succeeded", "committed")),
    ([DONE, FAILED], None, ROOM, NOTHING_LATER, ("failed", "groups_failed")),
    ([REFUSED], None, ROOM, NOTHING_LATER, ("refused", "groups_refused")),
    ([REFUSED, FAILED], None, ROOM, NOTHING_LATER, ("failed", "groups_failed")),
    ([REFUSED, PASSING], None, ROOM, NOTHING_LATER, ("failed", "groups_failed")),
    ([REFUSED, LOST], None, ROOM, NOTHING_LATER, ("failed", "groups_failed")),
    ([LOST, LOST], None, ROOM, NOTHING_LATER, ("waits for conflict_backoff", "conflict")),
    ([OPEN], None, SPENT, NOTHING_LATER, ("waits for budget", "bytes_per_day")),
    ([DONE], None, ROOM, MORE, ("waits for None", "goes_on")),
    ([OLD], None, ROOM, MORE, ("succeeded", "committed")),
    ([DONE], None, SPENT, MORE, ("succeeded", "committed")),
    ([DONE, OPEN], AttemptStop(Stop.LEAVING), ROOM, NOTHING_LATER, ("waits for retry", "worker_stopped")),
    ([WRITTEN], AttemptStop(Stop.SHUTDOWN), ROOM, NOTHING_LATER, ("waits for retry", "worker_stopped")),
    ([DONE], AttemptStop(Stop.SHUTDOWN), ROOM, MORE, ("waits for retry", "worker_stopped")),
    ([DONE], AttemptStop(Stop.SHUTDOWN), ROOM, NOTHING_LATER, ("succeeded", "committed")),
    ([DONE, OPEN], AttemptStop(Stop.CANCELLED, cancelled_by="ann"), ROOM, NOTHING_LATER, ("cancelled", "cancelled")),
    ([DONE], AttemptStop(Stop.CANCELLED, cancelled_by="ann"), ROOM, NOTHING_LATER, ("succeeded", "committed")),
    ([DONE, OPEN], AttemptStop(Stop.DRAINED, QUIET), ROOM, NOTHING_LATER, ("waits for quiet_hours", "quiet_hours")),
    ([OPEN], AttemptStop(Stop.INTERRUPTED, QUIET), SPENT, MORE, ("waits for quiet_hours", "quiet_hours")),
    ([DONE], AttemptStop(Stop.DRAINED, QUIET), ROOM, NOTHING_LATER, ("succeeded", "committed")),
    ([DONE, OPEN], AttemptStop(Stop.DRAINED), ROOM, NOTHING_LATER, ("succeeded", "committed")),
]


@pytest.mark.parametrize(("made", "stop", "budget", "later", "wanted"), CASES)
def test_an_attempt_ends_by_its_groups_unless_something_is_left_and_a_stop_decides(
    made: list[Made], stop: AttemptStop | None, budget: DayBudget, later: Later, wanted: tuple[str, str]
) -> None:
    assert brief(decide_end(ledger(made), stop, budget, later, attempt=2, failures=0)) == wanted


def test_f18_each_lost_race_waits_twice_as_long_and_the_third_is_the_last() -> None:
    ends = [decide_end(ledger([LOST]), None, ROOM, attempt=2, failures=failures) for failures in range(3)]
    assert [(each.wait, each.failed) for each in ends[:2] if not isinstance(each, Ended)] == [
        (timedelta(seconds=30), True),
        (timedelta(seconds=60), True),
    ]
    assert brief(ends[2]) == ("failed", "conflict")


def test_a_plan_without_groups_waits_for_the_budget_or_says_why_it_has_none() -> None:
    cooling = SkippedPartition('{"day": 1}', 0, 2, 20, "cooling_down", NOON)
    none, cool = a_plan(()), a_plan((cooling,))
    assert brief(decide_without_groups(none, SPENT, has_committed=True)) == ("waits for budget", "bytes_per_day")
    assert brief(decide_without_groups(none, ROOM, has_committed=True)) == ("succeeded", "committed")
    assert brief(decide_without_groups(none, ROOM, has_committed=False)) == ("skipped", "nothing_to_do")
    assert brief(decide_without_groups(cool, ROOM, has_committed=False)) == ("skipped", "cooling_down")

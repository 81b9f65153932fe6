"""How a run's time was spent."""

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.ids import RunId
from engine.domain.runs.run import RunEvent, RunState
from engine.domain.runs.timelines import RunTimeline, run_timeline

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def event(seconds: float, kind: str, to: RunState | None = None, *, attempt: int = 0, **details: Any) -> RunEvent:
    reason = details.pop("reason", None)
    return RunEvent(RunId("run_1"), 1, at(seconds), kind, "x", attempt, None, to, reason, details)


SUBMITTED = event(0, "submitted", RunState.QUEUED)


def claimed(seconds: float, attempt: int) -> RunEvent:
    return event(seconds, "claimed", RunState.PLANNING, attempt=attempt)


def parked(seconds: float, attempt: int, waiting_for: str | None, until: float | None, reason: str) -> RunEvent:
    not_before = None if until is None else at(until).isoformat()
    return event(
        seconds,
        "parked",
        RunState.QUEUED,
        attempt=attempt,
        reason=reason,
        waiting_for=waiting_for,
        not_before=not_before,
    )


def test_every_attempt_and_every_wait_counts() -> None:
    events = [
        SUBMITTED,
        claimed(4, 1),
        parked(10, 1, "quiet_hours", 100, "quiet_hours"),
        claimed(103, 2),
        event(123, "state_changed", RunState.SUCCEEDED, attempt=2, reason="committed"),
    ]
    found = run_timeline(events, now=at(9999))
    assert (found.total_seconds, found.queued_seconds, found.working_seconds) == (123, 4, 26)
    assert found.waiting == {"quiet_hours": 90.0, "worker": 7.0}
    assert found.waiting_seconds == 97
    assert [(each.number, each.seconds, each.reason) for each in found.attempts] == [
        (1, 6.0, "quiet_hours"),
        (2, 20.0, "committed"),
    ]


def test_a_run_counts_up_to_now_and_an_attempt_to_when_its_dead_worker_is_noticed() -> None:
    found = run_timeline([SUBMITTED, claimed(4, 1)], now=at(10))
    assert (found.total_seconds, found.working_seconds, found.attempts[0].ended_at) == (10, 6, None)
    found = run_timeline([SUBMITTED, claimed(4, 1), parked(5, 1, "spark", None, "spark")], now=at(65))
    assert found.waiting == {"spark": 60.0, "worker": 4.0}
    assert run_timeline([], now=NOON) == RunTimeline()
    reaped = event(40, "reaped", RunState.QUEUED, attempt=1, reason="lease_expired")
    found = run_timeline([SUBMITTED, claimed(10, 1), reaped, claimed(41, 2)], now=at(41))
    assert [(each.seconds, each.reason) for each in found.attempts] == [(30.0, "lease_expired"), (0.0, None)]


def test_a_wait_before_the_first_attempt_has_its_cause_and_a_run_that_was_cancelled_in_the_queue_only_waited() -> None:
    held = event(1, "held_back", waiting_for="blackout", not_before=at(500).isoformat())
    freed = event(31, "let_go")
    found = run_timeline([SUBMITTED, held, freed, claimed(33, 1)], now=at(33))
    assert found.waiting == {"blackout": 30.0, "worker": 3.0}
    assert found.queued_seconds == 33
    found = run_timeline([SUBMITTED, event(7, "cancelled", RunState.CANCELLED)], now=at(100))
    assert (found.total_seconds, found.working_seconds, found.queued_seconds) == (7, 0, 7)

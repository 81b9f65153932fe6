"""The timeline of a run, from its events: working time of each attempt, and waiting time by cause."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from engine.domain.runs.run import TERMINAL_STATES, RunEvent, RunState

WORKER: Final = "worker"
"""Cause of a wait without a condition: for a free worker, for capacity under run limits, or for the end of a pause."""


@dataclass(frozen=True, slots=True)
class AttemptTime:
    """Working time of one attempt. `ended_at` is None while it works; `reason`: why it ended."""

    number: int
    started_at: datetime
    ended_at: datetime | None
    seconds: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RunTimeline:
    """Seconds of a run from its submission to its end, or to now.

    `queued_seconds`: before the first attempt. `waiting`: by cause, including `queued_seconds`; causes are `WORKER` and
    `WaitingFor`. `attempts`: all, oldest first.
    """

    total_seconds: float = 0.0
    queued_seconds: float = 0.0
    working_seconds: float = 0.0
    waiting: Mapping[str, float] | None = None
    attempts: tuple[AttemptTime, ...] = ()

    @property
    def waiting_seconds(self) -> float:
        """The sum of all waits."""
        return round(sum((self.waiting or {}).values()), 3)

    def document(self) -> dict[str, Any]:
        """Return the timeline as JSON-ready values, without the attempts."""
        return {
            "total_seconds": self.total_seconds,
            "queued_seconds": self.queued_seconds,
            "working_seconds": self.working_seconds,
            "waiting_seconds": self.waiting_seconds,
            "waiting": dict(self.waiting or {}),
            "attempts": len(self.attempts),
        }


class _Clock:
    """Adds up a run's time event by event; `cause`, `until`: those of the current wait."""

    def __init__(self, at: datetime) -> None:
        self.began = self.at = at
        self.cause = WORKER
        self.until: datetime | None = None
        self.working_since: tuple[int, datetime] | None = None
        self.waiting: dict[str, float] = {}
        self.attempts: list[AttemptTime] = []

    def wait_to(self, at: datetime) -> None:
        """End the wait at an instant: time up to `until` counts for its cause, time after it for `WORKER`."""
        free_at = at if self.until is None else min(at, max(self.at, self.until))
        for cause, seconds in ((self.cause, _seconds(self.at, free_at)), (WORKER, _seconds(free_at, at))):
            if seconds > 0:
                self.waiting[cause] = self.waiting.get(cause, 0.0) + seconds
        self.at = at

    def work_to(self, at: datetime, reason: str | None, *, ended: bool = True) -> None:
        """End the attempt at an instant."""
        if self.working_since is not None:
            number, since = self.working_since
            self.attempts.append(AttemptTime(number, since, at if ended else None, _seconds(since, at), reason))
        self.working_since, self.at = None, at


def run_timeline(events: Iterable[RunEvent], *, now: datetime) -> RunTimeline:
    """Return the timeline of a run.

    Args:
        events: events that start and end attempts and waits, oldest first; others change nothing.
        now: end of the attempt or wait that is still open.
    """
    clock: _Clock | None = None
    is_over = False
    for event in events:
        clock = clock or _Clock(event.at)
        if event.to_state is RunState.PLANNING:
            clock.wait_to(event.at)
            clock.working_since = (event.attempt, event.at)
        elif event.to_state is RunState.QUEUED or event.to_state in TERMINAL_STATES:
            if clock.working_since is None:
                clock.wait_to(event.at)
            clock.work_to(event.at, event.reason)
            clock.cause, clock.until = _wait_of(event)
            is_over = event.to_state in TERMINAL_STATES
        elif event.kind in WAIT_KINDS and clock.working_since is None:
            clock.wait_to(event.at)
            clock.cause, clock.until = _wait_of(event)
    if clock is None:
        return RunTimeline()
    if not is_over and clock.working_since is None:
        clock.wait_to(now)
    elif not is_over:
        clock.work_to(now, None, ended=False)
    return _summed(clock)


WAIT_KINDS: Final = frozenset({"held_back", "let_go"})
"""Kinds of events that change why a queued run waits."""


def _wait_of(event: RunEvent) -> tuple[str, datetime | None]:
    until = event.details.get("not_before")
    cause = event.details.get("waiting_for") or WORKER
    return str(cause), None if until is None else datetime.fromisoformat(str(until))


def _summed(clock: _Clock) -> RunTimeline:
    first = clock.attempts[0].started_at if clock.attempts else clock.at
    return RunTimeline(
        total_seconds=_seconds(clock.began, clock.at),
        queued_seconds=_seconds(clock.began, first),
        working_seconds=round(sum(attempt.seconds for attempt in clock.attempts), 3),
        waiting={cause: round(seconds, 3) for cause, seconds in sorted(clock.waiting.items())},
        attempts=tuple(clock.attempts),
    )


def _seconds(since: datetime, until: datetime) -> float:
    return round(max(0.0, (until - since).total_seconds()), 3)

"""Holds on a running run, kept up to date by its attempt's heartbeat.

Pauses and signals are read at each heartbeat, the policy every `POLICY_SECONDS`. While the database does not answer,
the last values stay in force and its time is extrapolated with the monotonic clock, so that a window begins on time.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from engine.domain.clock import Clock
from engine.domain.fleet.backoff import NO_SLOWDOWN, Slowdown
from engine.domain.fleet.limits import Pauses
from engine.domain.ids import TableId
from engine.domain.runs.run import Operation
from engine.services.runs.holds import HoldRules, Latencies, StartBlocker, WindowGap, read_latencies, read_rules
from engine.stores.unit_of_work import UnitOfWork

POLICY_SECONDS: Final = 20.0
_LEAST_SECONDS: Final = 0.001


class HoldWatch:
    """The holds on one run; `urgent_after` counts from `due_since`. There is no hold before the first `read`."""

    def __init__(self, *, clock: Clock, table_id: TableId, operation: Operation, due_since: datetime) -> None:
        self._clock = clock
        self._table_id = table_id
        self._operation = operation
        self._due_since = due_since
        self._rules = HoldRules()
        self._latencies = Latencies()
        self._pauses = Pauses()
        self._policy_at: float | None = None
        self._zero: datetime | None = None  # the database's time at zero of the monotonic clock

    @property
    def now(self) -> datetime:
        """Return the database's time; this machine's time before the first read."""
        return self._clock.now() if self._zero is None else self._zero + timedelta(seconds=self._clock.monotonic())

    async def read(self, unit: UnitOfWork) -> None:
        """Read pauses, signals and the policy for holds on the run.

        Raises:
            Transient: the database does not answer.
        """
        self._zero = (await unit.now()).astimezone(UTC) - timedelta(seconds=self._clock.monotonic())
        self._pauses = await unit.pauses.of_table(self._table_id)
        if self._policy_at is None or self._clock.monotonic() - self._policy_at >= POLICY_SECONDS:
            self._rules = await read_rules(unit, self._table_id, self._operation)
            self._policy_at = self._clock.monotonic()
        self._latencies = await read_latencies(unit, self._table_id, self._rules)

    def hold(self) -> StartBlocker | None:
        """Return the active hold, None without one."""
        return self._rules.hold(self.now, self._due_since, self._latencies, self._pauses)

    def room(self) -> WindowGap:
        """Return the time before the next window that stops the run."""
        return WindowGap() if self._rules.windows.are_none else self._rules.room(self.now, self._due_since)

    def slowdown(self) -> Slowdown:
        """Return the present slowdown of the run."""
        return NO_SLOWDOWN if self._rules.backoff is None else self._rules.slowdown(self.now, self._latencies)

    def seconds_to_look(self, most: float) -> float:
        """Return the seconds to wait before the next heartbeat: until the next window starts, at most `most`."""
        ahead = self.room().seconds
        return most if ahead is None else min(most, max(ahead, _LEAST_SECONDS))

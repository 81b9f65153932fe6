"""What holds a run back while it is at work, kept up to date by its attempt's heartbeat.

Pauses and signals are read at each look, the policy every `POLICY_SECONDS`. What was read last holds on while the
database is away, and its clock is carried on by the monotonic one: a window begins on time all the same.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from engine.domain.clock import Clock
from engine.domain.fleet.backoff import NO_SLOWDOWN, Slowdown
from engine.domain.fleet.limits import Pauses
from engine.domain.ids import TableId
from engine.services.runs.holds import Hold, HoldRules, Latencies, Room, read_latencies, read_rules
from engine.stores.unit_of_work import UnitOfWork

POLICY_SECONDS: Final = 20.0
_LEAST_SECONDS: Final = 0.001


class HoldWatch:
    """The holds on one run, whose patience counts from `due_since`. Before the first `read` nothing holds it."""

    def __init__(self, *, clock: Clock, table_id: TableId, due_since: datetime) -> None:
        self._clock = clock
        self._table_id = table_id
        self._due_since = due_since
        self._rules = HoldRules()
        self._latencies = Latencies()
        self._pauses = Pauses()
        self._policy_at: float | None = None
        self._zero: datetime | None = None  # the database's time when the monotonic clock showed nought

    @property
    def now(self) -> datetime:
        """The database's time; this machine's before the first read."""
        return self._clock.now() if self._zero is None else self._zero + timedelta(seconds=self._clock.monotonic())

    async def read(self, unit: UnitOfWork) -> None:
        """Read what may hold the run back now.

        Raises:
            Transient: the database does not answer.
        """
        self._zero = (await unit.now()).astimezone(UTC) - timedelta(seconds=self._clock.monotonic())
        self._pauses = await unit.pauses.of_table(self._table_id)
        if self._policy_at is None or self._clock.monotonic() - self._policy_at >= POLICY_SECONDS:
            self._rules = await read_rules(unit, self._table_id)
            self._policy_at = self._clock.monotonic()
        self._latencies = await read_latencies(unit, self._table_id, self._rules)

    def hold(self) -> Hold | None:
        """Return what holds the run back now, None when nothing does."""
        return self._rules.hold(self.now, self._due_since, self._latencies, self._pauses)

    def room(self) -> Room:
        """Return how much time there is before the next window that stops the run."""
        return Room() if self._rules.windows.are_none else self._rules.room(self.now, self._due_since)

    def slowdown(self) -> Slowdown:
        """Return how much slower the run has to go."""
        return NO_SLOWDOWN if self._rules.backoff is None else self._rules.slowdown(self.now, self._latencies)

    def seconds_to_look(self, most: float) -> float:
        """Return how long to wait before the next look: to the start of the next window, `most` seconds at most."""
        ahead = self.room().seconds
        return most if ahead is None else min(most, max(ahead, _LEAST_SECONDS))

"""Holds on a table's runs: pauses, blackouts, quiet hours, and back-off while queries are slow.

Used by claims for waiting runs and by the heartbeat for running ones (`hold_watch`). Several holds are combined into
one that is as strict as the strictest and ends with the last of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from engine.domain.fleet.backoff import NEWEST, NO_SLOWDOWN, Latency, Slowdown, latencies_of, slowdown_of, stricter
from engine.domain.fleet.endpoints import SparkNeeds
from engine.domain.fleet.limits import Pauses
from engine.domain.ids import TableId
from engine.domain.policies import OFF, EffectivePolicy, OnStart, Windows
from engine.domain.policies.documents.document import Backoff
from engine.domain.policies.effective.gaps import gap_at
from engine.domain.runs.run import Operation, Run, WaitingFor
from engine.domain.tables.signals import SignalKind
from engine.domain.values.instants import format_instant
from engine.domain.values.units import format_duration
from engine.services.policies.effective import PolicyReader
from engine.stores.unit_of_work import UnitOfWork

WINDOW_AHEAD: Final = "window_ahead"
"""Reason of a run that waits for a future window to pass, because its remaining groups would not end before it."""

_ENDLESS: Final = timedelta(days=1)
"""Time until a run whose windows never end is checked again."""

_MOST_HOLDS: Final = 10
"""Most consecutive holds, each of several adjoining windows, that are followed; more count as endless."""

_STRICTNESS: Final = {on_start: strictness for strictness, on_start in enumerate(OnStart)}
_LAST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StartBlocker:
    """One reason why no run of a table may start, and what happens to a running one.

    Attributes:
        waiting_for: the kind of waiting.
        until: when it ends automatically; None if a human has to end it.
        how: whether a running run goes on (`finish`), ends groups in flight (`drain`) or stops (`interrupt`).
        reason: its code.
        detail: text for people.
    """

    waiting_for: WaitingFor
    until: datetime | None
    how: OnStart
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Latencies:
    """The newest measurements of query latency for the table and for the fleet, oldest first."""

    of_table: Sequence[Latency] = ()
    of_fleet: Sequence[Latency] = ()


@dataclass(frozen=True, slots=True)
class WindowGap:
    """The time before the next window that stops runs.

    Attributes:
        seconds: its length; None: there is no such window.
        longest: the longest time between such windows, in seconds; None: unlimited.
        is_young: the last window ended only recently.
        ahead: the hold for a run that can begin nothing more before that window.
    """

    seconds: float | None = None
    longest: float | None = None
    is_young: bool = False
    ahead: StartBlocker | None = None

    def admits(self, seconds: float) -> bool:
        """Return whether work of this duration may begin: it fits, or it never fits and begins as early as possible."""
        return self.seconds is None or seconds <= self.seconds or (self.is_young and self.never_fits(seconds))

    def never_fits(self, seconds: float) -> bool:
        """Return whether work takes longer than any time between windows, so that it must overrun into one."""
        return self.longest is not None and seconds > self.longest


@dataclass(frozen=True, slots=True)
class HoldRules:
    """The settings of a policy that can hold runs back. `due_since`: the instant from which `urgent_after` counts."""

    windows: Windows = Windows()  # noqa: RUF009 - immutable
    urgent_after: timedelta | None = None
    backoff: Backoff | None = None
    spark: SparkNeeds = SparkNeeds({}, {})  # noqa: RUF009 - immutable

    @classmethod
    def of(cls, policy: EffectivePolicy, operation: str = Operation.REWRITE) -> Self:
        """Return the rules of an effective policy for an operation; only rewrites become urgent."""
        values, spark = policy.values, SparkNeeds.of(policy.values)
        seconds = policy.seconds_of("schedule.urgent_after") if operation == Operation.REWRITE else None
        patience = None if seconds is None else timedelta(seconds=seconds)
        if not values["quiet_hours"] and not values["blackouts"] and values["backoff"] == OFF:
            return cls(urgent_after=patience, spark=spark)  # most policies have no windows: skip the document
        document = policy.document()
        backoff = document.backoff if isinstance(document.backoff, Backoff) else None
        return cls(Windows(document.quiet_hours or (), document.blackouts or ()), patience, backoff, spark)

    @property
    def never_blocks(self) -> bool:
        """Whether they hold no run back at any time."""
        return self.windows.are_none and self.backoff is None

    def is_urgent(self, due_since: datetime, at: datetime) -> bool:
        """Return whether a run has waited for `schedule.urgent_after`: quiet hours no longer apply to it."""
        return self.urgent_after is not None and due_since + self.urgent_after <= at

    def hold(
        self, at: datetime, due_since: datetime, latencies: Latencies, pauses: Pauses | None = None
    ) -> StartBlocker | None:
        """Return the hold on a run at an instant, None without one."""
        found = (_pause_hold(pauses), self._window_hold(at, due_since), self._backoff_hold(at, latencies))
        return _together([hold for hold in found if hold is not None])

    def free_from(self, at: datetime, due_since: datetime, latencies: Latencies) -> datetime | None:
        """Return the first instant from `at` on without a hold; None for never."""
        for _ in range(_MOST_HOLDS):
            hold = self.hold(at, due_since, latencies)
            if hold is None:
                return at
            if hold.until is None or hold.until <= at:
                return None
            at = hold.until
        return None

    def end_of(self, seconds: float, at: datetime, due_since: datetime, latencies: Latencies) -> datetime | None:
        """Return when a run with `seconds` of work from an instant on ends, including waits in windows that stop it.

        None when the holds are endless, or there are more windows than are followed.
        """
        for _ in range(_MOST_HOLDS):
            free_at = self.free_from(at, due_since, latencies)
            if free_at is None:
                return None
            room = self.room(free_at, due_since).seconds
            if room is None or seconds <= room:
                return free_at + timedelta(seconds=seconds)
            at, seconds = free_at + timedelta(seconds=room), seconds - room
        return None

    def slowdown(self, at: datetime, latencies: Latencies) -> Slowdown:
        """Return the slowdown of the table's runs at an instant."""
        if self.backoff is None:
            return NO_SLOWDOWN
        return stricter(
            slowdown_of(self.backoff, latencies.of_table, at), slowdown_of(self.backoff, latencies.of_fleet, at)
        )

    def room(self, at: datetime, due_since: datetime) -> WindowGap:
        """Return the time from an instant to the next window that stops runs."""
        gap = gap_at(self._windows(at, due_since).that_stop(), at)
        if gap is not None and gap.end is not None and self.is_urgent(due_since, gap.end):
            gap = gap_at(self.windows.only_blackouts().that_stop(), at)
        if gap is None or gap.end is None:
            return WindowGap()
        ahead = self._window_hold(gap.end, due_since)
        longest = None if gap.longest is None else gap.longest.total_seconds()
        seconds = (gap.end - at).total_seconds()
        if ahead is not None:
            begins = f"{ahead.detail} at {format_instant(gap.end)}"
            ahead = replace(ahead, how=OnStart.DRAIN, reason=WINDOW_AHEAD, detail=begins)
        return WindowGap(seconds, longest, gap.is_young_at(at), ahead)

    def still_waits(self, run: Run, at: datetime, latencies: Latencies) -> bool:
        """Return whether a run that was parked because of these rules still has to wait."""
        if self.hold(at, run.due_since, latencies) is not None:
            return True
        ahead = self.room(at, run.due_since).ahead if run.reason == WINDOW_AHEAD else None
        return ahead is not None and ahead.until == run.not_before

    def _windows(self, at: datetime, due_since: datetime) -> Windows:
        return self.windows.only_blackouts() if self.is_urgent(due_since, at) else self.windows

    def _window_hold(self, at: datetime, due_since: datetime) -> StartBlocker | None:
        if self.windows.are_none:
            return None
        state = self._windows(at, due_since).state_at(at)
        if state.kind is None or state.on_start is None:
            return None
        until = state.ends_at or at + _ENDLESS
        if self.urgent_after is not None and at < (urgent_at := due_since + self.urgent_after) < until:
            freeze = self.windows.only_blackouts().state_at(urgent_at)
            until = (freeze.ends_at or at + _ENDLESS) if freeze.inside else urgent_at
        kind = state.kind.value
        return StartBlocker(WaitingFor(kind), until, state.on_start, kind, state.reason or kind)

    def _backoff_hold(self, at: datetime, latencies: Latencies) -> StartBlocker | None:
        slowdown = self.slowdown(at, latencies)
        if self.backoff is None or not slowdown.is_paused:
            return None
        detail = (
            f"the 95th percentile of query times is {slowdown.latency:g} s; it was above "
            f"{format_duration(self.backoff.pause_above)}, and runs continue below "
            f"{format_duration(self.backoff.resume_below)}"
        )
        waiting_for = WaitingFor.LATENCY_BACKOFF
        return StartBlocker(waiting_for, slowdown.until, OnStart.INTERRUPT, waiting_for.value, detail)


async def read_rules(unit: UnitOfWork, table_id: TableId, operation: str) -> HoldRules:
    """Return the rules of a table's effective policy for an operation; empty rules if the table is not registered."""
    table = await unit.tables.get(table_id)
    return HoldRules() if table is None else HoldRules.of(await PolicyReader.effective(unit, table, {}), operation)


async def read_latencies(unit: UnitOfWork, table_id: TableId, rules: HoldRules) -> Latencies:
    """Return the query latencies that the rules need; empty without a back-off."""
    if rules.backoff is None:
        return Latencies()
    kind = SignalKind.QUERY_LATENCY
    of_table = await unit.signals.list(table_id, kind, limit=NEWEST)
    return Latencies(latencies_of(of_table), latencies_of(await unit.signals.list(None, kind, limit=NEWEST)))


def _pause_hold(pauses: Pauses | None) -> StartBlocker | None:
    pause = None if pauses is None else pauses.present
    if pause is None:
        return None
    how = OnStart.INTERRUPT if pause.stops else OnStart.DRAIN
    return StartBlocker(WaitingFor.PAUSED, None, how, "paused", f"paused by {pause.by}: {pause.reason}")


def _together(holds: Iterable[StartBlocker]) -> StartBlocker | None:
    """Return the hold that ends last, with the strictness of the strictest; None without holds."""
    found = list(holds)
    if not found:
        return None
    last = max(found, key=lambda hold: hold.until or _LAST)
    return replace(last, how=max((hold.how for hold in found), key=_STRICTNESS.__getitem__))

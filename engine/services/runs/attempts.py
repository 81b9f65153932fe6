"""One attempt at a run: its lease, the heartbeat that extends it, and requests to stop.

The heartbeat reads the run about every two seconds, at once on a hint, and exactly when a window begins; it extends the
lease after each third of the lease time. A lease that can't be extended ends the attempt: `check` raises, and
`interrupted` is set. Holds (a pause, quiet hours, a blackout, slow queries) arrive in the same way: no new groups are
started, and those in flight end (`drain`) or are interrupted.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import Away, LeaseLost, NotFound, Transient
from engine.domain.fleet.endpoints import SparkEndpoint
from engine.domain.policies import OnStart
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Run, RunState
from engine.domain.runs.times import RunTime
from engine.metrics import WorkMetrics
from engine.queue.hints import Hints
from engine.services.runs.hold_watch import HoldWatch
from engine.services.runs.holds import StartBlocker, WindowGap
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_log = structlog.get_logger(__name__)

LOOK_SECONDS = 2.0


class Stop(StrEnum):
    """Reasons to stop an attempt early, mildest first: a stronger reason replaces a milder one."""

    LEAVING = "leaving"
    DRAINED = "drained"
    INTERRUPTED = "interrupted"
    SHUTDOWN = "shutdown"
    CANCELLED = "cancelled"
    LEASE_LOST = "lease_lost"


STOPS_BY_HOLDS: Final = frozenset({Stop.DRAINED, Stop.INTERRUPTED})
"""Stop reasons after which written file groups are committed and the run waits for the end of `AttemptStop.hold`."""

STOPS_THAT_COMMIT: Final = STOPS_BY_HOLDS | {Stop.LEAVING}
"""Stop reasons after which written file groups are still committed."""

_CALM: Final = frozenset({Stop.LEAVING, Stop.DRAINED})
_STRENGTH: Final = {stop: strength for strength, stop in enumerate(Stop)}


@dataclass(frozen=True, slots=True)
class AttemptStop:
    """A request to end an attempt early.

    Attributes:
        reason: why, which decides whether tasks are interrupted and written groups are committed.
        hold: the hold that the run waits for; None for other reasons.
        cancelled_by: who cancelled the run; None for other reasons.
    """

    reason: Stop
    hold: StartBlocker | None = None
    cancelled_by: str | None = None

    def joined(self, later: "AttemptStop") -> "AttemptStop":
        """Return the request after a later one: the strongest reason wins, and of several holds the newest."""
        if _STRENGTH[later.reason] > _STRENGTH[self.reason]:
            return later
        if {self.reason, later.reason} <= STOPS_BY_HOLDS:
            return replace(self, hold=later.hold)
        return self


class Attempt:
    """A claimed run and its lease. All writes of the attempt go through here and are guarded by the lease.

    `run` is the run as last committed to the database: a write whose transaction failed does not change it. `stop` is
    the request to end early, None without one. `pace_factor` is the factor on the budget while queries are slow, 1.0
    for no reduction.
    """

    def __init__(
        self,
        *,
        database: Database,
        hints: Hints,
        clock: Clock,
        run: Run,
        lease: Lease,
        lease_seconds: float,
        metrics: WorkMetrics | None = None,
    ) -> None:
        self._database = database
        self._hints = hints
        self._clock = clock
        self._lease_seconds = lease_seconds
        self.metrics = metrics or WorkMetrics()
        self._run = run
        self._lease = lease
        self.stop: AttemptStop | None = None
        self.pace_factor = 1.0
        self.interrupted = asyncio.Event()
        self._watch = HoldWatch(clock=clock, table_id=run.table_id, operation=run.operation, due_since=run.due_since)
        self._is_over = False

    @property
    def run(self) -> Run:
        """The run as last committed by this attempt; heartbeats do not refresh it."""
        return self._run

    @property
    def lease(self) -> Lease:
        """The lease as last extended."""
        return self._lease

    @property
    def number(self) -> int:
        """The attempt's number, which is also the fencing token."""
        return self._lease.token

    @contextlib.asynccontextmanager
    async def heartbeat(self) -> AsyncIterator[None]:
        """Keep the lease while the body runs."""
        task = asyncio.create_task(self._run_heartbeat(), name=f"heartbeat {self.run.id}")
        try:
            yield
        finally:
            self._is_over = True
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    @property
    def stop_reason(self) -> Stop | None:
        """Reason to end the attempt early; None without one."""
        return None if self.stop is None else self.stop.reason

    def request_stop(self, stop: AttemptStop) -> None:
        """Ask the attempt to end early; the strongest reason wins. All reasons except drains interrupt its tasks."""
        self.stop = stop if self.stop is None else self.stop.joined(stop)
        if stop.reason not in _CALM:
            self.interrupted.set()

    def may_begin(self) -> bool:
        """Return whether new work may begin: a window applies from its first instant, before the next heartbeat."""
        self._apply_hold()
        return self.stop is None

    def room(self) -> WindowGap:
        """Return the time before the next window that stops the run."""
        return self._watch.room()

    def stop_starting(self, room: WindowGap, *, because: str) -> None:
        """Drain the attempt and wait for the window ahead, since no remaining group would end before it."""
        if self.stop is None:
            hold = None if room.ahead is None else replace(room.ahead, detail=f"{room.ahead.detail}: {because}")
            self.request_stop(AttemptStop(Stop.DRAINED, hold))

    async def check(self) -> None:
        """Verify the lease in the database, or raise `LeaseLost`; also apply cancels and holds. Call before commits."""
        if self.stop_reason is Stop.LEASE_LOST:
            raise LeaseLost(f"run {self.run.id}: another holder advances it now")
        await self._extend()

    async def now(self) -> datetime:
        """Return the database's time."""
        async with self._database.read() as unit:
            return await unit.now()

    async def keep_time(self, time: RunTime) -> None:
        """Store how long the attempt took, for predictions. Raises `Transient` if the database does not answer."""
        async with self._database.begin() as unit:
            await unit.run_times.add(time)

    async def transition(self, to: RunState, **changes: Any) -> Run:
        """Change the run's state under the lease."""
        async with self._database.begin() as unit:
            run = await unit.runs.transition(self._lease, to=to, **changes)
        return await self._committed(run)

    async def begin_rewriting(self, endpoint: SparkEndpoint, **changes: Any) -> Run:
        """Change the state to rewriting, on a Spark endpoint.

        Raises:
            Transient: the endpoint was changed since it was read: it may be another server now.
        """
        async with self._database.begin() as unit:
            if not await unit.endpoints.is_unchanged(endpoint):
                raise Transient(f"Spark endpoint {endpoint.name!r} was changed after it was chosen")
            run = await unit.runs.transition(self._lease, to=RunState.REWRITING, **changes)
        return await self._committed(run)

    async def record(self, kind: str, details: Mapping[str, Any], **documents: Any) -> Run:
        """Append an event (and change documents) without a change of state."""
        async with self.recording(kind, details, **documents):
            pass
        return self._run

    @contextlib.asynccontextmanager
    async def recording(self, kind: str, details: Mapping[str, Any], **documents: Any) -> AsyncIterator[UnitOfWork]:
        """Append an event (and change documents) in one transaction with the writes of the body.

        Raises:
            LeaseLost: another holder advances the run; nothing of the body was written.
        """
        async with self._database.begin() as unit:
            yield unit
            run = await unit.runs.record(self._lease, kind=kind, details=dict(details), **documents)
        await self._committed(run)

    async def park(self, **reasons: Any) -> Run:
        """Park the run and release the lease."""
        async with self._database.begin() as unit:
            run = await unit.runs.park(self._lease, **reasons)
        self.metrics.parks.labels(run.reason or "").inc()
        return await self._committed(run)

    async def park_on_outage(self, away: Away, *, failed: bool = False, not_before: datetime | None = None) -> Run:
        """Report an outage and park the run until it ends; the attempt counts as failed only with `failed`."""
        async with self._database.begin() as unit:
            outage = await unit.outages.report(away, self._run)
            run = await unit.runs.park(
                self._lease,
                waiting_for=outage.waiting_for,
                not_before=not_before,
                reason=outage.waiting_for.value,
                detail=outage.describe(),
                failed=failed,
                waits_on=outage.key,
            )
        self.metrics.parks.labels(run.reason or "").inc()
        return await self._committed(run)

    async def _committed(self, run: Run) -> Run:
        """Store the committed run and publish a hint to its watchers."""
        self._run = run
        with contextlib.suppress(Transient):
            await self._hints.publish(run.id)
        return run

    async def _run_heartbeat(self) -> None:
        async with self._hints.watch(self._run.id) as hint:  # without Redis only the timeout ends the wait
            extended_at = await self._renew_lease(self._clock.monotonic())
            while not self._is_over and self.stop_reason is not Stop.LEASE_LOST:
                await hint.wait(self._watch.seconds_to_look(LOOK_SECONDS))
                self._apply_hold()  # a window begins on time even if the database does not answer
                extended_at = await self._renew_lease(extended_at)

    async def _renew_lease(self, extended_at: float) -> float:
        """Extend the lease when due and read requests; return when it was last extended (monotonic seconds)."""
        try:
            if self._clock.monotonic() - extended_at >= self._lease_seconds / 3:
                await self._extend()
                extended_at = self._clock.monotonic()
            else:
                await self._read_run()
        except (LeaseLost, NotFound):
            if not self._is_over and self._run.lease_holder is not None:  # otherwise given back, not lost
                _log.warning("lease_lost")
                self.metrics.leases_lost.labels("holder").inc()
                self.request_stop(AttemptStop(Stop.LEASE_LOST))
        except Transient as error:  # the database does not answer: the lease expires if that lasts
            _log.warning("heartbeat_failed", error=error.message)
        return extended_at

    async def _read_run(self) -> None:
        async with self._database.read() as unit:
            run = await unit.runs.get(self._run.id)
            await self._watch.read(unit)
        if run is None or run.lease_holder != self._lease.holder or run.attempt != self._lease.token:
            raise LeaseLost(f"run {self._run.id}: another holder advances it now")
        self._apply_requests(run)

    async def _extend(self) -> None:
        async with self._database.begin() as unit:
            run, lease = await unit.runs.extend(self._lease, self._lease_seconds)
            await self._watch.read(unit)
        self._lease = lease
        self._apply_requests(run)

    def _apply_requests(self, run: Run) -> None:
        if run.cancel_requested_at is not None:
            self.request_stop(AttemptStop(Stop.CANCELLED, cancelled_by=run.cancel_requested_by))
        self._apply_hold()

    def _apply_hold(self) -> None:
        """Stop the attempt while a pause, window or back-off is active, unless its `on_start` is `finish`."""
        self.pace_factor = self._watch.slowdown().factor
        hold = self._watch.hold()
        if hold is not None and hold.how is not OnStart.FINISH:
            self.request_stop(AttemptStop(Stop.DRAINED if hold.how is OnStart.DRAIN else Stop.INTERRUPTED, hold))

"""One attempt's hold on its run: the heartbeat that keeps the lease, and the requests that reach it meanwhile.

The heartbeat looks at the run about every two seconds, at once on a hint, and exactly when a window begins; it extends
the lease every third of its time. A lease that can't be extended ends the attempt: `check` raises, and `interrupted` is
set. What holds the run back (a pause, quiet hours, a blackout, slow queries) is heard in the same way: no new groups
are started, and those in flight end (`drain`) or are interrupted.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import Away, LeaseLost, NotFound, Transient
from engine.domain.policies import OnStart
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Run, RunState
from engine.metrics import WorkMetrics
from engine.queue.hints import Hints
from engine.services.runs.hold_watch import HoldWatch
from engine.services.runs.holds import Hold, Room
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

LOOK_SECONDS = 2.0


class Stop(StrEnum):
    """Why an attempt must stop early, mildest first: a stronger reason takes the place of a milder one."""

    LEAVING = "leaving"
    DRAINED = "drained"
    INTERRUPTED = "interrupted"
    SHUTDOWN = "shutdown"
    CANCELLED = "cancelled"
    LEASE_LOST = "lease_lost"


HELD: Final = frozenset({Stop.DRAINED, Stop.INTERRUPTED})
"""Reasons after which what is written is committed and the run waits for the end of `Attempt.hold`."""

COMMITTED: Final = HELD | {Stop.LEAVING}
"""Stop reasons after which written file groups are still committed."""

_CALM: Final = frozenset({Stop.LEAVING, Stop.DRAINED})
_STRENGTH: Final = {stop: strength for strength, stop in enumerate(Stop)}


class Attempt:
    """A claimed run and its lease. All writes of the attempt go through here and are guarded by the lease.

    `hold` is what the run has to wait for, None while nothing holds it. `slowdown` is what is left of the budget while
    queries are slow, 1.0 when nothing is cut.
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
        self.run = run
        self.lease = lease
        self.stop_reason: Stop | None = None
        self.cancelled_by: str | None = None
        self.hold: Hold | None = None
        self.slowdown = 1.0
        self.interrupted = asyncio.Event()
        self._watch = HoldWatch(clock=clock, table_id=run.table_id, due_since=run.due_since)
        self._is_over = False

    @property
    def number(self) -> int:
        """The attempt's number, which is the fencing token."""
        return self.lease.token

    @contextlib.asynccontextmanager
    async def heartbeat(self) -> AsyncIterator[None]:
        """Keep the lease while the body runs."""
        task = asyncio.create_task(self._beat(), name=f"heartbeat {self.run.id}")
        try:
            yield
        finally:
            self._is_over = True
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def stop(self, reason: Stop) -> None:
        """Ask the attempt to end early; of several reasons the strongest holds. All but drains interrupt its tasks."""
        if self.stop_reason is None or _STRENGTH[reason] > _STRENGTH[self.stop_reason]:
            self.stop_reason = reason
        if reason not in _CALM:
            self.interrupted.set()

    def may_begin(self) -> bool:
        """Return whether anything new may begin: a window holds from its first instant, before the heartbeat looks."""
        self._obey()
        return self.stop_reason is None

    def room(self) -> Room:
        """Return how much time there is before the next window that stops the run."""
        return self._watch.room()

    def begin_no_more(self, room: Room, *, because: str) -> None:
        """End what is in flight and wait for the window ahead: nothing that is left would end before it."""
        if self.stop_reason is None:
            self.hold = None if room.ahead is None else replace(room.ahead, detail=f"{room.ahead.detail}: {because}")
            self.stop(Stop.DRAINED)

    async def check(self) -> None:
        """Prove the lease to the database, or raise `LeaseLost`; hear of cancels and holds. Called before commits."""
        if self.stop_reason is Stop.LEASE_LOST:
            raise LeaseLost(f"run {self.run.id}: another holder advances it now")
        await self._extend()

    async def transition(self, to: RunState, **changes: Any) -> Run:
        """Change the run's state under the lease."""
        async with self._database.begin() as unit:
            self.run = await unit.runs.transition(self.lease, to=to, **changes)
        await self._tell()
        return self.run

    async def record(self, kind: str, details: dict[str, Any], **documents: Any) -> Run:
        """Append an event (and change documents) without a change of state."""
        async with self._database.begin() as unit:
            self.run = await unit.runs.record(self.lease, kind=kind, details=details, **documents)
        await self._tell()
        return self.run

    async def park(self, **reasons: Any) -> Run:
        """Put the run back to wait; the lease is released."""
        async with self._database.begin() as unit:
            self.run = await unit.runs.park(self.lease, **reasons)
        self.metrics.parks.labels(self.run.reason or "").inc()
        await self._tell()
        return self.run

    async def park_on_outage(self, away: Away, *, failed: bool = False, not_before: datetime | None = None) -> Run:
        """Report that a dependency is away and park the run on it; an attempt counts as failed only with `failed`."""
        async with self._database.begin() as unit:
            outage = await unit.outages.report(away.dependency, self.run, away.message)
            self.run = await unit.runs.park(
                self.lease,
                waiting_for=outage.waiting_for,
                not_before=not_before,
                reason=outage.waiting_for.value,
                detail=outage.describe(),
                failed=failed,
                waits_on=outage.key,
            )
        self.metrics.parks.labels(self.run.reason or "").inc()
        await self._tell()
        return self.run

    async def _beat(self) -> None:
        async with self._hints.watch(self.run.id) as hint:  # without Redis this waits by the clock alone
            extended_at = await self._keep(self._clock.monotonic())
            while not self._is_over and self.stop_reason is not Stop.LEASE_LOST:
                await hint.wait(self._watch.seconds_to_look(LOOK_SECONDS))
                self._obey()  # a window begins before the database answers, and if it is away
                extended_at = await self._keep(extended_at)

    async def _keep(self, extended_at: float) -> float:
        """Extend the lease when it is due and look for requests; return when it was extended last."""
        try:
            if self._clock.monotonic() - extended_at >= self._lease_seconds / 3:
                await self._extend()
                extended_at = self._clock.monotonic()
            else:
                await self._look()
        except (LeaseLost, NotFound):
            if not self._is_over and self.run.lease_holder is not None:  # else given back, not lost
                _log.warning("lease_lost")
                self.stop(Stop.LEASE_LOST)
        except Transient as error:  # the database is away: the lease runs out by itself if that lasts
            _log.warning("heartbeat_failed", error=error.message)
        return extended_at

    async def _look(self) -> None:
        async with self._database.read() as unit:
            run = await unit.runs.get(self.run.id)
            await self._watch.read(unit)
        if run is None or run.lease_holder != self.lease.holder or run.attempt != self.lease.token:
            raise LeaseLost(f"run {self.run.id}: another holder advances it now")
        self._hear(run)

    async def _extend(self) -> None:
        async with self._database.begin() as unit:
            run, self.lease = await unit.runs.extend(self.lease, self._lease_seconds)
            await self._watch.read(unit)
        self._hear(run)

    def _hear(self, run: Run) -> None:
        if run.cancel_requested_at is not None:
            self.cancelled_by = run.cancel_requested_by
            self.stop(Stop.CANCELLED)
        self._obey()

    def _obey(self) -> None:
        """Do what holds the run back, if anything does; one that lets it finish does not. The last one is kept."""
        self.slowdown = self._watch.slowdown().factor
        hold = self._watch.hold()
        if hold is not None and hold.how is not OnStart.FINISH:
            self.hold = hold
            self.stop(Stop.DRAINED if hold.how is OnStart.DRAIN else Stop.INTERRUPTED)

    async def _tell(self) -> None:
        with contextlib.suppress(Transient):
            await self._hints.publish(self.run.id)

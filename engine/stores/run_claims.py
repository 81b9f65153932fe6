"""Who may start next: the queue in its order, the claim, and what a queued run is held back for.

A claim takes the fleet's row first, so claims go one after another: the count of held runs is exact, and a run starts
either before a pause, which then finds it held, or not at all. Locks are always taken in the order fleet, table, run.
"""

import builtins
from datetime import datetime
from typing import Final

from sqlalchemy import exists, func, or_, select

from engine.domain.errors import StateConflict
from engine.domain.fleet import FleetLimits
from engine.domain.ids import RunId, TableId
from engine.domain.leases import Lease
from engine.domain.runs import ReadyRun, Run, RunState, WaitingFor
from engine.stores import run_listings
from engine.stores.clock import now, seconds_from_now
from engine.stores.failures import LEASED_TABLE
from engine.stores.run_changes import Entry, RunChanges, lease_of, waits
from engine.stores.schema import fleet, runs, tables

_WINDOWS: Final = (WaitingFor.QUIET_HOURS, WaitingFor.BLACKOUT)


class RunClaims(RunChanges):
    """Queued runs on their way to a holder."""

    async def list_ready(self, limit: int) -> builtins.list[ReadyRun]:
        """Return queued runs that may start now, in the order in which to start them, at most as many as have room.

        Left out is what waits for its time, for its table (another run holds it) or for the end of a pause; a run that
        is to be cancelled waits for no pause.
        """
        row = (await self._connection.execute(select(fleet.c.paused_at, fleet.c.limits))).one()
        room = await self._room(FleetLimits.of(row.limits), limit)
        if room <= 0:
            return []
        query = run_listings.ready(room, is_fleet_paused=row.paused_at is not None)
        found = [
            ReadyRun(RunId(each.id), TableId(each.table_id), each.priority, each.created_at)
            for each in await self._connection.execute(query)
        ]
        return sorted(found, key=lambda run: (run.counts_from, run.id))[:room]

    async def claim(self, run_id: RunId, holder: str, ttl_seconds: float) -> tuple[Run, Lease] | None:
        """Take a queued run that need not wait: queued → planning, the attempt's number grows and is the lease's token.

        None when another holder was faster, it must wait, another run holds the table, the fleet has as many runs as
        it may, or fleet or table are paused (a run that is to be cancelled is let through then).
        """
        switch = select(fleet.c.paused_at, fleet.c.limits).with_for_update(key_share=True)
        whole = (await self._connection.execute(switch)).one()
        if await self._room(FleetLimits.of(whole.limits), 1) <= 0:
            return None
        of_run = select(runs.c.table_id).where(runs.c.id == run_id).scalar_subquery()
        own = select(tables.c.paused_at).where(tables.c.id == of_run).with_for_update(read=True)
        table = (await self._connection.execute(own)).one_or_none()
        is_paused = whole.paused_at is not None or (table is not None and table.paused_at is not None)
        other = runs.alias("other")
        guard = [
            runs.c.id == run_id,
            runs.c.state == RunState.QUEUED,
            or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
            ~exists().where(other.c.table_id == runs.c.table_id, other.c.lease_holder.is_not(None)),
        ]
        if is_paused:
            guard.append(runs.c.cancel_requested_at.is_not(None))
        values = {
            "state": RunState.PLANNING,
            "attempt": runs.c.attempt + 1,
            "lease_holder": holder,
            "lease_expires_at": seconds_from_now(ttl_seconds),
            "started_at": func.coalesce(runs.c.started_at, now()),
            **waits(None, None),
        }
        try:
            async with self._connection.begin_nested():
                run = await self._change(guard, values, Entry("claimed", holder))
        except StateConflict as conflict:
            # A holder that took the table without the fleet's row: the unique index sees it.
            if conflict.details.get("constraint") != LEASED_TABLE:
                raise
            return None
        return None if run is None else (run, lease_of(run))

    async def hold_back(
        self, run_id: RunId, *, waiting_for: WaitingFor, not_before: datetime | None, reason: str, detail: str, by: str
    ) -> Run | None:
        """Let a queued run wait until `not_before`; None when it moved or is to be cancelled, and must not wait."""
        guard = (
            runs.c.id == run_id,
            runs.c.state == RunState.QUEUED,
            runs.c.cancel_requested_at.is_(None),
            or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
        )
        until = None if not_before is None else not_before.isoformat()
        details = {"detail": detail, "waiting_for": waiting_for.value, "not_before": until}
        values = {**waits(waiting_for, not_before), "reason": reason, "detail": detail}
        return await self._change(guard, values, Entry("held_back", by, reason, details))

    async def list_held_back(self, limit: int, after: RunId | None = None) -> builtins.list[ReadyRun]:
        """Return queued runs that wait for the end of quiet hours or a blackout, oldest first, younger than `after`."""
        rows = await self._connection.execute(run_listings.held_back(_WINDOWS, limit, after))
        return [ReadyRun(RunId(row.id), TableId(row.table_id), row.priority, row.created_at) for row in rows]

    async def let_go(self, run_id: RunId, *, by: str) -> Run | None:
        """Let a run that was held back for a window wait no longer; None when it moved meanwhile."""
        guard = (runs.c.id == run_id, runs.c.state == RunState.QUEUED, runs.c.waiting_for.in_(_WINDOWS))
        return await self._change(guard, waits(None, None), Entry("let_go", by, "window_gone"))

    async def list_leased(self, table_id: TableId | None = None) -> builtins.list[RunId]:
        """Return the runs that workers hold, of one table if it is given."""
        query = select(runs.c.id).where(runs.c.lease_holder.is_not(None))
        query = query if table_id is None else query.where(runs.c.table_id == table_id)
        return [RunId(row.id) for row in await self._connection.execute(query)]

    async def _room(self, limits: FleetLimits, wanted: int) -> int:
        """Return how many runs may start, at most `wanted`. Exact only while the fleet's row is locked."""
        if limits.parallel_runs is None:
            return wanted
        held = select(func.count()).select_from(runs).where(runs.c.lease_holder.is_not(None))
        return min(wanted, limits.parallel_runs - int((await self._connection.execute(held)).scalar_one()))

"""Who may start next: the queue in its order, the claim, and what a queued run is held back for.

A claim takes the fleet's row first, so claims go one after another: the count of held runs is exact, and a run starts
either before a pause, which then finds it held, or not at all. Locks are always taken in the order fleet, catalog,
table, run.
"""

import builtins
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, exists, func, or_, select

from engine.domain.errors import StateConflict
from engine.domain.fleet.limits import AtWork, FleetLimits
from engine.domain.ids import RunId, TableId
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import ReadyRun, Run, RunState, WaitingFor, sharer
from engine.domain.runs.turns import in_turn
from engine.stores.runs import listings as run_listings
from engine.stores.runs.changes import Entry, RunChanges, lease_of, waits
from engine.stores.schema.core import catalogs, fleet, runs, tables
from engine.stores.schema.watching import sharers
from engine.stores.sql.clock import now, seconds_from_now
from engine.stores.sql.failures import LEASED_TABLE
from engine.stores.sql.upserts import upsert
from engine.stores.watching.outages import waits_for_outage

LOOKED_AT: Final = 100
"""So many of the oldest runs of each priority are put in order; behind them only the first of each team is."""

_HELD_BACK: Final = (
    WaitingFor.QUIET_HOURS,
    WaitingFor.BLACKOUT,
    WaitingFor.LATENCY_BACKOFF,
    WaitingFor.CATALOG_FAILS,
)


class RunClaims(RunChanges):
    """Queued runs on their way to a holder."""

    async def list_ready(self, limit: int) -> builtins.list[ReadyRun]:
        """Return queued runs that may start now, in turn (`domain.runs.turns`), at most as many as have room.

        Left out is what waits for its time, for its table (another run holds it), for room in its catalog or for the
        end of a pause; a run that is to be cancelled waits for no pause.
        """
        row = (await self._connection.execute(select(fleet.c.paused_at, fleet.c.limits))).one()
        limits, at_work = FleetLimits.of(row.limits), await self.at_work()
        room = limits.room(at_work)
        wanted = limit if room is None else min(limit, room)
        if wanted <= 0:
            return []
        found: dict[RunId, ReadyRun] = {}
        full = set(limits.full_catalogs(at_work))
        while True:
            seen, is_all = await self._look(wanted, full, is_fleet_paused=row.paused_at is not None)
            found |= seen
            ready, filled = _with_room(in_turn(found.values(), at_work.by_sharer), limits, at_work)
            if is_all or len(ready) >= wanted or filled <= full:
                return ready[:wanted]
            full |= filled  # others may wait behind the backlog of a catalog that has room for a few

    async def claim(self, run_id: RunId, holder: str, ttl_seconds: float) -> tuple[Run, Lease] | None:
        """Take a queued run that need not wait: queued → planning, the attempt's number grows and is the lease's token.

        None when another holder was faster, it must wait, another run holds the table, fleet or catalog have as many
        runs as they may, fleet, catalog or table are paused, the table is frozen, or what it needs is away (a run that
        is to be cancelled is let through in the last three cases).
        """
        switch = select(fleet.c.paused_at, fleet.c.limits).with_for_update(key_share=True)
        whole = (await self._connection.execute(switch)).one()
        limits, at_work = FleetLimits.of(whole.limits), await self.at_work()
        if (room := limits.room(at_work)) is not None and room <= 0:
            return None
        is_paused = whole.paused_at is not None or await self._is_paused(run_id)
        other = runs.alias("other")
        guard = [
            runs.c.id == run_id,
            runs.c.state == RunState.QUEUED,
            runs.c.operation.in_(run_listings.OPERATIONS),
            or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
            ~exists().where(other.c.table_id == runs.c.table_id, other.c.lease_holder.is_not(None)),
            runs.c.catalog.not_in(limits.full_catalogs(at_work)),
        ]
        is_cancelled = runs.c.cancel_requested_at.is_not(None)
        guard.append(is_cancelled if is_paused else or_(is_cancelled, ~waits_for_outage()))
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
        if run is None:
            return None
        await self._serve(sharer(run.catalog, run.owner_team))
        return run, lease_of(run)

    async def claim_first(self, run_ids: Sequence[RunId], holder: str, ttl_seconds: float) -> tuple[Run, Lease] | None:
        """Take the first of several queued runs that can be taken, as `claim` does; None when none can."""
        if len(run_ids) > 1:
            # With the fleet's row nobody else claims: those that are queued now are queued until the end.
            await self._connection.execute(select(fleet.c.id).with_for_update(key_share=True))
            query = select(runs.c.id).where(runs.c.id.in_(run_ids), runs.c.state == RunState.QUEUED)
            queued = set((await self._connection.execute(query)).scalars())
            run_ids = [run_id for run_id in run_ids if run_id in queued]
        for run_id in run_ids:
            if (claimed := await self.claim(run_id, holder, ttl_seconds)) is not None:
                return claimed
        return None

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
        """Return queued runs that wait for a window or for faster queries, oldest first, younger than `after`."""
        rows = await self._connection.execute(run_listings.held_back(_HELD_BACK, limit, after))
        return [ReadyRun(RunId(row.id), TableId(row.table_id), row.priority, row.created_at) for row in rows]

    async def let_go(self, run_id: RunId, *, by: str) -> Run | None:
        """Let a run that was held back wait no longer; None when it moved meanwhile."""
        guard = (runs.c.id == run_id, runs.c.state == RunState.QUEUED, runs.c.waiting_for.in_(_HELD_BACK))
        return await self._change(guard, waits(None, None), Entry("let_go", by, "hold_gone"))

    async def release_waiting(self, key: str, *, by: str) -> builtins.list[RunId]:
        """Let all queued runs go on that wait for a dependency which was away and answers again."""
        guard = (runs.c.state == RunState.QUEUED, runs.c.waits_on == key)
        values = {**waits(None, None), "waits_on": None}
        freed = await self._change_all(guard, values, Entry("let_go", by, "answers_again", {"waited_on": key}))
        return [run.id for run in freed]

    async def list_leased(self, table_id: TableId | None = None, *, catalog: str | None = None) -> builtins.list[RunId]:
        """Return the runs that workers hold, of one table or catalog if it is given."""
        query = select(runs.c.id).where(runs.c.lease_holder.is_not(None))
        query = query if table_id is None else query.where(runs.c.table_id == table_id)
        query = query if catalog is None else query.where(runs.c.catalog == catalog)
        return [RunId(row.id) for row in await self._connection.execute(query)]

    async def at_work(self) -> AtWork:
        """Count the runs that workers hold. Exact only while the fleet's row is locked."""
        held = (await self._connection.execute(run_listings.at_work())).all()
        return AtWork(
            Counter(row.catalog for row in held), Counter(sharer(row.catalog, row.owner_team) for row in held)
        )

    async def _look(
        self, wanted: int, without: Collection[str], *, is_fleet_paused: bool
    ) -> tuple[dict[RunId, ReadyRun], bool]:
        """Return runs that may start by what their own rows say, and whether these are all of them."""
        limit = max(wanted, LOOKED_AT)
        found = await self._ready(run_listings.ready(limit, is_fleet_paused=is_fleet_paused, without=without))
        if len(found) < limit:
            return found, True
        # There may be more: no team is to be out of sight behind another's backlog.
        first = run_listings.first_of_each_sharer(is_fleet_paused=is_fleet_paused, without=without)
        return found | await self._ready(first), False

    async def _serve(self, name: str) -> None:
        """Note that a sharer is served now; claims go one after another, so nobody waits for the row."""
        statement = upsert(self._connection, sharers).values(name=name, served_at=now())
        await self._connection.execute(
            statement.on_conflict_do_update(index_elements=["name"], set_={"served_at": now()})
        )

    async def _is_paused(self, run_id: RunId) -> bool:
        """Lock the rows of a run's catalog and table, and return whether one of them is paused, or the table frozen."""
        of_run = select(runs.c.table_id).where(runs.c.id == run_id).scalar_subquery()
        both = catalogs.join(tables, tables.c.catalog == catalogs.c.name)
        marks = (catalogs.c.paused_at, tables.c.paused_at, tables.c.frozen_at)
        is_paused = or_(*(mark.is_not(None) for mark in marks))
        query = select(is_paused).select_from(both).where(tables.c.id == of_run)
        locked = query.with_for_update(read=True, of=[catalogs, tables])
        return bool((await self._connection.execute(locked)).scalar_one_or_none())

    async def _ready(self, query: Select[Any]) -> dict[RunId, ReadyRun]:
        rows = (await self._connection.execute(query)).mappings()
        return {row["id"]: ReadyRun(**row) for row in rows}


def _with_room(
    ready: Sequence[ReadyRun], limits: FleetLimits, at_work: AtWork
) -> tuple[builtins.list[ReadyRun], set[str]]:
    """Leave out runs for which there is no room in their catalog once those before them have started.

    Also return the catalogs that are full then.
    """
    before: Counter[str] = Counter()
    kept, filled = [], set()
    for run in ready:
        room = limits.room_in(run.catalog, at_work)
        if room is not None and before[run.catalog] >= room:
            filled.add(run.catalog)
        else:
            before[run.catalog] += 1
            kept.append(run)
    return kept, filled

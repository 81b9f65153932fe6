"""Order and claim queued runs, and hold them back.

A claim locks the fleet's row first, so claims are serialized: the count of held runs is exact, and a run starts either
before a pause, which then finds it held, or not at all. Locks are always taken in the order fleet, catalog, table, run.
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
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Operation, ReadyRun, Run, RunState, WaitingFor, sharer
from engine.domain.runs.turns import in_turn
from engine.stores.runs import listings as run_listings
from engine.stores.runs.changes import Entry, RunChanges, lease_of, waits
from engine.stores.schema.core import catalogs, fleet, runs, tables
from engine.stores.schema.watching import sharers
from engine.stores.sql.dialects import now, seconds_from_now, upsert
from engine.stores.sql.failures import LEASED_TABLE
from engine.stores.watching.outages import waits_for_outage

LOOKED_AT: Final = 100
"""Number of the oldest runs of each priority that are ordered; of the runs behind them, only the first of each team."""

_HELD_BACK: Final = (
    WaitingFor.QUIET_HOURS,
    WaitingFor.BLACKOUT,
    WaitingFor.LATENCY_BACKOFF,
    WaitingFor.CATALOG_FAILS,
    WaitingFor.NO_ENDPOINT,
    WaitingFor.SPARK_UNSUITABLE,
)


class RunClaims(RunChanges):
    """Claims of queued runs, and their waits before that."""

    async def list_ready(
        self, limit: int, operations: Collection[Operation] = run_listings.OPERATIONS
    ) -> builtins.list[ReadyRun]:
        """Return queued runs that may start now, in turn (`domain.runs.turns`), at most `limit` and within the limits.

        Excludes runs that wait for their time, for their table (held by another run), for capacity in their catalog or
        for the end of a pause; a run with a cancel request does not wait for pauses.
        """
        row = (await self._connection.execute(select(fleet.c.paused_at, fleet.c.limits))).one()
        limits, at_work = FleetLimits.of(row.limits), await self.count_leased()
        room = limits.room(at_work)
        wanted = limit if room is None else min(limit, room)
        if wanted <= 0:
            return []
        found: dict[RunId, ReadyRun] = {}
        full, others = set(limits.full_catalogs(at_work)), _with_capacity(operations, limits, at_work)
        while others:
            seen, is_all = await self._look(wanted, full, others, is_fleet_paused=row.paused_at is not None)
            found |= seen
            ready, filled, done = _with_room(in_turn(found.values(), at_work.by_sharer), limits, at_work)
            if is_all or len(ready) >= wanted or (filled <= full and not done & others):
                return ready[:wanted]
            full |= filled  # other runs may wait behind the backlog of a catalog, or an operation, with little capacity
            others -= done
        return []

    async def claim(
        self,
        run_id: RunId,
        holder: str,
        ttl_seconds: float,
        operations: Collection[Operation] = run_listings.OPERATIONS,
    ) -> tuple[Run, Lease] | None:
        """Claim a queued run that need not wait: queued → planning; the new attempt number is the lease's token.

        Returns None when another holder was faster, the run must wait, another run holds the table, fleet or catalog
        have reached their limit of runs (for a rewrite also of tasks), it is not of these operations, fleet, catalog or
        table are paused, the table is frozen, or a dependency is away (a run with a cancel request is admitted in the
        last three cases).
        """
        switch = select(fleet.c.paused_at, fleet.c.limits).with_for_update(key_share=True)
        whole = (await self._connection.execute(switch)).one()
        limits, at_work = FleetLimits.of(whole.limits), await self.count_leased()
        operations = _with_capacity(operations, limits, at_work)
        if not operations or ((room := limits.room(at_work)) is not None and room <= 0):
            return None
        is_paused = whole.paused_at is not None or await self._is_paused(run_id)
        other = runs.alias("other")
        guard = [
            runs.c.id == run_id,
            runs.c.state == RunState.QUEUED,
            runs.c.operation.in_(sorted(operations)),
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
            # Another holder took the table without locking the fleet's row: the unique index detects it.
            if conflict.details.get("constraint") != LEASED_TABLE:
                raise
            return None
        if run is None:
            return None
        await self._serve(sharer(run.catalog, run.owner_team, run.operation))
        return run, lease_of(run)

    async def claim_first(
        self,
        run_ids: Sequence[RunId],
        holder: str,
        ttl_seconds: float,
        operations: Collection[Operation] = run_listings.OPERATIONS,
    ) -> tuple[Run, Lease] | None:
        """Claim the first of several queued runs that can be claimed; as `claim`. None when none can."""
        if len(run_ids) > 1:
            # The lock on the fleet's row excludes other claims: runs that are queued now stay so until the end.
            await self._connection.execute(select(fleet.c.id).with_for_update(key_share=True))
            query = select(runs.c.id).where(runs.c.id.in_(run_ids), runs.c.state == RunState.QUEUED)
            queued = set((await self._connection.execute(query)).scalars())
            run_ids = [run_id for run_id in run_ids if run_id in queued]
        for run_id in run_ids:
            if (claimed := await self.claim(run_id, holder, ttl_seconds, operations)) is not None:
                return claimed
        return None

    async def hold_back(
        self, run_id: RunId, *, waiting_for: WaitingFor, not_before: datetime | None, reason: str, detail: str, by: str
    ) -> Run | None:
        """Make a queued run wait until `not_before`; None when it is no longer queued or has a cancel request."""
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
        """Return queued runs younger than `after` that wait for a window or for faster queries, oldest first."""
        rows = await self._connection.execute(run_listings.held_back(_HELD_BACK, limit, after))
        return [ReadyRun(RunId(row.id), TableId(row.table_id), row.priority, row.created_at) for row in rows]

    async def end_wait(self, run_id: RunId, *, by: str) -> Run | None:
        """End the wait of a run that was held back; None when it no longer waits."""
        guard = (runs.c.id == run_id, runs.c.state == RunState.QUEUED, runs.c.waiting_for.in_(_HELD_BACK))
        return await self._change(guard, waits(None, None), Entry("let_go", by, "hold_gone"))

    async def acknowledge(self, run: Run, result: RunResult, *, by: str) -> Run | None:
        """End the wait of a run for an acknowledgement, and store its result; None when it waits for none any more.

        None also when a worker has looked again since the run was read: it may ask about another amount now.
        """
        waiting = runs.c.waiting_for == WaitingFor.ACKNOWLEDGEMENT
        guard = (runs.c.id == run.id, runs.c.state == RunState.QUEUED, waiting, runs.c.attempt == run.attempt)
        values = {**waits(None, None), "result": dict(result.document)}
        return await self._change(guard, values, Entry("let_go", by, "acknowledged"))

    async def release_waiting(self, key: str, *, by: str) -> builtins.list[RunId]:
        """End the wait of all queued runs for a dependency that was away and answers again."""
        guard = (runs.c.state == RunState.QUEUED, runs.c.waits_on == key)
        values = {**waits(None, None), "waits_on": None}
        freed = await self._change_all(guard, values, Entry("let_go", by, "answers_again", {"waited_on": key}))
        return [run.id for run in freed]

    async def list_leased(self, table_id: TableId | None = None, *, catalog: str | None = None) -> builtins.list[RunId]:
        """Return the runs that workers hold, optionally of one table or catalog."""
        query = select(runs.c.id).where(runs.c.lease_holder.is_not(None))
        query = query if table_id is None else query.where(runs.c.table_id == table_id)
        query = query if catalog is None else query.where(runs.c.catalog == catalog)
        return [RunId(row.id) for row in await self._connection.execute(query)]

    async def count_leased(self) -> AtWork:
        """Count the runs that workers hold. Exact only while the fleet's row is locked."""
        held = (await self._connection.execute(run_listings.leased())).all()
        return AtWork(
            Counter(row.catalog for row in held),
            Counter(sharer(row.catalog, row.owner_team, row.operation) for row in held),
            sum(row.operation == Operation.REWRITE for row in held),
        )

    async def _look(
        self, wanted: int, without: Collection[str], operations: Collection[Operation], *, is_fleet_paused: bool
    ) -> tuple[dict[RunId, ReadyRun], bool]:
        """Return runs that may start according to their own rows, and whether these are all of them."""
        limit = max(wanted, LOOKED_AT)
        found = await self._ready(
            run_listings.ready(limit, operations, is_fleet_paused=is_fleet_paused, without=without)
        )
        if len(found) < limit:
            return found, True
        # There may be more: a team's runs must not be hidden behind the backlog of another team.
        first = run_listings.first_of_each_sharer(operations, is_fleet_paused=is_fleet_paused, without=without)
        return found | await self._ready(first), False

    async def _serve(self, name: str) -> None:
        """Record that a sharer is served now; claims are serialized, so there is no contention for the row."""
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


def _with_capacity(operations: Collection[Operation], limits: FleetLimits, at_work: AtWork) -> set[Operation]:
    """Return the operations of which another run may start under the fleet's limits."""
    rooms = {operation: limits.room_of(operation, at_work) for operation in operations}
    return {operation for operation, room in rooms.items() if room is None or room > 0}


def _with_room(
    ready: Sequence[ReadyRun], limits: FleetLimits, at_work: AtWork
) -> tuple[builtins.list[ReadyRun], set[str], set[str]]:
    """Leave out runs whose catalog or operation has no capacity left once the runs before them have started.

    Also return the catalogs, and the operations, that are full by then.
    """
    in_catalogs: Counter[str] = Counter()
    of_operations: Counter[str] = Counter()
    kept, catalogs_filled, operations_filled = [], set(), set()
    for run in ready:
        in_catalog, of_operation = limits.room_in(run.catalog, at_work), limits.room_of(run.operation, at_work)
        if in_catalog is not None and in_catalogs[run.catalog] >= in_catalog:
            catalogs_filled.add(run.catalog)
        elif of_operation is not None and of_operations[run.operation] >= of_operation:
            operations_filled.add(run.operation)
        else:
            in_catalogs[run.catalog] += 1
            of_operations[run.operation] += 1
            kept.append(run)
    return kept, catalogs_filled, operations_filled

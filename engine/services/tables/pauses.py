"""Pause and resume one table, one catalog with all its tables, or the whole fleet.

A pause applies at once to new starts: claims read it in their transaction. Holders of runs get a hint, or read it
within two seconds, and drain or stop. After a resume, waiting runs are sent to the workers again.
"""

from collections.abc import Mapping
from typing import Any, Final

from engine.domain.access.callers import Caller
from engine.domain.errors import NotFound
from engine.domain.fleet.breakers import Breaker
from engine.domain.ids import RunId, TableId
from engine.domain.policies import PolicyScope, PolicyScopeKind
from engine.domain.runs.run import TERMINAL_STATES, RunState
from engine.domain.tables.table import Pause
from engine.services.catalogs.registered import read_own
from engine.services.runs.wakes import MOST_SENT, Wakes
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

FLEET: Final = "fleet"


class PauseService:
    """Pauses and resumes tables, catalogs and the fleet."""

    def __init__(self, *, database: Database, wakes: Wakes) -> None:
        self._database = database
        self._wakes = wakes

    async def pause_table(self, caller: Caller, table_id: TableId, *, reason: str, stops: bool) -> Pause:
        """Pause a table, or change its pause; with `stops` running work is stopped, otherwise it drains.

        Raises:
            NotFound: no such table.
            Forbidden: the caller may only read it.
        """
        async with self._database.begin() as unit:
            table, _ = await read_own(unit, table_id, caller)
            pause = await unit.pauses.switch_table(table_id, by=caller.subject, reason=reason, stops=stops)
            await unit.audit.append(
                caller, "table.pause", table_id, before=_document(table.pause), after=_document(pause)
            )
            held = await unit.runs.list_leased(table_id)
        await self._wakes.holders(held)
        return pause

    async def resume_table(self, caller: Caller, table_id: TableId) -> None:
        """End a table's pause, its rest after runs without effect, its grace period, and cool-downs of its partitions.

        Raises:
            NotFound: no such table.
            Forbidden: the caller may only read it.
        """
        async with self._database.begin() as unit:
            table, _ = await read_own(unit, table_id, caller)
            forgotten = await unit.hot_partitions.forget(table_id)
            watch = await unit.watches.get(table_id)
            has_grace = watch is not None and watch.grace_until is not None
            if table.pause is None and not forgotten and not has_grace and not await _may_rest(unit, table_id):
                return
            await unit.pauses.release_table(table_id)
            await unit.watches.end_rest(table_id)
            await unit.watches.end_grace([table_id])
            await unit.watches.wake(table_id)
            before = {**(_document(table.pause) or {}), **({"hot_partitions": forgotten} if forgotten else {})}
            await unit.audit.append(caller, "table.resume", table_id, before=before or None)
            waiting = await unit.runs.list(table_id, frozenset({RunState.QUEUED}), limit=MOST_SENT)
        await self._wakes.workers(run.id for run in waiting)

    async def pause_catalog(self, caller: Caller, name: str, *, reason: str, stops: bool) -> Pause:
        """Pause every table of a catalog, or change the pause.

        Raises:
            NotFound: no such catalog.
        """
        async with self._database.begin() as unit:
            before = await unit.catalogs.get(name)
            pause = await unit.pauses.switch_catalog(name, by=caller.subject, reason=reason, stops=stops)
            document = _document(None if before is None else before.pause)
            await unit.audit.append(caller, "catalog.pause", name, before=document, after=_document(pause))
            held = await unit.runs.list_leased(catalog=name)
        await self._wakes.holders(held)
        return pause

    async def resume_catalog(self, caller: Caller, name: str) -> None:
        """End the pause of a catalog and close its breaker; tables with a pause of their own stay paused.

        Raises:
            NotFound: no such catalog.
        """
        async with self._database.begin() as unit:
            catalog = await unit.catalogs.get(name)
            if catalog is None:
                raise NotFound(f"no catalog {name!r}")
            await unit.pauses.release_catalog(name)  # first, as claims lock the catalog before its breaker
            breaker = await unit.breakers.close(name)
            if catalog.pause is None and breaker is None:
                return
            await unit.watches.wake_covered(PolicyScope(PolicyScopeKind.CATALOG, catalog=name))
            before = {**(_document(catalog.pause) or {}), **_failures(breaker)}
            await unit.audit.append(caller, "catalog.resume", name, before=before)
            ready: list[RunId] = [run.id for run in await unit.runs.list_ready(MOST_SENT)]
        await self._wakes.workers(ready)

    async def pause_fleet(self, caller: Caller, *, reason: str, stops: bool) -> Pause:
        """Pause every table, or change the pause."""
        async with self._database.begin() as unit:
            before = (await unit.fleet.get()).pause
            pause = await unit.pauses.switch_fleet(by=caller.subject, reason=reason, stops=stops)
            await unit.audit.append(caller, "fleet.pause", FLEET, before=_document(before), after=_document(pause))
            held = await unit.runs.list_leased()
        await self._wakes.holders(held)
        return pause

    async def resume_fleet(self, caller: Caller) -> None:
        """End the pause of the fleet; tables with a pause of their own stay paused."""
        async with self._database.begin() as unit:
            before = (await unit.fleet.get()).pause
            if before is None:
                return
            await unit.pauses.release_fleet()
            await unit.watches.wake_covered(PolicyScope(PolicyScopeKind.FLEET))
            await unit.audit.append(caller, "fleet.resume", FLEET, before=_document(before))
            ready: list[RunId] = [run.id for run in await unit.runs.list_ready(MOST_SENT)]
        await self._wakes.workers(ready)


_LAST: Final = 20


async def _may_rest(unit: UnitOfWork, table_id: TableId) -> bool:
    """Return whether the last run of an operation had no effect."""
    last = {run.operation: run.state for run in reversed(await unit.runs.list(table_id, TERMINAL_STATES, limit=_LAST))}
    return any(state is not RunState.SUCCEEDED for state in last.values())


def _failures(breaker: Breaker | None) -> Mapping[str, Any]:
    if breaker is None:
        return {}
    return {"failed_tables": list(breaker.failed_tables), "times_open": breaker.times_open}


def _document(pause: Pause | None) -> Mapping[str, Any] | None:
    if pause is None:
        return None
    return {"by": pause.by, "reason": pause.reason, "mode": "stop" if pause.stops else "drain"}

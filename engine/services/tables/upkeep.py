"""Dry runs of operations besides rewriting: what a run would do to a table now. Nothing is changed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.domain.access.callers import SYSTEM, Caller
from engine.domain.ids import TableId
from engine.domain.runs.expiry import Needed
from engine.domain.runs.removals import RemovalPlan
from engine.domain.runs.run import Operation
from engine.services.catalogs.formats import FormatRegistry
from engine.services.catalogs.neighbours import locations_inside
from engine.services.catalogs.registered import read_registered
from engine.services.planning.readers import with_readers
from engine.services.planning.upkeep import UPKEEP, check_is_on, deletes_files, plan_upkeep, preview_removal
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database


class UpkeepService:
    """Plans upkeep of registered tables."""

    def __init__(self, *, database: Database, formats: FormatRegistry, observations: ObservationService) -> None:
        self._database = database
        self._formats = formats
        self._observations = observations

    async def plan(self, caller: Caller, table_id: TableId, operation: Operation) -> Mapping[str, Any]:
        """Return what a run of an operation besides rewriting would do now.

        Raises:
            InvalidInput: the table's policy has the operation switched off.
            NotEligible: the table forbids it.
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self._observations.observe(caller, table_id)
        check_is_on(seen.policy, operation)
        async with self._database.read() as unit:
            now, needed = await unit.now(), await with_readers(unit, table_id)
        opened, policy = seen.opened, seen.policy
        work = await self._formats.ask(opened.ref, plan_upkeep, opened, policy, operation, now, needed)
        details = dict(work.document)
        if (removal := await self._removal(seen, operation, now, needed)) is not None:
            details["removal"] = removal.document()
        return {
            "table_id": table_id,
            "operation": operation,
            "setting": UPKEEP[operation].setting if operation in UPKEEP else None,
            "enabled": seen.policy.enabled,
            "count": work.count,
            "summary": work.words,
            "next_at": work.next_at,
            "details": details,
        }

    async def _removal(self, seen: Observed, operation: Operation, now: datetime, needed: Needed) -> RemovalPlan | None:
        """Return the files that the operation would delete now; None if it deletes none."""
        if not deletes_files(seen.policy, operation):
            return None
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, seen.table_id, SYSTEM)
            others = await locations_inside(unit, table)
        return await self._formats.work(
            seen.opened.ref, preview_removal, seen.opened, seen.policy, operation, now, others, needed=needed
        )

"""Dry runs of operations besides rewriting: what a run would do to a table now. Nothing is changed."""

from collections.abc import Mapping
from typing import Any

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.runs.run import Operation
from engine.services.catalogs.formats import FormatRegistry
from engine.services.planning.upkeep import UPKEEP, check_is_on, plan_upkeep
from engine.services.tables.observations import ObservationService
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
            now = await unit.now()
        work = await self._formats.ask(seen.opened.ref, plan_upkeep, seen.opened, seen.policy, operation, now)
        return {
            "table_id": table_id,
            "operation": operation,
            "setting": UPKEEP[operation].setting,
            "enabled": seen.policy.enabled,
            "count": work.count,
            "summary": work.words,
            "next_at": work.next_at,
            "details": dict(work.document),
        }

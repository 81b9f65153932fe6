"""End the freeze of a table after a human has inspected it; freezes begin in `operations.mismatches`."""

from collections.abc import Mapping
from typing import Any

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.runs.run import RunState
from engine.domain.tables.table import Freeze
from engine.services.catalogs.registered import read_own
from engine.services.runs.wakes import MOST_SENT, Wakes
from engine.stores.database import Database


class FreezeService:
    """Unfreezes tables."""

    def __init__(self, *, database: Database, wakes: Wakes) -> None:
        self._database = database
        self._wakes = wakes

    async def unfreeze(self, caller: Caller, table_id: TableId, *, reason: str) -> None:
        """End the freeze of a table; `reason` describes the finding and the repair. No effect if it is not frozen.

        Raises:
            NotFound: no such table.
            Forbidden: the caller may only read it.
        """
        async with self._database.begin() as unit:
            await unit.tables.lock(table_id)
            table, _ = await read_own(unit, table_id, caller)
            if table.freeze is None:
                return
            await unit.freezes.release(table_id)
            await unit.watches.wake(table_id)
            before, after = freeze_document(table.freeze), {"reason": reason}
            await unit.audit.append(caller, "table.unfreeze", table_id, before=before, after=after)
            waiting = await unit.runs.list(table_id, frozenset({RunState.QUEUED}), limit=MOST_SENT)
        await self._wakes.workers(run.id for run in waiting)


def freeze_document(freeze: Freeze) -> Mapping[str, Any]:
    """Return a freeze in the form of the audit log."""
    return {
        "run_id": freeze.run_id,
        "snapshot_id": str(freeze.snapshot_id),
        "parent_id": None if freeze.parent_id is None else str(freeze.parent_id),
        "reason": freeze.reason,
    }

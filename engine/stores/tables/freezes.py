"""Freezes of tables after a failed verification, until they are released. Stored in the rows of the tables.

Claims lock these rows (`stores.runs.claims`), as for pauses.
"""

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId, TableId
from engine.domain.tables.table import Freeze
from engine.stores.schema.core import tables
from engine.stores.sql.clock import now
from engine.stores.tables.store import FREEZE, to_freeze


class FreezeStore:
    """The freeze columns of `tables`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def freeze(
        self, table_id: TableId, *, by: RunId, snapshot_id: int, parent_id: int | None, reason: str
    ) -> Freeze | None:
        """Freeze a table on behalf of a run; the first freeze stays until its release.

        Returns None when the table is no longer registered, or already frozen.
        """
        values = {
            "frozen_at": now(),
            "frozen_by": by,
            "frozen_snapshot_id": snapshot_id,
            "frozen_parent_id": parent_id,
            "freeze_reason": reason,
        }
        statement = update(tables).where(tables.c.id == table_id, tables.c.frozen_at.is_(None)).values(values)
        row = (await self._connection.execute(statement.returning(*(tables.c[name] for name in FREEZE)))).one_or_none()
        return None if row is None else to_freeze(row)

    async def release(self, table_id: TableId) -> None:
        """End the freeze of a table; no-op when it is not frozen."""
        await self._connection.execute(update(tables).where(tables.c.id == table_id).values(dict.fromkeys(FREEZE)))

"""Positions of the export of the audit log, for each folder."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.audit import Anchor
from engine.stores.schema.history import audit_exports
from engine.stores.sql.dialects import now, upsert


class AuditExportStore:
    """Rows of `audit_exports`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, folder: str) -> Anchor | None:
        """Return the last exported link; None: nothing was exported to this folder."""
        query = select(audit_exports).where(audit_exports.c.folder == folder)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else Anchor(row.sequence, row.hash, row.exported_at)

    async def advance(self, folder: str, sequence: int, digest: str) -> None:
        """Record that links up to this one are exported; no effect if later ones are."""
        values = {"sequence": sequence, "hash": digest, "exported_at": now()}
        statement = upsert(self._connection, audit_exports).values(folder=folder, **values)
        await self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=["folder"], set_=values, where=audit_exports.c.sequence < sequence
            )
        )

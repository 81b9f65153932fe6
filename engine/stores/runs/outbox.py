"""Outbox of run ids for the queue: inserted with the run, deleted once the queue has them.

Sending an id twice is harmless: the second delivery finds the run claimed.
"""

from collections.abc import Iterable

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId
from engine.stores.schema.core import outbox
from engine.stores.sql.clock import now


class OutboxStore:
    """Rows of `outbox`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert_many(self, run_ids: Iterable[RunId]) -> None:
        """Add runs to be enqueued."""
        rows = [{"run_id": run_id} for run_id in run_ids]
        await self._connection.execute(insert(outbox).values(created_at=now()), rows)

    async def list_due(self, limit: int) -> list[tuple[int, RunId]]:
        """Return the (entry id, run id) pairs of the oldest remaining entries, at most `limit`."""
        query = select(outbox.c.id, outbox.c.run_id).order_by(outbox.c.id).limit(limit)
        return [(row.id, RunId(row.run_id)) for row in await self._connection.execute(query)]

    async def delete(self, ids: Iterable[int]) -> None:
        """Delete entries that the queue has; unknown ids are ignored."""
        await self._connection.execute(delete(outbox).where(outbox.c.id.in_(list(ids))))

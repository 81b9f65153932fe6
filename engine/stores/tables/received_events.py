"""Events that were received lately, by a hash of sender, source and id, so that a repeated one counts once.

Only events of registered tables are kept, the newest `MOST_KEPT` of each for `KEPT_FOR`: none can fill the record.
"""

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.stores.schema.watching import received_events
from engine.stores.sql.dialects import now, upsert

KEPT_FOR: Final = timedelta(hours=1)
"""Time in which a repeated event is noticed; a later one only makes the coordinator look once more."""
MOST_KEPT: Final = 10_000
"""Most events kept for a table."""


class ReceivedEventStore:
    """Rows of `received_events`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, events: Collection[tuple[TableId, str]]) -> set[tuple[TableId, str]]:
        """Store events, as tables with keys (`event_key`); return those that were not known, in one statement.

        The tables are locked against deletion (`TableStore.lock_many`).
        """
        if not events:
            return set()
        at: datetime = (await self._connection.execute(select(now()))).scalar_one()
        rows = [{"table_id": table_id, "key": key, "at": at} for table_id, key in sorted(set(events))]
        statement = upsert(self._connection, received_events).values(rows).on_conflict_do_nothing()
        found = await self._connection.execute(statement.returning(received_events.c.table_id, received_events.c.key))
        return {(TableId(row.table_id), row.key) for row in found}

    async def delete_older(self, table_ids: Iterable[TableId]) -> None:
        """Delete events of tables that have `MOST_KEPT` newer ones."""
        for table_id in table_ids:
            mine = received_events.c.table_id == table_id
            newest_first = select(received_events.c.at).where(mine).order_by(received_events.c.at.desc())
            oldest = newest_first.offset(MOST_KEPT).limit(1).scalar_subquery()
            await self._connection.execute(delete(received_events).where(mine, received_events.c.at <= oldest))

    async def prune(self, before: datetime, limit: int) -> int:
        """Delete events received before an instant, at most `limit`; return their number."""
        keys = list(received_events.primary_key.columns)
        old = select(*keys).where(received_events.c.at < before).limit(limit)
        return (await self._connection.execute(delete(received_events).where(tuple_(*keys).in_(old)))).rowcount


def event_key(sender: str, source: str, event_id: str) -> str:
    """Return the key of an event. The sender is part of it, so that none can use up the ids of another."""
    parts = (f"{len(part)}:{part}" for part in (sender, source, event_id))
    return hashlib.sha256("".join(parts).encode()).hexdigest()

"""Processes that reported that they are alive, by the database's clock. A process that ends deletes its row."""

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.processes import LIVE_SECONDS, ProcessKind
from engine.stores.schema.watching import processes
from engine.stores.sql.clock import now, seconds_from_now
from engine.stores.sql.upserts import upsert


class ProcessStore:
    """Rows of `processes`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def report(self, kind: ProcessKind, holder: str) -> None:
        """Record that a process is alive; forget others that have been silent for ten times as long as counts."""
        long_ago = seconds_from_now(-10 * LIVE_SECONDS)
        statement = upsert(self._connection, processes).values(kind=kind, holder=holder, seen_at=now())
        await self._connection.execute(
            statement.on_conflict_do_update(index_elements=["kind", "holder"], set_={"seen_at": now()})
        )
        await self._connection.execute(delete(processes).where(processes.c.seen_at < long_ago))

    async def forget(self, kind: ProcessKind, holder: str) -> None:
        """Record that a process ended."""
        await self._connection.execute(delete(processes).where(processes.c.kind == kind, processes.c.holder == holder))

    async def count_live(self) -> dict[ProcessKind, int]:
        """Count the processes that reported in the last `LIVE_SECONDS`; every kind is a key."""
        is_live = processes.c.seen_at >= seconds_from_now(-LIVE_SECONDS)
        query = select(processes.c.kind, func.count()).where(is_live).group_by(processes.c.kind)
        counted = {row.kind: row[1] for row in await self._connection.execute(query)}
        return {kind: counted.get(kind, 0) for kind in ProcessKind}

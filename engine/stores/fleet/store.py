"""The row of fleet-wide limits, and the processes that reported that they are alive, by the database's clock.

A process that ends deletes its row. The fleet's pause is in `stores.tables.pauses`.
"""

from typing import Any

from sqlalchemy import Row, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import PreconditionFailed
from engine.domain.fleet.limits import FleetLimits, FleetRow
from engine.domain.fleet.processes import LIVE_SECONDS, ProcessKind
from engine.stores.schema.core import fleet
from engine.stores.schema.watching import processes
from engine.stores.sql.dialects import now, seconds_from_now, upsert
from engine.stores.tables.store import to_pause


class FleetStore:
    """The single row of `fleet`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self) -> FleetRow:
        """Return the fleet's limits and pause."""
        return _to_fleet((await self._connection.execute(select(fleet))).one())

    async def replace_limits(self, limits: FleetLimits, *, by: str, version: int) -> FleetRow:
        """Replace the limits if `version` is the stored version.

        Raises:
            PreconditionFailed: another version is stored.
        """
        values = {"limits": limits.document(), "version": version + 1, "updated_at": now(), "updated_by": by}
        statement = update(fleet).where(fleet.c.version == version).values(values).returning(fleet)
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            present = (await self.get()).version
            raise PreconditionFailed(f"the limits are of version {present} now, not {version}: read them again")
        return _to_fleet(row)


def _to_fleet(row: Row[Any]) -> FleetRow:
    return FleetRow(row.version, row.updated_at, row.updated_by, FleetLimits.of(row.limits), to_pause(row))


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

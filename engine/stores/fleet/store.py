"""The row of fleet-wide limits. The fleet's pause is in `stores.tables.pauses`."""

from typing import Any

from sqlalchemy import Row, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import PreconditionFailed
from engine.domain.fleet.limits import FleetLimits, FleetRow
from engine.stores.schema.core import fleet
from engine.stores.sql.clock import now
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

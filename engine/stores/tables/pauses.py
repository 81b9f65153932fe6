"""Pauses (kill switches) of tables, catalogs and the fleet, and freezes of tables after a failed verification.

Both are stored in the rows that they stop. Claims lock these rows (`stores.runs.claims`), so a pause waits for claims
in progress, and later claims see it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Row, func, literal, null, or_, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import NotFound
from engine.domain.fleet.limits import Pauses
from engine.domain.ids import RunId, TableId
from engine.domain.tables.table import Freeze, Pause
from engine.stores.schema.core import catalogs, fleet, tables
from engine.stores.sql.dialects import now
from engine.stores.tables.store import FREEZE, to_freeze, to_pause

_OFF = {"paused_at": None, "paused_by": None, "pause_reason": None, "pause_stops": None}
_COLUMNS = tuple(_OFF)
_FLEET, _CATALOG, _TABLE = "fleet", "catalog", "table"
_freeze = [tables.c[name] for name in FREEZE]
_nothing = [null() for _ in FREEZE]


class PauseStore:
    """The pause columns of `tables`, `catalogs` and `fleet`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def switch_table(self, table_id: TableId, *, by: str, reason: str, stops: bool) -> Pause:
        """Pause a table, or change the reason and mode of its pause.

        Raises:
            NotFound: not registered.
        """
        statement = update(tables).where(tables.c.id == table_id).values(_on(by, reason, stops=stops))
        row = (await self._connection.execute(statement.returning(*_of(tables)))).one_or_none()
        return _paused(row, f"no table {table_id}")

    async def release_table(self, table_id: TableId) -> None:
        """End the pause of a table; no-op when it is not paused."""
        await self._connection.execute(update(tables).where(tables.c.id == table_id).values(_OFF))

    async def switch_catalog(self, name: str, *, by: str, reason: str, stops: bool) -> Pause:
        """Pause a catalog's tables, or change the reason and mode of that pause.

        Raises:
            NotFound: no such catalog.
        """
        statement = update(catalogs).where(catalogs.c.name == name).values(_on(by, reason, stops=stops))
        row = (await self._connection.execute(statement.returning(*_of(catalogs)))).one_or_none()
        return _paused(row, f"no catalog {name!r}")

    async def release_catalog(self, name: str) -> None:
        """End the pause of a catalog; pauses of individual tables remain."""
        await self._connection.execute(update(catalogs).where(catalogs.c.name == name).values(_OFF))

    async def switch_fleet(self, *, by: str, reason: str, stops: bool) -> Pause:
        """Pause all tables, or change the reason and mode of that pause."""
        statement = update(fleet).values(_on(by, reason, stops=stops)).returning(*_of(fleet))
        return _paused((await self._connection.execute(statement)).one_or_none(), "no fleet")

    async def release_fleet(self) -> None:
        """End the pause of the fleet; other pauses remain."""
        await self._connection.execute(update(fleet).values(_OFF))

    async def counts(self) -> Mapping[str, int]:
        """Count paused tables and catalogs, and 1 if the fleet is paused; every scope is a key."""
        counted = {}
        for scope, rows in ((_FLEET, fleet), (_CATALOG, catalogs), (_TABLE, tables)):
            query = select(func.count()).select_from(rows).where(rows.c.paused_at.is_not(None))
            counted[scope] = (await self._connection.execute(query)).scalar_one()
        return counted

    async def of_table(self, table_id: TableId) -> Pauses:
        """Return the pauses that apply to a table."""
        return (await self.of_tables([table_id]))[table_id]

    async def of_tables(self, table_ids: Iterable[TableId]) -> Mapping[TableId, Pauses]:
        """Return the pauses that apply to each of these tables, including tables that are no longer registered."""
        wanted = set(table_ids)
        inside = tables.c.id.in_(wanted)
        is_off = or_(tables.c.paused_at.is_not(None), tables.c.frozen_at.is_not(None))
        own = select(literal(_TABLE).label("kind"), tables.c.id, *_of(tables), *_freeze).where(inside, is_off)
        whole = select(literal(_FLEET), literal(""), *_of(fleet), *_nothing)
        around = (
            select(literal(_CATALOG), tables.c.id, *_of(catalogs), *_nothing)
            .join(catalogs, catalogs.c.name == tables.c.catalog)
            .where(inside, catalogs.c.paused_at.is_not(None))
        )
        rows = (await self._connection.execute(union_all(own, whole, around))).all()
        found = {(row.kind, row.id): to_pause(row) for row in rows}
        frozen = {row.id: to_freeze(row) for row in rows}
        return {
            table_id: Pauses(
                found[_FLEET, ""],
                found.get((_TABLE, table_id)),
                found.get((_CATALOG, table_id)),
                frozen.get(table_id),
            )
            for table_id in wanted
        }


def _of(table: Any) -> list[Any]:
    return [table.c[name] for name in _COLUMNS]


def _on(by: str, reason: str, *, stops: bool) -> dict[str, Any]:
    return {"paused_at": now(), "paused_by": by, "pause_reason": reason, "pause_stops": stops}


def _paused(row: Row[Any] | None, missing: str) -> Pause:
    pause = None if row is None else to_pause(row)
    if pause is None:
        raise NotFound(missing)
    return pause


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

    async def count(self) -> int:
        """Count the frozen tables."""
        query = select(func.count()).select_from(tables).where(tables.c.frozen_at.is_not(None))
        return (await self._connection.execute(query)).scalar_one()

    async def release(self, table_id: TableId) -> None:
        """End the freeze of a table; no-op when it is not frozen."""
        await self._connection.execute(update(tables).where(tables.c.id == table_id).values(dict.fromkeys(FREEZE)))

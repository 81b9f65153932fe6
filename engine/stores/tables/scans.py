"""Scans of tables, summed by hour and by the columns that their filters name."""

import hashlib
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.history import HOUR, floor_of
from engine.domain.ids import TableId
from engine.domain.tables.scans import MOST_COMBINATIONS, Scan, ScanFigures, ScanSums
from engine.stores.schema.watching import table_scans
from engine.stores.sql.dialects import dump_json, now, upsert

_SUMS: Final = ("scans", "result_files", "delete_files", "planning_ms")
_FURTHER: Final = ""
"""The key of combinations beyond those that are told apart."""


class ScanStore:
    """Rows of `table_scans`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, table_id: TableId, scan: Scan) -> None:
        """Add a scan to the sums of its hour; combinations of columns above `MOST_COMBINATIONS` share a row.

        Raises:
            StateConflict: the table is not registered (constraint `foreign_key`).
        """
        at: datetime = (await self._connection.execute(select(now()))).scalar_one()
        hour = floor_of(at, HOUR)
        key = _FURTHER if scan.columns is None else hashlib.sha256(dump_json(scan.columns).encode()).hexdigest()
        if not await self._has_room(table_id, hour, key):
            key = _FURTHER
        added = {"scans": 1, **{name: getattr(scan, name) for name in _SUMS if name != "scans"}}
        columns = None if key == _FURTHER else list(scan.columns or ())
        statement = upsert(self._connection, table_scans).values(
            table_id=table_id, hour=hour, columns_key=key, columns=columns, **added
        )
        sums = {name: table_scans.c[name] + value for name, value in added.items()}
        await self._connection.execute(
            statement.on_conflict_do_update(index_elements=["table_id", "hour", "columns_key"], set_=sums)
        )

    async def sums(self, table_id: TableId, since: datetime) -> list[ScanSums]:
        """Return the sums of a table's hours since an instant, one for each combination of columns."""
        rows = await self._connection.execute(
            select(table_scans.c.columns, *(table_scans.c[name] for name in _SUMS)).where(
                table_scans.c.table_id == table_id, table_scans.c.hour >= floor_of(since, HOUR)
            )
        )
        return [ScanSums(None if columns is None else frozenset(columns), *figures) for columns, *figures in rows]

    async def figures(self, table_id: TableId, since: datetime) -> ScanFigures | None:
        """Return the sums of all scans of a table since an instant; None: none was reported."""
        sums = (func.coalesce(func.sum(table_scans.c[name]), 0) for name in _SUMS)
        query = select(func.min(table_scans.c.hour), *sums).where(
            table_scans.c.table_id == table_id, table_scans.c.hour >= floor_of(since, HOUR)
        )
        first, *figures = (await self._connection.execute(query)).one()
        return None if first is None else ScanFigures(first, *map(int, figures))

    async def prune(self, before: datetime, limit: int) -> int:
        """Delete rows of hours before an instant, at most `limit`; return their number."""
        keys = list(table_scans.primary_key.columns)
        old = select(*keys).where(table_scans.c.hour < before).limit(limit)
        return (await self._connection.execute(delete(table_scans).where(tuple_(*keys).in_(old)))).rowcount

    async def _has_room(self, table_id: TableId, hour: datetime, key: str) -> bool:
        """Return whether the hour has the key, or room for one more."""
        query = select(table_scans.c.columns_key).where(table_scans.c.table_id == table_id, table_scans.c.hour == hour)
        known = set((await self._connection.execute(query)).scalars())
        return key in known or len(known - {_FURTHER}) < MOST_COMBINATIONS

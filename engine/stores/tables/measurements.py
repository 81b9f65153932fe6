"""Measurements of tables: one row per snapshot, with the newest marked; the newest 500 of a table are kept."""

import builtins
from typing import Any, Final

from sqlalchemy import Row, delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.domain.tables.measurements import Measurement
from engine.domain.values.instants import ALWAYS, Period
from engine.stores.fleet.hours import FleetHourStore
from engine.stores.schema.core import measurements, tables
from engine.stores.sql.dialects import within

MOST_KEPT: Final = 500
IS_LATEST: Final = text("measurements.is_latest")
"""The condition as text, exactly as in the partial indexes: SQLite does not use them for any other spelling."""

WORST_PARTITIONS: Final = "worst_partitions"
"""Key of the only part of a measurement's document that grows with the table; only the newest measurement keeps it."""


class MeasurementStore:
    """Rows of `measurements`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def latest(self, table_id: TableId) -> Measurement | None:
        """Return the newest measurement; None when the table was never measured."""
        query = select(measurements).where(measurements.c.table_id == table_id, IS_LATEST)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _to_measurement(row)

    async def list(
        self, table_id: TableId, before: int | None = None, limit: int = 100, period: Period = ALWAYS
    ) -> builtins.list[Measurement]:
        """Return measurements of a period with an id below `before`, newest first."""
        query = select(measurements).where(
            measurements.c.table_id == table_id, *within(measurements.c.measured_at, period)
        )
        if before is not None:
            query = query.where(measurements.c.id < before)
        query = query.order_by(measurements.c.id.desc()).limit(limit)
        return [_to_measurement(row) for row in await self._connection.execute(query)]

    async def record(self, measured: Measurement) -> None:
        """Store a measurement, replacing an earlier one of the same snapshot.

        It becomes the newest unless a later one is already stored. Measurements of one table are serialized (its row is
        locked), so any number of processes may call this. No-op for a table that is no longer registered.
        """
        locked = select(tables.c.owner_team).where(tables.c.id == measured.table_id).with_for_update(key_share=True)
        table = (await self._connection.execute(locked)).one_or_none()
        if table is None:
            return
        latest = await self.latest(measured.table_id)
        values = _values(measured)
        if latest is None:
            await self._put(values)
        elif latest.measured_at > measured.measured_at:  # measured earlier than the stored one: history only
            if latest.snapshot_id != measured.snapshot_id:
                await self._put(values | {"is_latest": False, "document": _without_partitions(measured)})
        else:
            if latest.snapshot_id != measured.snapshot_id:
                values["small_file_change"] = measured.small_file_count - latest.small_file_count
                await self._retire(latest)
            await self._put(values)
        await self._prune(measured.table_id)
        hours = FleetHourStore(connection=self._connection)  # last: measurements of all tables of a team share its rows
        await hours.count_small_files(measured.measured_at, table.owner_team, values["small_file_change"])

    async def _put(self, values: dict[str, Any]) -> None:
        same = (
            measurements.c.table_id == values["table_id"],
            measurements.c.snapshot_id == values["snapshot_id"],
        )
        changed = {name: value for name, value in values.items() if name != "small_file_change"}
        updated = update(measurements).where(*same).values(changed).returning(measurements.c.id)
        if (await self._connection.execute(updated)).one_or_none() is None:
            await self._connection.execute(insert(measurements).values(values))

    async def _retire(self, latest: Measurement) -> None:
        statement = update(measurements).where(measurements.c.id == latest.id)
        await self._connection.execute(statement.values(is_latest=False, document=_without_partitions(latest)))

    async def _prune(self, table_id: TableId) -> None:
        newest = (
            select(measurements.c.id)
            .where(measurements.c.table_id == table_id)
            .order_by(measurements.c.id.desc())
            .offset(MOST_KEPT)
            .limit(1)
            .scalar_subquery()
        )
        too_old = delete(measurements).where(measurements.c.table_id == table_id, measurements.c.id <= newest)
        await self._connection.execute(too_old.where(measurements.c.is_latest.is_(False)))


def _values(measured: Measurement) -> dict[str, Any]:
    return {
        "table_id": measured.table_id,
        "snapshot_id": measured.snapshot_id or "",
        "measured_at": measured.measured_at,
        "is_latest": True,
        "file_count": measured.file_count,
        "small_file_count": measured.small_file_count,
        "avoidable_file_count": measured.avoidable_file_count,
        "total_bytes": measured.total_bytes,
        "history_bytes": measured.history_bytes,
        "score": measured.score,
        "benefit_per_cost": measured.benefit_per_cost,
        "small_file_change": 0,
        "document": dict(measured.document),
    }


def _without_partitions(measured: Measurement) -> dict[str, Any]:
    return {name: value for name, value in measured.document.items() if name != WORST_PARTITIONS}


def _to_measurement(row: Row[Any]) -> Measurement:
    return Measurement(
        table_id=TableId(row.table_id),
        snapshot_id=row.snapshot_id or None,
        measured_at=row.measured_at,
        file_count=row.file_count,
        small_file_count=row.small_file_count,
        avoidable_file_count=row.avoidable_file_count,
        total_bytes=row.total_bytes,
        history_bytes=row.history_bytes,
        score=row.score,
        benefit_per_cost=row.benefit_per_cost,
        document=row.document,
        small_file_change=row.small_file_change,
        is_latest=row.is_latest,
        id=row.id,
    )

"""Measured times of rewrite attempts, used for predictions.

Only the newest times of each table are kept: one busy table does not fill the newest of the fleet, and the number of
rows grows with the number of tables, not with history.
"""

import builtins
from typing import Final

from sqlalchemy import RowMapping, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.domain.runs.times import RunSize, RunTime
from engine.stores.schema.core import tables
from engine.stores.schema.predictions import run_times

MOST_OF_TABLE: Final = 12
MOST_OF_FLEET: Final = 200


class RunTimeStore:
    """Rows of `run_times`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, time: RunTime) -> None:
        """Insert a time and delete all but its table's newest `MOST_OF_TABLE`; no-op for an unregistered table."""
        locked = select(tables.c.id).where(tables.c.id == time.table_id).with_for_update(key_share=True)
        if (await self._connection.execute(locked)).one_or_none() is None:
            return
        size = time.size
        values = {"table_id": time.table_id, "machine": time.machine, "kind": time.kind, "seconds": time.seconds}
        values |= {"lanes": size.lanes, "groups": size.groups, "files": size.files, "bytes": size.bytes}
        await self._connection.execute(insert(run_times).values(values))
        newest = (
            select(run_times.c.id)
            .where(run_times.c.table_id == time.table_id)
            .order_by(run_times.c.id.desc())
            .offset(MOST_OF_TABLE)
            .limit(1)
            .scalar_subquery()
        )
        too_old = (run_times.c.table_id == time.table_id, run_times.c.id <= newest)
        await self._connection.execute(delete(run_times).where(*too_old))

    async def list(self, table_id: TableId | None = None) -> builtins.list[RunTime]:
        """Return the newest times of one table, or the newest `MOST_OF_FLEET` of all tables, newest first."""
        query = select(run_times).order_by(run_times.c.id.desc()).limit(MOST_OF_FLEET)
        if table_id is not None:
            query = query.where(run_times.c.table_id == table_id)
        return [_to_time(row) for row in (await self._connection.execute(query)).mappings()]


def _to_time(row: RowMapping) -> RunTime:
    size = RunSize(row["groups"], row["files"], row["bytes"], row["lanes"])
    return RunTime(TableId(row["table_id"]), row["machine"], row["kind"], size, row["seconds"])

"""Events of the fleet: inserted with the change that they announce, read in order by the leader that distributes them.

`sequence` is assigned before a transaction commits, so an event may appear after one with a larger number. Each is
therefore marked when its deliveries exist; no position in the list is remembered.
"""

import builtins
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId, new_event_id
from engine.domain.tables.addresses import written_address
from engine.domain.tables.table import TableRef
from engine.domain.webhooks.events import FleetEvent, NewEvent
from engine.stores.schema.core import tables
from engine.stores.schema.webhooks import fleet_events
from engine.stores.sql.dialects import now

_FLEET: Final = "fleet"
"""The subject of events that are about no table, catalog or policy."""


async def announce(connection: AsyncConnection, given: Sequence[NewEvent]) -> None:
    """Insert events in the transaction of their changes; of tables that are not registered any more, none."""
    if not given:
        return
    at: datetime = (await connection.execute(select(now()))).scalar_one()
    found = await _tables(connection, {each.table_id for each in given if each.table_id is not None})
    rows = [
        {
            "id": new_event_id(at),
            "type": each.type,
            "at": at,
            "data": dict(each.data),
            "is_distributed": False,
            **_place(each, found),
        }
        for each in given
        if each.table_id is None or each.table_id in found
    ]
    if rows:
        await connection.execute(insert(fleet_events), rows)


async def _tables(connection: AsyncConnection, ids: Collection[TableId]) -> dict[str, Any]:
    if not ids:
        return {}
    query = select(tables.c.id, tables.c.catalog, tables.c.namespace, tables.c.name, tables.c.owner_team)
    return {row.id: row for row in await connection.execute(query.where(tables.c.id.in_(sorted(ids))))}


def _place(given: NewEvent, found: dict[str, Any]) -> dict[str, Any]:
    """Return the columns by which webhooks filter, and the subject."""
    if given.table_id is None:
        subject = given.data.get("policy") or given.catalog or _FLEET
        return {"table_id": None, "catalog": given.catalog, "owner_team": None, "subject": subject}
    row = found[given.table_id]
    address = written_address(TableRef(row.catalog, row.namespace, row.name))
    return {"table_id": row.id, "catalog": row.catalog, "owner_team": row.owner_team, "subject": address}


class FleetEventStore:
    """Rows of `fleet_events`; `announce` inserts them."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list_new(self, limit: int) -> builtins.list[FleetEvent]:
        """Return events that are not distributed yet, in their order."""
        query = select(fleet_events).where(fleet_events.c.is_distributed.is_(False))
        query = query.order_by(fleet_events.c.sequence).limit(limit)
        return [to_event(row) for row in (await self._connection.execute(query)).mappings()]

    async def mark_distributed(self, events: Sequence[FleetEvent]) -> None:
        """Record that the deliveries of these events exist."""
        is_one = fleet_events.c.sequence.in_([each.sequence for each in events])
        await self._connection.execute(update(fleet_events).where(is_one).values(is_distributed=True))

    async def list_between(
        self, since: datetime, until: datetime, *, after: int, limit: int
    ) -> builtins.list[FleetEvent]:
        """Return distributed events of a time, those with a sequence number above `after`, in their order."""
        query = select(fleet_events).where(
            fleet_events.c.at >= since,
            fleet_events.c.at < until,
            fleet_events.c.sequence > after,
            fleet_events.c.is_distributed.is_(True),
        )
        query = query.order_by(fleet_events.c.sequence).limit(limit)
        return [to_event(row) for row in (await self._connection.execute(query)).mappings()]

    async def prune(self, before: datetime, limit: int) -> int:
        """Delete events from before an instant with their deliveries, at most `limit`; return their number."""
        old = select(fleet_events.c.sequence).where(fleet_events.c.at < before).order_by(fleet_events.c.at).limit(limit)
        return (await self._connection.execute(delete(fleet_events).where(fleet_events.c.sequence.in_(old)))).rowcount


def to_event(row: RowMapping) -> FleetEvent:
    """Return the event in a row."""
    return FleetEvent(**{name: row[name] for name in FleetEvent.__slots__})

"""The event log of every run, appended in the transaction of the change that it records.

Triggers refuse updates, and deletes while the run is live.
"""

import builtins
from collections.abc import Sequence
from typing import Final

from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId
from engine.domain.runs.run import RunEvent
from engine.stores.schema.core import BOUNDS_OF_ATTEMPTS, run_events

MOST_BOUNDS: Final = 10_000


class EventStore:
    """Rows of `run_events`, read-only; only changes of runs append."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self, run_id: RunId, after_sequence: int = 0, limit: int = 100) -> builtins.list[RunEvent]:
        """Return the events of a run after a sequence number, oldest first."""
        query = (
            select(run_events)
            .where(run_events.c.run_id == run_id, run_events.c.sequence > after_sequence)
            .order_by(run_events.c.sequence)
            .limit(limit)
        )
        return [RunEvent(**row) for row in (await self._connection.execute(query)).mappings()]

    async def list_bounds(self, run_id: RunId) -> builtins.list[RunEvent]:
        """Return the events of a run that begin or end an attempt or a wait, oldest first."""
        query = (
            select(run_events)
            .where(run_events.c.run_id == run_id, text(BOUNDS_OF_ATTEMPTS))
            .order_by(run_events.c.sequence)
            .limit(MOST_BOUNDS)
        )
        return [RunEvent(**row) for row in (await self._connection.execute(query)).mappings()]


async def append_events(connection: AsyncConnection, events: Sequence[RunEvent]) -> None:
    """Insert events; the caller has locked the rows of their runs, whose `last_event` gave the sequence numbers."""
    names = run_events.c.keys()
    rows = [{name: getattr(event, name) for name in names} for event in events]
    for row in rows:
        row["details"] = dict(row["details"])
    await connection.execute(insert(run_events), rows)

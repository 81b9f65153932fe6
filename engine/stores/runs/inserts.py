"""Insert new runs in bulk, each with its first event, and the outbox of their ids for the queue.

An entry of the outbox is inserted with the run and deleted once the queue has it. Sending an id twice is harmless: the
second delivery finds the run claimed.
"""

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.figures import MOST_UNSENT
from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import Run, RunEvent
from engine.domain.tables.table import Table
from engine.stores.runs.changes import FIELDS, RunChanges, append_events
from engine.stores.schema.core import outbox, runs
from engine.stores.sql.dialects import now, upsert

_UNIQUE: Final = itemgetter("table_id", "operation", "request_key")
_DOCUMENTS: Final = ("plan", "intent", "result", "policy", "request")


class RunInserts(RunChanges):
    """Adds rows of `runs`."""

    async def insert_many(self, given: Sequence[Run], of: Mapping[TableId, Table]) -> builtins.list[Run | None]:
        """Insert runs in order, each with the event `submitted`; return them with their tables' catalog and team.

        None marks a run that was not inserted because a run of an equal request is live, possibly an earlier one of
        `given`.

        Args:
            given: new runs.
            of: their tables, locked in this transaction (`TableStore.lock_many`).
        """
        new = [
            replace(run, catalog=of[run.table_id].ref.catalog, owner_team=of[run.table_id].owner_team) for run in given
        ]
        statement = upsert(self._connection, runs).on_conflict_do_nothing(
            index_elements=[runs.c.table_id, runs.c.operation, runs.c.request_key],
            index_where=runs.c.finished_at.is_(None),
        )
        rows = sorted((_row(run) for run in new), key=_UNIQUE)  # one common order, or two batches could deadlock
        returned = await self._connection.execute(statement.returning(runs.c.id), rows)
        added = set(returned.scalars())
        stored = [run for run in new if run.id in added]
        if stored:
            await append_events(self._connection, [_submitted(run) for run in stored])
        return [run if run.id in added else None for run in new]


def _row(run: Run) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in FIELDS} | {
        "intent": run.intent.document(),
        "result": run.result.document,
    }
    return values | {name: dict(values[name]) for name in _DOCUMENTS} | {"last_event": 1}


def _submitted(run: Run) -> RunEvent:
    details = {name: run.request[name] for name in ("cause", "announced") if name in run.request}
    if run.waiting_for is not None:  # otherwise the wait would count as one for a worker
        until = None if run.not_before is None else run.not_before.isoformat()
        details |= {"waiting_for": run.waiting_for.value, "not_before": until}
    return RunEvent(
        run.id, 1, run.created_at, "submitted", run.requested_by, run.attempt, None, run.state, details=details
    )


class OutboxStore:
    """Rows of `outbox`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert_many(self, run_ids: Iterable[RunId]) -> None:
        """Add runs to be enqueued."""
        rows = [{"run_id": run_id} for run_id in run_ids]
        await self._connection.execute(insert(outbox).values(created_at=now()), rows)

    async def list_due(self, limit: int) -> list[tuple[int, RunId]]:
        """Return the (entry id, run id) pairs of the oldest remaining entries, at most `limit`."""
        query = select(outbox.c.id, outbox.c.run_id).order_by(outbox.c.id).limit(limit)
        return [(row.id, RunId(row.run_id)) for row in await self._connection.execute(query)]

    async def standing(self) -> tuple[int, datetime | None]:
        """Return the number of entries, at most `MOST_UNSENT`, and the instant of the oldest one."""
        oldest = select(outbox.c.id, outbox.c.created_at).order_by(outbox.c.id).limit(MOST_UNSENT).subquery()
        row = (await self._connection.execute(select(func.count(), func.min(oldest.c.created_at)))).one()
        return row[0], row[1]

    async def delete(self, ids: Iterable[int]) -> None:
        """Delete entries that the queue has; unknown ids are ignored."""
        await self._connection.execute(delete(outbox).where(outbox.c.id.in_(list(ids))))

"""New runs: many in one go, each with its first event."""

import builtins
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite

from engine.domain.errors import NotFound
from engine.domain.runs import Run, RunEvent
from engine.stores.events import append_events
from engine.stores.failures import LIVE_RUN, conflict
from engine.stores.run_changes import FIELDS, RunChanges
from engine.stores.schema import runs, tables

_UNIQUE: Final = itemgetter("table_id", "operation", "request_key")
_DOCUMENTS: Final = ("plan", "intent", "result", "policy", "request")


class RunInserts(RunChanges):
    """Adds rows of `runs`."""

    async def insert(self, run: Run) -> Run:
        """Add a run; return it with its table's catalog and team. After a conflict the transaction can go on.

        Raises:
            NotFound: the table is not registered.
            StateConflict: an equal request's run is live (constraint `uq_runs_live`).
        """
        stored = (await self.insert_many([run]))[0]
        if stored is None:
            raise conflict(LIVE_RUN)
        return stored

    async def insert_many(self, given: Sequence[Run]) -> builtins.list[Run | None]:
        """Add runs in order, each with the event `submitted`.

        None stands for a run that was not added: one of an equal request is live, perhaps an earlier one of `given`.

        Raises:
            NotFound: a table is not registered; nothing is added then.
        """
        wanted = sorted({run.table_id for run in given})
        # Locked, in order, so that no table is deleted or changes hands before we are done.
        of_tables = select(tables.c.id, tables.c.catalog, tables.c.owner_team).where(tables.c.id.in_(wanted))
        locked = of_tables.order_by(tables.c.id).with_for_update(read=True, key_share=True)
        found = {row.id: row for row in await self._connection.execute(locked)}
        if missing := [table_id for table_id in wanted if table_id not in found]:
            raise NotFound(f"no table {missing[0]}")
        of_table = [found[run.table_id] for run in given]
        new = [
            replace(run, catalog=table.catalog, owner_team=table.owner_team)
            for run, table in zip(given, of_table, strict=True)
        ]
        is_sqlite = self._connection.dialect.name == "sqlite"
        statement = (sqlite.insert if is_sqlite else postgresql.insert)(runs).on_conflict_do_nothing(
            index_elements=[runs.c.table_id, runs.c.operation, runs.c.request_key],
            index_where=runs.c.finished_at.is_(None),
        )
        rows = sorted((_row(run) for run in new), key=_UNIQUE)  # one order for all, or two batches could wait in a ring
        returned = await self._connection.execute(statement.returning(runs.c.id), rows)
        added = set(returned.scalars())
        stored = [run for run in new if run.id in added]
        if stored:
            await append_events(self._connection, [_submitted(run) for run in stored])
        return [run if run.id in added else None for run in new]


def _row(run: Run) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in FIELDS}
    return values | {name: dict(values[name]) for name in _DOCUMENTS} | {"last_event": 1}


def _submitted(run: Run) -> RunEvent:
    return RunEvent(run.id, 1, run.created_at, "submitted", run.requested_by, run.attempt, None, run.state)

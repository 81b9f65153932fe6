"""Change a run: one guarded UPDATE … RETURNING and the event that records it, in one transaction.

The common base of the classes that write runs; nothing else writes `runs`.
"""

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.leases import Lease
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Run, RunEvent, WaitingFor
from engine.stores.runs.events import append_events
from engine.stores.schema.core import runs
from engine.stores.sql.clock import now

FIELDS: Final = tuple(each.name for each in fields(Run) if each.name != "ref")


@dataclass(frozen=True, slots=True)
class Entry:
    """Contents of a change's event besides the change itself."""

    kind: str
    actor: str
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class RunChanges:
    """Changes rows of `runs`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def _change(
        self, guard: Sequence[ColumnElement[bool]], values: Mapping[str, Any], entry: Entry
    ) -> Run | None:
        changed = await self._change_all(guard, values, entry)
        return changed[0] if changed else None

    async def _change_all(
        self, guard: Sequence[ColumnElement[bool]], values: Mapping[str, Any], entry: Entry
    ) -> builtins.list[Run]:
        """Update the rows that match the guard and append one event for each. The only way to change a run."""
        statement = (
            update(runs)
            .where(*guard)
            .values(state_before=runs.c.state, last_event=runs.c.last_event + 1, updated_at=now(), **values)
            .returning(runs)
        )
        rows = (await self._connection.execute(statement)).mappings().all()
        if rows:
            await append_events(self._connection, [_to_event(row, entry) for row in rows])
        return [to_run(row) for row in rows]


def to_run(row: RowMapping) -> Run:
    """Return the run in a row; documents that were not selected are empty."""
    values = {name: row[name] for name in FIELDS if name in row}
    result = RunResult(values.get("result") or {})
    return Run(**values | {"intent": RunIntent.of(values.get("intent") or {}), "result": result})


def lease_of(run: Run) -> Lease:
    """Return the lease under which a run is held."""
    if run.lease_holder is None or run.lease_expires_at is None:
        message = f"run {run.id} is not leased"
        raise ValueError(message)
    return Lease(run.id, run.lease_holder, run.attempt, run.lease_expires_at)


def waits(waiting_for: WaitingFor | None, not_before: datetime | None) -> dict[str, Any]:
    """Return the columns for why and until when a queued run waits; None, None: it does not wait."""
    return {"waiting_for": waiting_for, "not_before": not_before, "reason": None, "detail": None}


def _to_event(row: RowMapping, entry: Entry) -> RunEvent:
    moved = row["state"] is not row["state_before"]
    return RunEvent(
        run_id=RunId(row["id"]),
        sequence=row["last_event"],
        at=row["updated_at"],
        kind=entry.kind,
        actor=entry.actor,
        attempt=row["attempt"],
        from_state=row["state_before"] if moved else None,
        to_state=row["state"] if moved else None,
        reason=entry.reason,
        details=entry.details,
    )

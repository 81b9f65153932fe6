"""Change a run: one guarded UPDATE … RETURNING and the event that records it, in one transaction.

The common base of the classes that write runs; nothing else writes `runs`. Every write of a run's holder has the
lease's conditions: it must be the run's current one, and not expired by the database's clock. The token is the
attempt's number. Triggers refuse updates of events, and deletes while their run is live.
"""

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import LeaseLost
from engine.domain.ids import RunId, TableId
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.leases import Lease
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Run, RunEvent, WaitingFor
from engine.domain.webhooks.events import NewEvent, type_of_run
from engine.stores.schema.core import BOUNDS_OF_ATTEMPTS, run_events, runs
from engine.stores.sql.dialects import now
from engine.stores.webhooks.events import announce

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


def held(lease: Lease) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions under which a row of `runs` is held by this lease."""
    return (
        runs.c.id == lease.run_id,
        runs.c.lease_holder == lease.holder,
        runs.c.attempt == lease.token,
        runs.c.lease_expires_at > now(),
    )


async def lock_lease(connection: AsyncConnection, lease: Lease) -> TableId:
    """Lock the run's row until the transaction ends, so that no other holder can take it over; return its table.

    Raises:
        LeaseLost: the lease expired or another holder has it.
    """
    # On Postgres a condition in a subquery would read a snapshot; the row lock keeps it true until the commit.
    query = select(runs.c.table_id).where(*held(lease)).with_for_update(key_share=True)
    table_id = (await connection.execute(query)).scalar_one_or_none()
    if table_id is None:
        raise lease_lost(lease)
    return TableId(table_id)


def lease_lost(lease: Lease) -> LeaseLost:
    """Return the error for a holder that may no longer write."""
    return LeaseLost(
        f"{lease.holder} no longer holds attempt {lease.token} of {lease.run_id}",
        details={"run_id": lease.run_id, "holder": lease.holder, "token": lease.token},
    )


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
            await announce(self._connection, [each for row in rows if (each := _announcement(row)) is not None])
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


def _announcement(row: RowMapping) -> NewEvent | None:
    """Return the event for webhooks of a change of state; None: it is none that they announce."""
    if row["state"] is row["state_before"]:
        return None
    type_ = type_of_run(row["state_before"], row["state"], row["attempt"])
    if type_ is None:
        return None
    data = {name: row[name] for name in ("operation", "state", "attempt", "reason")}
    return NewEvent(type_, table_id=TableId(row["table_id"]), data={"run_id": row["id"], **data})


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

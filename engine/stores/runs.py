"""Runs and their changes of state: the only place that writes `runs.state`.

A change is one guarded UPDATE … RETURNING and the event that tells it, in one transaction. The guard of a holder's
write is its lease: holder, token (= attempt) and expiry by the database's clock. When no row fits, the row is read
again to say why. The map of legal changes is `engine.domain.runs.TRANSITIONS`.

    claim            queued → planning                      a worker takes the lease
    transition       between leased states, to terminal     terminal gives the lease back
    park, reap       leased → queued                        by the holder; after expiry
    request_cancel   queued → cancelled, else a request     the holder acts on it

Hazard: a cancel of a queued run is final, also of one that was parked or reaped: reading the table is not done here.
"""

import builtins
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import IllegalTransition, LeaseLost, NotFound, StateConflict
from engine.domain.ids import RunId, TableId
from engine.domain.leases import Lease
from engine.domain.runs import (
    LEASED_STATES,
    TERMINAL_STATES,
    TRANSITIONS,
    Operation,
    Run,
    RunEvent,
    RunState,
    WaitingFor,
)
from engine.stores import run_listings
from engine.stores.clock import now, seconds_from_now
from engine.stores.events import append_events
from engine.stores.failures import LEASED_TABLE
from engine.stores.leases import held, lease_lost
from engine.stores.schema import rewritten_bytes, runs, tables

Document = Mapping[str, Any] | None

_FIELDS: Final = tuple(each.name for each in fields(Run))
_DOCUMENTS: Final = ("plan", "intent", "result", "policy")
_NO_LEASE: Final = {"lease_holder": None, "lease_expires_at": None}
_REAPER: Final = "reaper"


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the event of a change says beyond the change itself."""

    kind: str
    actor: str
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class RunStore:
    """Rows of `runs`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert(self, run: Run) -> Run:
        """Add a run with its first event (`submitted`); return it with its table's catalog and team.

        After a conflict the transaction can go on.

        Raises:
            NotFound: the table is not registered.
            StateConflict: a live run of this operation on the table exists (constraint `uq_runs_live`).
        """
        of_table = select(tables.c.catalog, tables.c.owner_team).where(tables.c.id == run.table_id)
        locked = of_table.with_for_update(read=True, key_share=True)
        table = (await self._connection.execute(locked)).one_or_none()
        if table is None:
            raise NotFound(f"no table {run.table_id}")
        run = replace(run, catalog=table.catalog, owner_team=table.owner_team)
        values = {name: getattr(run, name) for name in _FIELDS} | {
            name: dict(getattr(run, name)) for name in (*_DOCUMENTS, "request")
        }
        async with self._connection.begin_nested():
            await self._connection.execute(insert(runs).values(**values, last_event=1))
        event = RunEvent(run.id, 1, run.created_at, "submitted", run.requested_by, run.attempt, None, run.state)
        await append_events(self._connection, [event])
        return run

    async def get(self, run_id: RunId) -> Run | None:
        """Return a run, None when there is none of this id."""
        row = (await self._connection.execute(select(runs).where(runs.c.id == run_id))).mappings().one_or_none()
        return None if row is None else _to_run(row)

    async def list(
        self,
        table_id: TableId | None = None,
        states: AbstractSet[RunState] | None = None,
        before: RunId | None = None,
        limit: int = 100,
    ) -> builtins.list[Run]:
        """Return runs, newest first, those older than `before`; None leaves a filter out."""
        if states is not None and not states:
            return []
        query = run_listings.page(table_id, states, before, limit)
        return [_to_run(row) for row in (await self._connection.execute(query)).mappings()]

    async def find_live(self, table_id: TableId, operation: Operation) -> Run | None:
        """Return the live run of an operation on a table; the database allows one at most."""
        row = (await self._connection.execute(run_listings.live(table_id, operation))).mappings().one_or_none()
        return None if row is None else _to_run(row)

    async def list_ready(self, limit: int) -> builtins.list[RunId]:
        """Return the ids of queued runs that need not wait any longer, oldest first."""
        return [RunId(row.id) for row in await self._connection.execute(run_listings.ready(limit))]

    async def metrics(self) -> dict[RunState, int]:
        """Return how many runs are in each live state."""
        counted = {row.state: row[1] for row in await self._connection.execute(run_listings.live_counts())}
        return {state: counted.get(state, 0) for state in RunState if state not in TERMINAL_STATES}

    async def bytes_rewritten_since(self, table_id: TableId, since: datetime) -> builtins.list[tuple[datetime, int]]:
        """Return when and how many bytes rewrites of a table have read since an instant, one entry a written group.

        Groups that were written and dropped later count: their bytes were moved.
        """
        query = (
            select(rewritten_bytes.c.at, rewritten_bytes.c.bytes)
            .where(rewritten_bytes.c.table_id == table_id, rewritten_bytes.c.at >= since)
            .order_by(rewritten_bytes.c.at)
        )
        return [(row.at, row.bytes) for row in await self._connection.execute(query)]

    async def claim(self, run_id: RunId, holder: str, ttl_seconds: float) -> tuple[Run, Lease] | None:
        """Take a queued run that need not wait: queued → planning, the attempt's number grows and is the lease's token.

        None when another holder was faster, it must wait, or another run holds the table.
        """
        other = runs.alias("other")
        guard = (
            runs.c.id == run_id,
            runs.c.state == RunState.QUEUED,
            or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
            ~exists().where(other.c.table_id == runs.c.table_id, other.c.lease_holder.is_not(None)),
        )
        values = {
            "state": RunState.PLANNING,
            "attempt": runs.c.attempt + 1,
            "lease_holder": holder,
            "lease_expires_at": seconds_from_now(ttl_seconds),
            "started_at": func.coalesce(runs.c.started_at, now()),
            **_waits(None, None),
        }
        try:
            async with self._connection.begin_nested():
                run = await self._change(guard, values, _Entry("claimed", holder))
        except StateConflict as conflict:
            # Two claims of two runs of one table at the same instant: neither sees the other, the unique index does.
            if conflict.details.get("constraint") != LEASED_TABLE:
                raise
            return None
        return None if run is None else (run, _lease_of(run))

    async def transition(
        self,
        lease: Lease,
        *,
        to: RunState,
        reason: str | None = None,
        detail: str | None = None,
        details: Document = None,
        plan: Document = None,
        intent: Document = None,
        result: Document = None,
        policy: Document = None,
    ) -> Run:
        """Move a held run on; a terminal state gives the lease back. Documents that are given replace the stored ones.

        Raises:
            LeaseLost: the lease expired or is another holder's.
            IllegalTransition: `TRANSITIONS` has no such change, or it is `park`'s (to queued).
        """
        values = {"state": to, "reason": reason, "detail": detail, **_given(plan, intent, result, policy)}
        if to in TERMINAL_STATES:
            values |= {**_NO_LEASE, "finished_at": now(), "snapshot_count": len((result or {}).get("snapshot_ids", ()))}
        sources = [] if to is RunState.QUEUED else _sources(to)
        entry = _Entry("state_changed", lease.holder, reason, _with_detail(detail, details))
        run = await self._change((*held(lease), runs.c.state.in_(sources)), values, entry)
        if run is None:
            raise await self._refusal(lease, to)
        return run

    async def record(
        self,
        lease: Lease,
        *,
        kind: str,
        details: Document,
        plan: Document = None,
        intent: Document = None,
        result: Document = None,
        policy: Document = None,
    ) -> Run:
        """Store documents and an event of this kind without a change of state.

        Raises:
            LeaseLost: the lease expired or is another holder's.
        """
        entry = _Entry(kind, lease.holder, None, details or {})
        run = await self._change(held(lease), _given(plan, intent, result, policy), entry)
        if run is None:
            raise lease_lost(lease)
        return run

    async def extend(self, lease: Lease, ttl_seconds: float) -> tuple[Run, Lease]:
        """Let the lease run for `ttl_seconds` from now (the heartbeat; no event); the run shows cancel requests.

        Raises:
            LeaseLost: the lease expired, even if nobody took the run yet, or is another holder's.
        """
        statement = (
            update(runs).where(*held(lease)).values(lease_expires_at=seconds_from_now(ttl_seconds)).returning(runs)
        )
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        if row is None:
            raise lease_lost(lease)
        run = _to_run(row)
        return run, _lease_of(run)

    async def park(
        self,
        lease: Lease,
        *,
        waiting_for: WaitingFor,
        not_before: datetime | None,
        reason: str,
        detail: str | None,
        failed: bool,
    ) -> Run:
        """Put a held run back to wait until `not_before`; `failed` counts the attempt as a failure.

        Raises:
            LeaseLost: the lease expired or is another holder's.
        """
        values = {
            "state": RunState.QUEUED,
            **_NO_LEASE,
            **_waits(waiting_for, not_before),
            "reason": reason,
            "detail": detail,
            "failures": runs.c.failures + int(failed),
        }
        until = None if not_before is None else not_before.isoformat()
        details = _with_detail(detail, {"waiting_for": waiting_for.value, "not_before": until, "failed": failed})
        entry = _Entry("parked", lease.holder, reason, details)
        run = await self._change((*held(lease), runs.c.state.in_(_sources(RunState.QUEUED))), values, entry)
        if run is None:
            raise await self._refusal(lease, RunState.QUEUED)
        return run

    async def request_cancel(self, run_id: RunId, by: str) -> Run:
        """Cancel a run that was never started at once; of any other note the request, for its holder to act on.

        A queued run that had an attempt may have committed something: whoever claims it next finds out, so it need not
        wait any longer. Asking again changes nothing.

        Raises:
            NotFound: no such run.
            StateConflict: the run has ended.
        """
        locked = select(runs).where(runs.c.id == run_id).with_for_update(key_share=True)
        row = (await self._connection.execute(locked)).mappings().one_or_none()
        if row is None:
            raise NotFound(f"no run {run_id}")
        present = _to_run(row)
        if present.is_terminal:
            raise StateConflict(f"run {run_id} has ended: {present.state}", details={"state": present.state.value})
        if present.cancel_requested_at is not None:
            return present
        values: dict[str, Any] = {"cancel_requested_at": now(), "cancel_requested_by": by}
        kind = "cancel_requested"
        if present.state is RunState.QUEUED and present.attempt > 0:
            values |= _waits(None, None)
        elif present.state is RunState.QUEUED:
            kind = "cancelled"
            values |= {"state": RunState.CANCELLED, "finished_at": now(), "reason": "cancelled", **_waits(None, None)}
        run = await self._change((runs.c.id == run_id, runs.c.state == present.state), values, _Entry(kind, by))
        if run is None:  # the row is locked: nobody else can have moved it
            raise IllegalTransition(f"run {run_id} moved while it was locked")
        return run

    async def reap(self, limit: int) -> builtins.list[Run]:
        """Take back runs whose lease expired: → queued, one failure more, intent kept for whoever reconciles."""
        due = [row.id for row in await self._connection.execute(run_listings.expired(limit))]
        if not due:
            return []
        values = {"state": RunState.QUEUED, **_NO_LEASE, "failures": runs.c.failures + 1, "reason": "lease_expired"}
        guard = (runs.c.id.in_(due), runs.c.lease_expires_at <= now())
        return await self._change_all(guard, values | {"detail": None}, _Entry("reaped", _REAPER, "lease_expired"))

    async def _change(
        self, guard: Sequence[ColumnElement[bool]], values: Mapping[str, Any], entry: _Entry
    ) -> Run | None:
        changed = await self._change_all(guard, values, entry)
        return changed[0] if changed else None

    async def _change_all(
        self, guard: Sequence[ColumnElement[bool]], values: Mapping[str, Any], entry: _Entry
    ) -> builtins.list[Run]:
        """Update the rows that fit the guard and append one event for each: the single way to change a run."""
        statement = (
            update(runs)
            .where(*guard)
            .values(state_before=runs.c.state, last_event=runs.c.last_event + 1, updated_at=now(), **values)
            .returning(runs)
        )
        rows = (await self._connection.execute(statement)).mappings().all()
        if rows:
            await append_events(self._connection, [_to_event(row, entry) for row in rows])
        return [_to_run(row) for row in rows]

    async def _refusal(self, lease: Lease, to: RunState) -> LeaseLost | IllegalTransition:
        row = (await self._connection.execute(select(runs.c.state).where(*held(lease)))).one_or_none()
        if row is None:
            return lease_lost(lease)
        return IllegalTransition(f"run {lease.run_id} can't go from {row.state} to {to} like this")


def _sources(to: RunState) -> list[RunState]:
    return sorted(state for state in LEASED_STATES if to in TRANSITIONS[state])


def _given(plan: Document, intent: Document, result: Document, policy: Document) -> dict[str, Any]:
    documents = zip(_DOCUMENTS, (plan, intent, result, policy), strict=True)
    return {name: dict(value) for name, value in documents if value is not None}


def _waits(waiting_for: WaitingFor | None, not_before: datetime | None) -> dict[str, Any]:
    return {"waiting_for": waiting_for, "not_before": not_before, "reason": None, "detail": None}


def _with_detail(detail: str | None, details: Document) -> dict[str, Any]:
    return ({} if detail is None else {"detail": detail}) | dict(details or {})


def _to_run(row: RowMapping) -> Run:
    return Run(**{name: row[name] for name in _FIELDS})


def _lease_of(run: Run) -> Lease:
    if run.lease_holder is None or run.lease_expires_at is None:
        message = f"run {run.id} is not leased"
        raise ValueError(message)
    return Lease(run.id, run.lease_holder, run.attempt, run.lease_expires_at)


def _to_event(row: RowMapping, entry: _Entry) -> RunEvent:
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

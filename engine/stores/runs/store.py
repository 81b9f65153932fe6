"""Runs and their changes of state: the only place that writes `runs.state`.

A change is one guarded UPDATE … RETURNING and the event that records it, in one transaction. The guard of a holder's
write is its lease: holder, token (= attempt) and expiry by the database's clock. When no row matches, the row is read
again to find the reason. The map of legal changes is `engine.domain.runs.run.TRANSITIONS`.

    insert           → queued                               (`run_inserts`)
    claim            queued → planning                      a worker takes the lease (`run_claims`)
    transition       between leased states, to terminal     a terminal state releases the lease
    park, reap       leased → queued                        by the holder; after expiry
    release_restored live → queued                          after a restore of the database (`run_restores`)
    request_cancel   queued → cancelled, or a request       the holder acts on it

A run that ends is counted in `run_totals` and by the breaker of its catalog; its table is evaluated at once.
"""

import builtins
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, case, select, update

from engine.domain.errors import IllegalTransition, LeaseLost, NotFound, StateConflict
from engine.domain.fleet.breakers import Fault
from engine.domain.ids import RunId, TableId
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.leases import Lease
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import (
    LEASED_STATES,
    LIVE_STATES,
    TERMINAL_STATES,
    TRANSITIONS,
    EndedRuns,
    Operation,
    Run,
    RunFilter,
    RunPage,
    RunState,
    WaitingFor,
)
from engine.domain.values.instants import ALWAYS, Period
from engine.stores.fleet.hours import FleetHourStore
from engine.stores.runs import listings as run_listings
from engine.stores.runs.changes import Entry, held, lease_lost, lease_of, to_run, waits
from engine.stores.runs.claims import RunClaims
from engine.stores.runs.inserts import RunInserts
from engine.stores.runs.restores import RunRestores
from engine.stores.runs.urgency import RunUrgency
from engine.stores.schema.core import fleet, rewritten_bytes, run_totals, runs
from engine.stores.sql.dialects import now, seconds_from_now, upsert
from engine.stores.watching.breakers import BreakerStore
from engine.stores.watching.watches import WatchStore

Document = Mapping[str, Any] | None

_NO_LEASE: Final = {"lease_holder": None, "lease_expires_at": None}
_REAPER: Final = "reaper"


class RunStore(RunInserts, RunClaims, RunUrgency, RunRestores):
    """Rows of `runs`."""

    async def get(self, run_id: RunId) -> Run | None:
        """Return the run with this id; None when there is none."""
        row = (await self._connection.execute(select(runs).where(runs.c.id == run_id))).mappings().one_or_none()
        return None if row is None else to_run(row)

    async def get_many(self, table_id: TableId, run_ids: Sequence[RunId]) -> builtins.list[Run]:
        """Return those of the runs that are of a table, in no particular order; at most some hundred ids."""
        query = select(runs).where(runs.c.table_id == table_id, runs.c.id.in_(run_ids))
        return [to_run(row) for row in (await self._connection.execute(query)).mappings()]

    async def list(
        self,
        table_id: TableId | None = None,
        states: AbstractSet[RunState] | None = None,
        before: RunId | None = None,
        limit: int = 100,
    ) -> builtins.list[Run]:
        """Return runs older than `before`, newest first; a filter of None is not applied."""
        wanted = RunFilter(table_id=table_id, states=None if states is None else frozenset(states))
        return [*(await self.page(wanted, before, limit)).runs]

    async def page(
        self,
        wanted: RunFilter,
        before: RunId | None = None,
        limit: int = 100,
        documents: Collection[str] = run_listings.DOCUMENTS,
    ) -> RunPage:
        """Return a page of runs older than `before`, newest first; a page that may be incomplete is marked as such.

        `documents` are the JSON columns to read; the others are empty in the runs returned.
        """
        if (wanted.states is not None and not wanted.states) or (wanted.teams is not None and not wanted.teams):
            return RunPage(())
        rows = (await self._connection.execute(run_listings.page(wanted, before, limit, documents))).mappings()
        found = tuple(to_run(row) for row in rows)
        floor = run_listings.walked_to(wanted, before)
        walked_to: str | None = None if floor is None else (await self._connection.execute(floor)).scalar_one()
        if walked_to is None:
            return RunPage(found)
        return RunPage(tuple(run for run in found if run.id >= walked_to), RunId(walked_to))

    async def list_changes(
        self,
        table_id: TableId,
        before: RunId | None = None,
        limit: int = 100,
        period: Period = ALWAYS,
        operation: Operation | None = None,
    ) -> builtins.list[Run]:
        """Return ended runs older than `before` that committed snapshots to a table, newest first."""
        query = run_listings.changes(table_id, before, limit, period, operation)
        rows = (await self._connection.execute(query)).mappings()
        return [to_run(row) for row in rows]

    async def last_ends(self, table_id: TableId, operations: Collection[Operation]) -> dict[Operation, datetime]:
        """Return when the last run of each operation on a table ended that did what it could; others are left out."""
        found, done = {}, frozenset({RunState.SUCCEEDED, RunState.SKIPPED})
        for operation in operations:
            wanted = RunFilter(table_id=table_id, states=done, operations=frozenset({operation}))
            for run in (await self.page(wanted, limit=1, documents=())).runs:
                found[operation] = run.finished_at or run.created_at
        return found

    async def find_live(self, table_id: TableId, operation: Operation, request_key: str | None = None) -> Run | None:
        """Return the live run of an operation on a table: of this request (at most one), otherwise the oldest."""
        query = run_listings.live(table_id, operation, request_key).limit(1)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else to_run(row)

    async def list_live(self, table_id: TableId, limit: int) -> builtins.list[Run]:
        """Return live runs of a table, newest first."""
        rows = (await self._connection.execute(run_listings.live_of_table(table_id, limit))).mappings()
        return [to_run(row) for row in rows]

    async def metrics(self) -> dict[RunState, int]:
        """Return the number of runs in each live state."""
        counted = {row.state: row[1] for row in await self._connection.execute(run_listings.live_counts())}
        return {state: counted.get(state, 0) for state in RunState if state in LIVE_STATES}

    async def oldest_startable(self) -> datetime | None:
        """Return since when the oldest queued run that may start could have started; None without such a run.

        Limits of parallel runs are left out: behind a full fleet runs wait as well.
        """
        is_paused = (await self._connection.execute(select(fleet.c.paused_at))).scalar_one() is not None
        query = run_listings.oldest_startable(is_fleet_paused=is_paused)
        since: datetime | None = (await self._connection.execute(query)).scalar_one()
        return since

    async def oldest_event_at_work(self) -> datetime | None:
        """Return the last event of the run at work that has recorded none for longest; None without a run at work."""
        at: datetime | None = (await self._connection.execute(run_listings.oldest_event_at_work())).scalar_one()
        return at

    async def longest_waits(self) -> dict[str, datetime]:
        """Return since when the longest waiting queued run has waited, by the stored reason of its wait."""
        return {str(row[0]): row[1] for row in await self._connection.execute(run_listings.longest_waits())}

    async def totals(self) -> builtins.list[EndedRuns]:
        """Return the counts of ended runs by operation and state, without reading the runs."""
        query = select(run_totals).order_by(run_totals.c.operation, run_totals.c.state)
        return [EndedRuns(**row) for row in (await self._connection.execute(query)).mappings()]

    async def bytes_rewritten_since(self, table_id: TableId, since: datetime) -> builtins.list[tuple[datetime, int]]:
        """Return the times and bytes that rewrites of a table have read since an instant, one entry per written group.

        Groups that were written and later dropped count: their bytes were moved.
        """
        query = (
            select(rewritten_bytes.c.at, rewritten_bytes.c.bytes)
            .where(rewritten_bytes.c.table_id == table_id, rewritten_bytes.c.at >= since)
            .order_by(rewritten_bytes.c.at)
        )
        return [(row.at, row.bytes) for row in await self._connection.execute(query)]

    async def transition(
        self,
        lease: Lease,
        *,
        to: RunState,
        reason: str | None = None,
        detail: str | None = None,
        details: Document = None,
        plan: Document = None,
        intent: RunIntent | None = None,
        result: RunResult | None = None,
        policy: Document = None,
        fault: Fault = Fault.OTHER,
    ) -> Run:
        """Change the state of a held run; a terminal state releases the lease. Given documents replace the stored ones.

        `fault`: the cause of a failure, used by breakers.

        Raises:
            LeaseLost: the lease expired or another holder has it.
            IllegalTransition: not in `TRANSITIONS`, or a change to queued, for which `park` exists.
        """
        values = {"state": to, "reason": reason, "detail": detail, **_given(plan, intent, result, policy)}
        if to in TERMINAL_STATES:
            values |= {**_NO_LEASE, "finished_at": now(), "snapshot_count": len((result or RunResult()).snapshot_ids)}
        sources = [] if to is RunState.QUEUED else _sources(to)
        entry = Entry("state_changed", lease.holder, reason, _with_detail(detail, details))
        run = await self._change((*held(lease), runs.c.state.in_(sources)), values, entry)
        if run is None:
            raise await self._refusal(lease, to)
        if run.is_terminal:
            has_closed = await BreakerStore(connection=self._connection).note_end(run, fault)
            await self._wake(run, closed=run.catalog if has_closed else None)
            await self._count(run)
        return run

    async def record(
        self,
        lease: Lease,
        *,
        kind: str,
        details: Document,
        plan: Document = None,
        intent: RunIntent | None = None,
        result: RunResult | None = None,
        policy: Document = None,
        is_progress: bool = False,
    ) -> Run:
        """Store documents and an event of this kind without a change of state; progress resets the failure count.

        Raises:
            LeaseLost: the lease expired or another holder has it.
        """
        entry = Entry(kind, lease.holder, None, details or {})
        values = _given(plan, intent, result, policy) | ({"failures": 0, "waits_on": None} if is_progress else {})
        run = await self._change(held(lease), values, entry)
        if run is None:
            raise lease_lost(lease)
        return run

    async def extend(self, lease: Lease, ttl_seconds: float) -> tuple[Run, Lease]:
        """Extend the lease to `ttl_seconds` from now (the heartbeat; no event); the run shows cancel requests.

        Raises:
            LeaseLost: the lease expired, even if the run is not taken yet, or another holder has it.
        """
        statement = (
            update(runs).where(*held(lease)).values(lease_expires_at=seconds_from_now(ttl_seconds)).returning(runs)
        )
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        if row is None:
            raise lease_lost(lease)
        run = to_run(row)
        return run, lease_of(run)

    async def park(
        self,
        lease: Lease,
        *,
        waiting_for: WaitingFor | None,
        not_before: datetime | None,
        reason: str,
        detail: str | None,
        failed: bool,
        waits_on: str | None = None,
        fault: Fault = Fault.OTHER,
    ) -> Run:
        """Return a held run to the queue until `not_before`; `failed` counts the attempt as a failure.

        Without `waiting_for` it waits only for a worker. With `waits_on` it also waits for the end of that outage.
        `fault`: the cause of the failure, used by breakers.

        Raises:
            LeaseLost: the lease expired or another holder has it.
        """
        values = {
            "state": RunState.QUEUED,
            **_NO_LEASE,
            **waits(waiting_for, not_before),
            "reason": reason,
            "detail": detail,
            "failures": runs.c.failures + int(failed),
            "waits_on": waits_on,
        }
        until = None if not_before is None else not_before.isoformat()
        details = _with_detail(detail, {"waiting_for": waiting_for, "not_before": until, "failed": failed})
        entry = Entry("parked", lease.holder, reason, details)
        run = await self._change((*held(lease), runs.c.state.in_(_sources(RunState.QUEUED))), values, entry)
        if run is None:
            raise await self._refusal(lease, RunState.QUEUED)
        if failed and waiting_for is WaitingFor.RETRY:
            await BreakerStore(connection=self._connection).note_failed_attempt(run, fault)
        elif waits_on is not None:
            await BreakerStore(connection=self._connection).give_probe_back(run.catalog)
        return run

    async def request_cancel(self, run_id: RunId, by: str) -> Run:
        """Cancel a run that was never started; for any other run record a cancel request, which its holder acts on.

        A queued run that had an attempt may have committed something: its next holder checks that, so the run no longer
        waits. Repeated requests have no effect.

        Raises:
            NotFound: no such run.
            StateConflict: the run has ended.
        """
        locked = select(runs).where(runs.c.id == run_id).with_for_update(key_share=True)
        row = (await self._connection.execute(locked)).mappings().one_or_none()
        if row is None:
            raise NotFound(f"no run {run_id}")
        present = to_run(row)
        if present.is_terminal:
            raise StateConflict(f"run {run_id} has ended: {present.state}", details={"state": present.state.value})
        if present.cancel_requested_at is not None:
            return present
        values: dict[str, Any] = {"cancel_requested_at": now(), "cancel_requested_by": by}
        kind = "cancel_requested"
        if present.state is RunState.QUEUED and present.attempt > 0:
            values |= waits(None, None)
        elif present.state is RunState.QUEUED:
            kind = "cancelled"
            values |= {"state": RunState.CANCELLED, "finished_at": now(), "reason": "cancelled", **waits(None, None)}
        run = await self._change((runs.c.id == run_id, runs.c.state == present.state), values, Entry(kind, by))
        if run is None:  # the row is locked: no other process can have changed it
            raise IllegalTransition(f"run {run_id} moved while it was locked")
        if run.is_terminal:
            await self._wake(run)
            await self._count(run)
        return run

    async def reap(self, limit: int, *, unreachable: tuple[datetime, datetime] | None = None) -> builtins.list[Run]:
        """Return runs with an expired lease to the queue, with one more failure; the intent is kept for reconciling.

        A lease that expired while the database was `unreachable` (from, until) is not a failure: its holder could not
        extend it.
        """
        due = [row.id for row in await self._connection.execute(run_listings.expired(limit))]
        if not due:
            return []
        failures: ColumnElement[int] = runs.c.failures + 1
        if unreachable is not None:
            failures = case((runs.c.lease_expires_at.between(*unreachable), runs.c.failures), else_=failures)
        values = {"state": RunState.QUEUED, **_NO_LEASE, "failures": failures, "reason": "lease_expired"}
        guard = (runs.c.id.in_(due), runs.c.lease_expires_at <= now())
        return await self._change_all(guard, values | {"detail": None}, Entry("reaped", _REAPER, "lease_expired"))

    async def _wake(self, run: Run, *, closed: str | None = None) -> None:
        """Schedule an evaluation of an ended run's table: commits made while the run was live may make it due."""
        await WatchStore(connection=self._connection).wake_after_run(run.table_id, closed=closed)

    async def _count(self, run: Run) -> None:
        """Add an ended run to the totals. Last statements of its transaction: all ending runs share these rows."""
        added = {
            "runs": 1,
            "rewritten_bytes": run.result.rewritten_bytes,
            "added_bytes": run.result.added_bytes,
            "groups_committed": run.result.groups_committed,
            "groups_lost": run.result.races.groups_lost,
            "wasted_bytes": run.result.wasted_bytes,
        }
        statement = upsert(self._connection, run_totals).values(operation=run.operation, state=run.state, **added)
        sums = {name: run_totals.c[name] + count for name, count in added.items()}
        await self._connection.execute(
            statement.on_conflict_do_update(index_elements=["operation", "state"], set_=sums)
        )
        await FleetHourStore(connection=self._connection).count_run(run)

    async def _refusal(self, lease: Lease, to: RunState) -> LeaseLost | IllegalTransition:
        row = (await self._connection.execute(select(runs.c.state).where(*held(lease)))).one_or_none()
        if row is None:
            return lease_lost(lease)
        return IllegalTransition(f"run {lease.run_id} can't go from {row.state} to {to} like this")


def _sources(to: RunState) -> list[RunState]:
    return sorted(state for state in LEASED_STATES if to in TRANSITIONS[state])


def _given(plan: Document, intent: RunIntent | None, result: RunResult | None, policy: Document) -> dict[str, Any]:
    documents = {
        "plan": plan,
        "intent": None if intent is None else intent.document(),
        "result": None if result is None else result.document,
        "policy": policy,
    }
    endpoint = {} if intent is None else {"spark_endpoint": intent.endpoint}
    return {name: dict(value) for name, value in documents.items() if value is not None} | endpoint


def _with_detail(detail: str | None, details: Document) -> dict[str, Any]:
    return ({} if detail is None else {"detail": detail}) | dict(details or {})

"""Runs as callers see them: submit, read, cancel.

Submitting touches the record only: one transaction with the run, its first event and its outbox row; the queue is told
after the commit and may be down (the relay sends it again).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from engine.domain.access import Caller
from engine.domain.clock import Clock
from engine.domain.errors import NotFound, StateConflict, Transient
from engine.domain.ids import IdSource, RunId, TableId
from engine.domain.runs import GroupState, Operation, Run, RunEvent, RunState, StoredGroup
from engine.queue.budgets import PaceLedger
from engine.queue.hints import Hints
from engine.queue.streams import RunQueue
from engine.stores.database import Database

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is. Bytes are of inputs; the rate is what its tasks move now, read + written, per second."""

    groups_total: int
    groups_finished: int
    bytes_total: int
    bytes_finished: int
    bytes_per_second: float | None
    eta_seconds: float | None
    throttled_seconds: float


class RunService:
    """Submits, shows and cancels runs."""

    def __init__(
        self, *, database: Database, queue: RunQueue, hints: Hints, pace: PaceLedger, ids: IdSource, clock: Clock
    ) -> None:
        self._database = database
        self._queue = queue
        self._hints = hints
        self._pace = pace
        self._ids = ids
        self._clock = clock

    async def submit(self, caller: Caller, table_id: TableId, operation: Operation) -> tuple[Run, bool]:
        """Accept a run durably; return it, and True when an equal run was live already and is answered instead.

        Raises:
            NotFound: no such table.
        """
        try:
            run, is_duplicate = await self._insert(caller, table_id, operation), False
        except StateConflict:
            run, is_duplicate = await self._live(table_id, operation), True
        if not is_duplicate:
            await self._announce(run.id)
        return run, is_duplicate

    async def get(self, _caller: Caller, run_id: RunId) -> Run:
        """Return one run, or raise `NotFound`."""
        async with self._database.read() as unit:
            return _found(await unit.runs.get(run_id), run_id)

    async def list(
        self,
        _caller: Caller,
        *,
        table_id: TableId | None = None,
        states: frozenset[RunState] | None = None,
        before: RunId | None = None,
        limit: int,
    ) -> Sequence[Run]:
        """Return runs, newest first, at most `limit`, older than `before`."""
        async with self._database.read() as unit:
            return await unit.runs.list(table_id=table_id, states=states, before=before, limit=limit)

    async def groups(
        self,
        _caller: Caller,
        run_id: RunId,
        *,
        states: frozenset[GroupState] | None = None,
        after_ordinal: int | None = None,
        limit: int,
    ) -> Sequence[StoredGroup]:
        """Return file groups in order of their ordinals."""
        async with self._database.read() as unit:
            _found(await unit.runs.get(run_id), run_id)
            return await unit.groups.list(run_id, states=states, after_ordinal=after_ordinal, limit=limit)

    async def events(
        self, _caller: Caller, run_id: RunId, *, after_sequence: int = 0, limit: int
    ) -> Sequence[RunEvent]:
        """Return events with a sequence above `after_sequence`, oldest first."""
        async with self._database.read() as unit:
            _found(await unit.runs.get(run_id), run_id)
            return await unit.events.list(run_id, after_sequence=after_sequence, limit=limit)

    async def cancel(self, caller: Caller, run_id: RunId) -> Run:
        """Cancel a waiting run at once, ask the holder of a running one to stop. Asking twice is one request.

        Raises:
            NotFound: no such run.
            StateConflict: the run has ended.
        """
        async with self._database.begin() as unit:
            run = await unit.runs.request_cancel(run_id, caller.subject)
        await self._hint(run_id)
        return run

    async def progress(self, run: Run) -> RunProgress:
        """Return how far a run is: finished groups from the record, the rate and the rest from the tasks' reports."""
        async with self._database.read() as unit:
            totals = await unit.groups.totals(run.id)
        rate, throttled, read = None, 0.0, 0
        if not run.is_terminal:
            try:
                live = await self._pace.progress(run.id)
            except Transient:
                _log.debug("progress_without_redis", run_id=run.id)
            else:
                rate, throttled, read = live.bytes_per_second or None, live.throttled_seconds, live.bytes_read
        total = sum(totals.input_bytes.values()) - totals.input_bytes[GroupState.DROPPED]
        kept = totals.input_bytes[GroupState.WRITTEN] + totals.input_bytes[GroupState.COMMITTED]
        done = min(total, max(kept, read))
        finished = (GroupState.WRITTEN, GroupState.COMMITTED)
        return RunProgress(
            groups_total=sum(totals.counts.values()),
            groups_finished=sum(totals.counts[state] for state in finished),
            bytes_total=total,
            bytes_finished=done,
            bytes_per_second=rate,
            eta_seconds=None if not rate else max(0.0, (total - done) * 2 / rate),  # each byte is read and written
            throttled_seconds=throttled,
        )

    async def _insert(self, caller: Caller, table_id: TableId, operation: Operation) -> Run:
        async with self._database.begin() as unit:
            if await unit.tables.get(table_id) is None:
                raise NotFound(f"no table {table_id!r} is registered; list them with GET /v1/tables")
            now = await unit.now()
            run = Run(
                id=self._ids.run_id(),
                table_id=table_id,
                operation=operation,
                state=RunState.QUEUED,
                requested_by=caller.subject,
                created_at=now,
                updated_at=now,
            )
            run = await unit.runs.insert(run)
            await unit.outbox.insert(run.id)
        return run

    async def _live(self, table_id: TableId, operation: Operation) -> Run:
        async with self._database.read() as unit:
            run = await unit.runs.find_live(table_id, operation)
        if run is None:  # it ended between the two statements
            raise StateConflict("another run of this table ended just now; submit again")
        return run

    async def _announce(self, run_id: RunId) -> None:
        try:
            await self._queue.enqueue(run_id)
        except Transient as error:
            _log.warning("queue_unreachable", run_id=run_id, error=error.message)

    async def _hint(self, run_id: RunId) -> None:
        try:
            await self._hints.publish(run_id)
        except Transient as error:
            _log.warning("hint_lost", run_id=run_id, error=error.message)


def _found(run: Run | None, run_id: RunId) -> Run:
    if run is None:
        raise NotFound(f"no run {run_id!r}; list them with GET /v1/runs")
    return run


def describe_progress(progress: RunProgress) -> dict[str, Any]:
    """Return progress as JSON-ready values, for event streams."""
    return {name: getattr(progress, name) for name in RunProgress.__slots__}

"""Submit, read and cancel runs for callers. `submission` has the checks and writes of a submit."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from engine.domain.access.callers import Caller
from engine.domain.errors import Transient
from engine.domain.fleet.limits import Pauses
from engine.domain.fleet.retention import Kept
from engine.domain.ids import RunId, TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import (
    GroupState,
    Priority,
    Run,
    RunEvent,
    RunFilter,
    RunPage,
    StoredGroup,
)
from engine.domain.runs.timelines import RunTimeline, run_timeline
from engine.queue.budgets import PaceLedger
from engine.services.access.idempotency import AnswerRecord
from engine.services.policies.acknowledgements import DeletionPreview
from engine.services.runs.submission import RunSubmission
from engine.services.runs.views import RunProgress, read_own_run, read_run, readable_table, shown, with_addresses
from engine.services.runs.wakes import Wakes
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_log = structlog.get_logger(__name__)


class RunService:
    """Submits, shows and cancels runs. Runs on tables that the caller does not see do not exist for it."""

    def __init__(self, *, database: Database, submission: RunSubmission, wakes: Wakes, pace: PaceLedger) -> None:
        self._database = database
        self._submission = submission
        self._wakes = wakes
        self._pace = pace

    async def submit(
        self,
        caller: Caller,
        table_id: TableId,
        request: RunRequest,
        *,
        priority: Priority | None = None,
        allow_duplicate: bool = False,
        grace: timedelta | None = None,
        acknowledge: str | None = None,
        record: AnswerRecord[tuple[Run, bool]] | None = None,
    ) -> tuple[Run, bool]:
        """Store a run; return it, or the equal live run if there is one, with True in that case.

        Raises as `RunSubmission.submit`.
        """
        return await self._submission.submit(
            caller,
            table_id,
            request,
            priority=priority,
            allow_duplicate=allow_duplicate,
            grace=grace,
            acknowledge=acknowledge,
            record=record,
        )

    async def preview_deletions(
        self, caller: Caller, table_id: TableId, request: RunRequest, *, grace: timedelta | None = None
    ) -> DeletionPreview | None:
        """Return what a run would delete, with its token; None if it needs none. Raises as `check`."""
        return await self._submission.preview_deletions(caller, table_id, request, grace)

    async def check(self, caller: Caller, table_id: TableId, request: RunRequest) -> None:
        """Raise as `submit` would, without storing anything; planners may ask."""
        await self._submission.check(caller, table_id, request)

    async def get(self, caller: Caller, run_id: RunId) -> Run:
        """Return one run, or raise `NotFound`."""
        async with self._database.read() as unit:
            return (await shown(unit, [await read_run(unit, run_id, caller)]))[0]

    async def pauses(self, run: Run) -> Pauses:
        """Return the pauses that apply to a run's table."""
        async with self._database.read() as unit:
            return await unit.pauses.of_table(run.table_id)

    async def list(
        self,
        caller: Caller,
        wanted: RunFilter,
        *,
        before: RunId | None = None,
        limit: int,
        documents: Collection[str] = (),
    ) -> RunPage:
        """Return runs that the caller may see, newest first, at most `limit`, older than `before`.

        `documents` are the JSON documents to read: `request`, `plan`, `policy`, `result`; the others are empty.
        """
        async with self._database.read() as unit:
            narrowed = await _visible(unit, wanted, caller)
            if narrowed is None:
                return RunPage((), None)
            page = await unit.runs.page(narrowed, before, limit, documents)
            return RunPage(tuple(await shown(unit, page.runs)), page.walked_to)

    async def retained_since(self) -> datetime | None:
        """Return the instant since which all ended runs are still stored; None: none was pruned."""
        async with self._database.read() as unit:
            return (await unit.retention.pruned(Kept.RUNS)).until

    async def groups(
        self,
        caller: Caller,
        run_id: RunId,
        *,
        states: frozenset[GroupState] | None = None,
        after_ordinal: int | None = None,
        limit: int,
    ) -> Sequence[StoredGroup]:
        """Return file groups by ordinal."""
        async with self._database.read() as unit:
            await read_run(unit, run_id, caller)
            return await unit.groups.list(run_id, states=states, after_ordinal=after_ordinal, limit=limit)

    async def events(self, caller: Caller, run_id: RunId, *, after_sequence: int = 0, limit: int) -> Sequence[RunEvent]:
        """Return events with a sequence above `after_sequence`, oldest first."""
        async with self._database.read() as unit:
            await read_run(unit, run_id, caller)
            return await unit.events.list(run_id, after_sequence=after_sequence, limit=limit)

    async def cancel(self, caller: Caller, run_id: RunId) -> Run:
        """Cancel a waiting run at once, or ask the holder of a running one to stop. Idempotent.

        A waiting run that had an attempt is settled by a worker, even while its table is paused.

        Raises:
            NotFound: no such run.
            Forbidden: the caller may only read its table.
            StateConflict: the run has ended.
        """
        async with self._database.begin() as unit:
            before = await read_own_run(unit, run_id, caller)
            [run] = await with_addresses(unit, [await unit.runs.request_cancel(run_id, caller.subject)])
            if before.cancel_requested_at is None:
                await unit.audit.append(
                    caller, "run.cancel", run_id, before={"state": before.state}, after={"state": run.state}
                )
        await self._wakes.holders([run_id])
        if not run.is_terminal and run.lease_holder is None:
            await self._wakes.workers([run_id])
        return run

    async def timeline(self, run: Run) -> RunTimeline:
        """Return the time that a run has spent in attempts and waits so far."""
        async with self._database.read() as unit:
            return run_timeline(await unit.events.list_bounds(run.id), now=await unit.now())

    async def progress(self, run: Run) -> RunProgress:
        """Return the progress of a run: finished groups from the record, rate and moved bytes from task reports."""
        async with self._database.read() as unit:
            totals = await unit.groups.totals(run.id)
        rate, throttled, read, budget = None, 0.0, 0, None
        if not run.is_terminal:
            try:
                live = await self._pace.progress(run.id)
            except Transient:
                _log.debug("progress_without_redis", **run.log_fields)
            else:
                rate, throttled, read = live.bytes_per_second or None, live.throttled_seconds, live.bytes_read
                budget = live.budget.bytes_per_second
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
            budget_bytes_per_second=budget,
        )


async def _visible(unit: UnitOfWork, wanted: RunFilter, caller: Caller) -> RunFilter | None:
    """Narrow a filter to runs that the caller sees; return None if there can be none.

    A caller sees all runs of a table or none, so a filter by table is decided before any run is read: the length of a
    scan over runs must not show that a table of another team has runs.
    """
    visible = caller.visible_teams
    if visible is None:
        return wanted
    if wanted.table_id is not None:
        return wanted if await _sees_runs_of(unit, wanted.table_id, caller) else None
    teams = visible if wanted.teams is None else wanted.teams & visible
    return replace(wanted, teams=teams)


async def _sees_runs_of(unit: UnitOfWork, table_id: TableId, caller: Caller) -> bool:
    """Return whether the caller sees the runs of a table, which outlive its registration."""
    if await readable_table(unit, table_id, caller) is not None:
        return True
    newest = await unit.runs.list(table_id, limit=1)
    return bool(newest) and caller.sees(newest[0].owner_team)

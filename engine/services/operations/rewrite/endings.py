"""Steps of an attempt at a rewrite before its end is written: drop groups, remove files, measure.

A file is removed only when no task of the run can still write and no commit that names it can be under way: output
of a batch that an earlier attempt may still be sending is kept until the table contains it or a human removes it.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, assert_never

import structlog

from engine.domain.errors import LeaseLost, Transient
from engine.domain.runs.drops import DropReason
from engine.domain.runs.plans import Plan
from engine.domain.runs.run import GroupOutline, GroupState, RunState, StoredGroup, WaitingFor
from engine.domain.runs.timelines import run_timeline
from engine.domain.runs.times import RunTime
from engine.formats.base import OpenTable
from engine.planning.plans.left_out import left_out_items
from engine.queue.budgets import LiveProgress
from engine.services.operations.attempt_tools import AttemptTools
from engine.services.operations.restored import RECORD_RESTORED
from engine.services.operations.rewrite.commits import Commits
from engine.services.operations.rewrite.context import RewriteContext
from engine.services.operations.rewrite.decisions import decide_end
from engine.services.operations.rewrite.tallies import GroupLedger, WorkReport
from engine.services.operations.tasks.dispatching import stop_operations
from engine.services.runs.attempts import STOPS_THAT_COMMIT, Stop
from engine.services.runs.budgets import DayBudget
from engine.services.runs.ending import AttemptOutcome, AttemptReport, Ended, OutOfReach, Parked, Retry
from engine.services.runs.outcomes import left_out_of, run_result

_log = structlog.get_logger(__name__)

ALL_GROUPS = 1_000_000
DISABLED: Final = "disabled"
"""Reason of a run whose policy was disabled: commits of earlier attempts count, the rest is dropped."""


class RunEnding:
    """The end of one attempt. `close` writes which groups are given up, under the lease; the end itself is not here."""

    def __init__(self, context: RewriteContext, tools: AttemptTools, commits: Commits) -> None:
        self._context, self._commits = context, commits
        self._attempt, self._open_table, self._step = tools.attempt, tools.open_table, tools.step
        self._started = context.clock.monotonic()

    async def outcome(self, budget: DayBudget, plan: Plan) -> AttemptOutcome:
        """Return how an attempt ends that worked on the groups of a plan."""
        return decide_end(
            await self.ledger(),
            self._attempt.stop,
            budget,
            plan.later,
            attempt=self._attempt.number,
            failures=self._attempt.run.failures,
            left_out=left_out_items(plan),
        )

    async def close(self, outcome: AttemptOutcome, worked: WorkReport) -> AttemptReport:
        """Give up and remove what the outcome leaves unfinished, and measure; committed groups stay."""
        match outcome:
            case Ended():
                ledger = await self._tidy(outcome, may_leave_files=worked.may_leave_files)
                return await self._report(outcome, ledger.groups, worked)
            case Parked():
                if outcome.waiting_for is WaitingFor.CONFLICT_BACKOFF:
                    await self._try_to_remove_outputs()
                return AttemptReport(time=self._time(worked, self._context.clock.monotonic() - self._started))
            case Retry() | OutOfReach():
                return AttemptReport()
            case _:
                assert_never(outcome)

    async def release(self) -> None:
        """Close the shares of the attempt's tasks."""
        with suppress(Transient):
            await self._context.pace.close(self._attempt.run.id, self._attempt.number)

    async def stop_tasks(self) -> bool:
        """Stop every task of this attempt; return whether all are certainly gone."""
        intent = self._attempt.run.intent
        if intent.tag is None or intent.session_id is None:
            return True
        server = self._context.servers.at(intent.endpoint)
        return await stop_operations(server.dispatcher, intent.tag, intent.session_id)

    async def remove_outputs(self, table: OpenTable) -> None:
        """Remove this run's files that no group needs. Call only while no task of the run can write.

        Also kept are the output of groups that may have been sent to the catalog (`Run.unsettled`) and, while there are
        any, the manifests of all commits: such a commit may still land (F14 and F25 in docs/contributing/register.md).
        """
        await self._attempt.check()
        needed = frozenset({GroupState.WRITTEN, GroupState.COMMITTED})
        async with self._context.database.read() as unit:
            keep = await unit.groups.output_paths(self._attempt.run.id, needed, also=self._attempt.run.unsettled)
        removed = await self._context.formats.write(
            table.ref,
            table.commits.remove_outputs,
            self._attempt.run.id,
            keep,
            up_to_attempt=self._attempt.number,
            is_settled=not self._attempt.run.unsettled,
        )
        if removed:
            _log.info("outputs_removed", files=removed)

    async def ledger(self) -> GroupLedger:
        """Read all groups of the run, without their files."""
        async with self._context.database.read() as unit:
            return GroupLedger(await unit.groups.outlines(self._attempt.run.id))

    async def groups_in(self, state: GroupState) -> Sequence[StoredGroup]:
        """Read the run's groups in a state with their files: those that an earlier attempt left in it."""
        async with self._context.database.read() as unit:
            return await unit.groups.list(self._attempt.run.id, states=frozenset({state}), limit=ALL_GROUPS)

    async def _tidy(self, outcome: Ended, *, may_leave_files: bool) -> GroupLedger:
        """Drop unfinished groups of a run that did not do its work, and remove files that none needs.

        Files stay while tasks may still write. Returns all groups of the run afterwards.
        """
        stops_tasks = outcome.state in (RunState.REFUSED, RunState.FAILED, RunState.CANCELLED)
        is_quiet = await self._is_quiet() if stops_tasks else True
        ledger = await self.ledger()
        if stops_tasks or outcome.reason in (DISABLED, RECORD_RESTORED):
            ledger = await self._drop_unfinished(ledger, DropReason.ended(outcome.reason))
        has_waste = may_leave_files or any(group.state is not GroupState.COMMITTED for group in ledger.groups)
        if is_quiet and self._has_repeated_tasks():
            has_waste, is_quiet = True, await self._is_quiet()
        if is_quiet and (has_waste or self._attempt.number > 1):
            await self._try_to_remove_outputs()
        await self._commits.release_parents()
        return ledger

    async def _report(self, outcome: Ended, stored: Sequence[GroupOutline], worked: WorkReport) -> AttemptReport:
        seconds = self._context.clock.monotonic() - self._started
        run = self._attempt.run
        async with self._context.database.read() as unit:
            files = await unit.groups.count_committed_files(run.id)
            timeline = run_timeline(await unit.events.list_bounds(run.id), now=await unit.now())
        result = run_result(run, stored, files, seconds=seconds, timeline=timeline, moved=await self._moved())
        if worked.order is not None:
            result = result.updated(order=worked.order)
        result = result.updated(**outcome.figures)
        if (items := left_out_of(stored, worked.left_out)).count:
            result = result.updated(left_out=items.document())
        self._step("before_end")
        return AttemptReport(result, seconds, _remark(outcome, len(run.unsettled)), self._time(worked, seconds))

    def _has_repeated_tasks(self) -> bool:
        """Return whether a task of this attempt was executed twice: the files of only one execution are known."""
        intent = self._attempt.run.intent
        if intent.tag is None or intent.session_id is None:
            return False
        server = self._context.servers.opened(intent.endpoint)
        return server is not None and server.dispatcher.has_repeated(intent.tag, session_id=intent.session_id)

    async def _is_quiet(self) -> bool:
        """Stop the attempt's tasks; return False when some may still run, so that nothing may be removed."""
        try:
            return await self.stop_tasks()
        except Transient:  # Spark is unavailable: its tasks may go on writing, so their output stays
            return False

    async def _try_to_remove_outputs(self) -> None:
        """Remove the run's output; only log errors: orphan files cost less than a run without an outcome."""
        try:
            await self.remove_outputs(await self._open_table())
        except LeaseLost:
            raise
        except Exception:  # noqa: BLE001 - the run ends despite any error; logged with its trace
            _log.exception("outputs_left_behind")

    async def _moved(self) -> LiveProgress | None:
        """Return the bytes that tasks reported as moved, including unfinished ones; None without Redis."""
        try:
            return await self._context.pace.progress(self._attempt.run.id)
        except Transient:
            return None

    async def _drop_unfinished(self, ledger: GroupLedger, reason: DropReason) -> GroupLedger:
        if ledger.unfinished:
            async with self._context.database.begin() as unit:
                reasons = {group.ordinal: reason for group in ledger.unfinished}
                await unit.groups.mark_dropped(self._attempt.lease, reasons)
        return ledger.with_dropped(reason)

    def _time(self, worked: WorkReport, seconds: float) -> RunTime | None:
        """Return the attempt's duration for predictions; None if tasks failed or were interrupted in it."""
        if worked.may_leave_files or self._attempt.stop_reason not in {None, *STOPS_THAT_COMMIT} - {Stop.INTERRUPTED}:
            return None
        server = self._context.servers.opened(self._attempt.run.intent.endpoint)
        return None if server is None else worked.tally.time(self._attempt.run.table_id, server.machine, seconds)


def _remark(outcome: Ended, unsettled: int) -> str:
    if outcome.state is not RunState.FAILED or not unsettled:
        return ""
    return (
        f"; the outcome of {unsettled} groups that were sent to the catalog is not known: their outputs stay, "
        "since a snapshot of the table may name this run"
    )

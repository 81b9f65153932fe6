"""End an attempt: concluded by its groups, cancelled, failed, or parked; and remove files that are not needed.

A file is removed only when no task of the run can still write and no commit that names it can be under way: output
of a batch that an earlier attempt may still be sending is kept until the table contains it or a human removes it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, assert_never

import structlog

from engine.domain.errors import LeaseLost, Transient
from engine.domain.fleet.breakers import Fault
from engine.domain.runs.drops import DropReason
from engine.domain.runs.left_out import LeftOutItem
from engine.domain.runs.plans import Later, Plan
from engine.domain.runs.run import GroupOutline, GroupState, RunState, StoredGroup, WaitingFor
from engine.domain.runs.timelines import run_timeline
from engine.formats.base import OpenTable
from engine.queue.budgets import LiveProgress
from engine.services.operations.rewrite.commits import Commits
from engine.services.operations.rewrite.context import RewriteContext
from engine.services.operations.rewrite.decisions import UNFINISHED, decide_end, decide_without_groups
from engine.services.operations.rewrite.tallies import AttemptTally
from engine.services.operations.tasks.lanes import stop_operations
from engine.services.runs.attempts import STOPS_THAT_COMMIT, Attempt, Stop
from engine.services.runs.budgets import DayBudget
from engine.services.runs.ending import AttemptOutcome, Ended, Parked
from engine.services.runs.outcomes import left_out_of, run_result

_log = structlog.get_logger(__name__)

ALL_GROUPS = 1_000_000


class RunEnding:
    """Ends one attempt. All methods but `groups` and `outlines` write to the record under the lease."""

    def __init__(
        self,
        *,
        context: RewriteContext,
        attempt: Attempt,
        commits: Commits,
        open_table: Callable[[], Awaitable[OpenTable]],
        step: Callable[[str], None],
    ) -> None:
        self._context = context
        self._attempt = attempt
        self._commits = commits
        self._open_table = open_table
        self._step = step
        self._started = context.clock.monotonic()
        self.order: dict[str, Any] | None = None  # overlap before and after, if an order of rows was requested
        self.left_out: Sequence[LeftOutItem] = ()  # partitions that the plan left out as the format can't rewrite them
        self.tally = AttemptTally()
        self.has_waste = False  # True once a task of this attempt may have left files that no group names
        self._figures: Mapping[str, Any] = {}

    async def conclude(self, budget: DayBudget, later: Later) -> None:
        """End the attempt according to its groups; `later` has the groups that its plan deferred to the next one."""
        outcome = decide_end(
            await self.outlines(),
            self._attempt.stop,
            budget,
            later,
            attempt=self._attempt.number,
            failures=self._attempt.run.failures,
            left_out=self.left_out,
        )
        await self._apply(outcome)

    async def nothing_to_do(self, plan: Plan, budget: DayBudget) -> None:
        """End an attempt whose plan has no groups."""
        has_committed = bool(await self.outlines(GroupState.COMMITTED))
        await self._apply(decide_without_groups(plan, budget, has_committed=has_committed))

    async def disabled(self) -> None:
        """End a run whose policy was disabled: commits of earlier attempts count, the rest is dropped."""
        if self._attempt.stop_reason is Stop.CANCELLED:
            await self.cancel()
            return
        await self._drop_unfinished("disabled")
        has_committed = bool(await self.outlines(GroupState.COMMITTED))
        state = RunState.SUCCEEDED if has_committed else RunState.SKIPPED
        await self.end(state, "disabled", "the table's policy has enabled: false")

    async def cancel(self) -> None:
        """End the run as cancelled: committed groups stay, all other files of the run are removed."""
        is_quiet = await self._is_quiet()
        await self._drop_unfinished("cancelled")
        detail = f"cancelled by {self._attempt.stop and self._attempt.stop.cancelled_by}"
        await self.end(RunState.CANCELLED, "cancelled", detail, is_quiet=is_quiet)

    async def fail(self, *, reason: str, detail: str, fault: Fault = Fault.OTHER) -> None:
        """End the run as failed: committed groups stay, all other files of the run are removed."""
        is_quiet = await self._is_quiet()
        if unsettled := len(self._attempt.run.unsettled):
            detail += (
                f"; the outcome of {unsettled} groups that were sent to the catalog is not known: their outputs stay, "
                "since a snapshot of the table may name this run"
            )
        await self._drop_unfinished(reason)
        await self.end(RunState.FAILED, reason, detail, is_quiet=is_quiet, fault=fault)

    async def end(self, state: RunState, reason: str, detail: str, *, is_quiet: bool = True, **documents: Any) -> None:
        """Remove files that are not committed (unless tasks may still write), then record the outcome."""
        stored = await self.outlines()
        has_waste = self.has_waste or any(group.state is not GroupState.COMMITTED for group in stored)
        if is_quiet and self._has_repeated_tasks():
            has_waste, is_quiet = True, await self._is_quiet()
        if is_quiet and (has_waste or self._attempt.number > 1):
            await self._try_to_remove_outputs()
        await self._commits.release_parents()
        seconds = self._context.clock.monotonic() - self._started
        run = replace(self._attempt.run, result=self._attempt.run.result.proven(self._commits.verifications))
        async with self._context.database.read() as unit:
            files = await unit.groups.count_committed_files(run.id)
            timeline = run_timeline(await unit.events.list_bounds(run.id), now=await unit.now())
        result = run_result(run, stored, files, seconds=seconds, timeline=timeline, moved=await self._moved())
        if self.order is not None:
            result = result.updated(order=self.order)
        result = result.updated(**self._figures)
        if (left_out := left_out_of(stored, self.left_out)).count:
            result = result.updated(left_out=left_out.document())
        self._step("before_end")
        await self._attempt.transition(state, reason=reason, detail=detail, result=result, **documents)
        await self._keep_time(seconds)
        self._attempt.metrics.observe_end(self._attempt.run)
        _log.info("run_ended", state=state.value, reason=reason, detail=detail, seconds=round(seconds, 3))
        with suppress(Transient):
            await self._context.pace.close(self._attempt.run.id, self._attempt.number)

    async def stop_tasks(self) -> bool:
        """Stop every task of this attempt; return whether all are certainly gone."""
        intent = self._attempt.run.intent
        if intent.tag is None or intent.session_id is None:
            return True
        return await stop_operations(self._context.dispatcher, intent.tag, intent.session_id)

    async def remove_outputs(self, table: OpenTable) -> None:
        """Remove this run's files that no group needs. Call only while no task of the run can write.

        Also kept are the output of groups that may have been sent to the catalog (`Run.unsettled`) and, while there are
        any, the manifests of all commits: such a commit may still land (F14 and F25 in docs/testing.md).
        """
        await self._attempt.check()
        needed = frozenset({GroupState.WRITTEN, GroupState.COMMITTED})
        async with self._context.database.read() as unit:
            keep = await unit.groups.output_paths(self._attempt.run.id, needed, also=self._attempt.run.unsettled)
        removed = await self._context.formats.write(
            table.ref,
            table.remove_outputs,
            self._attempt.run.id,
            keep,
            up_to_attempt=self._attempt.number,
            is_settled=not self._attempt.run.unsettled,
        )
        if removed:
            _log.info("outputs_removed", files=removed)

    async def groups(self, *states: GroupState) -> Sequence[StoredGroup]:
        """Return the run's groups in these states; without a state all of them."""
        async with self._context.database.read() as unit:
            return await unit.groups.list(self._attempt.run.id, states=frozenset(states) or None, limit=ALL_GROUPS)

    async def outlines(self, *states: GroupState) -> Sequence[GroupOutline]:
        """Return the run's groups in these states without their files; without a state all of them."""
        async with self._context.database.read() as unit:
            return await unit.groups.outlines(self._attempt.run.id, frozenset(states) or None)

    async def _apply(self, outcome: AttemptOutcome) -> None:
        """End or park the run."""
        match outcome:
            case Ended(RunState.FAILED, reason, detail, fault):
                self._figures = outcome.figures
                await self.fail(reason=reason, detail=detail, fault=fault)
            case Ended(RunState.CANCELLED):
                await self.cancel()
            case Ended(state, reason, detail):
                documents: dict[str, Any] = {} if outcome.plan is None else {"plan": outcome.plan}
                await self.end(state, reason, detail, **documents)
            case Parked():
                await self._park(outcome)
            case _:
                assert_never(outcome)

    def _has_repeated_tasks(self) -> bool:
        """Return whether a task of this attempt was executed twice: the files of only one execution are known."""
        intent = self._attempt.run.intent
        if intent.tag is None or intent.session_id is None:
            return False
        return self._context.dispatcher.has_repeated(intent.tag, session_id=intent.session_id)

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

    async def _drop_unfinished(self, reason: str) -> None:
        unfinished = await self.outlines(*UNFINISHED)
        if unfinished:
            async with self._context.database.begin() as unit:
                why = DropReason.ended(reason)
                await unit.groups.mark_dropped(self._attempt.lease, {group.ordinal: why for group in unfinished})

    async def _park(self, outcome: Parked) -> None:
        if outcome.waiting_for is WaitingFor.CONFLICT_BACKOFF:
            await self._try_to_remove_outputs()
        until = outcome.until
        if outcome.wait is not None:
            async with self._context.database.read() as unit:
                until = await unit.now() + outcome.wait
        seconds = self._context.clock.monotonic() - self._started
        await self._attempt.park(
            waiting_for=outcome.waiting_for,
            not_before=until,
            reason=outcome.reason,
            detail=outcome.detail,
            failed=outcome.failed,
        )
        await self._keep_time(seconds)

    async def _keep_time(self, seconds: float) -> None:
        """Store the attempt's duration for predictions, unless tasks failed or were interrupted in it."""
        time = self.tally.time(self._attempt.run.table_id, self._context.machine, seconds)
        if (
            time is None
            or self.has_waste
            or self._attempt.stop_reason not in {None, *STOPS_THAT_COMMIT} - {Stop.INTERRUPTED}
        ):
            return
        try:
            async with self._context.database.begin() as unit:
                await unit.run_times.add(time)
        except Transient as error:  # one measurement less; the run has ended
            _log.warning("run_time_not_kept", error=error.message)

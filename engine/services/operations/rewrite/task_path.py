"""Rewriting in Spark tasks of Packhouse's kernel or of a format's library: they write, and batches are committed."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import asdict, replace
from typing import Any, assert_never

from engine.domain.errors import CommitConflict, NotEligible, PackhouseError, Transient
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.drops import UNREADABLE, DropKind, DropReason, Loss
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import LostGroup
from engine.domain.runs.plans import FileGroup, Plan
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, RunState, StoredGroup
from engine.domain.tables.keys import DeclaredKey
from engine.formats.base import GroupSettings, OpenTable
from engine.rewriting.kernel.contract import GroupResult, TaskInput, WriteSettings
from engine.services.operations.rewrite.group_tasks import GroupTasks
from engine.services.operations.rewrite.paths import RewriteInput, RewritePath, Tools
from engine.services.operations.rewrite.tallies import AttemptTally, WorkReport
from engine.services.operations.tasks.lanes import GroupFailure, GroupOutcome
from engine.services.planning.engines import remedy_for
from engine.services.planning.orders import Overlaps, order_result, overlaps_of
from engine.services.runs.attempts import STOPS_THAT_COMMIT


class TaskPath(RewritePath):
    """Rewrite path of engines that run in tasks and commit nothing themselves."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._tools = tools
        self._remedies: dict[str, str] = {}

    async def take_over(self, table: OpenTable) -> OpenTable:
        """Adopt earlier commits, settle batches of unknown outcome, stop tasks, remove output that no group needs."""
        left = await self._commits.adopt_found(await self._ending.groups(GroupState.WRITTEN))
        await self._attempt.check()
        if await self._commits.settle(left):
            table = await self._open()
        if not await self._ending.stop_tasks():
            raise Transient("tasks of an earlier attempt still run on Spark; waiting for them to end")
        await self._ending.remove_outputs(table)
        return table

    async def work(self, work: RewriteInput) -> WorkReport:
        """Send the groups to Spark; commit written groups in batches when due, and the rest at the end."""
        before = await self._overlaps(work.table, work.plan)
        self._tally = AttemptTally(work.plan.time.kind, work.plan.time.lanes)
        may_leave_files = await self._send(work) if work.groups else False
        await self._attempt.check()
        written = await self._ending.groups(GroupState.WRITTEN)
        if written and self._attempt.stop_reason in (None, *STOPS_THAT_COMMIT):
            await self._commit(written, is_last=True)
        if work.plan.order is not None and before:
            with suppress(PackhouseError):  # the run's outcome does not depend on this figure
                after = await self._overlaps(await self._open(), work.plan)
                return WorkReport(self._tally, may_leave_files, order_result(work.plan.order, before, after))
        return WorkReport(self._tally, may_leave_files)

    async def _overlaps(self, table: OpenTable, plan: Plan) -> Overlaps:
        """Return how far files overlap in the plan's partitions, if the plan orders rows."""
        if plan.order is None:
            return {}
        places = frozenset(group.place for group in plan.groups)
        return await self._context.formats.read_for_run(table.ref, overlaps_of, table, plan.order, places)

    async def _send(self, work: RewriteInput) -> bool:
        """Send the groups; return whether a task failed, which may have left files of its other groups."""
        plan, clock = work.plan, self._context.clock
        base = {"base_snapshot_id": plan.base_snapshot_id, "schema_id": plan.schema_id}
        full = RunRequest.of(self._attempt.run).force_full
        tasks = GroupTasks(self._tools, work, rewrite_settings(work.policy, plan, full=full))
        oldest: float | None = None
        pending, is_hot, may_leave_files = 0, False, False
        async with aclosing(tasks.outcomes()) as outcomes:
            async for outcome in outcomes:
                may_leave_files |= outcome.may_leave_files
                written = await self._record(outcome, base, work)
                pending += written
                # groups of a partition that lost its last race are committed at once, to win the next
                is_hot |= written > 0 and outcome.group.place in work.hot.by_place
                oldest = oldest or (clock.monotonic() if pending else None)
                if self._commit_is_due(pending, oldest, is_urgent=is_hot and not outcome.is_followed):
                    await self._commit(await self._ending.groups(GroupState.WRITTEN))
                    pending, oldest, is_hot = 0, None, False
        return may_leave_files

    def _commit_is_due(self, pending_bytes: int, oldest: float | None, *, is_urgent: bool) -> bool:
        if oldest is None or self._attempt.stop_reason is not None:
            return False
        age = self._context.clock.monotonic() - oldest
        is_late = age >= self._context.commit_batch_seconds
        return is_urgent or is_late or pending_bytes >= self._context.commit_batch_bytes

    async def _record(self, outcome: GroupOutcome, base: Mapping[str, Any], work: RewriteInput) -> int:
        """Record the outcome of one group; return its input bytes that now wait for a commit."""
        group = outcome.group
        match outcome.result:
            case None:
                return 0
            case Loss() as loss:
                await self._commits.drop_lost([LostGroup(group.ordinal, group.place, loss, 0)])
                return 0
            case GroupFailure(error=CommitConflict() as error):
                lost = LostGroup(group.ordinal, group.place, Loss.SOURCE_GONE, 0)
                await self._commits.drop_lost([lost], detail=error.message)
                return 0
            case GroupFailure() as failure:
                reason = _reason_of(failure)
            case GroupResult() as result:
                self._attempt.metrics.throttled_seconds.inc(result.throttled_seconds)
                self._tally.waited_seconds += result.throttled_seconds
                if result.outcome == "written":
                    return await self._record_written(group, result, base)
                if result.outcome == "stopped":
                    return 0
                refused = DropReason.refused(result.reason or "")
                reason = replace(refused, detail=refused.detail + await self._remedy(refused.code, work))
            case _:
                assert_never(outcome.result)
        async with self._context.database.begin() as unit:
            await unit.groups.mark_dropped(self._attempt.lease, {group.ordinal: reason})
        await self._attempt.record("group_dropped", {"reasons": {str(group.ordinal): str(reason)}})
        return 0

    async def _record_written(self, group: FileGroup, result: GroupResult, base: Mapping[str, Any]) -> int:
        group = await self._written(group, result, base)
        await self._attempt.record("group_written", {"group": group.ordinal, **_brief(result)})
        self._tally.add(len(group.inputs), group.input_bytes)
        self._step("group_written")
        return group.input_bytes

    async def _written(self, group: FileGroup, result: GroupResult, base: Mapping[str, Any]) -> FileGroup:
        """Record what a task wrote; return the group with the files that the task read, if it chose them itself."""
        lease, moved = self._attempt.lease, set[str]()
        async with self._context.database.begin() as unit:
            if result.inputs is not None:
                chosen = tuple(map(_chosen, result.inputs))
                moved = {each.path for each in chosen} & {each.path for each in result.outputs}
                await unit.groups.replace_inputs(lease, group.ordinal, chosen, moved=moved)
                group = replace(group, inputs=tuple(each for each in chosen if each.path not in moved))
            await unit.groups.mark_written(lease, {**asdict(result), **base}, moved=moved)
        return group

    async def _remedy(self, reason: str, work: RewriteInput) -> str:
        """Return what to do about groups refused for a reason; computed once, because it reads the whole table."""
        if reason not in self._remedies:
            self._remedies[reason] = await self._context.formats.read_for_run(
                work.table.ref, remedy_for, reason, work.table, work.policy
            )
        return self._remedies[reason]

    async def _commit(self, groups: Sequence[StoredGroup], *, is_last: bool = False) -> None:
        await self._commits.commit(groups)
        if not is_last:
            await self._attempt.transition(RunState.REWRITING)


def _reason_of(failure: GroupFailure) -> DropReason:
    """Return why a group is given up: it is refused if the table or an input is the cause, otherwise failed."""
    error = failure.error
    if isinstance(error, NotEligible):
        return DropReason(DropKind.REFUSED, error.code, error.message)
    if failure.is_of_input:
        return DropReason(DropKind.REFUSED, UNREADABLE, error.message)
    return DropReason.failed(error.message)


def rewrite_settings(policy: EffectivePolicy, plan: Plan, *, full: bool) -> GroupSettings:
    """Return what a run under a policy wants of every group of its plan."""
    codec, _, level = str(policy.values["rewrite.compression"]).partition(":")
    write = WriteSettings(
        target_file_bytes=policy.target_bytes,
        codec=codec,
        codec_level=int(level) if level else None,
    )
    return GroupSettings(
        write,
        plan.order,
        full=full,
        sorted_run_trigger=policy.sorted_run_trigger,
        gentle_every=None if policy.is_lookup_eager else policy.forced_every,
        key=DeclaredKey.of(policy.values),
    )


def _chosen(file: TaskInput) -> InputFile:
    """Return a file that the task chose itself."""
    return InputFile(file.path, file.file_bytes, file.record_count, 0)


def _brief(result: GroupResult) -> dict[str, Any]:
    return {
        "output_files": len(result.outputs),
        "rows_written": result.rows_written,
        "rows_deleted": result.rows_deleted,
        "bytes_read": result.bytes_read,
        "bytes_written": result.bytes_written,
        "throttled_seconds": round(result.throttled_seconds, 3),
    }

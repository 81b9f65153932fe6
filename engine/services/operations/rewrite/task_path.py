"""Rewriting in Spark tasks of Packhouse's kernel or of a format's library: they write, and batches are committed."""

from bisect import insort
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, assert_never

from engine.domain.errors import CommitConflict, NotEligible, PackhouseError, Transient
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.drops import UNREADABLE, DropKind, DropReason, Loss
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import HotPartitions, LostGroup
from engine.domain.runs.plans import FileGroup, Plan
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, RunState, StoredGroup
from engine.domain.tables.keys import DeclaredKey
from engine.formats.base import GroupSettings, OpenTable
from engine.rewriting.kernel.contract import GroupResult, TaskInput, WriteSettings
from engine.services.operations.rewrite.group_tasks import GroupTasks
from engine.services.operations.rewrite.paths import PathTools, RewriteInput, RewritePath
from engine.services.operations.rewrite.tallies import AttemptTally, WorkReport
from engine.services.operations.tasks.lanes import GroupFailure, GroupOutcome
from engine.services.planning.engines import remedy_for
from engine.services.planning.orders import Overlaps, order_result, overlaps_of
from engine.services.runs.attempts import STOPS_THAT_COMMIT


class TaskPath(RewritePath):
    """Rewrite path of engines that run in tasks and commit nothing themselves."""

    def __init__(self, tools: PathTools) -> None:
        super().__init__(tools)
        self._remedies: dict[str, str] = {}

    async def take_over(self, table: OpenTable) -> OpenTable:
        """Adopt earlier commits, settle batches of unknown outcome, stop tasks, remove output that no group needs."""
        left = await self._commits.adopt_found(await self._ending.groups_in(GroupState.WRITTEN))
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
        sent = await self._send(work)
        await self._attempt.check()
        if sent.batch.groups and self._attempt.stop_reason in (None, *STOPS_THAT_COMMIT):
            await self._commits.commit(sent.batch.groups)
        if work.plan.order is not None and before:
            with suppress(PackhouseError):  # the run's outcome does not depend on this figure
                after = await self._overlaps(await self._open(), work.plan)
                return WorkReport(sent.tally, sent.may_leave_files, order_result(work.plan.order, before, after))
        return WorkReport(sent.tally, sent.may_leave_files)

    async def _overlaps(self, table: OpenTable, plan: Plan) -> Overlaps:
        """Return how far files overlap in the plan's partitions, if the plan orders rows."""
        if plan.order is None:
            return {}
        places = frozenset(group.place for group in plan.groups)
        return await self._context.formats.read_for_run(table.ref, overlaps_of, table, plan.order, places)

    async def _send(self, work: RewriteInput) -> "_SentGroups":
        """Send the groups and commit batches when due."""
        tally = AttemptTally(work.plan.time.kind, work.plan.time.lanes)
        if not work.groups:
            return _SentGroups(_Batch(), tally)
        full = RunRequest.of(self._attempt.run).force_full
        tasks = GroupTasks(self._tools, work, rewrite_settings(work.policy, work.plan, full=full))
        batch, may_leave_files = _Batch(), False
        async with aclosing(tasks.outcomes()) as outcomes:
            async for outcome in outcomes:
                may_leave_files |= outcome.may_leave_files
                if isinstance(outcome.result, GroupResult):
                    tally = tally.with_wait(outcome.result.throttled_seconds)
                written = await self._record(outcome, work)
                if written is not None:
                    tally = tally.with_group(written.files, written.bytes)
                    batch.add(written, self._context.clock.monotonic(), is_hot=written.is_of(work.hot))
                if self._commit_is_due(batch, may_be_hot=not outcome.is_followed):
                    await self._commits.commit(batch.groups)
                    await self._attempt.transition(RunState.REWRITING)
                    batch = _Batch()
        return _SentGroups(batch, tally, may_leave_files)

    def _commit_is_due(self, batch: "_Batch", *, may_be_hot: bool) -> bool:
        if not batch.groups or self._attempt.stop_reason is not None:
            return False
        age = self._context.clock.monotonic() - batch.begun_at
        is_late = age >= self._context.commit_batch_seconds
        return (batch.is_hot and may_be_hot) or is_late or batch.bytes >= self._context.commit_batch_bytes

    async def _record(self, outcome: GroupOutcome, work: RewriteInput) -> "_Written | None":
        """Record the outcome of one group; return the group if it was written."""
        group = outcome.group
        match outcome.result:
            case None:
                return None
            case Loss() as loss:
                await self._commits.drop_lost([LostGroup(group.ordinal, group.place, loss, 0)])
                return None
            case GroupFailure(error=CommitConflict() as error):
                lost = LostGroup(group.ordinal, group.place, Loss.SOURCE_GONE, 0)
                await self._commits.drop_lost([lost], detail=error.message)
                return None
            case GroupFailure() as failure:
                reason = _reason_of(failure)
            case GroupResult() as result:
                self._attempt.metrics.throttled_seconds.inc(result.throttled_seconds)
                self._attempt.metrics.merged_columns.inc(result.merged_columns)
                if result.outcome == "written":
                    written = await self._record_written(group, result, work.plan)
                    self._step("group_written")
                    return written
                if result.outcome == "stopped":
                    return None
                refused = DropReason.refused(result.reason or "")
                reason = replace(refused, detail=refused.detail + await self._remedy(refused.code, work))
            case _:
                assert_never(outcome.result)
        async with self._context.database.begin() as unit:
            await unit.groups.mark_dropped(self._attempt.lease, {group.ordinal: reason})
        await self._attempt.record("group_dropped", {"reasons": {str(group.ordinal): str(reason)}})
        return None

    async def _record_written(self, group: FileGroup, result: GroupResult, plan: Plan) -> "_Written":
        """Record what a task wrote of a group, and which files it read if it chose them itself."""
        lease, moved = self._attempt.lease, set[str]()
        base = {"base_snapshot_id": plan.base_snapshot_id, "schema_id": plan.schema_id}
        async with self._context.database.begin() as unit:
            if result.inputs is not None:
                chosen = tuple(map(_chosen, result.inputs))
                moved = {each.path for each in chosen} & {each.path for each in result.outputs}
                await unit.groups.replace_inputs(lease, group.ordinal, chosen, moved=moved)
            stored = await unit.groups.mark_written(lease, {**asdict(result), **base}, moved=moved)
        await self._attempt.record("group_written", {"group": group.ordinal, **_brief(result)})
        read = [each.file_bytes for each in stored.inputs if each.path not in moved]
        return _Written(stored, len(read), sum(read))

    async def _remedy(self, reason: str, work: RewriteInput) -> str:
        """Return what to do about groups refused for a reason; computed once, because it reads the whole table."""
        if reason not in self._remedies:
            self._remedies[reason] = await self._context.formats.read_for_run(
                work.table.ref, remedy_for, reason, work.table, work.policy
            )
        return self._remedies[reason]


@dataclass(frozen=True, slots=True)
class _Written:
    """A written group, with the number and bytes of the files that its task rewrote."""

    group: StoredGroup
    files: int
    bytes: int

    def is_of(self, hot: HotPartitions) -> bool:
        """Return whether it is of a partition that lost its last race."""
        return self.group.place in hot.by_place


@dataclass(slots=True)
class _Batch:
    """Written groups that wait for a commit; those of partitions that lost a race are committed at once (`is_hot`)."""

    groups: list[StoredGroup] = field(default_factory=list)
    bytes: int = 0
    begun_at: float = 0.0
    is_hot: bool = False

    def add(self, written: _Written, now: float, *, is_hot: bool) -> None:
        """Add a group in the order of ordinals; `now` is when the batch begins if that is the first."""
        self.begun_at = self.begun_at if self.groups else now
        insort(self.groups, written.group, key=lambda group: group.ordinal)
        self.bytes += written.bytes
        self.is_hot |= is_hot


@dataclass(frozen=True, slots=True)
class _SentGroups:
    """The groups of a plan after all were sent: the last batch, not yet committed, and what the tasks did."""

    batch: _Batch
    tally: AttemptTally
    may_leave_files: bool = False


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
    codec, level = policy.compression
    write = WriteSettings(
        target_file_bytes=policy.target_bytes,
        codec=codec,
        codec_level=level,
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

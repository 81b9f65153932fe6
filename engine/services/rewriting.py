"""The steps of one attempt at a rewrite, in the order in which they happen. Errors are sorted out by `rewrites`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import structlog

from engine.domain.access import SYSTEM
from engine.domain.errors import NotEligible, Transient
from engine.domain.hot_partitions import NONE_HOT, HotPartitions, LostGroup, Place
from engine.domain.plans import FileGroup, Plan
from engine.domain.policies import EffectivePolicy
from engine.domain.run_requests import RunRequest
from engine.domain.runs import GroupState, RunState, StoredGroup
from engine.domain.tables import TableFormatName
from engine.formats.base import OpenTable
from engine.planning.evaluations import Evaluation
from engine.planning.experience import Experience
from engine.planning.file_groups import make_plan
from engine.rewriting.kernel.contract import GroupResult, GroupTask, WriteSettings
from engine.services.attempts import COMMITTED, Attempt, Stop
from engine.services.budgets import DayBudget, RunLimits, day_budget, run_limits
from engine.services.commits import Commits
from engine.services.context import RewriteContext
from engine.services.due_plans import DueFiles, due_files, evaluate_now
from engine.services.early_losses import EarlyLosses
from engine.services.endings import RunEnding
from engine.services.experiences import read_experience
from engine.services.lane_rates import LaneRate, expected_rate
from engine.services.lanes import Finished, GroupFailure, GroupLost, Lanes
from engine.services.observations import Observed
from engine.services.pacing import RunPacing
from engine.services.policies import PolicyReader, check_settings
from engine.services.registered import open_registered, read_registered
from engine.services.selections import selected_files

_log = structlog.get_logger(__name__)

_DONE = (GroupState.WRITTEN, GroupState.COMMITTED)

_Due: TypeAlias = tuple[Evaluation, frozenset[Place]]
"""What is due now, and partitions that an earlier attempt took on: they are not let go."""


class RewriteFlow:
    """One attempt. `run` goes through all steps; `ending` ends the run whatever was reached."""

    def __init__(self, *, context: RewriteContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        self._context = context
        self._attempt = attempt
        self._step = step
        self._format: TableFormatName
        self._limits: RunLimits
        self._hot = NONE_HOT
        self._commits = Commits(
            database=context.database,
            formats=context.formats,
            attempt=attempt,
            open_table=self._open,
            clock=context.clock,
            step=step,
        )
        self.ending = RunEnding(
            context=context, attempt=attempt, commits=self._commits, open_table=self._open, step=step
        )

    async def run(self, *, most_failures: int) -> None:
        """Advance from `planning` to the end, or raise what stands in the way.

        A run that failed `most_failures` times, also by the death of its workers, is only settled and ended.
        """
        self._step("claimed")
        table = await self._take_over(await self._open())
        if self._attempt.run.failures >= most_failures:
            await self.ending.fail(reason="gave_up", detail=f"{self._attempt.run.failures} attempts failed or died")
            return
        looked_at = self._context.clock.now()
        policy, budget = await self._policy(table)
        if not policy.enabled:
            await self._attempt.check()
            await self.ending.disabled()
            return
        check_settings(policy)
        self._context.capabilities.check_settings(self._format, policy.values)
        plan = await self._plan(table, policy, budget)
        seen = Observed(self._attempt.run.table_id, self._format, table, policy, looked_at)
        await self._context.observations.measure(seen)
        leftover = await self.ending.groups(GroupState.WRITTEN)
        await self._attempt.check()
        has_work = bool(plan.groups or leftover)
        is_cancelled = self._attempt.stop_reason is Stop.CANCELLED
        if is_cancelled and (has_work or not await self.ending.groups(GroupState.COMMITTED)):
            await self.ending.cancel()
        elif has_work:
            await self._rewrite(table, policy, plan, leftover)
            await self.ending.conclude(budget, plan.later)
        else:
            await self.ending.nothing_to_do(plan, budget)

    async def _open(self) -> OpenTable:
        async with self._context.database.read() as unit:
            table, catalog = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
        return await open_registered(self._context.formats, catalog, table)

    async def _take_over(self, table: OpenTable) -> OpenTable:
        """Find out what earlier attempts left: adopt their commits, stop their tasks, remove what nobody will use.

        Return the table as it is then.
        """
        if self._attempt.number == 1:
            return table
        left = await self._commits.adopt_found(await self.ending.groups(GroupState.WRITTEN))
        await self._attempt.check()
        if await self._commits.settle(left):
            table = await self._open()
        if not await self.ending.stop_tasks():
            raise Transient("tasks of an earlier attempt still run on Spark; waiting for them to end")
        await self.ending.remove_outputs(table)
        self._step("taken_over")
        return table

    async def _policy(self, table: OpenTable) -> tuple[EffectivePolicy, DayBudget]:
        async with self._context.database.read() as unit:
            registered, catalog = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
            policy = await PolicyReader.effective(unit, registered, table.policy_properties())
            self._format = catalog.format
            self._limits = await run_limits(unit, catalog.name, policy)
            return policy, await day_budget(unit, self._attempt.run.table_id, policy)

    async def _plan(self, table: OpenTable, policy: EffectivePolicy, budget: DayBudget) -> Plan:
        failed = [c for c in await self._context.formats.call(table.conditions) if not c.holds]
        if failed:
            names = ", ".join(f"{c.name} ({c.detail})" for c in failed)
            raise NotEligible(f"the rewrite kernel can't take this table: {names}", details={"failed": failed})
        request = RunRequest.of(self._attempt.run)
        done = [file.path for group in await self.ending.groups(GroupState.WRITTEN) for file in group.inputs]
        if request.force_full:  # what earlier attempts committed is not to be rewritten once more
            done += [file.path for group in await self.ending.groups(GroupState.COMMITTED) for file in group.outputs]
        async with self._context.database.read() as unit:
            known = await read_experience(unit, self._attempt.run.table_id)
        taken = frozenset(group.place for group in await self.ending.groups())
        self._hot = await self._hot_partitions(request, taken)
        due = (await self._evaluated(table, policy), taken) if request.only_due else None
        plan = await self._context.formats.call(_make_plan, table, policy, request, done, known, due=due, hot=self._hot)
        plan = budget.admit(plan)
        self._step("planned")
        return plan

    async def _hot_partitions(self, request: RunRequest, taken: frozenset[Place]) -> HotPartitions:
        """Return partitions that lost races; a forced run waits for none to cool down, others for none they took on."""
        async with self._context.database.read() as unit:
            hot = await unit.hot_partitions.at(self._attempt.run.table_id)
        return hot.let_in(None if request.force else taken)

    async def _evaluated(self, table: OpenTable, policy: EffectivePolicy) -> Evaluation:
        """Judge the policy's rules now."""
        async with self._context.database.read() as unit:
            rewritten = await unit.rewrite_histories.committed_partitions(self._attempt.run.table_id)
            now = await unit.now()
        return await self._context.formats.call(evaluate_now, table, policy, rewritten, now, self._hot)

    async def _rewrite(
        self, table: OpenTable, policy: EffectivePolicy, plan: Plan, leftover: Sequence[StoredGroup]
    ) -> None:
        groups = await self._store_plan(table, policy, plan)
        if leftover:  # finished by an earlier attempt: commit them before anything new
            await self._commit(leftover)
        if groups:
            await self._send(table, policy, plan, groups)
        await self._attempt.check()
        written = await self.ending.groups(GroupState.WRITTEN)
        if written and self._attempt.stop_reason in (None, *COMMITTED):
            await self._commit(written, is_last=True)

    async def _store_plan(self, table: OpenTable, policy: EffectivePolicy, plan: Plan) -> Sequence[FileGroup]:
        attempt = self._attempt
        ticket = self._context.dispatcher.ticket(attempt.run.id, attempt.number, 0)
        async with self._context.database.begin() as unit:
            groups: Sequence[FileGroup] = await unit.groups.replace_planned(attempt.lease, plan.groups)
        await attempt.transition(
            RunState.REWRITING,
            plan=plan.summary(),
            policy={"values": dict(policy.values), "origins": dict(policy.origins)},
            intent={
                "table_uuid": table.uuid,
                "base_snapshot_id": str(plan.base_snapshot_id),
                "plan_hash": plan.digest(),
                "commit": attempt.run.intent.get("commit", []),
                **asdict(ticket),
            },
            details={"groups": len(groups), "prediction": asdict(plan.prediction)},
        )
        self._step("rewriting")
        return groups

    async def _send(self, table: OpenTable, policy: EffectivePolicy, plan: Plan, groups: Sequence[FileGroup]) -> None:
        attempt, context = self._attempt, self._context
        lanes = min(policy.parallel_groups, len(groups))
        properties = table.policy_properties()
        pacing = RunPacing(
            tools=context.pacing, attempt=attempt, limits=self._limits, properties=properties, lanes=lanes
        )
        base = {"base_snapshot_id": plan.base_snapshot_id, "schema_id": plan.schema_id}

        def task(group: FileGroup) -> GroupTask:
            made = table.group_task(group, run_id=attempt.run.id, attempt=attempt.number, write=write_settings(policy))
            return replace(made, pace=pacing.of_task())

        running = Lanes(
            dispatcher=context.dispatcher,
            function=context.function,
            attempt=attempt,
            clock=context.clock,
            rate=LaneRate(expected_rate(await self.ending.groups(*_DONE), plan.prediction, lanes)),
            tasks=task,
            lost=self._early_losses(plan).among,
            on_start=self._mark_running,
            on_stop=pacing.stop,
        )
        oldest: float | None = None
        pending, is_hot = 0, False
        async with pacing.at_work(), aclosing(running.results(groups, lanes)) as results:
            async for finished in results:
                written = await self._finished(finished, base)
                pending += written
                # of a partition that lost its last race: committed at once, to win the next
                is_hot |= isinstance(finished, tuple) and written > 0 and finished[0].place in self._hot.by_place
                oldest = oldest or (context.clock.monotonic() if pending else None)
                if self._commit_is_due(pending, oldest, is_urgent=is_hot and not running.unseen):
                    await self._commit(await self.ending.groups(GroupState.WRITTEN))
                    pending, oldest, is_hot = 0, None, False
                self.ending.has_waste |= running.has_failures

    def _early_losses(self, plan: Plan) -> EarlyLosses:
        context = self._context
        return EarlyLosses(
            database=context.database,
            formats=context.formats,
            clock=context.clock,
            table_id=self._attempt.run.table_id,
            open_table=self._open,
            base_snapshot_id=plan.base_snapshot_id or 0,
            schema_id=plan.schema_id,
        )

    def _commit_is_due(self, pending_bytes: int, oldest: float | None, *, is_urgent: bool) -> bool:
        if oldest is None or self._attempt.stop_reason is not None:
            return False
        age = self._context.clock.monotonic() - oldest
        is_late = age >= self._context.commit_batch_seconds
        return is_urgent or is_late or pending_bytes >= self._context.commit_batch_bytes

    async def _mark_running(self, groups: Sequence[FileGroup]) -> None:
        async with self._context.database.begin() as unit:
            await unit.groups.mark_running(self._attempt.lease, [group.ordinal for group in groups])

    async def _finished(self, finished: Finished, base: Mapping[str, Any]) -> int:
        """Record one group's end; return the input bytes that wait for a commit because of it."""
        if isinstance(finished, GroupLost):
            await self._commits.drop_lost([LostGroup(finished.group.ordinal, finished.group.place, finished.reason, 0)])
            return 0
        if isinstance(finished, GroupFailure):
            reasons = {finished.group.ordinal: f"failed: {finished.error.message}"}
        else:
            group, result = finished
            self._attempt.metrics.throttled_seconds.inc(result.throttled_seconds)
            if result.outcome == "written":
                async with self._context.database.begin() as unit:
                    await unit.groups.mark_written(self._attempt.lease, {**asdict(result), **base})
                await self._attempt.record("group_written", {"group": group.ordinal, **_brief(result)})
                self._step("group_written")
                return group.input_bytes
            if result.outcome == "stopped":
                return 0
            reasons = {group.ordinal: f"refused: {result.reason}"}
        async with self._context.database.begin() as unit:
            await unit.groups.mark_dropped(self._attempt.lease, reasons)
        await self._attempt.record("group_dropped", {"reasons": {str(k): v for k, v in reasons.items()}})
        return 0

    async def _commit(self, groups: Sequence[StoredGroup], *, is_last: bool = False) -> None:
        await self._commits.commit(groups)
        if not is_last:
            await self._attempt.transition(RunState.REWRITING)


def write_settings(policy: EffectivePolicy) -> WriteSettings:
    """Return how outputs are written under a policy."""
    codec, _, level = str(policy.values["rewrite.compression"]).partition(":")
    return WriteSettings(
        target_file_bytes=int(policy.values["rewrite.target_file_bytes"]),
        codec=codec,
        codec_level=int(level) if level else None,
    )


def _make_plan(
    table: OpenTable,
    policy: EffectivePolicy,
    request: RunRequest,
    without: Sequence[str],
    known: Experience,
    *,
    due: _Due | None,
    hot: HotPartitions,
) -> Plan:
    found = DueFiles(selected_files(table, request))
    if due is not None:
        found = due_files(table, found.digest, due[0], full=request.force_full, also=due[1])
    digest = found.digest
    if without:
        digest = digest.filter(pc.invert(pc.is_in(digest["path"], value_set=pa.array(without, pa.string()))))
    plan = make_plan(
        digest,
        policy=policy,
        base_snapshot_id=table.head_snapshot_id,
        schema_id=table.schema_id,
        inputs_of=table.group_inputs,
        known=known,
        full=request.force_full,
        hot=hot,
    )
    return found.add_to(plan)


def _brief(result: GroupResult) -> dict[str, Any]:
    return {
        "output_files": len(result.outputs),
        "rows_written": result.rows_written,
        "rows_deleted": result.rows_deleted,
        "bytes_read": result.bytes_read,
        "bytes_written": result.bytes_written,
        "throttled_seconds": round(result.throttled_seconds, 3),
    }

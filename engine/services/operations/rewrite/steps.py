"""The steps of one attempt at a rewrite, in order. Errors are handled by `services.runs.execution`."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.fleet.endpoints import NoEndpoint, SparkEndpoint, SparkNeeds
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import HotPartitions
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.plans import FileGroup, Plan
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, RunState, StoredGroup, WaitingFor
from engine.domain.tables.table import FormatName
from engine.formats.base import Engine, OpenTable, RewriteEngine
from engine.planning.due.evaluations import Evaluation
from engine.planning.plans.left_out import left_out_items
from engine.services.catalogs.registered import read_registered
from engine.services.operations.attempt_tools import AttemptTools
from engine.services.operations.restored import ended_beyond_record, is_after_restore, snapshots_beyond_record
from engine.services.operations.rewrite.commits import Commits
from engine.services.operations.rewrite.context import RewriteContext
from engine.services.operations.rewrite.decisions import decide_without_groups
from engine.services.operations.rewrite.endings import DISABLED, RunEnding
from engine.services.operations.rewrite.native_path import NativePath
from engine.services.operations.rewrite.paths import PathTools, RewriteInput, RewritePath
from engine.services.operations.rewrite.tallies import GroupLedger, WorkReport
from engine.services.operations.rewrite.task_path import TaskPath
from engine.services.planning.due_partitions import evaluate_now
from engine.services.planning.engines import EngineChoice, choose_engine
from engine.services.planning.planner import plan_run
from engine.services.planning.run_statistics import read_statistics
from engine.services.policies.effective import PolicyReader, check_settings
from engine.services.runs.attempts import Attempt, Stop
from engine.services.runs.budgets import DayBudget, RunLimits, day_budget, run_limits
from engine.services.runs.ending import AttemptOutcome, AttemptReport, Ended, Parked, cancelled
from engine.services.runs.endpoints import ENDPOINT_WAIT, endpoint_of
from engine.services.tables.observations import Observed
from engine.tracing.spans import traced


@dataclass(frozen=True, slots=True)
class _Terms:
    """The settings and limits of one attempt, as read before its plan."""

    format: FormatName
    policy: EffectivePolicy
    endpoint: SparkEndpoint | NoEndpoint
    limits: RunLimits
    budget: DayBudget


class RewriteAttempt:
    """One attempt at a rewrite, an `OperationAttempt`."""

    def __init__(self, *, context: RewriteContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        self._context = context
        self._attempt = attempt
        self._step = step
        self._table: OpenTable
        self._worked = WorkReport()
        self._beyond_record: Sequence[int] = ()
        shared = AttemptTools(context.database, context.formats, context.clock, attempt, step)
        self._open_table, self._commits = shared.open_table, Commits(shared)
        self._ending = RunEnding(context, shared, self._commits)
        tools = PathTools(
            context.database, context.formats, context.clock, attempt, step, context, self._commits, self._ending
        )
        self._in_tasks, self._by_procedure = TaskPath(tools), NativePath(tools)

    async def settle(self) -> None:
        """Take over the work of earlier attempts: the outcome of their commits and calls is read from the table."""
        self._step("claimed")
        await self._context.servers.open_named(self._attempt.run.intent.endpoint)
        table = await self._open_table()
        if is_after_restore(self._attempt):
            groups = (await self._ending.ledger()).groups
            self._beyond_record = await snapshots_beyond_record(self._context.formats, self._attempt, table, groups)
        self._table = table if self._beyond_record else await self._take_over(table)

    async def run(self) -> AttemptOutcome:
        """Plan, rewrite, commit and prove; return how it ends, or raise the error that prevents it.

        Call `settle` first.
        """
        if self._beyond_record:
            return ended_beyond_record(self._attempt, self._beyond_record)
        table = self._table
        looked_at = self._context.clock.now()
        terms = await self._terms(table)
        policy, endpoint, ledger = terms.policy, terms.endpoint, await self._ending.ledger()
        if not policy.enabled or isinstance(endpoint, NoEndpoint):
            await self._attempt.check()
            return self._outcome_without_work(endpoint, ledger)
        check_settings(policy)
        self._context.capabilities.check_settings(terms.format, policy.values, policy.origins)
        server = await self._context.servers.open(endpoint)
        chosen = await self._chosen(table, policy)
        leftover = await self._ending.groups_in(GroupState.WRITTEN)
        hot = await self._hot_partitions(ledger)
        plan = await self._plan(chosen, ledger, leftover, hot, machine=server.machine)
        self._worked = WorkReport(left_out=left_out_items(plan))
        plan, budget = terms.budget.admit(plan)
        self._step("planned")
        seen = Observed(self._attempt.run.table_id, terms.format, table, policy, looked_at)
        await self._context.observations.measure(seen)
        await self._attempt.check()
        has_work = bool(plan.groups or leftover)
        is_cancelled = self._attempt.stop_reason is Stop.CANCELLED
        if is_cancelled and (has_work or not ledger.has_committed):
            return cancelled(self._attempt.stop)
        if has_work:
            groups = await self._store_plan(chosen, policy, plan, endpoint)
            work = RewriteInput(table, chosen.engine, policy, plan, groups, terms.limits, hot)
            self._worked = replace(await self._rewrite(work, leftover), left_out=left_out_items(plan))
            return await self._ending.outcome(budget, plan)
        return decide_without_groups(plan, budget, has_committed=ledger.has_committed)

    def _outcome_without_work(self, endpoint: SparkEndpoint | NoEndpoint, ledger: GroupLedger) -> AttemptOutcome:
        """Return the outcome while the policy is disabled, or no endpoint can take the run any more."""
        if self._attempt.stop_reason is Stop.CANCELLED:
            return cancelled(self._attempt.stop)
        if isinstance(endpoint, NoEndpoint):
            return Parked(WaitingFor(endpoint.code), endpoint.code, endpoint.detail, wait=ENDPOINT_WAIT)
        state = RunState.SUCCEEDED if ledger.has_committed else RunState.SKIPPED
        return Ended(state, DISABLED, "the table's policy has enabled: false")

    async def close(self, outcome: AttemptOutcome) -> AttemptReport:
        """Stop tasks, give up what the outcome leaves unfinished, remove its output, and measure."""
        return await self._ending.close(outcome, self._worked)

    async def release(self) -> None:
        """Close the shares of the attempt's tasks."""
        await self._ending.release()

    async def stop_tasks(self) -> bool:
        """Stop every task of this attempt; return whether all are certainly gone."""
        return await self._ending.stop_tasks()

    async def _take_over(self, table: OpenTable) -> OpenTable:
        """Settle the work of earlier attempts and return the table in its state afterwards."""
        if self._attempt.number == 1:
            return table
        await self._commits.answer_failed_proofs()
        engine = table.engines.get(Engine(self._attempt.run.intent.engine or Engine.ARROW))
        table = await self._path(engine).take_over(table)
        self._step("taken_over")
        return table

    async def _terms(self, table: OpenTable) -> "_Terms":
        table_id = self._attempt.run.table_id
        async with self._context.database.read() as unit:
            registered, catalog = await read_registered(unit, table_id, SYSTEM)
            policy = await PolicyReader.effective(unit, registered, table.policy_properties())
            limits = await run_limits(unit, catalog.name, policy)  # those of the endpoint: when the tasks begin
            endpoint = await endpoint_of(unit, SparkNeeds.of(policy.values))
            return _Terms(catalog.format, policy, endpoint, limits, await day_budget(unit, table_id, policy))

    async def _chosen(self, table: OpenTable, policy: EffectivePolicy) -> EngineChoice:
        chosen = await self._context.formats.read_for_run(table.ref, choose_engine, table, policy)
        if not chosen.is_possible:
            failed = [each for each in chosen.conditions if not each.holds]
            names = ", ".join(f"{each.name} ({each.detail})" for each in failed)
            raise NotEligible(f"no engine can rewrite this table: {names}", details={"failed": failed})
        return chosen

    @traced("plan")
    async def _plan(
        self,
        chosen: EngineChoice,
        ledger: GroupLedger,
        leftover: Sequence[StoredGroup],
        hot: HotPartitions,
        *,
        machine: str,
    ) -> Plan:
        """Plan what is left of the run: files that an earlier attempt wrote and did not commit are `done`."""
        table, run = chosen.table, self._attempt.run
        request = RunRequest.of(run)
        done = {file.path for group in leftover for file in group.inputs}
        async with self._context.database.read() as unit:
            known = await read_statistics(unit, run.table_id, catalog=table.ref.catalog, machine=machine)
            if request.force_full:  # commits of earlier attempts must not be rewritten again
                done |= await unit.groups.output_paths(run.id, frozenset({GroupState.COMMITTED}))
        due = await self._evaluated(chosen, hot) if request.only_due else None
        return await self._context.formats.read_for_run(
            table.ref,
            plan_run,
            chosen,
            request,
            known,
            hot,
            due=due,
            begun=ledger.places,
            begun_for_order=bool(run.plan.get("reordered_files")),
            done=done,
        )

    async def _hot_partitions(self, ledger: GroupLedger) -> HotPartitions:
        """Return partitions that lost races; a forced run ignores all cool-downs, others those of their own groups."""
        async with self._context.database.read() as unit:
            hot = await unit.hot_partitions.at(self._attempt.run.table_id)
        return hot.without_cool_down(None if RunRequest.of(self._attempt.run).include_cooling else ledger.places)

    async def _evaluated(self, chosen: EngineChoice, hot: HotPartitions) -> Evaluation:
        """Evaluate the policy's rules now."""
        async with self._context.database.read() as unit:
            rewritten = await unit.rewrite_histories.committed_partitions(self._attempt.run.table_id)
            now = await unit.now()
        return await self._context.formats.read_for_run(chosen.table.ref, evaluate_now, chosen, rewritten, now, hot)

    async def _rewrite(self, work: RewriteInput, leftover: Sequence[StoredGroup]) -> WorkReport:
        if leftover:  # written by an earlier attempt: commit them before anything new
            await self._commits.commit(leftover)
            await self._attempt.transition(RunState.REWRITING)
        return await self._path(work.engine).work(work)

    def _path(self, engine: RewriteEngine | None) -> RewritePath:
        is_procedure = engine is not None and engine.procedure is not None
        return self._by_procedure if is_procedure else self._in_tasks

    async def _store_plan(
        self, chosen: EngineChoice, policy: EffectivePolicy, plan: Plan, endpoint: SparkEndpoint
    ) -> Sequence[FileGroup]:
        """Store the plan and the endpoint. Raises Transient if the endpoint was changed since it was chosen."""
        attempt = self._attempt
        ticket = (await self._context.servers.open(endpoint)).dispatcher.ticket(attempt.run.id, attempt.number, 0)
        async with self._context.database.begin() as unit:
            groups: Sequence[FileGroup] = await unit.groups.replace_planned(attempt.lease, plan.groups)
        await attempt.begin_rewriting(
            endpoint,
            plan=plan.summary(),
            policy={"values": dict(policy.values), "origins": dict(policy.origins)},
            intent=RunIntent(
                engine=chosen.traits.name,
                table_uuid=chosen.table.uuid,
                base_snapshot_id=plan.base_snapshot_id,
                plan_hash=plan.digest(),
                session_id=ticket.session_id,
                tag=ticket.tag,
                endpoint=endpoint.name,
                sent=attempt.run.unsettled,
            ),
            details={
                "engine": chosen.traits.name,
                "spark_endpoint": endpoint.name,
                "groups": len(groups),
                "prediction": asdict(plan.prediction),
            },
        )
        self._step("rewriting")
        return groups

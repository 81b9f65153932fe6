"""Facts for an explanation: the record's data about a table, and the state of the table itself.

The record is read in one transaction by a bounded number of queries, the table in threads. Reading the table may fail
as a whole (the catalog is unavailable, the table is gone or was created again): then `Sight.blocked` has the reason and
the rest is None.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from engine.domain.fleet.breakers import Breaker
from engine.domain.fleet.endpoints import SparkEndpoint
from engine.domain.fleet.limits import AtWork, FleetRow
from engine.domain.fleet.outages import Outage
from engine.domain.policies import EffectivePolicy, Windows, WindowState, contradictions
from engine.domain.remedies import Statement
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.runs.plans import Plan
from engine.domain.runs.run import TERMINAL_STATES, Operation, Run, RunState, WaitingFor
from engine.domain.tables.capabilities import Refusal
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.signals import Signal
from engine.domain.tables.table import Pause, Table
from engine.domain.tables.watches import Watch
from engine.domain.values.units import format_bytes
from engine.formats.base import OpenTable
from engine.planning.due.evaluations import Evaluation
from engine.planning.measures.health import TableHealth
from engine.planning.plans.rewrite_limits import GROUP_SETTING
from engine.planning.predictions.run_statistics import NO_STATISTICS, RunStatistics
from engine.services.explain.other_compactors import MOST_SNAPSHOTS, OtherCompactor, other_compactors
from engine.services.planning.due_partitions import evaluate_now
from engine.services.planning.engines import choose_engine
from engine.services.planning.planner import DuePlan, plan_due, plan_run
from engine.services.planning.run_statistics import read_statistics
from engine.services.planning.trials import EVERYTHING, Trial
from engine.services.planning.upkeep.record import UpkeepRecord
from engine.services.planning.upkeep.states import UpkeepState, upkeep_states
from engine.services.runs.budgets import DayBudget, day_budget
from engine.services.runs.holds import HoldRules, Latencies, read_latencies
from engine.stores.runs.histories import CommittedPartitions, Conflict, TableRaces
from engine.stores.unit_of_work import UnitOfWork
from engine.stores.watching.leadership import WATCH

LAST_RUNS: Final = 5
ENDED_RUNS: Final = 20
"""Ended runs that are read: of several operations, so that some are of each."""
LIVE_RUNS: Final = 5
CONFLICT_DAYS: Final = 7
_DELETION_WAITS: Final = frozenset({WaitingFor.GRACE, WaitingFor.ACKNOWLEDGEMENT})
"""Waits of runs that delete, in which nothing is deleted: they may last for days, and hold back nothing else."""


def lets_rewrites_pass(run: Run) -> bool:
    """Return whether a live run does not keep the coordinator from starting a rewrite of its table.

    Automatic upkeep may wait long in the queue, behind rewrites; a rewrite that becomes due is queued beside it. An
    announced deletion waits even longer.
    """
    is_upkeep = run.is_automatic and run.operation is not Operation.REWRITE
    return run.state is RunState.QUEUED and (is_upkeep or run.waiting_for in _DELETION_WAITS)


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """Facts from the record. `live`, `ended`: newest first. `signals`: the newest of each kind, on the table or on all.

    `hot`: partitions that lost races to other writers; `races`: races won and lost by runs of the last days.
    `outages`: of Spark, of its catalog, and of other dependencies that its runs wait for. `endpoints`: of Spark, with
    the keys of their outages in `spark_outages`.
    `breaker`: of its catalog, None unless the last run there failed. `rest_ended_at`: earlier failures do not count.
    `last_rewrite`: the last ended rewrite that changed the table.

    `watch`: how the table is watched; `is_watched`: whether a coordinator watches at present. `fleet_at_work`: the runs
    that workers hold, of all tables. `known`: measurements of earlier runs.
    """

    now: datetime
    table: Table
    fleet: FleetRow
    live: Sequence[Run]
    ended: Sequence[Run]
    conflicts: Sequence[Conflict]
    signals: Sequence[Signal]
    measurement: Measurement | None
    watch: Watch | None = None
    is_watched: bool = False
    hot: HotPartitions = NONE_HOT
    races: TableRaces = TableRaces()  # noqa: RUF009 - immutable
    breaker: Breaker | None = None
    outages: Sequence[Outage] = ()
    endpoints: Sequence[SparkEndpoint] = ()
    spark_outages: Collection[str] = ()
    rest_ended_at: datetime | None = None
    last_rewrite: Run | None = None
    catalog_pause: Pause | None = None
    fleet_at_work: AtWork = AtWork()  # noqa: RUF009 - immutable
    known: RunStatistics = NO_STATISTICS

    @property
    def at_work(self) -> Run | None:
        """The table's run that a worker holds, None for none."""
        return next((run for run in self.live if run.state is not RunState.QUEUED), None)

    @property
    def waiting(self) -> Run | None:
        """The oldest run that waits for a worker or for a time, None for none."""
        return next((run for run in reversed(self.live) if run.state is RunState.QUEUED), None)

    def goes_before(self, operation: Operation) -> Run | None:
        """Return the oldest waiting run that a run of an operation has to wait for, None for none."""
        queued = [run for run in reversed(self.live) if run.state is RunState.QUEUED]
        waiting = [run for run in queued if run.waiting_for not in _DELETION_WAITS]
        return next((run for run in waiting if operation is not Operation.REWRITE or not lets_rewrites_pass(run)), None)

    def announced(self, operation: Operation) -> Run | None:
        """Return the run of an operation whose deletion waits for its grace or a person, None for none."""
        waiting = (run for run in self.live if run.waiting_for in _DELETION_WAITS)
        return next((run for run in waiting if run.operation is operation), None)

    @property
    def last(self) -> Run | None:
        """The run that ended last, None for none."""
        return self.ended[0] if self.ended else None

    def has_ended_since(self, at: datetime) -> bool:
        """Return whether a run of the table ended at or after an instant."""
        return self.last is not None and self.last.finished_at is not None and self.last.finished_at >= at

    @property
    def last_start(self) -> datetime | None:
        """The start of the last rewrite that changed the table, None for none."""
        return None if self.last_rewrite is None else self.last_rewrite.started_at

    @property
    def cooling_until(self) -> datetime | None:
        """The end of the cool-down after a run that lost a race; None without a cool-down."""
        cooling = (run.not_before for run in self.live if run.waiting_for is WaitingFor.CONFLICT_BACKOFF)
        return max((until for until in cooling if until is not None and until > self.now), default=None)


@dataclass(frozen=True, slots=True)
class Sight:
    """State of the table itself, as far as it could be read.

    `trial`: plan of a run of everything; `due`: plan of an automatic run, None when no rule is due. `blocked`: a code
    and a message if the table could not be read. `others`: other compactors in the table's history. `upkeep`: the
    operations besides rewriting that the policy has switched on.
    """

    trial: Trial | None = None
    evaluation: Evaluation | None = None
    health: TableHealth | None = None
    blocked: Statement | None = None
    due: DuePlan | None = None
    others: Sequence[OtherCompactor] = ()
    upkeep: tuple[UpkeepState, ...] = ()

    @property
    def due_upkeep(self) -> Sequence[UpkeepState]:
        """The operations besides rewriting that are due, in the order in which they run."""
        return [each for each in self.upkeep if each.is_due]

    @property
    def is_due(self) -> bool:
        """Whether a rule of the policy or other upkeep is due."""
        return self.is_due_for_rewrite or bool(self.due_upkeep)

    @property
    def is_due_for_rewrite(self) -> bool:
        """Whether a rule of the policy is due."""
        return self.evaluation is not None and self.evaluation.is_due

    def has_others_since(self, at: datetime | None) -> bool:
        """Return whether another compactor replaced files after an instant; False for None, the first evaluation."""
        return at is not None and any(other.last_at > at for other in self.others)

    def due_at(self, now: datetime, *, margin_seconds: int = 0) -> datetime | None:
        """Return when a rule becomes due without further writes, plus a margin; None for never or not for centuries."""
        if self.evaluation is None or self.evaluation.due_in_seconds is None:
            return None
        try:
            return now + timedelta(seconds=self.evaluation.due_in_seconds + margin_seconds)
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts for an explanation. `refusals`: settings that can't be applied, so that a run fails."""

    record: RecordFacts
    policy: EffectivePolicy
    windows: WindowState
    day: DayBudget
    sight: Sight
    refusals: Sequence[Refusal] = ()
    latencies: Latencies = Latencies()  # noqa: RUF009 - immutable

    def planned_now(self, plan: Plan) -> tuple[Plan, int]:
        """Return the part of a plan that a run works off now, and how many groups `limits.bytes_per_day` defers.

        If not one group fits, it is all of them: such a run waits until the budget has room.
        """
        fitting, deferred = self.day.fit(plan)
        return (fitting if fitting.groups else plan), deferred

    @property
    def due_since(self) -> datetime:
        """The instant since which the table is due according to the coordinator; now if it has not seen it due."""
        watch = self.record.watch
        return self.record.now if watch is None or watch.due_since is None else watch.due_since


async def read_record(unit: UnitOfWork, table: Table) -> RecordFacts:
    """Return the record's facts about a table. The caller must be allowed to see it."""
    now = await unit.now()
    live = await unit.runs.list_live(table.id, LIVE_RUNS)
    return RecordFacts(
        now=now,
        table=table,
        fleet=await unit.fleet.get(),
        live=live,
        ended=await unit.runs.list(table_id=table.id, states=TERMINAL_STATES, limit=ENDED_RUNS),
        conflicts=await unit.rewrite_histories.conflicts(table.id, now - timedelta(days=CONFLICT_DAYS)),
        signals=await unit.signals.newest(table.id),
        measurement=await unit.measurements.latest(table.id),
        watch=await unit.watches.get(table.id),
        is_watched=await unit.leadership.is_led(WATCH),
        hot=await unit.hot_partitions.at(table.id),
        races=await unit.rewrite_histories.races(table.id, now - timedelta(days=CONFLICT_DAYS)),
        breaker=await unit.breakers.get(table.ref.catalog),
        outages=tuple((await unit.outages.of_runs(live, catalog=table.ref.catalog)).values()),
        endpoints=await unit.endpoints.list(),
        spark_outages=await unit.outages.of_spark(),
        rest_ended_at=await unit.watches.rest_ended_at(table.id),
        last_rewrite=next(iter(await unit.runs.list_changes(table.id, limit=1, operation=Operation.REWRITE)), None),
        catalog_pause=(await unit.pauses.of_table(table.id)).catalog,
        fleet_at_work=await unit.runs.count_leased(),
        known=await read_statistics(unit, table.id, catalog=table.ref.catalog),
    )


async def with_policy(unit: UnitOfWork, record: RecordFacts, policy: EffectivePolicy, sight: Sight) -> Facts:
    """Add the facts that depend on the policy: the state of its windows, of its daily budget and of its back-off."""
    return Facts(
        record=record,
        policy=policy,
        windows=Windows.of(policy).state_at(record.now),
        day=await day_budget(unit, record.table.id, policy),
        sight=sight,
        latencies=await read_latencies(unit, record.table.id, HoldRules.of(policy)),
    )


def too_small_budget(facts: Facts) -> Iterator[Refusal]:
    """Yield the daily budget if a file group exceeds it entirely: a run would fail (`DayBudget.admit`)."""
    groups = [] if facts.sight.trial is None else facts.sight.trial.plan.groups
    largest = max((group.input_bytes for group in groups), default=0)
    if facts.day.limit is not None and largest > facts.day.limit:
        reason = f"one file group ({format_bytes(largest)}) is more: raise it, or lower {GROUP_SETTING}"
        yield Refusal("limits.bytes_per_day", facts.day.limit, reason)


def contradicted(policy: EffectivePolicy) -> Iterator[Refusal]:
    """Yield settings that contradict others: refused at writing, but later changes of tables or policies cause them."""
    for problem in contradictions(policy):
        reason = problem.message if problem.hint is None else f"{problem.message}: {problem.hint}"
        yield Refusal(problem.pointer[1:].replace("/", "."), problem.value, reason)


def judge(
    opened: OpenTable,
    policy: EffectivePolicy,
    rewritten: CommittedPartitions,
    hot: HotPartitions,
    record: UpkeepRecord,
) -> Sight:
    """Judge every rule and other upkeep of an open table, and look for other compactors in its history.

    Reads manifests: call in a thread.
    """
    evaluation = evaluate_now(choose_engine(opened, policy), rewritten, record.now, hot)
    return Sight(
        evaluation=evaluation,
        others=other_compactors(opened.snapshots(MOST_SNAPSHOTS), record.now),
        upkeep=upkeep_states(opened, policy, record),
    )


def add_plans(opened: OpenTable, policy: EffectivePolicy, record: RecordFacts, judged: Sight) -> Sight:
    """Add the plans of a run of everything and of an automatic run now to a judged table.

    Reads manifests: call in a thread.
    """
    chosen = choose_engine(opened, policy)
    evaluation = judged.evaluation
    due = None if evaluation is None else plan_due(chosen, evaluation, record.known, record.hot)
    trial = Trial(chosen.conditions, plan_run(chosen, EVERYTHING, record.known, record.hot))
    return replace(judged, trial=trial, due=due)

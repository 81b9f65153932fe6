"""What an explanation goes by: what the record says of a table, and what a look at the table itself found.

The record is read in one transaction by a bounded number of queries, the table in threads. The look may fail as a whole
(the catalog is away, the table is gone or was made anew): then `Sight.blocked` says so and the rest is None.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from engine.domain.fleet.breakers import Breaker
from engine.domain.fleet.limits import AtWork, Fleet
from engine.domain.fleet.outages import Outage
from engine.domain.policies import EffectivePolicy, Windows, WindowState, contradictions
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.runs.plans import Plan
from engine.domain.runs.run import TERMINAL_STATES, Run, RunState, WaitingFor
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
from engine.services.planning.due_plans import DuePlan, evaluate_now, plan_due
from engine.services.planning.engines import choose_engine
from engine.services.planning.run_statistics import read_statistics
from engine.services.planning.trials import Trial, try_plan
from engine.services.runs.budgets import DayBudget, day_budget
from engine.services.runs.holds import HoldRules, Latencies, read_latencies
from engine.services.tables.other_compactors import MOST_SNAPSHOTS, OtherCompactor, other_compactors
from engine.stores.runs.histories import CommittedPartitions, Conflict, TableRaces
from engine.stores.unit_of_work import UnitOfWork
from engine.stores.watching.leadership import WATCH

LAST_RUNS: Final = 5
LIVE_RUNS: Final = 5
CONFLICT_DAYS: Final = 7


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """What the record says. `live`, `ended`: newest first. `signals`: the newest of each kind, on the table or all.

    `hot`: partitions that lost races to other writers; `races`: what runs of the last days won and lost.
    `outages`: of Spark, of its catalog, and of what its runs wait for.
    `breaker`: of its catalog, None unless the last run there failed. `rest_ended_at`: what failed before is forgiven.
    `last_change`: the last ended run that changed the table.

    `watch`: how the table is watched; `is_watched`: whether a coordinator watches at present. `fleet_at_work`: the runs
    that workers hold, of all tables. `known`: what earlier runs measured.
    """

    now: datetime
    table: Table
    fleet: Fleet
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
    rest_ended_at: datetime | None = None
    last_change: Run | None = None
    catalog_pause: Pause | None = None
    fleet_at_work: AtWork = AtWork()  # noqa: RUF009 - immutable
    known: RunStatistics = NO_STATISTICS

    @property
    def at_work(self) -> Run | None:
        """The run that a worker holds."""
        return next((run for run in self.live if run.state is not RunState.QUEUED), None)

    @property
    def waiting(self) -> Run | None:
        """The oldest run that waits for a worker or a time."""
        return next((run for run in reversed(self.live) if run.state is RunState.QUEUED), None)

    @property
    def last(self) -> Run | None:
        """The run that ended last."""
        return self.ended[0] if self.ended else None

    def has_ended_since(self, at: datetime) -> bool:
        """Return whether a run of the table ended at or after an instant."""
        return self.last is not None and self.last.finished_at is not None and self.last.finished_at >= at

    @property
    def last_start(self) -> datetime | None:
        """When the last run that changed the table started."""
        return None if self.last_change is None else self.last_change.started_at

    @property
    def cooling_until(self) -> datetime | None:
        """The end of the cool-down of a run that lost a race; None when none cools down."""
        cooling = (run.not_before for run in self.live if run.waiting_for is WaitingFor.CONFLICT_BACKOFF)
        return max((until for until in cooling if until is not None and until > self.now), default=None)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look at the table found.

    `trial`: a run of everything; `due`: a run by itself, None when no rule is due. `blocked`: a code and a message,
    when it could not be looked at. `others`: other compactors that the table's history shows.
    """

    trial: Trial | None = None
    evaluation: Evaluation | None = None
    health: TableHealth | None = None
    blocked: tuple[str, str] | None = None
    due: DuePlan | None = None
    others: Sequence[OtherCompactor] = ()

    def has_others_since(self, at: datetime | None) -> bool:
        """Tell whether another compactor replaced files after an instant; None: nobody looked before, none is new."""
        return at is not None and any(other.last_at > at for other in self.others)

    def due_at(self, now: datetime, *, margin_seconds: int = 0) -> datetime | None:
        """Return when time alone makes a rule due, plus a margin; None when it never does, or not for centuries."""
        if self.evaluation is None or self.evaluation.due_in_seconds is None:
            return None
        try:
            return now + timedelta(seconds=self.evaluation.due_in_seconds + margin_seconds)
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that an explanation goes by. `refusals`: settings that can't be fulfilled, so that a run fails."""

    record: RecordFacts
    policy: EffectivePolicy
    windows: WindowState
    day: DayBudget
    sight: Sight
    refusals: Sequence[Refusal] = ()
    latencies: Latencies = Latencies()  # noqa: RUF009 - immutable

    def planned_now(self, trial: Trial) -> tuple[Plan, int]:
        """Return what a run would plan and how many groups limits.bytes_per_day leaves for later.

        While not one group fits it is all of them: such a run waits until there is room.
        """
        fitting, deferred = self.day.fit(trial.plan)
        return (fitting if fitting.groups else trial.plan), deferred

    @property
    def due_since(self) -> datetime:
        """Since when a rule has made the table due, as far as the coordinator saw it; now when it did not."""
        watch = self.record.watch
        return self.record.now if watch is None or watch.due_since is None else watch.due_since


async def read_record(unit: UnitOfWork, table: Table) -> RecordFacts:
    """Read what the record says of a table that the caller may see."""
    now = await unit.now()
    live = await unit.runs.list_live(table.id, LIVE_RUNS)
    return RecordFacts(
        now=now,
        table=table,
        fleet=await unit.fleet.get(),
        live=live,
        ended=await unit.runs.list(table_id=table.id, states=TERMINAL_STATES, limit=LAST_RUNS),
        conflicts=await unit.rewrite_histories.conflicts(table.id, now - timedelta(days=CONFLICT_DAYS)),
        signals=await unit.signals.newest(table.id),
        measurement=await unit.measurements.latest(table.id),
        watch=await unit.watches.get(table.id),
        is_watched=await unit.leadership.is_led(WATCH),
        hot=await unit.hot_partitions.at(table.id),
        races=await unit.rewrite_histories.races(table.id, now - timedelta(days=CONFLICT_DAYS)),
        breaker=await unit.breakers.get(table.ref.catalog),
        outages=tuple((await unit.outages.of_runs(live, catalog=table.ref.catalog)).values()),
        rest_ended_at=await unit.watches.rest_ended_at(table.id),
        last_change=next(iter(await unit.runs.list_changes(table.id, None, 1)), None),
        catalog_pause=(await unit.pauses.of_table(table.id)).catalog,
        fleet_at_work=await unit.runs.at_work(),
        known=await read_statistics(unit, table.id, catalog=table.ref.catalog),
    )


async def with_policy(unit: UnitOfWork, record: RecordFacts, policy: EffectivePolicy, sight: Sight) -> Facts:
    """Add what follows from the policy: the state of its windows, of its daily budget and of its back-off."""
    return Facts(
        record=record,
        policy=policy,
        windows=Windows.of(policy).state_at(record.now),
        day=await day_budget(unit, record.table.id, policy),
        sight=sight,
        latencies=await read_latencies(unit, record.table.id, HoldRules.of(policy)),
    )


def too_small_budget(facts: Facts) -> Iterator[Refusal]:
    """Yield the daily budget when a file group is larger than all of it: a run would fail (`DayBudget.admit`)."""
    groups = [] if facts.sight.trial is None else facts.sight.trial.plan.groups
    largest = max((group.input_bytes for group in groups), default=0)
    if facts.day.limit is not None and largest > facts.day.limit:
        reason = f"one file group ({format_bytes(largest)}) is more: raise it, or lower {GROUP_SETTING}"
        yield Refusal("limits.bytes_per_day", facts.day.limit, reason)


def contradicted(policy: EffectivePolicy) -> Iterator[Refusal]:
    """Yield the settings that contradict others: no policy can be written like this, but tables and policies change."""
    for problem in contradictions(policy):
        reason = problem.message if problem.hint is None else f"{problem.message}: {problem.hint}"
        yield Refusal(problem.pointer[1:].replace("/", "."), problem.value, reason)


def judge(
    opened: OpenTable, policy: EffectivePolicy, rewritten: CommittedPartitions, now: datetime, hot: HotPartitions
) -> Sight:
    """Judge every rule on an open table and look for other compactors in its history.

    Reads manifests: call in a thread.
    """
    evaluation = evaluate_now(choose_engine(opened, policy).table, policy, rewritten, now, hot)
    return Sight(evaluation=evaluation, others=other_compactors(opened.snapshots(MOST_SNAPSHOTS), now))


def add_plans(opened: OpenTable, policy: EffectivePolicy, record: RecordFacts, judged: Sight) -> Sight:
    """Add to a judged table what a run of everything would do now, and a run that starts automatically.

    Reads manifests: call in a thread.
    """
    chosen = choose_engine(opened, policy)
    evaluation = judged.evaluation
    due = None if evaluation is None else plan_due(chosen.table, chosen.policy, evaluation, record.hot)
    return replace(judged, trial=try_plan(opened, policy, record.known, hot=record.hot), due=due)

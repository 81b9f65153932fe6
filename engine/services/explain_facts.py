"""What an explanation goes by: what the record says of a table, and what a look at the table itself found.

The record is read in one transaction by a bounded number of queries, the table in threads. The look may fail as a whole
(the catalog is away, the table is gone or was made anew): then `Sight.blocked` says so and the rest is None.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.domain.capabilities import Refusal
from engine.domain.fleet import Fleet
from engine.domain.measurements import Measurement
from engine.domain.policies import EffectivePolicy, Windows, WindowState
from engine.domain.runs import TERMINAL_STATES, Run, RunState, WaitingFor
from engine.domain.signals import Signal
from engine.domain.tables import Table
from engine.domain.units import format_bytes
from engine.formats.base import OpenTable
from engine.planning.evaluations import Evaluation, evaluate_policy
from engine.planning.health import TableHealth
from engine.planning.partition_metrics import PartitionRewrite, RewriteHistory
from engine.services.budgets import DayBudget, day_budget
from engine.services.trials import Trial, try_plan
from engine.stores.rewrite_histories import CommittedPartitions, Conflict
from engine.stores.unit_of_work import UnitOfWork

LAST_RUNS: Final = 5
LIVE_RUNS: Final = 5
CONFLICT_DAYS: Final = 7
_LIVE_STATES: Final = frozenset(RunState) - TERMINAL_STATES


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """What the record says. `live`, `ended`: newest first. `signals`: the newest of each kind, on the table or all."""

    now: datetime
    table: Table
    fleet: Fleet
    live: Sequence[Run]
    ended: Sequence[Run]
    conflicts: Sequence[Conflict]
    rewritten: CommittedPartitions
    signals: Sequence[Signal]
    measurement: Measurement | None

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

    @property
    def last_start(self) -> datetime | None:
        """When a run of the table began last."""
        return max((run.started_at for run in (*self.live, *self.ended) if run.started_at), default=None)

    @property
    def cooling_until(self) -> datetime | None:
        """The end of the cool-down of a run that lost a race; None when none cools down."""
        cooling = (run.not_before for run in self.live if run.waiting_for is WaitingFor.CONFLICT_BACKOFF)
        return max((until for until in cooling if until is not None and until > self.now), default=None)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look at the table found. `blocked`: a code and a message, when it could not be looked at."""

    trial: Trial | None = None
    evaluation: Evaluation | None = None
    health: TableHealth | None = None
    blocked: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that an explanation goes by. `refusals`: settings that the format can't fulfil, so that a run fails."""

    record: RecordFacts
    policy: EffectivePolicy
    windows: WindowState
    day: DayBudget
    sight: Sight
    refusals: Sequence[Refusal] = ()


async def read_record(unit: UnitOfWork, table: Table) -> RecordFacts:
    """Read what the record says of a table that the caller may see."""
    now = await unit.now()
    return RecordFacts(
        now=now,
        table=table,
        fleet=await unit.fleet.get(),
        live=await unit.runs.list(table_id=table.id, states=_LIVE_STATES, limit=LIVE_RUNS),
        ended=await unit.runs.list(table_id=table.id, states=TERMINAL_STATES, limit=LAST_RUNS),
        conflicts=await unit.rewrite_histories.conflicts(table.id, now - timedelta(days=CONFLICT_DAYS)),
        rewritten=await unit.rewrite_histories.committed_partitions(table.id),
        signals=await unit.signals.newest(table.id),
        measurement=await unit.measurements.latest(table.id),
    )


async def with_policy(unit: UnitOfWork, record: RecordFacts, policy: EffectivePolicy, sight: Sight) -> Facts:
    """Add what follows from the policy: the state of its windows and of its daily budget."""
    return Facts(
        record=record,
        policy=policy,
        windows=Windows.of(policy).state_at(record.now),
        day=await day_budget(unit, record.table.id, policy),
        sight=sight,
    )


def too_small_budget(facts: Facts) -> Iterator[Refusal]:
    """Yield the daily budget when a file group is larger than all of it: a run would fail (`DayBudget.admit`)."""
    groups = [] if facts.sight.trial is None else facts.sight.trial.plan.groups
    largest = max((group.input_bytes for group in groups), default=0)
    if facts.day.limit is not None and largest > facts.day.limit:
        reason = f"one file group ({format_bytes(largest)}) is more: raise it, or lower rewrite.max_group_bytes"
        yield Refusal("limits.bytes_per_day", facts.day.limit, reason)


def look(opened: OpenTable, policy: EffectivePolicy, record: RecordFacts) -> tuple[Trial, Evaluation]:
    """Plan and judge every rule on an open table. Reads manifests: call in a thread."""
    figures = opened.figures()
    history = _history(record.rewritten, figures.committed_at_ms)
    evaluation = evaluate_policy(opened.digest(), figures, history, policy, now_ms=_milliseconds(record.now))
    return try_plan(opened, policy, record.last), evaluation


def _history(rewritten: CommittedPartitions, committed_at_ms: Mapping[int, int]) -> RewriteHistory:
    """Return rewrites by the time of their snapshots, which files are dated by as well; else by the record's time."""
    return RewriteHistory(
        rewrites=[
            PartitionRewrite(
                each.spec_id,
                each.partition,
                committed_at_ms.get(each.snapshot_id, _milliseconds(each.recorded_at)),
                each.is_full,
            )
            for each in rewritten.partitions
        ],
        known_since_ms=None if rewritten.known_since is None else _milliseconds(rewritten.known_since),
    )


def _milliseconds(at: datetime) -> int:
    return round(at.timestamp() * 1000)

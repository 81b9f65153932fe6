"""State of each table of a week, as the coordinator sees it, and the facts by which it decides."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, cast

import numpy as np

from bench.fleet.line import EPOCH
from bench.fleet.upkeep.orphans import FailedWrites
from bench.fleet.upkeep.patterns import DAY, PATTERNS, SMALL_FILES, Pattern, commits_of, failures_of
from bench.fleet.upkeep.policies import SWITCHED_ON, TablePolicy, make_policy
from bench.fleet.upkeep.tables import WeekTable
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.fleet.endpoints import SparkEndpoint
from engine.domain.fleet.limits import FleetLimits, FleetRow
from engine.domain.ids import TableId
from engine.domain.policies import RECLAIM
from engine.domain.runs.plans import FileGroup, Plan, Prediction
from engine.domain.runs.run import Operation, Run
from engine.domain.tables.table import Table, TableRef
from engine.domain.tables.watches import Watch
from engine.formats.base import OpenTable
from engine.planning.due.evaluations import Evaluation, SealState
from engine.planning.due.rule_logic import conjunction
from engine.planning.due.seals import SealRule
from engine.planning.due.triggers import RuleState
from engine.services.explain.decisions import Decision, decide, decide_unless_due
from engine.services.explain.facts import ENDED_RUNS, Facts, RecordFacts, Sight, lets_rewrites_pass
from engine.services.planning.planner import DuePlan
from engine.services.planning.upkeep.record import UpkeepRecord
from engine.services.planning.upkeep.states import upkeep_states
from engine.services.runs.budgets import DayBudget

HISTORY_DAYS: Final = 3
MIN_INTERVAL: Final = 600.0
_GROUP: Final = FileGroup(0, 0, "{}", (), 1)
_PLAN: Final = Plan(1, 0, (_GROUP,), (), 0, Prediction(1, 1, 1, 1, 1, 1.0))
_NO_FLAGS: Final = np.zeros(1, np.bool_)
_FLEET: Final = FleetRow(1, EPOCH, "system", FleetLimits())


@dataclass(slots=True)
class State:
    """A table with its runs: those that are live, the last that ended, the last rewrite that changed the table."""

    table: WeekTable
    policy: TablePolicy
    registered: Table
    number: int
    live: list[Run] = field(default_factory=list)
    ended: deque[Run] = field(default_factory=lambda: deque(maxlen=ENDED_RUNS))
    last_ends: dict[Operation, datetime] = field(default_factory=dict)
    last_rewrite: Run | None = None
    rewritten_at: float = -MIN_INTERVAL
    longest_run: timedelta = timedelta(0)
    next_look: float = 0.0

    def decide(self, now: float) -> Decision | None:
        """Return what the coordinator decides; None while a live run leaves nothing to decide."""
        if any(not lets_rewrites_pass(run) for run in self.live):
            return None
        at, sight = EPOCH + timedelta(seconds=now), self._sight(now)
        early = decide_unless_due(self.policy.effective, sight, at)
        return decide(self._facts(at, sight)) if early is None else early

    def waited(self, now: float) -> float:
        """Return the seconds for which a rewrite of the table was due and could start, without quiet hours."""
        since = now if self.table.due_since is None else max(0.0, self.table.due_since)
        since = max(since, self.rewritten_at + MIN_INTERVAL)
        return max(0.0, now - since) - self.policy.quiet_seconds(since, now)

    def _sight(self, now: float) -> Sight:
        """Return the table as the coordinator sees it: a rule for small files, and one for blocked history."""
        table, at = self.table, EPOCH + timedelta(seconds=now)
        small, blocked = table.small >= SMALL_FILES, table.is_blocked
        blocked_in = None if table.blocked_at is None else max(0.0, table.blocked_at - now)
        rules = (_rule("small files", 0.0 if small else None), _rule(RECLAIM, blocked_in))
        return Sight(
            evaluation=Evaluation(rules, (), SealState(SealRule(), 0, 1, None), _NO_FLAGS),
            due=DuePlan(_PLAN, full=False) if small or blocked else None,
            upkeep=upkeep_states(cast("OpenTable", table), self.policy.effective, UpkeepRecord(at, self.last_ends)),
        )

    def _facts(self, at: datetime, sight: Sight) -> Facts:
        since = None if self.table.due_since is None else EPOCH + timedelta(seconds=self.table.due_since)
        record = RecordFacts(
            now=at,
            table=self.registered,
            fleet=_FLEET,
            live=self.live[::-1],
            ended=tuple(self.ended),
            conflicts=(),
            signals=(),
            measurement=None,
            watch=Watch(self.registered.id, 0.5, at, due_since=since),
            last_rewrite=self.last_rewrite,
            endpoints=(SparkEndpoint(DEFAULT_ENDPOINT, 1, {}),),
        )
        return Facts(
            record, self.policy.effective, self.policy.windows.state_at(at), DayBudget(None, None, None), sight
        )


def fleet(
    tables: int, *, days: float, upkeep: bool, seed: int = 1, patterns: Sequence[Pattern] = PATTERNS
) -> list[State]:
    """Make the tables: patterns by share, three policies of upkeep, quiet hours on every fifth table.

    The rewrites of every second of the others become urgent.
    """
    random = np.random.default_rng(seed)
    policies: dict[tuple[int, bool, bool], TablePolicy] = {}
    bounds = np.cumsum([each.share for each in patterns]) / sum(each.share for each in patterns) * tables
    states = []
    for number in range(tables):
        pattern = patterns[min(int(np.searchsorted(bounds, number, side="right")), len(patterns) - 1)]
        quiet = number % 5 == 0
        kind = number % len(SWITCHED_ON), quiet, number % 2 == 0 and not quiet
        if kind not in policies:
            policies[kind] = make_policy(kind[0], upkeep=upkeep, quiet=kind[1], urgent=kind[2])
        policy, name = policies[kind], f"t{number:05d}"
        commits = commits_of(pattern, -HISTORY_DAYS * DAY, days * DAY, random)
        failed = FailedWrites(failures_of(commits, random), pattern.files, pattern.file_bytes)
        table = WeekTable(name, f"team-{number % 10}", pattern, commits, failed, retention=policy.blocks_after)
        table.catch_up(0.0)
        table.small, table.due_since = int(random.integers(0, SMALL_FILES)), None
        registered = Table(TableId(name), TableRef("lake", ("lake",), name), name, "", table.team, EPOCH)
        states.append(State(table, policy, registered, number))
    return states


def _rule(name: str, due_in: float | None) -> RuleState:
    is_due = due_in == 0.0
    return RuleState(name, is_due, int(is_due), (), {}, None, (), due_in, _NO_FLAGS, _NO_FLAGS, conjunction(0))

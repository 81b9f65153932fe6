"""Measure a week of a fleet with all upkeep on, beside the same week with upkeep off.

Decisions are the product's: `decide` on facts whose upkeep is judged by `upkeep_states`, and the queue in the order of
turns. Writers, workers and storage are modelled: a rewrite takes 3 s and its bytes at 40 MB/s, a rewrite of manifests
2 s and 20 ms per manifest, an expiry 2 s and a second per 1,000 files. A table is looked at every `LOOK_SECONDS` after
a commit, and when its watch is to be reconsidered. All tables have three days of history when upkeep is switched on.
"""

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, cast

import numpy as np

from bench.fleet.line import EPOCH, Line
from bench.fleet.upkeep.tables import DAY, PATTERNS, WeekTable, commits_of
from engine.domain.fleet.limits import Fleet, FleetLimits
from engine.domain.ids import RunId, TableId
from engine.domain.policies import EffectivePolicy, PolicyDocument, Windows, effective_policy
from engine.domain.runs.plans import FileGroup, Plan, Prediction
from engine.domain.runs.run import Operation, ReadyRun, Run, RunState
from engine.domain.tables.table import Table, TableRef
from engine.domain.tables.watches import Watch
from engine.formats.base import OpenTable
from engine.planning.due.evaluations import Evaluation, SealState
from engine.planning.due.rule_logic import conjunction
from engine.planning.due.seals import SealRule
from engine.planning.due.triggers import RuleState
from engine.services.explain.decisions import Decision, decide
from engine.services.explain.facts import Facts, RecordFacts, Sight
from engine.services.planning.planner import DuePlan
from engine.services.planning.upkeep.histories import expiry_of
from engine.services.planning.upkeep.operations import UPKEEP
from engine.services.planning.upkeep.states import upkeep_states
from engine.services.runs.budgets import DayBudget
from engine.services.watching.service import REST_SECONDS

LOOK_SECONDS: Final = 120.0
HISTORY_DAYS: Final = 3
SMALL_FILES: Final = 20
MIN_INTERVAL: Final = 600.0
SETTLED_SECONDS: Final = 10 * 3600.0
"""From then on bounds hold: the first upkeep of tables with quiet hours from 09:00 to 17:00 has run before."""
QUIET: Final = [{"from": "09:00", "to": "17:00", "time_zone": "UTC"}]
EXPIRY: Final = {"older_than": "2d", "keep_last": 20, "interval": "1d", "delete_files": True}
SWITCHED_ON: Final[tuple[dict[str, Any], ...]] = (
    {"expire_snapshots": EXPIRY},
    {"expire_snapshots": EXPIRY, "delete_old_compactions": {"grace": "12h"}},
    {"expire_snapshots": {**EXPIRY, "older_than": "1d", "interval": "6h"}},
)
OFF: Final = dict.fromkeys(("rewrite_manifests", "expire_snapshots", "delete_old_compactions"), "off")
_GROUP: Final = FileGroup(0, 0, "{}", (), 1)
_PLAN: Final = Plan(1, 0, (_GROUP,), (), 0, Prediction(1, 1, 1, 1, 1, 1.0))
_NO_FLAGS: Final = np.zeros(1, np.bool_)


@dataclass(slots=True)
class State:
    """A table with its runs: the last of each operation, the last that ended, the last that `min_interval` counts."""

    table: WeekTable
    policy: EffectivePolicy
    registered: Table
    number: int
    windows: Windows
    last_ends: dict[Operation, datetime] = field(default_factory=dict)
    ended: Run | None = None
    changed: Run | None = None
    rewritten_at: float = -MIN_INTERVAL
    live: ReadyRun | None = None
    next_look: float = 0.0


@dataclass(slots=True)
class Week:
    """The result of a week."""

    days: float
    workers: int
    states: list[State]
    delays: list[float] = field(default_factory=list)
    runs: Counter[tuple[str, Operation]] = field(default_factory=Counter)
    idle_runs: Counter[tuple[str, Operation]] = field(default_factory=Counter)
    first_delays: dict[Operation, list[float]] = field(default_factory=lambda: defaultdict(list))
    most_at_a_minute: Counter[int] = field(default_factory=Counter)
    worked: float = 0.0
    looks: int = 0
    waiting: float = 0.0

    def delay(self, percent: float) -> float:
        """Return a percentile of the delays of rewrites, in seconds."""
        return float(np.percentile(self.delays or [0.0], percent))


@dataclass(slots=True)
class _Running:
    state: State
    operation: Operation
    began: float


class _Simulation:
    def __init__(self, states: list[State], *, days: float, workers: int) -> None:
        self.found = Week(days, workers, states)
        self.line = Line()
        self.queued: dict[str, tuple[State, Operation, float]] = {}
        self.looks: list[tuple[float, int]] = []
        self.busy: list[tuple[float, int, _Running]] = []
        self.free = workers
        self.numbers = 0

    def run(self) -> Week:
        end = self.found.days * DAY
        random = np.random.default_rng(7)
        for state in self.found.states:
            self._look_at(state, float(random.uniform(0, LOOK_SECONDS)))
        before = 0.0
        while True:
            now = min(self.looks[0][0], self.busy[0][0] if self.busy else end)
            if now >= end:
                break
            self.line.pass_time(now)
            if now >= SETTLED_SECONDS > before:
                self._settle()
            before = now
            if self.busy and self.busy[0][0] <= now:
                self._end(heapq.heappop(self.busy)[2], now)
            else:
                self._look(heapq.heappop(self.looks)[1], now)
            self._claim(now)
        self.found.waiting = max((end - at for _, _, at in self.queued.values()), default=0.0)
        return self.found

    def _settle(self) -> None:
        """Forget the most snapshots, manifests and bytes so far: they are those of the history without upkeep."""
        for state in self.found.states:
            table = state.table
            table.most_snapshots, table.most_manifests = len(table.ids), table.manifests.count
            table.most_superseded = table.superseded_bytes

    def _look(self, number: int, now: float) -> None:
        state = self.found.states[number]
        if now != state.next_look:
            return
        self.found.looks += 1
        again = now + LOOK_SECONDS
        state.table.catch_up(now)
        if state.live is None:
            decision = decide(_facts(state, now))
            if decision.request is not None:
                self._submit(state, decision, now)
            again = max(again, min(_next_commit(state.table), _seconds(decision.reconsider_at)))
        self._look_at(state, again)

    def _look_at(self, state: State, at: float) -> None:
        """Schedule the next look at a table, instead of one that is scheduled."""
        state.next_look = at
        heapq.heappush(self.looks, (at, state.number))

    def _submit(self, state: State, decision: Decision, now: float) -> None:
        assert decision.request is not None
        operation = decision.request.operation
        run = self.line.submit(now, state.table.name, state.table.team, worth=state.table.small / 100)
        state.live = run
        self.queued[run.id] = state, operation, now
        if operation is not Operation.REWRITE:
            self.found.most_at_a_minute[int(now // 60)] += 1

    def _claim(self, now: float) -> None:
        while self.free and (taken := self.line.take()) is not None:
            state, operation, _ = self.queued.pop(taken.id)
            self.free -= 1
            self.numbers += 1
            seconds = self._begin(state, operation, now)
            self.found.worked += seconds
            heapq.heappush(self.busy, (now + seconds, self.numbers, _Running(state, operation, now)))

    def _begin(self, state: State, operation: Operation, now: float) -> float:
        table = state.table
        table.catch_up(now)
        if operation is Operation.REWRITE:
            due = table.due_since if table.due_since is not None else now
            self.found.delays.append(now - _may_start(state, max(due, state.rewritten_at + MIN_INTERVAL, 0.0)))
            state.rewritten_at = now
            return 3.0 + table.input_bytes / 40e6
        if operation is Operation.REWRITE_MANIFESTS:
            return 2.0 + 0.02 * table.manifests.count
        return 2.0 + sum(each.count for each in table.superseded) / 1000

    def _end(self, running: _Running, now: float) -> None:
        state, operation = running.state, running.operation
        table, policy = state.table, state.policy
        table.catch_up(now)
        is_done = True
        if operation is Operation.REWRITE:
            table.rewrite(now)
        elif operation is Operation.REWRITE_MANIFESTS:
            is_done = table.rewrite_manifests("run", 1, before_try=lambda: None) is not None
        else:
            at = EPOCH + timedelta(seconds=now)
            expiry = expiry_of(cast("OpenTable", table), policy, operation, at)
            gone = list(table.plan_expiry(expiry).expired)
            is_done = bool(gone)
            table.expire(
                gone, expiry, before_try=lambda: None, deletes_for="run" if expiry.rule.deletes_files else None
            )
        key = table.pattern.name, operation
        self.found.runs[key] += 1
        self.found.idle_runs[key] += not is_done
        state.ended = _ended(state, running, now, is_done=is_done)
        if operation is Operation.REWRITE:
            state.changed = state.ended
        if operation in UPKEEP:
            state.last_ends[operation] = EPOCH + timedelta(seconds=now)
        if state.live is not None:
            self.line.end(state.live)
        state.live = None
        self.free += 1
        self._look_at(state, now + REST_SECONDS)


def fleet(tables: int, *, days: float, upkeep: bool, seed: int = 1) -> list[State]:
    """Make the tables: patterns by share, three policies of upkeep, quiet hours on every fifth table."""
    random = np.random.default_rng(seed)
    policies = {
        (number, quiet): effective_policy(table_properties={}, own=_policy(chosen if upkeep else OFF, quiet=quiet))
        for number, chosen in enumerate(SWITCHED_ON)
        for quiet in (False, True)
    }
    states = []
    bounds = np.cumsum([each.share for each in PATTERNS]) * tables
    for number in range(tables):
        pattern = PATTERNS[int(np.searchsorted(bounds, number, side="right"))]
        commits = commits_of(pattern, -HISTORY_DAYS * DAY, days * DAY, random)
        table = WeekTable(f"t{number:05d}", f"team-{number % 10}", pattern, commits, number % 3)
        table.catch_up(0.0)
        table.small, table.due_since = int(random.integers(0, SMALL_FILES)), None
        ref = TableRef("lake", ("lake",), table.name)
        registered = Table(TableId(table.name), ref, table.name, "", table.team, EPOCH)
        policy = policies[number % 3, number % 5 == 0]
        states.append(State(table, policy, registered, number, Windows.of(policy)))
    return states


def simulate(tables: int, *, days: float, workers: int, upkeep: bool, seed: int = 1) -> Week:
    """Simulate a fleet for some days, with upkeep on or off."""
    return _Simulation(fleet(tables, days=days, upkeep=upkeep, seed=seed), days=days, workers=workers).run()


def _policy(maintenance: dict[str, Any], *, quiet: bool) -> PolicyDocument:
    document: dict[str, Any] = {"schedule": {"min_interval": "10m"}, "maintenance": maintenance}
    return PolicyDocument.model_validate(document | ({"quiet_hours": QUIET} if quiet else {}))


def _facts(state: State, now: float) -> Facts:
    """Return the facts that `decide` uses: as of a table with one rule, 20 small files."""
    table, policy, at = state.table, state.policy, EPOCH + timedelta(seconds=now)
    is_due = table.small >= SMALL_FILES
    rule = RuleState("small files", is_due, int(is_due), (), {}, None, (), None, _NO_FLAGS, _NO_FLAGS, conjunction(0))
    opened = cast("OpenTable", table)
    sight = Sight(
        evaluation=Evaluation((rule,), (), SealState(SealRule(), 0, 1, None), _NO_FLAGS),
        due=DuePlan(_PLAN, full=False) if is_due else None,
        upkeep=upkeep_states(opened, policy, state.last_ends, at),
    )
    since = None if table.due_since is None else EPOCH + timedelta(seconds=table.due_since)
    record = RecordFacts(
        now=at,
        table=state.registered,
        fleet=Fleet(1, EPOCH, "system", FleetLimits()),
        live=(),
        ended=() if state.ended is None else (state.ended,),
        conflicts=(),
        signals=(),
        measurement=None,
        watch=Watch(state.registered.id, 0.5, at, due_since=since),
        last_rewrite=state.changed,
    )
    return Facts(record, policy, state.windows.state_at(at), DayBudget(None, None, None), sight)


def _ended(state: State, running: _Running, now: float, *, is_done: bool) -> Run:
    began, at = EPOCH + timedelta(seconds=now), EPOCH + timedelta(seconds=now)
    kind = RunState.SUCCEEDED if is_done else RunState.SKIPPED
    run = Run(RunId("run"), state.registered.id, running.operation, kind, "system", began, at)
    return replace(run, started_at=began, finished_at=at)


def _may_start(state: State, since: float) -> float:
    """Return the first instant from `since` on that is outside of quiet hours."""
    at = EPOCH + timedelta(seconds=since)
    window = state.windows.state_at(at)
    return _seconds(window.ends_at) if window.inside and window.ends_at is not None else since


def _next_commit(table: WeekTable) -> float:
    return float(table.commits[table.seen]) if table.seen < len(table.commits) else float("inf")


def _seconds(at: datetime | None) -> float:
    return float("inf") if at is None else (at - EPOCH).total_seconds()

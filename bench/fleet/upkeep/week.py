"""Simulate a week of a fleet, with or without upkeep.

Decisions are the product's: `decide` on facts whose upkeep is judged by `upkeep_states`, the urgency and the holds of
queued runs, and the queue in the order of turns. Writers, workers and storage are modelled (`durations`). A table is
looked at every `LOOK_SECONDS` after a commit, and when its watch is to be reconsidered. All tables have three days of
history when upkeep is switched on.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, cast

import numpy as np

from bench.fleet.line import EPOCH, Line
from bench.fleet.upkeep.patterns import DAY, PATTERNS, Pattern
from bench.fleet.upkeep.states import State, fleet
from bench.fleet.upkeep.tables import WeekTable
from engine.domain.access.callers import COORDINATOR
from engine.domain.ids import RunId
from engine.domain.runs.expiry import Expiry
from engine.domain.runs.operations import OPERATIONS, DeletionKind
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, ReadyRun, Run, RunState
from engine.formats.base import OpenTable
from engine.services.planning.upkeep.histories import expiry_of
from engine.services.planning.upkeep.operations import UPKEEP
from engine.services.planning.upkeep.orphans import orphan_rule
from engine.services.policies.urgency import urgent_at
from engine.services.runs.holds import Latencies
from engine.services.watching.service import REST_SECONDS

LOOK_SECONDS: Final = 120.0
SETTLED_SECONDS: Final = 12 * 3600.0
"""From then on bounds hold: the first upkeep of tables with quiet hours from 09:00 to 17:00 has run before."""
CLEANED_SECONDS: Final = 2.5 * DAY
"""From then on bounds on orphans hold: a second look, a quarantine after the first, has deleted those of before."""
_NONE_SLOW: Final = Latencies()


@dataclass(slots=True)
class Week:
    """The result of a week.

    `delays`: seconds for which each rewrite was due and could start, without quiet hours. `urgent`: those of tables
    with `urgent_after`. `waits`: seconds from the submission to the start of each run of upkeep.
    """

    days: float
    workers: int
    states: list[State]
    delays: list[float] = field(default_factory=list)
    urgent: list[float] = field(default_factory=list)
    waits: dict[Operation, list[float]] = field(default_factory=lambda: defaultdict(list))
    runs: Counter[tuple[str, Operation]] = field(default_factory=Counter)
    idle_runs: Counter[tuple[str, Operation]] = field(default_factory=Counter)
    submitted: Counter[int] = field(default_factory=Counter)
    worked: float = 0.0
    longest_run: float = 0.0
    looks: int = 0
    waiting: float = 0.0

    def delay(self, percent: float) -> float:
        """Return a percentile of the delays of rewrites, in seconds."""
        return float(np.percentile(self.delays or [0.0], percent))


@dataclass(slots=True)
class _Queued:
    state: State
    run: Run
    ready: ReadyRun
    began: float = 0.0


class _Simulation:
    def __init__(self, states: list[State], *, days: float, workers: int) -> None:
        self.found = Week(days, workers, states)
        self.line = Line()
        self.queued: dict[RunId, _Queued] = {}
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self.free = workers
        self.numbers = 0

    def run(self) -> Week:
        end = self.found.days * DAY
        random = np.random.default_rng(7)
        self._at(min(SETTLED_SECONDS, end / 2), self._settle)
        self._at(min(CLEANED_SECONDS, end / 2), self._clean)
        for state in self.found.states:
            self._look_at(state, float(random.uniform(0, LOOK_SECONDS)))
        while self.events and self.events[0][0] < end:
            now, _, act = heapq.heappop(self.events)
            self.line.pass_time(now)
            act(now)
            self._claim(now)
        created = (_seconds(each.run.created_at) for each in self.queued.values())
        self.found.waiting = max((end - at for at in created), default=0.0)
        return self.found

    def _at(self, at: float, act: Callable[[float], None]) -> None:
        self.numbers += 1
        heapq.heappush(self.events, (at, self.numbers, act))

    def _settle(self, now: float) -> None:
        """Forget the greatest figures so far: they are those of the history without upkeep."""
        for state in self.found.states:
            state.table.catch_up(now)
            state.table.forget()

    def _clean(self, now: float) -> None:
        """Forget the most orphans so far."""
        for state in self.found.states:
            state.table.catch_up(now)
            state.table.failed.most = state.table.failed.count

    def _look_at(self, state: State, at: float) -> None:
        """Schedule the next look at a table, instead of one that is scheduled."""
        state.next_look = at
        self._at(at, lambda now: self._look(state, now))

    def _look(self, state: State, now: float) -> None:
        if now != state.next_look:
            return
        self.found.looks += 1
        state.table.catch_up(now)
        decision = state.decide(now)
        if decision is None:
            return  # the end of the live run schedules the next look
        if decision.request is not None:
            self._submit(state, decision.request, now)
        again = float("inf") if decision.reconsider_at is None else _seconds(decision.reconsider_at)
        again = max(now + LOOK_SECONDS, min(state.table.next_commit, again))
        if again < self.found.days * DAY:
            self._look_at(state, again)

    def _submit(self, state: State, request: RunRequest, now: float) -> None:
        at, operation = EPOCH + timedelta(seconds=now), request.operation
        run = Run(
            RunId(""),
            state.registered.id,
            operation,
            RunState.QUEUED,
            COORDINATOR.subject,
            at,
            at,
            request=request.document(),
        )
        urgent = urgent_at(run, state.registered, [state.policy.stored])
        worth = state.table.small / 100 if operation is Operation.REWRITE else 0.0
        table = state.table
        ready = self.line.submit(now, table.name, table.team, worth=worth, operation=operation, urgent_at=urgent)
        run = replace(run, id=ready.id)
        state.live.append(run)
        self.queued[run.id] = _Queued(state, run, ready)
        if operation is not Operation.REWRITE:
            self.found.submitted[int(now // 60)] += 1

    def _claim(self, now: float) -> None:
        while self.free and (ready := self.line.first()) is not None:
            queued = self.queued[ready.id]
            policy, run = queued.state.policy, queued.run
            rules = policy.rules if run.operation is Operation.REWRITE else policy.upkeep_rules
            hold = rules.hold(EPOCH + timedelta(seconds=now), run.due_since, _NONE_SLOW)
            if hold is not None and hold.until is not None:
                self.line.take_out(queued.ready)
                self._at(_seconds(hold.until), lambda _, ready=queued.ready: self.line.put_back(ready))  # type: ignore[misc]
            else:
                self.line.begin(ready)
                self._begin(queued, now)

    def _begin(self, queued: _Queued, now: float) -> None:
        state, run = queued.state, queued.run
        del self.queued[run.id]
        self.free -= 1
        state.table.catch_up(now)
        queued.began = now
        state.live.remove(run)
        state.live.append(replace(run, state=RunState.REWRITING))
        if run.operation is Operation.REWRITE:
            self.found.delays.append(state.waited(now))
            if state.policy.is_urgent:
                self.found.urgent.append(state.waited(now))
            state.rewritten_at = now
        else:
            self.found.waits[run.operation].append(now - _seconds(run.created_at))
        seconds = duration(state, run.operation)
        self.found.worked += seconds
        self.found.longest_run = max(self.found.longest_run, seconds)
        self._at(now + seconds, lambda at: self._end(queued, at))

    def _end(self, queued: _Queued, now: float) -> None:
        state, operation = queued.state, queued.run.operation
        state.table.catch_up(now)
        is_done = work(state, operation, now)
        key = state.table.pattern.name, operation
        self.found.runs[key] += 1
        self.found.idle_runs[key] += not is_done
        kind, at = RunState.SUCCEEDED if is_done else RunState.SKIPPED, EPOCH + timedelta(seconds=now)
        ended = replace(queued.run, state=kind, started_at=EPOCH + timedelta(seconds=queued.began), finished_at=at)
        state.ended.appendleft(ended)
        state.longest_run = max(state.longest_run, timedelta(seconds=now - queued.began))
        if operation is Operation.REWRITE:
            state.last_rewrite = ended
        else:
            state.last_ends[operation] = at
        state.live = [each for each in state.live if each.id != ended.id]
        self.line.end(queued.ready)
        self.free += 1
        self._look_at(state, now + REST_SECONDS)


def simulate(
    tables: int, *, days: float, workers: int, upkeep: bool, seed: int = 1, patterns: Sequence[Pattern] = PATTERNS
) -> Week:
    """Simulate a fleet for some days, with upkeep on or off."""
    states = fleet(tables, days=days, upkeep=upkeep, seed=seed, patterns=patterns)
    return _Simulation(states, days=days, workers=workers).run()


def duration(state: State, operation: Operation) -> float:
    """Return the seconds that a run takes.

    A rewrite takes 3 s and its bytes at 40 MB/s; of manifests 2 s and 20 ms for each; of delete files 3 s and 100 ms
    for each; an expiry 2 s for each commit of 1,000 snapshots and a second per 1,000 files; a search for orphans 5 s
    and a second per 20,000 files.
    """
    table = state.table
    if operation is Operation.REWRITE:
        return 3.0 + table.input_bytes / 40e6
    if operation is Operation.REWRITE_MANIFESTS:
        return 2.0 + 0.02 * table.manifests.count
    if operation is Operation.REWRITE_DELETES:
        return 3.0 + 0.1 * table.deletes
    if operation is Operation.REMOVE_ORPHANS:
        return 5.0 + table.stored_files / 20_000
    commits = 1 + len(table.expiry.plan(_expiry(state, operation, table.now)).expired) // 1000
    return 2.0 * commits + sum(each.count for each in table.superseded) / 1000


def work(state: State, operation: Operation, now: float) -> bool:
    """Do the work of a run; return whether there was any."""
    table = state.table
    if operation is Operation.REWRITE:
        table.rewrite(now)
        return True
    if operation is Operation.REWRITE_MANIFESTS:
        return table.manifest_rewrite.commit("run", 1, before_try=_nothing).snapshot_id is not None
    if operation is Operation.REWRITE_DELETES:
        return table.delete_rewrite.commit("run", 1, before_try=_nothing).snapshot_id is not None
    if operation is Operation.REMOVE_ORPHANS:
        return _remove_orphans(table, state)
    assert operation in UPKEEP, operation
    assert OPERATIONS[operation].deletes is DeletionKind.HISTORY, operation
    expiry = _expiry(state, operation, now)
    gone = list(table.expiry.plan(expiry).expired)
    table.expiry.expire(gone, expiry, before_try=_nothing, deletes_for="run" if expiry.rule.deletes_files else None)
    return bool(gone)


def _remove_orphans(table: WeekTable, state: State) -> bool:
    rule = replace(orphan_rule(state.policy.effective), longest_run=state.longest_run)
    deletion = table.orphan_removal.deletion("run", rule, (), ())
    deletion.look(_nothing_for, 0.0)
    if not deletion.record().total.files:
        return False
    deletion.advance(_nothing_for, 0.0)
    assert all(each.holds for each in deletion.prove()), deletion.prove()
    return True


def _expiry(state: State, operation: Operation, now: float) -> Expiry:
    at = EPOCH + timedelta(seconds=now)
    return expiry_of(cast("OpenTable", state.table), state.policy.effective, operation, at)


def _nothing() -> None:
    pass


def _nothing_for(_requests: int) -> None:
    pass


def _seconds(at: datetime) -> float:
    return (at - EPOCH).total_seconds()

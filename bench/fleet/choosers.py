"""Strategies that choose the next table: Packhouse by its own functions, and two that are used elsewhere.

- `Product`: one rule, 20 small files that are a fifth of all (`planning.due.triggers.evaluate` over all cells that
  changed), one run a table, `schedule.min_interval` of preset `balanced`, the table's
  `planning.ranking.benefit_per_cost`, and `domain.runs.turns.in_turn` over what a claim looks at. A table is looked at
  every ten minutes, the longest interval, at its own phase.
- `TopHundred`: the hundred tables with most small files at the beginning: all of their small files, at 01:00.
- `Greedy`: every hour all tables by 0.7 x file reduction - 0.3 x bytes, each divided by the largest of that hour
  (AutoComp, SIGMOD 2025, with its weights), as many of the best as keep the machine busy for that hour. A variant
  does the same each day.
"""

import heapq
from dataclasses import replace

import numpy as np

from bench.fleet.line import Line
from bench.fleet.machine import Machine, Work
from bench.fleet.population import DAY, Files, Flags, Ints
from engine.domain.policies import PolicyDocument, effective_policy
from engine.domain.runs.run import ReadyRun
from engine.planning.due.evaluations import trigger_rules
from engine.planning.due.triggers import Guards, evaluate
from engine.planning.measures.digest import FILE_DIGEST
from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import PartitionedFiles, partition_files
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.planning.ranking import benefit_per_cost

RULED = effective_policy(
    table_properties={},
    own=PolicyDocument.model_validate(
        {
            "triggers": [
                {
                    "name": "many small files",
                    "all": [
                        {"metric": "small_file_count", "at_least": 20},
                        {"metric": "small_file_share", "at_least": 0.2},
                    ],
                }
            ],
            "rewrite": {"min_input_files": 5},
        }
    ),
)
"""Preset `balanced` with the one rule by which all strategies are measured; `replays` has the preset's own rules."""
LIMITS = RewriteLimits.of(RULED)
LOOK_SECONDS = 600.0
HOUR = 3600.0
NIGHT = 1 * HOUR


def due_cells(files: Files, cells: Ints) -> Flags:
    """Return which cells the rule makes due, as `planning.due.evaluations` does; all are sealed, none has deletes."""
    small, count = files.small[cells], files.small[cells] + files.others[cells]
    gains = small - np.maximum(1, (3 * files.bytes_of_small[cells] + LIMITS.target_bytes) // (3 * LIMITS.target_bytes))
    metrics = PartitionMetrics(
        files=_named(cells),
        values={
            "file_count": count.astype(np.float64),
            "small_file_count": small.astype(np.float64),
            "small_file_share": small / np.maximum(1, count),
            "total_bytes": files.bytes_of_small[cells].astype(np.float64),
        },
        table={},
        newest_ms=np.zeros(len(cells), np.int64),
        waiting_ms=np.zeros(len(cells), np.int64),
        is_changed=np.ones(len(cells), np.bool_),
        is_own=np.zeros(0, np.bool_),
    )
    is_worth_it = (small >= LIMITS.min_input_files) & (gains >= 1)
    guards = Guards(np.zeros(len(cells)), [None if worth else "left_alone" for worth in is_worth_it.tolist()])
    (rule,) = trigger_rules(RULED)
    return evaluate(rule, metrics, guards).partitions


def _named(cells: Ints) -> PartitionedFiles:
    none = partition_files(FILE_DIGEST.empty_table())
    return replace(none, spec_ids=np.zeros(len(cells), np.int64), names=tuple(map(str, cells.tolist())))


class Product:
    """Choose by the functions of Packhouse."""

    def __init__(self, files: Files) -> None:
        self.name = "Packhouse"
        self._files = files
        self._min_interval = RULED.seconds_of("schedule.min_interval") or 0.0
        self._is_due = np.zeros(len(files.small), np.bool_)
        self._live: set[int] = set()
        self._last_start = np.full(files.population.tables, -np.inf)
        self._coming: list[tuple[float, int, float]] = []
        self._line = Line()
        self._at_work: dict[int, ReadyRun] = {}

    def observe(self, now: float, seconds: float, changed: Ints) -> None:
        """Evaluate the cells that changed, and plan the looks at due tables."""
        cells = np.arange(len(self._is_due)) if now == 0 else changed
        self._is_due[cells] = due_cells(self._files, cells)
        due = np.unique(self._files.population.table_of[np.flatnonzero(self._is_due)])
        avoidable, total = self._files.avoidable()
        for table in due.tolist():
            at = now + float(self._files.population.phase[table]) * seconds
            if table in self._live or at < self._last_start[table] + self._min_interval:
                continue
            self._live.add(table)
            worth = benefit_per_cost(avoidable_files=int(avoidable[table]), rewritten_bytes=int(total[table]))
            heapq.heappush(self._coming, (at, table, worth))

    def next_event(self) -> float:
        """Return the instant of the next look."""
        return self._coming[0][0] if self._coming else np.inf

    def take(self, now: float, _held: Ints) -> Work | None:
        """Queue the tables that were looked at, and take the run whose turn it is."""
        while self._coming and self._coming[0][0] <= now:
            at, table, worth = heapq.heappop(self._coming)
            self._line.submit(at, str(table), str(self._files.population.team[table]), worth=worth)
        self._line.pass_time(now)
        run = self._line.take()
        if run is None:
            return None
        table = int(run.table_id)
        self._at_work[table] = run
        self._last_start[table] = now
        cells = self._files.cells_of(table)
        return Work.of(self._files, table, cells[self._is_due[cells]])

    def ended(self, _now: float, table: int) -> None:
        """Free the table, and evaluate its cells again."""
        self._live.discard(table)
        self._line.end(self._at_work.pop(table))
        cells = self._files.cells_of(table)
        self._is_due[cells] = due_cells(self._files, cells)


class TopHundred:
    """Choose from a fixed list of tables, each night."""

    def __init__(self, files: Files) -> None:
        self.name = "top 100 by hand"
        self._files = files
        avoidable, _ = files.avoidable()
        self._list = np.argsort(-avoidable, kind="stable")[:100].tolist()
        self._queue: list[int] = []

    def observe(self, now: float, seconds: float, _changed: Ints) -> None:
        """Begin the list again at night."""
        if now % DAY <= NIGHT < now % DAY + seconds:
            self._queue = self._list[::-1]

    def next_event(self) -> float:
        """Return infinity: it chooses in `observe` only."""
        return np.inf

    def take(self, _now: float, held: Ints) -> Work | None:
        """Take the next table of the list."""
        while self._queue:
            work = _whole(self._files, self._queue.pop(), held)
            if work is not None:
                return work
        return None

    def ended(self, _now: float, _table: int) -> None:
        """Do nothing."""


class Greedy:
    """Choose the tables with the best weighted sum, as many as the capacity of the period allows."""

    def __init__(self, files: Files, bytes_per_second: float, slots: int, *, period: float = HOUR) -> None:
        self.name = f"greedy 0.7/0.3, each {'hour' if period == HOUR else 'day'}"
        self._files = files
        self._period = period
        self._bytes = bytes_per_second * period
        self._most_of_one = self._bytes / slots
        self._queue: list[int] = []

    def observe(self, now: float, seconds: float, _changed: Ints) -> None:
        """Score all tables at the beginning of a period, and queue the best."""
        if now % self._period >= seconds:
            return
        reduction = self._files.reduction()
        _, cost = self._files.avoidable()
        score = 0.7 * reduction / max(1, reduction.max()) - 0.3 * cost / max(1, cost.max())
        order = np.argsort(-np.where(reduction >= 1, score, -np.inf), kind="stable")
        order = order[: np.count_nonzero(reduction)]
        chosen = int(np.searchsorted(np.cumsum(np.minimum(cost[order], self._most_of_one)), self._bytes)) + 1
        self._queue = order[:chosen].tolist()[::-1]

    def next_event(self) -> float:
        """Return infinity: it chooses in `observe` only."""
        return np.inf

    def take(self, _now: float, held: Ints) -> Work | None:
        """Take the next table of the queue."""
        while self._queue:
            work = _whole(self._files, self._queue.pop(), held)
            if work is not None:
                return work
        return None

    def ended(self, _now: float, _table: int) -> None:
        """Do nothing."""


class NoCompaction:
    """Choose nothing, for comparison."""

    def __init__(self) -> None:
        self.name = "no compaction"

    def observe(self, _now: float, _seconds: float, _changed: Ints) -> None:
        """Do nothing."""

    def next_event(self) -> float:
        """Return infinity: it never chooses."""
        return np.inf

    def take(self, _now: float, _held: Ints) -> Work | None:
        """Return None."""
        return None

    def ended(self, _now: float, _table: int) -> None:
        """Do nothing."""


def _whole(files: Files, table: int, held: Ints) -> Work | None:
    """Take all small files of a table; None when a run of it is active, or there is nothing to merge."""
    work = Work.of(files, table, files.cells_of(table))
    return None if held[table] or not len(work.cells) else work


def machine_of(files: Files, *, slots: int, bytes_per_second: float) -> Machine:
    """Return an idle machine for a fleet."""
    tables = files.population.tables
    return Machine(files, slots, bytes_per_second, np.zeros(tables, np.int64), rewritten=np.zeros(tables, np.int64))

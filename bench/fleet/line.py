"""Queue of waiting runs in memory, in the order of claims: the selection of `RunClaims.list_ready`, then the turns.

It needs no database, so that hundreds of thousands of claims cost minutes. `test_starvation.py` compares it with the
real statements.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import Operation, Priority, ReadyRun
from engine.domain.runs.turns import in_turn
from engine.stores.runs.claims import LOOKED_AT

EPOCH = datetime(2026, 11, 1, tzinfo=UTC)
Order = Callable[[Iterable[ReadyRun], Mapping[str, int]], Sequence[ReadyRun]]


class Line:
    """Ready runs, and the number of active ones by team. `now` is seconds since the beginning."""

    def __init__(self, order: Order = in_turn) -> None:
        self._order = order
        self._ready: dict[Priority, dict[RunId, ReadyRun]] = {priority: {} for priority in Priority}
        self._by_sharer: dict[tuple[str, Priority], dict[RunId, ReadyRun]] = {}
        self._urgent: dict[RunId, datetime] = {}
        self._held: Counter[str] = Counter()
        self._at_work: Counter[TableId] = Counter()
        self._served: dict[str, datetime] = {}
        self._now = EPOCH
        self._number = 0

    def submit(
        self,
        now: float,
        table: str,
        team: str,
        *,
        priority: Priority = Priority.NORMAL,
        worth: float = 0.0,
        operation: Operation = Operation.REWRITE,
        urgent_at: datetime | None = None,
    ) -> ReadyRun:
        """Queue a run, which is urgent from `urgent_at` on."""
        self._number += 1
        run = ReadyRun(
            id=RunId(f"run_{self._number:09d}"),
            table_id=TableId(table),
            priority=priority,
            created_at=EPOCH + timedelta(seconds=now),
            catalog="lake",
            owner_team=team,
            benefit_per_cost=worth,
            operation=operation,
        )
        if urgent_at is not None:
            self._urgent[run.id] = urgent_at
        self.put_back(run)
        return run

    def put_back(self, run: ReadyRun) -> None:
        """Queue a run again that was taken out."""
        self._ready[run.priority][run.id] = run
        self._by_sharer.setdefault((run.sharer, run.priority), {})[run.id] = run

    def take_out(self, run: ReadyRun) -> None:
        """Take a run out of the queue that has to wait for a time."""
        del self._ready[run.priority][run.id]
        del self._by_sharer[run.sharer, run.priority][run.id]

    def take(self) -> ReadyRun | None:
        """Take the run whose turn it is; None when none waits."""
        run = self.first()
        if run is not None:
            self.begin(run)
        return run

    def begin(self, run: ReadyRun) -> None:
        """Take the run that `first` returned."""
        self.take_out(run)
        self._held[run.sharer] += 1
        self._at_work[run.table_id] += 1
        self._served[run.sharer] = self._now

    def first(self) -> ReadyRun | None:
        """Return the run whose turn it is; None when none waits for a worker only."""
        seen = self._seen()
        return self._order(seen, self._held)[0] if seen else None

    def end(self, run: ReadyRun) -> None:
        """End a run that was taken."""
        self._held[run.sharer] -= 1
        self._at_work[run.table_id] -= 1
        self._urgent.pop(run.id, None)

    def pass_time(self, now: float) -> None:
        """Advance to `now`, the instant at which the next runs are taken."""
        self._now = EPOCH + timedelta(seconds=now)

    def _seen(self) -> list[ReadyRun]:
        """Return the oldest and the urgent of each priority, and behind them the first of each sharer and priority."""
        seen = [run for runs in self._ready.values() for run in islice(self._free(runs), LOOKED_AT)]
        if len(seen) >= LOOKED_AT:
            seen += [run for runs in self._by_sharer.values() for run in islice(self._free(runs), 1)]
            urgent = {each for each, at in self._urgent.items() if at <= self._now}
            waiting = (runs[each] for runs in self._ready.values() for each in sorted(urgent & runs.keys()))
            seen += islice((run for run in waiting if not self._at_work[run.table_id]), LOOKED_AT)
        return [self._present(run) for run in {run.id: run for run in seen}.values()]

    def _free(self, runs: Mapping[RunId, ReadyRun]) -> Iterator[ReadyRun]:
        return (run for run in runs.values() if not self._at_work[run.table_id])

    def _present(self, run: ReadyRun) -> ReadyRun:
        """Return a run as of now; also queue it so, because most runs change seldom."""
        served, urgent_at = self._served.get(run.sharer), self._urgent.get(run.id)
        is_urgent = urgent_at is not None and urgent_at <= self._now
        if run.served_at != served or run.is_urgent != is_urgent:
            run = replace(run, served_at=served, is_urgent=is_urgent)
            self._ready[run.priority][run.id] = self._by_sharer[run.sharer, run.priority][run.id] = run
        return run

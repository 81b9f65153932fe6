"""Queue of waiting runs in memory, in the order of claims: the selection of `RunClaims.list_ready`, then the turns.

It needs no database, so that hundreds of thousands of claims cost minutes. `test_starvation.py` compares it with the
real statements.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import Priority, ReadyRun
from engine.domain.runs.turns import in_turn
from engine.stores.runs.claims import LOOKED_AT

EPOCH = datetime(2026, 11, 1, tzinfo=UTC)
Order = Callable[[Iterable[ReadyRun], Mapping[str, int]], Sequence[ReadyRun]]


class Line:
    """Ready runs, and the number of active ones by team. `now` is seconds since the beginning."""

    def __init__(self, order: Order = in_turn) -> None:
        self._order = order
        self._ready: dict[Priority, dict[RunId, ReadyRun]] = {priority: {} for priority in Priority}
        self._by_team: dict[tuple[str, Priority], dict[RunId, ReadyRun]] = {}
        self._held: Counter[str] = Counter()
        self._served: dict[str, datetime] = {}
        self._now = EPOCH
        self._number = 0

    def submit(
        self, now: float, table: str, team: str, *, priority: Priority = Priority.NORMAL, worth: float = 0.0
    ) -> ReadyRun:
        """Queue a run."""
        self._number += 1
        run = ReadyRun(
            id=RunId(f"run_{self._number:09d}"),
            table_id=TableId(table),
            priority=priority,
            created_at=EPOCH + timedelta(seconds=now),
            catalog="lake",
            owner_team=team,
            benefit_per_cost=worth,
        )
        self._ready[priority][run.id] = run
        self._by_team.setdefault((team, priority), {})[run.id] = run
        return run

    def take(self) -> ReadyRun | None:
        """Take the run whose turn it is; None when none waits."""
        seen = self._seen()
        if not seen:
            return None
        run = self._order(seen, self._held)[0]
        del self._ready[run.priority][run.id]
        del self._by_team[run.owner_team or "", run.priority][run.id]
        self._held[run.sharer] += 1
        self._served[run.sharer] = self._now
        return run

    def end(self, run: ReadyRun) -> None:
        """End a run that was taken."""
        self._held[run.sharer] -= 1

    def pass_time(self, now: float) -> None:
        """Advance to `now`, the instant at which the next runs are taken."""
        self._now = EPOCH + timedelta(seconds=now)

    def _seen(self) -> list[ReadyRun]:
        """Return the oldest of each priority, and behind them the first of each team and priority."""
        seen = [run for runs in self._ready.values() for run in islice(runs.values(), LOOKED_AT)]
        if len(seen) >= LOOKED_AT:
            seen += [run for runs in self._by_team.values() for run in islice(runs.values(), 1)]
        found = {run.id: run for run in seen}.values()
        return [replace(run, served_at=self._served.get(run.sharer)) for run in found]

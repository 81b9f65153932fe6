"""Who is next: the order in which queued runs are taken.

A run's turn is an instant, the earliest goes first. It is the instant of its submission, or when its team was served
last if that was later,

- earlier by 30 minutes for each level of its priority (`Priority.head_start`),
- earlier by up to 30 minutes for what it is worth: 30 min x b / (1 + b), b being the table's benefit per cost
  (`planning.ranking`), of which 1 means that one scan of the table wins back what the rewrite reads,
- later by 30 minutes for each run that its team holds already or has in line before it.

So a team with little to do does not wait behind one with thousands of runs, however old these are; the most useful go
first among equals; and nobody waits for ever: whatever stands between two teams' runs is made up for by waiting. Tables
without a team share with those of their catalog. Urgent runs (`schedule.urgent_after`) go before all others, in turn
among themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from engine.domain.ids import RunId
from engine.domain.runs.run import AGEING, ReadyRun


def in_turn(ready: Iterable[ReadyRun], held: Mapping[str, int]) -> Sequence[ReadyRun]:
    """Return ready runs in the order in which to take them; `held` is how many runs each sharer has at work."""
    before = dict(held)
    turns: list[tuple[bool, datetime, RunId, ReadyRun]] = []
    for run in sorted(ready, key=lambda run: (not run.is_urgent, run.created_at - _ahead(run), run.id)):
        taken = before.get(run.sharer, 0)
        before[run.sharer] = taken + 1
        since = run.created_at if run.served_at is None else max(run.created_at, run.served_at)
        turns.append((not run.is_urgent, since - _ahead(run) + taken * AGEING, run.id, run))
    return [run for *_, run in sorted(turns, key=lambda turn: turn[:3])]


def _ahead(run: ReadyRun) -> timedelta:
    """Return by how much a run is ahead of others that have waited as long."""
    worth = run.benefit_per_cost / (1 + run.benefit_per_cost)
    return run.priority.head_start + worth * AGEING

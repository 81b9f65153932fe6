"""The order in which queued runs are claimed.

A run's turn is an instant; the earliest turn goes first. It is the instant of its submission, or when its team was
served last if that was later,

- earlier by 30 minutes for each level of its priority (`Priority.head_start`),
- earlier by up to 30 minutes for its worth, which is the larger of b / (1 + b), where b is the table's benefit per cost
  (`planning.ranking`; 1: one scan of the table saves as much as the rewrite reads), and n / (n + 5), where n is the
  greatest number of files of level 0 of a bucket of a key table,
- earlier by 30 minutes if readers skip these files until they are compacted: so such a table goes before every other
  one of its priority that has waited as long,
- later by 30 minutes for each run that its team has at work or before it in the queue.

So a team with few runs does not wait behind a team with thousands, however old these are; among equal runs the most
useful go first; and no run waits forever, as waiting outweighs any difference between teams. Tables without a team
share turns with those of their catalog. Rewrites and upkeep of a team take turns like those of two teams. Urgent
rewrites (`schedule.urgent_after`) precede all others, in turn among themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from engine.domain.ids import RunId
from engine.domain.runs.run import AGEING, ReadyRun

HALF_WORTH_FILES: Final = 5
"""Files of level 0 that are worth half the most: Paimon's default of `num-sorted-run.compaction-trigger`."""


def in_turn(ready: Iterable[ReadyRun], held: Mapping[str, int]) -> Sequence[ReadyRun]:
    """Return ready runs in the order in which to claim them; `held`: number of runs that each sharer has at work."""
    before = dict(held)
    turns: list[tuple[bool, datetime, RunId, ReadyRun]] = []
    for run in sorted(ready, key=lambda run: (not run.is_urgent, run.created_at - _ahead(run), run.id)):
        taken = before.get(run.sharer, 0)
        before[run.sharer] = taken + 1
        since = run.created_at if run.served_at is None else max(run.created_at, run.served_at)
        turns.append((not run.is_urgent, since - _ahead(run) + taken * AGEING, run.id, run))
    return [run for *_, run in sorted(turns, key=lambda turn: turn[:3])]


def new_rows_ahead(level0_file_count: int, *, is_hidden: bool) -> timedelta:
    """Return the time by which files of level 0 let a run precede others; `is_hidden`: readers skip them."""
    worth = level0_file_count / (level0_file_count + HALF_WORTH_FILES)
    return worth * AGEING + (AGEING if is_hidden and level0_file_count else timedelta(0))


def _ahead(run: ReadyRun) -> timedelta:
    """Return the time by which a run precedes others with an equal waiting time."""
    benefit = run.benefit_per_cost / (1 + run.benefit_per_cost) * AGEING
    new = new_rows_ahead(run.level0_file_count, is_hidden=False)
    hidden = new_rows_ahead(run.level0_file_count, is_hidden=run.hides_level0) - new
    return run.priority.head_start + max(benefit, new) + hidden

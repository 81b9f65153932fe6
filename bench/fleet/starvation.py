"""Measure the longest wait of each team when some teams submit more than the workers can do.

Four workers, runs of ten minutes. The teams:

- `backlog` submits thousands of runs at once, and none later;
- `loud` submits a run of high priority each minute, more than twice what the whole fleet can do;
- `huge` has one table that always has work, in runs of six hours;
- `small` submits one run each hour, `night` one of low priority every two hours.

A run of the last two must start within `BOUND`: the head start of high priority, the benefit of a table and one more
level of ageing (30 minutes each for two levels and for the benefit), plus two runs of others. Runs of the first three
teams may wait longer, but each of these teams gets its share of the workers.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from bench.fleet.tables import as_table, count
from engine.domain.runs.run import AGEING, Priority, ReadyRun

MINUTE = 60.0
HOUR = 3600.0
RUN_SECONDS = 10 * MINUTE
HUGE_SECONDS = 6 * HOUR
BOUND = 4 * AGEING.total_seconds() + 2 * RUN_SECONDS
LEAST_SHARE = 0.5
"""Part of an equal share of the workers that each of `GREEDY` must get at least."""
GREEDY = ("backlog", "loud", "huge")


class Queue(Protocol):
    """The queue of waiting runs: in memory (`Line`), or in the database (`RecordLine` of the tests)."""

    def submit(self, now: float, table: str, team: str, *, priority: Priority, worth: float) -> ReadyRun:
        """Queue a run."""

    def take(self) -> ReadyRun | None:
        """Take the run whose turn it is; None when none waits."""

    def end(self, run: ReadyRun) -> None:
        """End a run that was taken."""

    def pass_time(self, now: float) -> None:
        """Advance to `now`, in seconds since the beginning."""


@dataclass(slots=True)
class Starved:
    """The result: waits and worker time of each team in seconds, and the tables in the order of their runs."""

    hours: float
    workers: int
    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    worked: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    still_waiting: dict[str, float] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def longest(self, team: str) -> float:
        """Return the longest wait of a team's runs, including runs that still wait."""
        return max([*self.waits[team], self.still_waiting.get(team, 0.0)])

    def share(self, team: str) -> float:
        """Return the part of all worker time that a team got."""
        return self.worked[team] / (self.hours * HOUR * self.workers)

    def broken(self) -> list[str]:
        """Return in words each bound that does not hold."""
        late = [
            f"{team}: a run waited {self.longest(team) / MINUTE:.0f} min, at most {BOUND / MINUTE:.0f} are allowed"
            for team in ("small", "night")
            if self.longest(team) > BOUND
        ]
        part = LEAST_SHARE / len(GREEDY)
        return late + [
            f"{team}: it had {self.share(team):.0%} of the workers, at least {part:.0%} are its due"
            for team in GREEDY
            if self.share(team) < part
        ]


def starve(queue: Queue, *, hours: float, backlog: int, workers: int = 4, seed: int = 1) -> Starved:
    """Let the teams compete for some hours, and return the waits."""
    found = Starved(hours, workers)
    submits = sorted(_submits(hours, backlog, np.random.default_rng(seed)))[::-1]
    busy: list[tuple[float, str, ReadyRun]] = []
    waiting: dict[str, tuple[str, float]] = {}
    now, end = 0.0, hours * HOUR
    while now < end:
        queue.pass_time(now)
        while submits and submits[-1][0] <= now:
            _, number, team, priority = submits.pop()
            run = queue.submit(now, f"{team}-{number}", team, priority=priority, worth=number % 7 / 3.1)
            waiting[run.id] = team, now
        while len(busy) < workers and (taken := queue.take()) is not None:
            team, since = waiting.pop(taken.id)
            seconds = HUGE_SECONDS if team == "huge" else RUN_SECONDS
            found.waits[team].append(now - since)
            found.worked[team] += min(end, now + seconds) - now
            found.order.append(taken.table_id)
            heapq.heappush(busy, (now + seconds, taken.id, taken))
        now = min(busy[0][0] if busy else end, submits[-1][0] if submits else end)
        queue.pass_time(now)
        while busy and busy[0][0] <= now:
            _, _, run = heapq.heappop(busy)
            queue.end(run)
            if run.table_id.startswith("huge"):
                again = queue.submit(now, run.table_id, "huge", priority=Priority.NORMAL, worth=0.0)
                waiting[again.id] = "huge", now
    for team, since in waiting.values():
        found.still_waiting[team] = max(found.still_waiting.get(team, 0.0), end - since)
    return found


def report(found: Starved, *, backlog: int) -> str:
    """Return the table of results."""
    rows = [
        (
            team,
            count(len(found.waits[team])),
            f"{found.longest(team) / MINUTE:.0f} min",
            f"{np.median(found.waits[team] or [0]) / MINUTE:.0f} min",
            f"{found.share(team):.0%}",
        )
        for team in ("backlog", "loud", "huge", "small", "night")
    ]
    verdict = "; ".join(found.broken()) or f"every bound holds (small and night: {BOUND / MINUTE:.0f} min)"
    title = f"**{found.hours:g} hours, {backlog:,} runs at once, {found.workers} workers: {verdict}**"
    return as_table(title, ("team", "runs begun", "longest wait", "median wait", "of the workers"), rows)


def _submits(hours: float, backlog: int, random: np.random.Generator) -> Iterator[tuple[float, int, str, Priority]]:
    """Yield instant, number, team and priority of each submitted run."""
    for number in range(backlog):
        yield 0.0, number, "backlog", Priority.NORMAL
    yield 0.0, backlog, "huge", Priority.NORMAL
    for minute in range(int(hours * 60)):
        yield minute * MINUTE + 13, minute, "loud", Priority.HIGH
    for hour in range(int(hours)):
        yield int((hour + random.random()) * HOUR), hour, "small", Priority.NORMAL
        if hour % 2 == 0:
            yield int((hour + random.random()) * HOUR), hour, "night", Priority.LOW

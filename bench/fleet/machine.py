"""Model the machine that rewrites: a fixed number of slots, each of which moves an equal part of the capacity.

A run takes three seconds (twice what a small table takes from claim to verified commit), and the time for its input
bytes at the slot's rate. It commits in batches, so that readers profit from a large run before it ends. All strategies
use the same machine: they differ only in which table is rewritten next.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from bench.fleet.population import Files, Ints

RUN_SECONDS = 3.0
BATCH_BYTES = 16 * 2**30


@dataclass(frozen=True, slots=True)
class Work:
    """The input of one run: for each cell, the count of its small files and their total bytes."""

    table: int
    cells: Ints
    count: Ints
    total: Ints

    @classmethod
    def of(cls, files: Files, table: int, cells: Ints) -> "Work":
        """Take all small files of cells that have two of them at least."""
        chosen = cells[files.small[cells] > 1]
        return cls(table, chosen, files.small[chosen].copy(), files.bytes_of_small[chosen].copy())

    def batches(self) -> Iterator["Work"]:
        """Cut into commits of about `BATCH_BYTES`; a cell that is larger is cut into equal parts."""
        for at in range(len(self.cells)):
            parts = int(min(max(1, -(-self.total[at] // BATCH_BYTES)), self.count[at] // 2))
            for part in range(parts):
                count = self.count[at] * (part + 1) // parts - self.count[at] * part // parts
                total = self.total[at] * (part + 1) // parts - self.total[at] * part // parts
                yield Work(self.table, self.cells[at : at + 1], np.array([count]), np.array([total]))


class Chooser(Protocol):
    """Decides which table is rewritten next."""

    name: str

    def observe(self, now: float, seconds: float, changed: Ints, /) -> None:
        """Evaluate the fleet at `now`, for runs that start in the next `seconds`."""

    def next_event(self) -> float:
        """Return the next instant at which it has a run to start; infinity: none before the next `observe`."""

    def take(self, now: float, held: Ints, /) -> Work | None:
        """Return the run that starts now, None for none. `held`: by table, whether a run of it is active."""

    def ended(self, now: float, table: int, /) -> None:
        """Note that a run of a table ended."""


@dataclass(slots=True)
class Machine:
    """Slots and their active runs. `starts`: (table, instant, cells) of each run that started; bytes are of inputs."""

    files: Files
    slots: int
    bytes_per_second: float
    held: Ints
    busy: list[tuple[float, int, int]] = field(default_factory=list)
    rest: dict[int, list[Work]] = field(default_factory=dict)
    rewritten: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    starts: list[tuple[int, float, Ints]] = field(default_factory=list)
    _number: int = 0

    def work(self, chooser: Chooser, now: float, until: float) -> None:
        """Start, commit and end runs up to an instant."""
        while True:
            if len(self.busy) < self.slots and (taken := chooser.take(now, self.held)) is not None:
                self._begin(taken, now)
                continue
            event = chooser.next_event() if len(self.busy) < self.slots else np.inf
            now = min(event, self.busy[0][0] if self.busy else np.inf)
            if now > until:
                return
            if self.busy and self.busy[0][0] <= now:
                self._commit(chooser, now)

    def _begin(self, work: Work, now: float) -> None:
        self.starts.append((work.table, now, work.cells))
        self.held[work.table] = 1
        self._number += 1
        batches = list(work.batches())[::-1]
        self.rest[self._number] = batches
        seconds = self._seconds(batches[-1]) if batches else 0.0
        heapq.heappush(self.busy, (now + RUN_SECONDS + seconds, self._number, work.table))

    def _commit(self, chooser: Chooser, now: float) -> None:
        _, number, table = heapq.heappop(self.busy)
        batches = self.rest[number]
        if batches:
            done = batches.pop()
            self.files.merge(done.cells, done.count, done.total)
            self.rewritten[table] += int(done.total.sum())
        if batches:
            heapq.heappush(self.busy, (now + self._seconds(batches[-1]), number, table))
            return
        del self.rest[number]
        self.held[table] = 0
        chooser.ended(now, table)

    def _seconds(self, batch: Work) -> float:
        return float(batch.total.sum()) * self.slots / self.bytes_per_second

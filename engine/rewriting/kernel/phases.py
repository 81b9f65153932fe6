"""Times of the phases of a task, for the spans that the worker makes of its report.

One thread reads, decodes, orders, encodes and writes in turns. A phase is reported from its first turn to its last one,
with the seconds in it: of phases inside of one another, each second counts for the innermost.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")

READ: Final = "read"
DECODE: Final = "decode"
ORDER: Final = "order"
ENCODE: Final = "encode"
WRITE: Final = "write"


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """A phase: its begin and its end in seconds since the start of the task, and the seconds in it."""

    name: str
    begun: float
    ended: float
    seconds: float


@dataclass(frozen=True, slots=True)
class TaskTimeline:
    """The times of a task: Unix time of its start by the clock of its machine, its seconds, and its phases."""

    started_at: float
    seconds: float
    phases: tuple[PhaseTime, ...] = ()

    @staticmethod
    def from_raw(raw: "dict[str, Any] | None") -> "TaskTimeline | None":
        """Return the timeline from its JSON form; None for none."""
        if raw is None:
            return None
        return TaskTimeline(**{**raw, "phases": tuple(PhaseTime(**each) for each in raw["phases"])})


@dataclass(slots=True)
class _Turns:
    begun: float
    ended: float
    seconds: float = 0.0


class Phases:
    """Measures the phases of a task on the thread that works; `clock` counts seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started_at = time.time()
        self._begun = clock()
        self._turns: dict[str, _Turns] = {}
        self._inner = [0.0]
        """Of each phase under way, the seconds that phases inside of it took."""

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Count what is done inside as a turn of a phase."""
        begun = self._enter()
        try:
            yield
        finally:
            self._leave(name, begun)

    def each(self, name: str, items: Iterator[T]) -> Iterator[T]:
        """Yield the items; making each of them is a turn of a phase."""
        while True:
            begun = self._enter()
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                self._leave(name, begun)
            yield item

    def timeline(self) -> TaskTimeline:
        """Return the phases so far, in the order of their first turn."""
        found = sorted(self._turns.items(), key=lambda item: item[1].begun)
        phases = (PhaseTime(name, each.begun, each.ended, each.seconds) for name, each in found)
        return TaskTimeline(self._started_at, self._clock() - self._begun, tuple(phases))

    def _enter(self) -> float:
        self._inner.append(0.0)
        return self._clock()

    def _leave(self, name: str, begun: float) -> None:
        seconds = (now := self._clock()) - begun
        inside = self._inner.pop()
        self._inner[-1] += seconds
        turns = self._turns.setdefault(name, _Turns(begun - self._begun, 0.0))
        turns.ended = now - self._begun
        turns.begun = min(turns.begun, begun - self._begun)
        turns.seconds += seconds - inside

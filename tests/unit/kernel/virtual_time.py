"""A clock that moves only when somebody waits, and what was moved when."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class VirtualClock:
    """Passes for both clock and pause of a bucket; `at` runs things at given instants, also inside a pause."""

    now: float = 0.0
    planned: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def at(self, instant: float, action: Callable[[], None]) -> None:
        """Have something happen at an instant to come."""
        self.planned.append((instant, action))
        self.planned.sort(key=lambda one: one[0])

    def pause(self, changed: threading.Event, seconds: float) -> None:
        """Wait, until the share changes at the latest."""
        end = self.now + seconds
        while self.planned and self.planned[0][0] <= end:
            instant, action = self.planned.pop(0)
            self.now = max(self.now, instant)
            action()
            if changed.is_set():
                return
        self.now = end

    def work(self, seconds: float) -> None:
        """Let time pass outside the bucket."""
        self.pause(threading.Event(), seconds)


@dataclass
class Ledger:
    """Transfers by instant."""

    moved: list[tuple[float, float]] = field(default_factory=list)

    def most_in_any(self, seconds: float) -> float:
        """Return the largest sum over any window of so many seconds."""
        most, first, total = 0.0, 0, 0.0
        for instant, amount in self.moved:
            total += amount
            while self.moved[first][0] < instant - seconds:
                total -= self.moved[first][1]
                first += 1
            most = max(most, total)
        return most

    def total(self) -> float:
        return sum(amount for _, amount in self.moved)

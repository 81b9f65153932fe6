"""The part of its share that a run can use: a run that is limited by its machine leaves the rest to other runs.

A task that waits for its bucket could use more. A run whose tasks hardly waited for five seconds, and that moved less
than 70 % of its share in this time, needs less: its share is reduced until it moves 70 % of it, or to 25 % more than it
moves. It is reduced by 10 % a second, because tasks release their shares only as they report: a larger step would stop
the first of them. As soon as its tasks wait again, the run can use its whole share.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from engine.domain.fleet.budgets import Budget
from engine.queue.budgets import LiveProgress

WATCHED_SECONDS: Final = 5.0
LITTLE: Final = 0.7
HEADROOM: Final = 1.25
SHRINKS_TO: Final = 0.9
"""Factor by which a share shrinks in one second."""

_WAIT_SECONDS: Final = 2.0
_LEAST_SECONDS: Final = 1.0
"""Shortest time to judge, in seconds: tasks report once a second."""
_WAITED: Final = 0.1
"""Tasks that waited for more than this part of their time are limited by their share."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """Totals at an instant, in monotonic seconds."""

    at: float
    moved: int
    requests: int
    waited: float


class RunUse:
    """Tracks the rate that one run can use. Call `note` at each refresh with its progress."""

    def __init__(self) -> None:
        self._seen: deque[_Seen] = deque()
        self._cap = Budget()

    def note(self, at: float, live: LiveProgress, share: Budget) -> Budget:
        """Return the most that a run can use now, None for no limit.

        Args:
            at: the instant, in monotonic seconds.
            live: totals of its tasks.
            share: its present share.
        """
        now = _Seen(at, live.bytes_read + live.bytes_written, live.requests, live.throttled_seconds)
        if not live.members or self._is_held_back(now, live.members):
            self._seen.clear()
            self._cap = Budget()
        self._seen.append(now)
        while len(self._seen) > 1 and self._seen[1].at <= at - WATCHED_SECONDS:
            self._seen.popleft()
        first, before = self._seen[0], self._seen[-2] if len(self._seen) > 1 else now
        left = SHRINKS_TO ** (at - before.at)
        if (seconds := at - first.at) >= WATCHED_SECONDS:
            bytes_rate, requests_rate = (now.moved - first.moved) / seconds, (now.requests - first.requests) / seconds
            self._cap = Budget(
                _usable(bytes_rate, share.bytes_per_second, self._cap.bytes_per_second, left),
                _usable(requests_rate, share.requests_per_second, self._cap.requests_per_second, left),
            )
        return self._cap

    def _is_held_back(self, now: _Seen, members: int) -> bool:
        """Return whether the tasks waited for their share recently."""
        lately = [seen for seen in self._seen if now.at - _WAIT_SECONDS <= seen.at <= now.at - _LEAST_SECONDS]
        if not lately:
            return False
        return now.waited - lately[0].waited > _WAITED * members * (now.at - lately[0].at)


def _usable(rate: float, share: float | None, before: float | None, left: float) -> float | None:
    """Return the new cap of one rate: lowered towards 125 % of the use if the use is low, otherwise unchanged."""
    if share is None:
        return None
    return max(rate * HEADROOM, share * left) if rate < LITTLE * share else before

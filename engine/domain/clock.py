"""The clock as a constructor argument, so that tests run leases and pacing in virtual time, and lengths of waits."""

import asyncio
import math
import random
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic time for durations, and a way to wait."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of seconds of this clock."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of seconds."""
        await asyncio.sleep(seconds)


def doubled(first: float, times: int, *, longest: float = math.inf) -> float:
    """Return the seconds of a wait that began as `first` and was doubled a number of times, at most `longest`."""
    return float(min(longest, first * 2 ** min(times, _MOST_DOUBLED)))


def jittered(seconds: float, *, most: float = 1.5) -> float:
    """Return a random part of a wait, from half to `most` of it, so that writers that wait do not meet again."""
    return seconds * random.uniform(0.5, most)  # noqa: S311 - jitter


_MOST_DOUBLED = 64

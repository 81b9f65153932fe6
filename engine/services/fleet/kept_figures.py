"""Cache of sums that are slow to compute over many tables, renewed in the background.

Used by the fleet's figures and by the metrics of owners. A value is fresh for ten times as long as it took to compute,
ten seconds at most. A value that took more than 0.1 s is still answered for a minute while a newer one is computed, so
that a scrape or a request never waits for a slow sum twice.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError

_log = structlog.get_logger(__name__)

FRESH_SECONDS: Final = 10.0
FRESH_FOR_EACH_SECOND: Final = 10.0
STALE_SECONDS: Final = 60.0
SLOW_SECONDS: Final = 0.1
_MOST_KEPT: Final = 256

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(slots=True)
class _Computation(Generic[Value]):
    """A value, when its computation began and how long it took (monotonic seconds), and the task that renews it."""

    value: Value
    at: float
    took: float
    renewal: asyncio.Task[None] | None = None

    @property
    def fresh_seconds(self) -> float:
        """Seconds for which the value is answered without renewal."""
        return min(FRESH_SECONDS, self.took * FRESH_FOR_EACH_SECOND)

    @property
    def last_seconds(self) -> float:
        """Seconds for which the value is answered at all."""
        return STALE_SECONDS if self.took > SLOW_SECONDS else self.fresh_seconds


class KeptFigures(Generic[Key, Value]):
    """Values by key, at most 256 of them; concurrent callers share one computation of a key.

    Args:
        compute: returns the value of a key.
        clock: measures ages.
        name: names the figures in the log and the background task.
    """

    def __init__(self, *, compute: Callable[[Key], Awaitable[Value]], clock: Clock, name: str) -> None:
        self._compute = compute
        self._clock = clock
        self._name = name
        self._kept: dict[Key, _Computation[Value]] = {}
        self._computing: dict[Key, asyncio.Lock] = {}

    async def get(self, key: Key) -> Value:
        """Return the value of a key; the module's docstring has its greatest age.

        Raises:
            PackhouseError: raised by `compute` when there is no cached value.
        """
        kept = self._kept.get(key)
        age = None if kept is None else self._clock.monotonic() - kept.at
        if kept is None or age is None or age > kept.last_seconds:
            async with self._computing.setdefault(key, asyncio.Lock()):
                newer = self._kept.get(key)
                if newer is None or newer is kept:  # no other caller computed it while this one waited
                    newer = await self._renew(key)
            return newer.value
        if age > kept.fresh_seconds and (kept.renewal is None or kept.renewal.done()):
            kept.renewal = asyncio.create_task(self._renew_quietly(key), name=self._name)
        return kept.value

    async def _renew_quietly(self, key: Key) -> None:
        try:
            await self._renew(key)
        except PackhouseError as error:  # a request that finds the value too old raises it again
            _log.warning("figures_not_renewed", figures=self._name, error=error.message)

    async def _renew(self, key: Key) -> _Computation[Value]:
        started = self._clock.monotonic()
        value = await self._compute(key)
        if key not in self._kept and len(self._kept) >= _MOST_KEPT:
            oldest = next(iter(self._kept))
            del self._kept[oldest]
            self._computing.pop(oldest, None)
        renewed = self._kept[key] = _Computation(value, started, self._clock.monotonic() - started)
        return renewed

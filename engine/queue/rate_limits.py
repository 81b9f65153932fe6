"""Limit requests per caller and minute over all API processes without delaying any request.

Each process counts locally and exchanges counts with the other processes through Redis, about four times a second in
the background. So a request costs a dictionary look-up (a few microseconds, no round trip), and Redis may be slow or
away without effect on requests (each process then limits on its own). The price: after the limit is reached, the
processes together still admit the requests of a quarter of a second. Windows are whole minutes of the wall clock:
around their boundary a caller may send two minutes' worth in a row.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import structlog
from redis.asyncio import Redis

from engine.domain.clock import Clock
from engine.domain.errors import Transient
from engine.queue.connection import reaching_redis

WINDOW_SECONDS: Final = 60
SYNC_SECONDS: Final = 0.25
_log = structlog.get_logger(__name__)


class Kind(StrEnum):
    """Kinds of counted events, each with its own limit."""

    READS = "reads"
    WRITES = "writes"
    FAILED_AUTHENTICATIONS = "failed-authentications"


@dataclass(frozen=True, slots=True)
class Standing:
    """Use of a subject's limit in the current window."""

    kind: Kind
    limit: int
    remaining: int
    reset_seconds: int
    is_allowed: bool


@dataclass(slots=True)
class _WindowCount:
    """A subject's count in one window: by this process, its part not yet sent, and by other processes as last read."""

    own: int = 0
    untold: int = 0
    others: int = 0


class RateLimits:
    """Counts by kind and subject. `hit` and `look` never wait; `sync`, which calls Redis, runs in the background."""

    def __init__(self, *, redis: Redis, clock: Clock, per_minute: Mapping[Kind, int]) -> None:
        self._redis = redis
        self._clock = clock
        self._per_minute = dict(per_minute)
        self._window = -1
        self._counters: dict[tuple[Kind, str], _WindowCount] = {}
        self._syncing: asyncio.Task[None] | None = None
        self._is_away = False
        self._is_closed = False

    def look(self, kind: Kind, subject: str) -> Standing:
        """Return a subject's use of its limit without counting anything."""
        return self._standing(kind, self._counter(kind, subject), is_hit=False)

    def hit(self, kind: Kind, subject: str) -> Standing:
        """Count one event unless the limit is reached; refused events do not count."""
        counter = self._counter(kind, subject)
        standing = self._standing(kind, counter, is_hit=True)
        if standing.is_allowed:
            counter.own += 1
            counter.untold += 1
            if self._syncing is None or self._syncing.done():
                self._syncing = asyncio.get_running_loop().create_task(self._keep_in_sync())
        return standing

    async def sync(self) -> None:
        """Send the counts since the last call to Redis, and read those of the other processes."""
        told = [(name, counter, counter.untold) for name, counter in self._counters.items() if counter.untold]
        pipeline = self._redis.pipeline(transaction=False)
        for (kind, subject), counter, count in told:
            counter.untold = 0
            key = f"packhouse:rate:{kind}:{subject}:{self._window}"
            pipeline.incrby(key, count)
            pipeline.expire(key, WINDOW_SECONDS)
        try:
            with reaching_redis():
                totals = (await pipeline.execute(raise_on_error=False))[::2]
        except Transient as error:
            totals = [error] * len(told)
        failed = None
        for (_, counter, count), total in zip(told, totals, strict=True):
            if isinstance(total, int):
                counter.others = max(0, total - (counter.own - counter.untold))
            else:  # away, or another program's value in place of the counter
                counter.untold, failed = counter.untold + count, total
        if failed is not None and not self._is_away:
            _log.warning("rate_limits_local", error=str(failed))
        self._is_away = failed is not None

    async def close(self) -> None:
        """Stop the background task."""
        self._is_closed = True  # redis-py loses a cancellation that arrives while it connects
        if self._syncing is not None:
            self._syncing.cancel()
            with suppress(asyncio.CancelledError):
                await self._syncing

    async def _keep_in_sync(self) -> None:
        while any(counter.untold for counter in self._counters.values()):
            await self.sync()
            if self._is_closed:
                return
            await self._clock.sleep(SYNC_SECONDS)

    def _counter(self, kind: Kind, subject: str) -> _WindowCount:
        window = int(self._clock.now().timestamp()) // WINDOW_SECONDS
        if window != self._window:  # a new minute: all counts start at zero, the old ones are dropped
            self._window, self._counters = window, {}
        return self._counters.setdefault((kind, subject), _WindowCount())

    def _standing(self, kind: Kind, counter: _WindowCount, *, is_hit: bool) -> Standing:
        limit = self._per_minute[kind]
        left = limit - counter.own - counter.others
        return Standing(
            kind=kind,
            limit=limit,
            remaining=max(0, left - 1 if is_hit else left),
            reset_seconds=WINDOW_SECONDS - int(self._clock.now().timestamp()) % WINDOW_SECONDS,
            is_allowed=left > 0,
        )

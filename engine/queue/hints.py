"""Hints: notifications over Redis pub/sub that a run has changed. They have no content and no authority.

A hint may be lost (no subscriber, Redis restarts, a slow reader is disconnected) or arrive twice. Every waiter reads
SQL after every wait, with or without a hint, so a lost hint only costs one timeout. For the same reason nothing here
raises when Redis is away: publishing does nothing, waiting runs into its timeout.

Limit: each watch holds one connection.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from engine.domain.errors import Transient
from engine.domain.ids import RunId
from engine.queue.connection import ANSWER_SECONDS, reaching_redis

_RETRY_SECONDS: Final = 1.0


class Hints:
    """Publishes and subscribes to hints; one channel per run."""

    def __init__(self, *, redis: Redis) -> None:
        self._redis = redis

    async def publish(self, run_id: RunId) -> None:
        """Wake all watches of the run. Call it after the commit. No-op when Redis is away."""
        with suppress(Transient), reaching_redis():
            await self._redis.publish(_channel(run_id), "")

    @asynccontextmanager
    async def watch(self, run_id: RunId) -> AsyncIterator["HintListener"]:
        """Subscribe to a run's hints: every hint that is published after entering ends one `wait`."""
        async with self._redis.pubsub() as pubsub:
            watch = HintListener(pubsub=pubsub, channel=_channel(run_id))
            await watch.subscribe()
            yield watch


class HintListener:
    """One subscription to a run's hints. Not safe for concurrent tasks."""

    def __init__(self, *, pubsub: PubSub, channel: str) -> None:
        self._pubsub = pubsub
        self._channel = channel

    async def subscribe(self) -> None:
        """Subscribe and wait for the server's confirmation; without Redis give up (a later `wait` subscribes)."""
        with suppress(Transient), reaching_redis():
            await self._pubsub.subscribe(self._channel)
            await self._pubsub.get_message(timeout=ANSWER_SECONDS)

    async def wait(self, timeout: float) -> bool:  # noqa: ASYNC109 - the timeout is part of what is waited for
        """Return True as soon as a hint arrives, False after `timeout` seconds without one.

        Hints that arrive together count as one. After a lost connection, True is returned once the subscription is
        restored, since a hint may have been missed.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        while True:
            left = max(deadline - clock(), 0.0)
            try:
                if await self._heard_within(left):
                    return True
            except Transient:
                await asyncio.sleep(min(max(deadline - clock(), 0.0), _RETRY_SECONDS))
            if clock() >= deadline:
                return False

    async def _heard_within(self, seconds: float) -> bool:
        """Return whether a message arrived in time: a hint, or the server's confirmation after a reconnect."""
        with reaching_redis():
            if not self._pubsub.subscribed:
                await self._pubsub.subscribe(self._channel)
            if await self._pubsub.get_message(timeout=seconds) is None:
                return False
            while await self._pubsub.get_message(timeout=0.0) is not None:
                pass
        return True


def _channel(run_id: RunId) -> str:
    return f"packhouse:hints:{run_id}"

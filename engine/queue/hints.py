"""Hints: wake-ups over Redis pub/sub that something about a run changed. They carry no authority and no content.

A hint may be lost (nobody listens, Redis restarts, a slow reader is cut off) or come twice; whoever waits looks at SQL
after every wait, hint or not, so that a lost one costs one timeout and nothing else. For the same reason nothing here
raises when Redis is away: publishing does nothing, waiting waits.

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
    """Publishes and watches hints, one channel a run."""

    def __init__(self, *, redis: Redis) -> None:
        self._redis = redis

    async def publish(self, run_id: RunId) -> None:
        """Wake whoever watches the run. Call it after the commit. Does nothing when Redis is away."""
        with suppress(Transient), reaching_redis():
            await self._redis.publish(_channel(run_id), "")

    @asynccontextmanager
    async def watch(self, run_id: RunId) -> AsyncIterator["Watch"]:
        """Listen to a run's hints: every hint that is published after entering wakes one `wait`."""
        async with self._redis.pubsub() as pubsub:
            watch = Watch(pubsub=pubsub, channel=_channel(run_id))
            await watch.subscribe()
            yield watch


class Watch:
    """One listener. Not for use by several tasks at once."""

    def __init__(self, *, pubsub: PubSub, channel: str) -> None:
        self._pubsub = pubsub
        self._channel = channel

    async def subscribe(self) -> None:
        """Subscribe and wait for the server's word on it; without Redis give up (a later `wait` subscribes)."""
        with suppress(Transient), reaching_redis():
            await self._pubsub.subscribe(self._channel)
            await self._pubsub.get_message(timeout=ANSWER_SECONDS)

    async def wait(self, timeout: float) -> bool:  # noqa: ASYNC109 - the timeout is part of what is waited for
        """Return True as soon as a hint is there, False after `timeout` seconds without one.

        Hints that came together count as one.
        After a lost connection it returns True once it listens again, since a hint may have been missed meanwhile.
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
        """Both kinds of message count: a hint, and the server's word that it listens again after a reconnect."""
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

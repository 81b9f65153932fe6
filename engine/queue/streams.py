"""The queue of runs: a Redis stream with one consumer group. An entry contains only a run id.

Delivery is at least once: SQL decides which worker may hold a run, so an entry that arrives twice, late, or for a
finished run is harmless, and so is losing all entries (the outbox relay and the sweep send them again). A group lost
with a flushed Redis is therefore recreated when it is next used.

An entry stays in the stream until it is acknowledged; then it is deleted, so the stream's length is the backlog. A take
that is cancelled or loses its connection may leave an entry pending without a consumer: `reclaim` finds it.

Other programs can write to the same Redis. An entry without the id of a run goes to the dead letters, and a key of
another type is deleted: each would otherwise fail every read of the queue.
"""

import re
import reprlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from engine.domain.ids import RunId
from engine.queue.connection import ANSWER_SECONDS, reaching_redis

_STREAM: Final = "packhouse:runs"
_DEAD: Final = "packhouse:runs:dead"
_GROUP: Final = "workers"
_MAX_DEAD: Final = 1000
_MAX_BLOCK_SECONDS: Final = ANSWER_SECONDS - 1  # the connection's timeout must exceed the wait
_RUN_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Delivery:
    """One entry delivered to this consumer; `deliveries` is the number of deliveries including this one."""

    entry_id: str
    run_id: RunId
    deliveries: int


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Numbers of entries: not yet delivered, delivered and not acknowledged, and moved to the dead letters."""

    waiting: int
    in_flight: int
    dead: int


class RunQueue:
    """One consumer's end of the queue. `consumer` is unique to the process.

    All methods raise Transient when Redis does not answer.
    """

    def __init__(self, *, redis: Redis, consumer: str) -> None:
        self._redis = redis
        self._consumer = consumer

    async def ensure(self) -> None:
        """Create the stream and its group if they are missing; existing entries will be delivered."""
        try:
            with reaching_redis():
                await self._redis.xgroup_create(_STREAM, _GROUP, id="0", mkstream=True)
        except ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise

    async def enqueue(self, run_id: RunId) -> None:
        """Append a run. Call it after the commit that inserted the run."""
        await self.enqueue_many([run_id])

    async def enqueue_many(self, run_ids: Sequence[RunId]) -> None:
        """Append runs in one round trip."""

        async def send() -> None:
            async with self._redis.pipeline(transaction=False) as pipe:
                for run_id in run_ids:
                    pipe.xadd(_STREAM, {"run": run_id})
                await pipe.execute()

        await self._with_group(send)

    async def take(self, *, block_seconds: float) -> Delivery | None:
        """Return the next entry, which must be acknowledged; None after `block_seconds` (at most 4) without one."""
        milliseconds = max(1, int(min(block_seconds, _MAX_BLOCK_SECONDS) * 1000))
        answer: Any = await self._with_group(
            lambda: self._redis.xreadgroup(_GROUP, self._consumer, {_STREAM: ">"}, count=1, block=milliseconds)
        )
        deliveries = [
            delivery
            for _, entries in answer or ()
            for entry_id, fields in entries
            if (delivery := await self._to_delivery(entry_id, fields, deliveries=1)) is not None
        ]
        return deliveries[0] if deliveries else None

    async def acknowledge(self, delivery: Delivery) -> None:
        """Remove the entry from the queue: the attempt ended, or the run needs no work."""
        await self._remove(delivery.entry_id)

    async def reclaim(self, *, idle_seconds: float, limit: int) -> list[Delivery]:
        """Take over up to `limit` entries that were delivered at least `idle_seconds` ago and not acknowledged since.

        Each XAUTOCLAIM scans only 10 times COUNT pending entries, so it is called until it has scanned them all.
        """
        claimed: list[tuple[str, Mapping[str, str]]] = []
        cursor = "0-0"
        while len(claimed) < limit:
            cursor, entries = await self._claim_some(cursor, int(idle_seconds * 1000), limit - len(claimed))
            claimed += entries
            if cursor == "0-0":
                break
        counts = await self._delivery_counts([entry_id for entry_id, _ in claimed])
        found = [await self._to_delivery(entry_id, fields, counts.get(entry_id, 1)) for entry_id, fields in claimed]
        return [delivery for delivery in found if delivery is not None]

    async def dead_letter(self, delivery: Delivery, reason: str) -> None:
        """Move an entry to the dead-letter stream, which keeps about the last 1000 for inspection."""
        await self._bury(delivery.entry_id, delivery.run_id, delivery.deliveries, reason)

    async def depth(self) -> QueueDepth:
        """Return the numbers of waiting, pending and dead entries."""
        pending = await self._with_group(lambda: self._redis.xpending(_STREAM, _GROUP))
        length, dead = [await self._with_group(partial(self._redis.xlen, key)) for key in (_STREAM, _DEAD)]
        in_flight = int(pending["pending"])
        return QueueDepth(waiting=max(0, length - in_flight), in_flight=in_flight, dead=dead)

    async def forget_consumers(self, *, idle_seconds: float) -> int:
        """Delete consumers with nothing pending that were idle for `idle_seconds`; return how many.

        A live consumer asks for entries every few seconds, so use at least some minutes.
        """
        consumers = await self._with_group(lambda: self._redis.xinfo_consumers(_STREAM, _GROUP))
        gone = [c["name"] for c in consumers if c["pending"] == 0 and c["idle"] >= idle_seconds * 1000]
        for name in gone:
            with reaching_redis():
                await self._redis.xgroup_delconsumer(_STREAM, _GROUP, name)
        return len(gone)

    async def _with_group(self, command: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Run a command on the queue; recreate the group first if Redis has lost it or has a key of another type.

        A reader that is blocked when the stream disappears gets NOGROUP, UNBLOCKED or no error at all, depending on the
        server's version.
        """
        try:
            with reaching_redis():
                return await command()
        except ResponseError as error:
            if "WRONGTYPE" in str(error):
                await self._delete_foreign_keys()
            elif not str(error).startswith(("NOGROUP", "UNBLOCKED", "no such key")):
                raise
        await self.ensure()
        with reaching_redis():
            return await command()

    async def _delete_foreign_keys(self) -> None:
        with reaching_redis():
            for key in (_STREAM, _DEAD):
                if await self._redis.type(key) not in ("stream", "none"):
                    await self._redis.delete(key)

    async def _claim_some(
        self, cursor: str, idle_milliseconds: int, count: int
    ) -> tuple[str, list[tuple[str, Mapping[str, str]]]]:
        answer: Any = await self._with_group(
            lambda: self._redis.xautoclaim(
                _STREAM, _GROUP, self._consumer, idle_milliseconds, start_id=cursor, count=count
            )
        )
        # Redis 6.2 returns None for a pending entry whose content was deleted by another client.
        entries = [(entry_id, fields) for entry_id, fields in answer[1] if entry_id is not None]
        return str(answer[0]), entries

    async def _delivery_counts(self, entry_ids: list[str]) -> dict[str, int]:
        """Return the delivery counts of pending entries from XPENDING; XAUTOCLAIM does not return them."""
        if not entry_ids:
            return {}
        async with self._redis.pipeline(transaction=False) as pipeline:
            for entry_id in entry_ids:
                pipeline.xpending_range(_STREAM, _GROUP, min=entry_id, max=entry_id, count=1)
            with reaching_redis():
                answers = await pipeline.execute()
        return {row["message_id"]: int(row["times_delivered"]) for answer in answers for row in answer}

    async def _to_delivery(self, entry_id: str, fields: Mapping[str, str], deliveries: int) -> Delivery | None:
        """Parse an entry; a foreign one goes to the dead letters, since it would otherwise be redelivered for ever."""
        run_id = (fields or {}).get("run", "")
        if not _RUN_ID.fullmatch(run_id):
            await self._bury(
                entry_id, "", deliveries, f"the entry carries no run id: {reprlib.repr(dict(fields or {}))}"
            )
            return None
        return Delivery(entry_id=entry_id, run_id=RunId(run_id), deliveries=deliveries)

    async def _bury(self, entry_id: str, run_id: str, deliveries: int, reason: str) -> None:
        async def move() -> None:
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.xadd(
                    _DEAD,
                    {"run": run_id, "deliveries": deliveries, "reason": reason, "consumer": self._consumer},
                    maxlen=_MAX_DEAD,
                    approximate=True,
                )
                pipeline.xack(_STREAM, _GROUP, entry_id)
                pipeline.xdel(_STREAM, entry_id)
                await pipeline.execute()

        await self._with_group(move)

    async def _remove(self, entry_id: str) -> None:
        async with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.xack(_STREAM, _GROUP, entry_id)
            pipeline.xdel(_STREAM, entry_id)
            with reaching_redis():
                await pipeline.execute()

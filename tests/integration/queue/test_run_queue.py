"""The queue of runs."""

import asyncio
from typing import Any

from redis.asyncio import Redis

from engine.domain.ids import RunId
from engine.queue.streams import Delivery, QueueDepth, RunQueue
from tests.support.redis_server import until_blocked

RUN = RunId("run_1")


def queue_of(redis: Redis, consumer: str = "a") -> RunQueue:
    return RunQueue(redis=redis, consumer=consumer)


async def taken(redis: Redis, consumer: str = "a") -> tuple[RunQueue, Delivery]:
    """Enqueue a run and take it; return the queue and the delivery."""
    queue = queue_of(redis, consumer)
    await queue.enqueue(RUN)
    delivery = await queue.take(block_seconds=1)
    assert delivery is not None
    return queue, delivery


async def test_takes_runs_in_the_order_of_enqueueing_and_none_when_nothing_comes(redis: Redis) -> None:
    queue = queue_of(redis)
    assert await queue.take(block_seconds=0.01) is None
    for number in range(3):
        await queue.enqueue(RunId(f"run_{number}"))
    for number in range(3):
        delivery = await queue.take(block_seconds=1)
        assert (delivery.run_id, delivery.deliveries) == (f"run_{number}", 1)
        assert await queue.depth() == QueueDepth(waiting=2 - number, in_flight=1 + number, dead=0)


async def test_a_waiting_taker_gets_the_run_at_once(redis: Redis) -> None:
    queue = queue_of(redis)
    await queue.ensure()
    waiting = asyncio.create_task(queue.take(block_seconds=4))
    await until_blocked(redis)
    await queue_of(redis, "b").enqueue(RUN)
    delivery = await waiting
    assert delivery.run_id == RUN


async def test_an_entry_goes_to_one_consumer_only_and_ensure_keeps_a_group_that_exists(redis: Redis) -> None:
    queue = queue_of(redis)
    await queue.enqueue(RUN)
    await queue.ensure()
    assert await queue.take(block_seconds=0.01) is not None
    assert await queue_of(redis, "b").take(block_seconds=0.01) is None
    await queue.ensure()
    assert await queue.depth() == QueueDepth(waiting=0, in_flight=1, dead=0)


async def test_acknowledged_entries_leave_nothing_behind_and_what_redis_has_lost_does_nothing(redis: Redis) -> None:
    queue, delivery = await taken(redis)
    await queue.acknowledge(Delivery(entry_id="1-0", run_id=RUN, deliveries=1))
    assert (await queue.depth()).in_flight == 1
    await queue.acknowledge(delivery)
    await queue.acknowledge(delivery)
    assert await queue.depth() == QueueDepth(waiting=0, in_flight=0, dead=0)


async def test_idle_entries_of_a_dead_consumer_are_reclaimed_and_counted(redis: Redis) -> None:
    """L26: an entry is delivered again when its consumer died."""
    await taken(redis, "dead")
    heir = queue_of(redis, "heir")
    assert await heir.reclaim(idle_seconds=3600, limit=10) == []
    first = await heir.reclaim(idle_seconds=0, limit=10)
    second = await heir.reclaim(idle_seconds=0, limit=10)
    assert [(d.run_id, d.deliveries) for d in first + second] == [(RUN, 2), (RUN, 3)]


async def test_reclaim_finds_idle_entries_behind_many_that_are_not(redis: Redis) -> None:
    """One XAUTOCLAIM with COUNT 1 looks at ten pending entries; the idle one is the fiftieth."""
    queue = queue_of(redis)
    for number in range(50):
        await queue.enqueue(RunId(f"run_{number}"))
    taken = [await queue.take(block_seconds=1) for _ in range(50)]
    last = taken[-1]
    await redis.xclaim("packhouse:runs", "workers", "a", 0, [last.entry_id], idle=60_000)
    reclaimed = await queue_of(redis, "heir").reclaim(idle_seconds=30, limit=1)
    assert [d.run_id for d in reclaimed] == ["run_49"]


async def test_reclaim_takes_no_more_than_its_limit_and_passes_over_entries_deleted_behind_our_back(redis: Redis):
    for _ in range(5):
        queue, _ = await taken(redis)
    assert len(await queue.reclaim(idle_seconds=0, limit=3)) == 3
    await redis.xtrim("packhouse:runs", maxlen=0)
    assert await queue.reclaim(idle_seconds=0, limit=10) == []


async def test_dead_letters_keep_run_and_reason_and_leave_the_queue_as_do_entries_without_a_run(redis: Redis) -> None:
    queue, delivery = await taken(redis)
    await queue.dead_letter(delivery, "kills its worker")
    assert await queue.depth() == QueueDepth(waiting=0, in_flight=0, dead=1)
    entries: Any = await redis.xrange("packhouse:runs:dead")
    [(_, fields)] = entries
    assert (fields["run"], fields["reason"], fields["deliveries"]) == (RUN, "kills its worker", "1")
    await redis.xadd("packhouse:runs", {"foreign": "entry"})
    assert await queue.take(block_seconds=0.01) is None
    assert await queue.depth() == QueueDepth(waiting=0, in_flight=0, dead=2)


async def test_the_dead_letter_stream_is_trimmed(redis: Redis) -> None:
    async with redis.pipeline(transaction=False) as pipeline:
        for _ in range(3000):
            pipeline.xadd("packhouse:runs:dead", {"run": RUN})
        await pipeline.execute()
    queue, delivery = await taken(redis)
    await queue.dead_letter(delivery, "poison")
    assert 1000 <= (await queue.depth()).dead <= 1100


async def test_every_reader_of_the_group_survives_a_flush_and_works_on(redis: Redis) -> None:
    queue, _ = await taken(redis)
    await redis.flushall()
    assert await queue.depth() == QueueDepth(waiting=0, in_flight=0, dead=0)
    await redis.flushall()
    assert await queue.reclaim(idle_seconds=0, limit=10) == []
    await redis.flushall()
    assert await queue.forget_consumers(idle_seconds=0) == 0
    await redis.flushall()
    _, delivery = await taken(redis)
    assert delivery.run_id == RUN


async def test_a_taker_that_waits_through_a_flush_gets_what_comes_after(redis: Redis) -> None:
    queue = queue_of(redis)
    await queue.ensure()
    waiting = asyncio.create_task(queue.take(block_seconds=4))
    await until_blocked(redis)
    await redis.flushall()
    await queue_of(redis, "b").ensure()
    await queue_of(redis, "b").enqueue(RUN)
    delivery = await waiting
    assert delivery.run_id == RUN


async def test_a_cancelled_take_leaves_the_client_usable(redis: Redis) -> None:
    queue = queue_of(redis)
    await queue.ensure()
    waiting = asyncio.create_task(queue.take(block_seconds=4))
    await until_blocked(redis)
    waiting.cancel()
    await asyncio.wait([waiting])
    await queue.enqueue(RUN)
    taken = await queue.take(block_seconds=0.01) or (await queue.reclaim(idle_seconds=0, limit=1))[0]
    assert taken.run_id == RUN


async def test_consumers_with_nothing_pending_are_forgotten(redis: Redis) -> None:
    for consumer in ("gone", "busy"):
        await queue_of(redis).enqueue(RUN)
        delivery = await queue_of(redis, consumer).take(block_seconds=1)
        if delivery is not None and consumer == "gone":
            await queue_of(redis, consumer).acknowledge(delivery)
    assert await queue_of(redis).forget_consumers(idle_seconds=3600) == 0
    assert await queue_of(redis).forget_consumers(idle_seconds=0) == 1
    assert (await queue_of(redis).depth()).in_flight == 1

"""Wake-ups over pub/sub."""

import asyncio

from redis.asyncio import Redis

from engine.domain.ids import RunId
from engine.embedded.redis import EmbeddedRedis
from engine.queue.hints import Hints

RUN = RunId("run_1")


async def test_a_hint_wakes_all_that_wait_for_its_run_and_is_not_missed_before_the_wait(redis: Redis) -> None:
    hints = Hints(redis=redis)
    async with hints.watch(RUN) as first, hints.watch(RUN) as second:
        waiting = asyncio.create_task(first.wait(5))
        await hints.publish(RUN)
        assert await waiting
        assert await second.wait(5)


async def test_without_a_hint_of_its_run_the_wait_ends_with_its_timeout(redis: Redis) -> None:
    hints = Hints(redis=redis)
    async with hints.watch(RUN) as watch:
        assert not await watch.wait(0.01)
        await hints.publish(RunId("run_2"))
        assert not await watch.wait(0.01)


async def test_a_burst_of_hints_wakes_few_times(redis: Redis) -> None:
    async with Hints(redis=redis).watch(RUN) as watch, redis.pipeline(transaction=True) as pipeline:
        for _ in range(200):
            pipeline.publish(f"packhouse:hints:{RUN}", "")
        await pipeline.execute()
        wakes = 0
        while await watch.wait(0.1):
            wakes += 1
    assert 1 <= wakes <= 20


async def test_publishing_and_waiting_without_redis_raise_nothing(mortal_redis: EmbeddedRedis, mortal_client: Redis):
    mortal_redis.kill()
    hints = Hints(redis=mortal_client)
    await hints.publish(RUN)
    async with hints.watch(RUN) as watch:
        assert not await watch.wait(0.01)


async def test_a_watch_listens_again_after_redis_came_back(mortal_redis: EmbeddedRedis, mortal_client: Redis) -> None:
    hints = Hints(redis=mortal_client)
    async with hints.watch(RUN) as watch:
        mortal_redis.kill()
        assert not await watch.wait(0.01)
        mortal_redis.start()
        assert await watch.wait(5), "a hint may have been missed while nobody listened"
        await hints.publish(RUN)
        assert await watch.wait(5)

"""Wake-ups over pub/sub."""

import asyncio

from redis.asyncio import Redis

from engine.domain.ids import RunId
from engine.embedded.redis import EmbeddedRedis
from engine.queue.hints import Hints

RUN = RunId("run_1")


async def test_a_hint_wakes_whoever_waits(redis: Redis) -> None:
    hints = Hints(redis=redis)
    async with hints.watch(RUN) as watch:
        waiting = asyncio.create_task(watch.wait(5))
        await hints.publish(RUN)
        assert await waiting


async def test_a_hint_published_before_the_wait_is_not_missed(redis: Redis) -> None:
    hints = Hints(redis=redis)
    async with hints.watch(RUN) as watch:
        await hints.publish(RUN)
        assert await watch.wait(5)


async def test_a_burst_of_hints_wakes_few_times(redis: Redis) -> None:
    async with Hints(redis=redis).watch(RUN) as watch, redis.pipeline(transaction=True) as pipeline:
        for _ in range(200):
            pipeline.publish(f"packhouse:hints:{RUN}", "")
        await pipeline.execute()
        wakes = 0
        while await watch.wait(0.1):
            wakes += 1
    assert 1 <= wakes <= 20


async def test_without_a_hint_the_wait_ends_with_its_timeout(redis: Redis) -> None:
    async with Hints(redis=redis).watch(RUN) as watch:
        assert not await watch.wait(0.01)


async def test_hints_of_other_runs_wake_nobody(redis: Redis) -> None:
    hints = Hints(redis=redis)
    async with hints.watch(RUN) as watch:
        await hints.publish(RunId("run_2"))
        assert not await watch.wait(0.01)


async def test_every_watcher_of_a_run_is_woken(redis: Redis) -> None:
    hints = Hints(redis=redis)
    async with hints.watch(RUN) as first, hints.watch(RUN) as second:
        await hints.publish(RUN)
        assert all(await asyncio.gather(first.wait(5), second.wait(5)))


async def test_publishing_and_waiting_without_redis_raise_nothing(
    mortal_redis: EmbeddedRedis, mortal_client: Redis
) -> None:
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

"""Redis carries hints: what is submitted while it is down is accepted, and runs when it is back."""

import asyncio
from pathlib import Path

from redis.asyncio import Redis

from engine.domain.runs.run import Priority, RunState
from engine.embedded.redis import EmbeddedRedis
from tests.support.attempts import worked_off
from tests.support.eventually import seen_when
from tests.support.world import open_world


async def test_a_run_submitted_without_redis_runs_when_it_is_back(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url = mortal_redis.start()
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=url) as world:
        mortal_redis.kill()
        run = await world.submit()
        assert run.state is RunState.QUEUED
        mortal_redis.start()
        assert (await worked_off(world, run.id)).state is RunState.SUCCEEDED


async def test_a_queue_that_lost_everything_loses_no_run(
    sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url) as world:
        run = await world.submit()
        async with world.container.database.begin() as unit:
            await unit.outbox.delete([entry for entry, _ in await unit.outbox.list_due(10)])
        await redis.flushall()
        assert (await worked_off(world, run.id)).state is RunState.SUCCEEDED


async def test_a_rewrite_goes_on_while_redis_is_down(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url = mortal_redis.start()
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=url) as world:
        world.at("planned", mortal_redis.kill)
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED
        assert len(world.lake.replaces()) == 1


async def test_runs_are_taken_by_priority_while_redis_is_down(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url = mortal_redis.start()
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=url) as world:
        mortal_redis.kill()
        low = await world.submit(priority=Priority.LOW)
        high = await world.submit(priority=Priority.HIGH, force=True)
        worker = asyncio.create_task(world.container.worker.run())
        try:
            last = await seen_when(lambda: world.get(low.id), lambda seen: seen.is_terminal)
        finally:
            world.container.worker.stop()
            await worker
        first = await world.get(high.id)
    assert (first.state, last.state) == (RunState.SUCCEEDED, RunState.SKIPPED)

"""A real Spark Connect server is killed under several live runs and stays away for longer than all retries."""

import asyncio
from pathlib import Path

from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from engine.embedded.spark import EmbeddedSpark
from tests.support.databases import FreshDatabase
from tests.support.outages import outage_of, probe_once, submit_all, with_twins, work_off
from tests.support.settings import settings_of
from tests.support.world import make_lake, open_on

PROBES = 6


async def test_live_runs_outlive_a_spark_that_was_killed(
    mortal_spark: EmbeddedSpark, fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    url = await asyncio.to_thread(mortal_spark.start)
    lake = await asyncio.to_thread(make_lake, tmp_path / "lake")
    settings = settings_of(
        tmp_path / "state", database_url=fresh_database.url, redis_url=redis_url, spark_url=url, watch=False
    )
    async with open_on(lake, settings, on_spark=True) as world:
        rows = lake.rows()
        runs = await submit_all(world, await with_twins(world))
        world.at("rewriting", mortal_spark.kill)
        await asyncio.gather(*(world.container.worker.advance(run.id) for run in runs))
        for _ in range(PROBES):
            await probe_once(world, fresh_database)
            assert await work_off(world) == 0
        assert (await outage_of(world, "spark")) is not None
        await asyncio.to_thread(mortal_spark.start)
        await probe_once(world, fresh_database)
        await work_off(world)
        ended = [await world.get(run.id) for run in runs]
        assert [(run.state, run.failures) for run in ended] == [(RunState.SUCCEEDED, 0)] * 3, [r.detail for r in ended]
        assert lake.rows() == rows

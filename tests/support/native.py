"""What tests of the native path share: a container on real Spark that knows the lake by name, and runs to their end."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run
from tests.support.peer import attach, confs_of
from tests.support.settings import settings_of
from tests.support.world import World, make_lake, open_on


@pytest.fixture
async def native_world(
    sqlite_url: str, redis: Redis, redis_url: str, spark_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    """A container on real Spark, where its catalog has a name; its registered table is empty."""
    lake = await asyncio.to_thread(make_lake, tmp_path / "w", days=0)
    lake.properties["packhouse.spark-catalog"] = "lake"
    settings = settings_of(
        tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, spark_url=spark_url, watch=False
    )
    async with open_on(lake, settings, on_spark=True) as opened:
        await asyncio.to_thread(lambda: attach(opened.container.spark.get(), confs_of(lake)))
        yield opened


@pytest.fixture
def native_spark(native_world: World) -> SparkSession:
    """The session that the container calls procedures in."""
    return native_world.container.spark.get()


async def rewrite(world: World, table_id: TableId) -> Run:
    """Submit a run and advance it to its end."""
    run, _ = await world.container.runs.submit(SYSTEM, table_id, RunRequest())
    return await world.finish(run.id)


def checks(run: Run) -> dict[str, str]:
    """Return the detail of each check of all proofs; every one must hold."""
    documents = run.result.verifications
    assert documents
    assert all(check["holds"] for document in documents for check in document["checks"])
    return {check["name"]: check["detail"] for document in documents for check in document["checks"]}

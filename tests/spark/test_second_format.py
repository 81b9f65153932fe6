"""A table of a second format, without field ids in its files, is rewritten by tasks on a real Spark Connect server."""

import asyncio
from pathlib import Path

import pyarrow.parquet as pq
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.table import TableRef
from engine.factory.container import open_container
from tests.support.plain.catalog import SERVED_AS, PlainFormat
from tests.support.plain.lake import PlainLake
from tests.support.settings import settings_of


async def test_a_plain_table_is_rewritten_on_spark(
    sqlite_url: str, redis: Redis, redis_url: str, spark_url: str, tmp_path: Path
) -> None:
    lake = await asyncio.to_thread(PlainLake.make, tmp_path / "lake")
    ids = lake.ids()
    settings = settings_of(tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, spark_url=spark_url)
    async with open_container(settings, formats=lambda _locations: {SERVED_AS: PlainFormat()}) as container:
        await container.catalogs.create(SYSTEM, "lake", SERVED_AS, {"root": str(lake.root)})
        table = await container.tables.register(
            SYSTEM, TableRef("lake", ("lake",), "events"), owner_team=None, labels={}
        )
        run, _ = await container.runs.submit(SYSTEM, table.id, RunRequest())
        await container.worker.advance(run.id)
        ended = await container.runs.get(SYSTEM, run.id)
    assert (ended.state, ended.result.rewritten_files, ended.result.added_files) == (
        RunState.SUCCEEDED,
        18,
        3,
    )
    assert lake.ids() == ids
    for path in lake.paths():
        assert all(b"PARQUET:field_id" not in (each.metadata or {}) for each in pq.read_schema(path))

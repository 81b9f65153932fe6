"""Tasks of a real Spark Connect server read and write an object store: its client starts in forked Python workers."""

import asyncio
from pathlib import Path

from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from tests.support.settings import settings_of
from tests.support.store_server import BUCKET, Manners, store_server
from tests.support.world import make_lake, open_on


async def test_tasks_on_spark_send_one_request_for_a_file_and_many_at_once(
    sqlite_url: str, redis: Redis, redis_url: str, spark_url: str, tmp_path: Path
) -> None:
    with store_server() as store:
        own = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"s3://{BUCKET}/wh"}
        writers = own | {"init_catalog_tables": "true"} | store.properties()
        lake = await asyncio.to_thread(
            lambda: make_lake(
                tmp_path / "lake",
                days=1,
                files=40,
                settings=writers,
                registered=own | {"s3.endpoint": store.url, "s3.region": "us-east-1", "s3.anonymous": "true"},
            )
        )
        rows = lake.rows()
        settings = settings_of(tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, spark_url=spark_url)
        async with open_on(lake, settings, on_spark=True) as world:
            marks = []
            world.at("rewriting", lambda: marks.append(store.control(manners=Manners(latency=0.03), forget=True)))
            world.at("group_written", lambda: marks.append(store.control(manners=Manners())))
            run = await world.rewrite()
        assert (run.state, run.result.rewritten_files) == (RunState.SUCCEEDED, 40), run.detail
        measured = run.result.document["measured"]
        assert measured["requests"] == 41
        assert marks[1]["most_at_once"] >= 8
        assert lake.rows() == rows

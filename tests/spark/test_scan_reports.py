"""Scan reports of a real Spark session, which a gateway in front of its REST catalog sends to Packhouse as well."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from engine.spark.sessions import SparkSessions
from tests.integration.api.conftest import api_on, on_a_port
from tests.support.eventually import until
from tests.support.faulty_proxy import FaultyProxy, Request
from tests.support.peer import attach
from tests.support.world import NAME, World, open_world


@pytest.fixture
def gateway(iceberg_rest_url: str) -> Iterator[FaultyProxy]:
    with FaultyProxy(iceberg_rest_url).running() as running:
        yield running


@pytest.fixture
async def world(
    gateway: FaultyProxy, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    rest = {"type": "rest", "uri": gateway.target}
    both = {"settings": rest, "registered": rest}
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **both) as opened:
        yield opened
        await asyncio.to_thread(opened.lake.catalog.drop_table, NAME)  # the server is shared


async def test_the_advice_names_the_columns_that_queries_of_spark_filter_by(
    world: World, gateway: FaultyProxy, spark_sessions: SparkSessions
) -> None:
    catalog = "spark.sql.catalog.gateway"
    confs = {catalog: "org.apache.iceberg.spark.SparkCatalog", f"{catalog}.type": "rest", f"{catalog}.uri": gateway.url}
    session = spark_sessions.get(str(uuid.uuid4()))
    attach(session, confs | {f"{catalog}.rest-metrics-reporting-enabled": "true"})
    async with api_on(world.container) as api, on_a_port(api.app) as url:
        key, statuses = api.client.headers["Authorization"], []

        def forward(request: Request) -> None:
            if request.path.endswith("/metrics"):
                path = f"{url}/v1/iceberg/v1/lake{request.path.removeprefix('/v1')}"
                headers = {"Authorization": key, "Content-Type": "application/json"}
                statuses.append(httpx.post(path, content=request.body, headers=headers).status_code)

        gateway.before = forward
        for condition in ("id = 5 AND note LIKE 'note%'", "note IN ('a', 'b')", "id < 40", "day = '2026-11-01'"):
            query = session.sql(f"SELECT count(*) FROM gateway.lake.events WHERE {condition}")
            await asyncio.to_thread(query.collect)
        await until(lambda: len(statuses) >= 4)
        advice = await api.get(f"/v1/tables/{world.table_id}/advice")
    assert set(statuses) == {204}
    assert sorted(each["column"] for each in advice["layout"]["columns"]) == ["id", "note"]
    assert advice["layout"]["layout"] == "cluster"
    assert advice["scans"]["scans"] == advice["layout"]["query_count"] == len(statuses)
    assert advice["scans"]["result_files"] > 0
    assert advice["scans"]["planning_ms"] > 0

"""Iceberg's own semantics hold on random tables: rows are the same at every point in time, by every reader.

In `make test` a few seeds; `make fuzz-tables TABLES=500 SEED=1` plays as many as wanted, from a first seed. A failure
tells the whole story of its table; `TABLES=1 SEED=<it>` plays it again.
"""

import asyncio
import os
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pyspark.sql import SparkSession

from engine.spark.sessions import SparkSessions
from tests.differential.arena import Arena, Tally
from tests.support.peer import attach
from tests.support.world import World, open_world

FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
TABLES = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "6"))
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Merge on read is not yet supported:UserWarning"),  # PyIceberg says what it does
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(
    sqlite_template: Path, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[World]:
    """One installation for all tables, whose lake Spark shares."""
    folder = tmp_path_factory.mktemp("differential")
    shutil.copyfile(sqlite_template, folder / "packhouse.sqlite3")
    url = f"sqlite+aiosqlite:///{folder}/packhouse.sqlite3"
    async with open_world(folder / "w", database_url=url, redis_url=redis_url, days=1, files=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def tally() -> Tally:
    """What came of all seeds."""
    return Tally()


@pytest.fixture(scope="module")
def spark(spark_sessions: SparkSessions, world: World) -> SparkSession:
    """A session that knows the lake."""
    session = spark_sessions.get(str(uuid.uuid4()))
    attach(session, world.lake)
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TABLES))
async def test_rows_are_the_same_for_every_reader(world: World, spark: SparkSession, tally: Tally, seed: int) -> None:
    arena = Arena(world, spark, tally)
    await arena.judge(seed)
    await asyncio.to_thread(arena.forget, seed)


async def test_the_sitting_checked_what_it_claims(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    """A fuzzer whose tables are all refused, or whose readers all give up, proves nothing."""
    with capsys.disabled():
        print(f"\n{tally}")  # noqa: T201 - what the sitting came to
    counts, tables = tally.counts, tally.counts["tables"]
    assert counts["ours succeeded"] > 0.6 * tables, str(tally)
    assert counts["rewritten by the procedure"] > 0.8 * tables, str(tally)
    assert counts["heads read by pyiceberg"] > 0.3 * tables, str(tally)
    assert counts["files read by duckdb"] >= counts["ours succeeded"], str(tally)
    assert counts["points in time read"] > 3 * tables, str(tally)

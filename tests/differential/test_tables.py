"""Iceberg's own semantics hold on random tables: rows are the same at every point in time, by every reader.

In `make test` a few seeds; `make fuzz-tables TABLES=500 SEED=1` plays as many as wanted, from a first seed. A failure
tells the whole story of its table; `TABLES=1 SEED=<it>` plays it again.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pyspark.sql import SparkSession

from engine.spark.sessions import SparkSessions
from tests.differential.arena import Arena, Tally
from tests.differential.stories import NAMESPACE
from tests.support.peer import new_session
from tests.support.world import World, open_world

FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
TABLES = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "6"))
SITTINGS = [range(at, min(at + 25, FIRST + TABLES)) for at in range(FIRST, FIRST + TABLES, 25)]
LEAST_SITTING = 6
"""Of so many tables some must be of each kind."""

pytestmark = [
    pytest.mark.timeout(60 * 60),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Merge on read is not yet supported:UserWarning"),  # PyIceberg says what it does
    pytest.mark.filterwarnings("ignore:Delete operation did not match any records:UserWarning"),
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
def spark(spark_sessions: SparkSessions, world: World) -> SparkSession:
    """A session that knows the lake."""
    session = new_session(spark_sessions, world.lake)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session


@pytest.mark.parametrize("seeds", SITTINGS, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
async def test_rows_are_the_same_for_every_reader(
    world: World, spark: SparkSession, capsys: pytest.CaptureFixture[str], seeds: range
) -> None:
    arena, errors = Arena(world, spark, Tally()), list[Exception]()
    for seed in seeds:
        try:
            await arena.judge(seed)
        except Exception as error:  # noqa: BLE001 - raised below, with those of other tables
            errors.append(error)
            with capsys.disabled():  # a sitting takes minutes, a fuzzing hours
                print(f"\nseed {seed}: {type(error).__name__}: {error}", *error.__notes__, sep="\n")  # noqa: T201
        await asyncio.to_thread(arena.forget, seed)
    with capsys.disabled():
        print(f"\nseeds {seeds[0]} to {seeds[-1]}: {arena.tally}")  # noqa: T201 - what the sitting came to
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {len(seeds)} tables", errors)
    if len(seeds) >= LEAST_SITTING:
        arena.tally.check()


async def test_iceberg_takes_a_null_partition_for_smaller_than_any_value(spark: SparkSession, world: World) -> None:
    """A fault of the peer that `Questions.nulls_in_partitions_of` allows for: once this fails, remove that."""
    name = f"lake.{NAMESPACE}.nulls"
    world.lake.catalog.create_namespace_if_not_exists(NAMESPACE)
    spark.sql(f"CREATE TABLE {name} (id BIGINT, flag BOOLEAN) USING iceberg PARTITIONED BY (flag)").collect()
    spark.sql(f"INSERT INTO {name} VALUES (1, false), (2, true), (3, null)").collect()
    spark.sql(f"DELETE FROM {name} WHERE flag <= false").collect()
    assert [row["id"] for row in spark.sql(f"SELECT id FROM {name} ORDER BY id").collect()] == [2]  # SQL: 2 and 3

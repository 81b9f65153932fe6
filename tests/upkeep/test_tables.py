"""Upkeep of random tables: the same snapshots stay as with Iceberg's procedures, no needed file goes, all rows stay.

Every operation that Iceberg has a procedure for is compared with it: delete files, manifests, expiry, orphans. In
`make test` one seed, which has all of them; `make fuzz-upkeep TABLES=300 SEED=1` plays many, from a first seed. A
failure prints the story of its table; `TABLES=1 SEED=<it>` plays it again.
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
from tests.support.peer import new_session
from tests.support.world import World, open_world
from tests.upkeep.arena import Arena

FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "4"))
TABLES = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "1"))
SITTINGS = [range(at, min(at + 25, FIRST + TABLES)) for at in range(FIRST, FIRST + TABLES, 25)]
LEAST_SITTING = 20

pytestmark = [
    pytest.mark.timeout(60 * 60),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Merge on read is not yet supported:UserWarning"),
    pytest.mark.filterwarnings("ignore:Delete operation did not match any records:UserWarning"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(
    sqlite_template: Path, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[World]:
    """One installation for all tables, whose lake Spark shares."""
    folder = tmp_path_factory.mktemp("upkeep")
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
async def test_upkeep_of_random_tables_keeps_what_iceberg_keeps(
    world: World, spark: SparkSession, capsys: pytest.CaptureFixture[str], seeds: range
) -> None:
    """U11, U12, L21: no needed file is deleted, and every kept snapshot has its rows."""
    arena, errors = Arena(world, spark), list[Exception]()
    for seed in seeds:
        try:
            await arena.judge(seed)
        except Exception as error:  # noqa: BLE001 - raised below, with those of other tables
            errors.append(error)
            with capsys.disabled():
                print(f"\nseed {seed}: {type(error).__name__}: {error}", *error.__notes__, sep="\n")  # noqa: T201
        await asyncio.to_thread(arena.forget, seed)
    with capsys.disabled():
        print(f"\nseeds {seeds[0]} to {seeds[-1]}: {arena}")  # noqa: T201 - what took place
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {len(seeds)} tables", errors)
    if len(seeds) >= LEAST_SITTING:
        arena.check()

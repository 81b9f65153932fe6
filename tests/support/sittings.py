"""Random tables of a range of seeds, judged one after another on one installation whose lake Spark shares."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import pytest
import pytest_asyncio
from pyspark.sql import SparkSession

from engine.spark.sessions import SparkSessions
from tests.support.mirrored_world import MirroredWorld
from tests.support.peer import new_session
from tests.support.world import open_world

MARKS: Final = [
    pytest.mark.timeout(60 * 60),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Merge on read is not yet supported:UserWarning"),  # PyIceberg copies on write
    pytest.mark.filterwarnings("ignore:Delete operation did not match any records:UserWarning"),
]
_TOGETHER: Final = 25


class Judge(Protocol):
    """Makes and judges the table of a seed; its text has the number of checks that took place, by name."""

    async def judge(self, seed: int) -> None: ...

    def forget(self, seed: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Sitting:
    """One installation for all tables of a module, and a Spark session that knows its lake."""

    world: MirroredWorld
    spark: SparkSession

    @staticmethod
    async def judge(judge: Judge, seeds: range, capsys: pytest.CaptureFixture[str]) -> None:
        """Judge the table of each seed, and print each failure at once: a sitting takes minutes, a fuzzing hours."""
        errors = list[Exception]()
        for seed in seeds:
            try:
                await judge.judge(seed)
            except Exception as error:  # noqa: BLE001 - raised below, with those of other tables
                errors.append(error)
                with capsys.disabled():
                    print(f"\nseed {seed}: {type(error).__name__}: {error}", *error.__notes__, sep="\n")  # noqa: T201
            await asyncio.to_thread(judge.forget, seed)
        with capsys.disabled():
            print(f"\nseeds {seeds[0]} to {seeds[-1]}: {judge}")  # noqa: T201 - the checks that took place
        if errors:
            raise ExceptionGroup(f"{len(errors)} of {len(seeds)} tables", errors)


def sittings(first: int, tables: int) -> list[Any]:
    """Return ranges of seeds as parameters of a test."""
    ranges = [range(at, min(at + _TOGETHER, first + tables)) for at in range(first, first + tables, _TOGETHER)]
    return [pytest.param(each, id=f"{each[0]}-{each[-1]}") for each in ranges]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sitting(mirrored_world: MirroredWorld, spark_sessions: SparkSessions) -> Sitting:
    """An installation whose tables the module's tests make."""
    session = new_session(spark_sessions, mirrored_world.lake)
    session.conf.set("spark.sql.codegen.wholeStage", "false")  # compiling takes longer than reading such tables
    return Sitting(mirrored_world, session)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mirrored_world(
    request: pytest.FixtureRequest, sqlite_template: Path, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[MirroredWorld]:
    """An installation for all tables of the module."""
    folder = tmp_path_factory.mktemp("sitting")
    shutil.copyfile(sqlite_template, folder / "packhouse.sqlite3")
    url = f"sqlite+aiosqlite:///{folder}/packhouse.sqlite3"
    async with open_world(folder / "w", database_url=url, redis_url=redis_url, days=1, files=1) as opened:
        mirrored = MirroredWorld.of(opened, request, folder)
        yield mirrored
        mirrored.close()

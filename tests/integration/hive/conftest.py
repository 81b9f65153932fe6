"""A running Packhouse on one written Hive table, in a Metastore and, for the contract of catalogs, in Glue."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.support.hive.lakes import HiveLake
from tests.support.hive.worlds import DAYS, WrittenTable, open_written
from tests.support.world import World

ON_GLUE = ("test_rewrites", "test_old_compactions")
"""Modules whose tests run on both kinds of catalogs; the deep suite alone runs all of the second one on Glue."""
OF_A_METASTORE = ("test_a_lost_answer_is_looked_up",)
"""Tests of them that break connections by Thrift."""

Opened = Callable[[Sequence[str]], AbstractAsyncContextManager[World[WrittenTable]]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of a catalog's contract on each kind."""
    module, names = metafunc.module.__name__.rpartition(".")[2], metafunc.fixturenames
    if module not in ON_GLUE or "hive_lake" not in names or "hive_spark" in names:
        return
    if metafunc.function.__name__ not in OF_A_METASTORE:
        marks = [pytest.mark.deep] * (module != ON_GLUE[0])
        metafunc.parametrize("hive_lake", ["metastore", pytest.param("glue", marks=marks)], indirect=True)


@pytest.fixture
def opened(hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path) -> Opened:
    """Start a container with one registered table of these partitions with four files each."""
    return lambda days: open_written(hive_lake, tmp_path, database_url=sqlite_url, redis_url=redis_url, days=days)


@pytest.fixture
async def world(opened: Opened) -> AsyncIterator[World[WrittenTable]]:
    async with opened(DAYS) as made:
        yield made

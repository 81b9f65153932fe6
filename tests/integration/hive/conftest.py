"""A running Packhouse on one written Hive table."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.support.hive.lakes import HiveLake
from tests.support.hive.worlds import DAYS, WrittenTable, open_written
from tests.support.world import World

Opened = Callable[[Sequence[str]], AbstractAsyncContextManager[World[WrittenTable]]]


@pytest.fixture
def opened(hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path) -> Opened:
    """Start a container with one registered table of these partitions with four files each."""
    return lambda days: open_written(hive_lake, tmp_path, database_url=sqlite_url, redis_url=redis_url, days=days)


@pytest.fixture
async def world(opened: Opened) -> AsyncIterator[World[WrittenTable]]:
    async with opened(DAYS) as made:
        yield made

"""A running Packhouse on one written Hive table."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.hive.lakes import HiveLake
from tests.support.hive.worlds import WrittenTable, open_written
from tests.support.world import World


@pytest.fixture
async def world(
    hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[WrittenTable]]:
    async with open_written(hive_lake, tmp_path, database_url=sqlite_url, redis_url=redis_url) as opened:
        yield opened

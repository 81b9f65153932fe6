"""A container with a registered Paimon table, for tests of whole runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.paimon.core import PaimonCore
from tests.support.paimon.worlds import KINDS, TwinLake, open_twins
from tests.support.world import World


@pytest.fixture
async def world(
    paimon_core: PaimonCore, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[TwinLake]]:
    """A key table of two partitions with two buckets each: four groups."""
    kind = KINDS["key"]
    async with open_twins(tmp_path, paimon_core, kind, database_url=sqlite_url, redis_url=redis_url) as opened:
        yield opened

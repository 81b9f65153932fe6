"""A Paimon table on this machine's disk, and a container with a registered one for tests of whole runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.worlds import KINDS, TwinLake, open_twins
from tests.support.world import World


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """A table that is not created yet, in a warehouse of the test's own."""
    return PaimonLake(paimon_core, tmp_path / "warehouse")


@pytest.fixture
async def world(
    paimon_core: PaimonCore, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[TwinLake]]:
    """A key table of two partitions with two buckets each: four groups."""
    kind = KINDS["key"]
    async with open_twins(tmp_path, paimon_core, kind, database_url=sqlite_url, redis_url=redis_url) as opened:
        yield opened

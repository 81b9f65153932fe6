"""A world of its own for each test, on both databases."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.support.databases import FreshDatabase
from tests.support.watching import Watching
from tests.support.world import World, open_world


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three partitions of six small files, registered; the test runs once on each database."""
    async with open_world(tmp_path / "world", database_url=fresh_database.url, redis_url=redis_url) as opened:
        yield opened


@pytest.fixture
async def watching(world: World) -> AsyncIterator[Watching]:
    opened = Watching(world)
    yield opened
    await opened.service.close()

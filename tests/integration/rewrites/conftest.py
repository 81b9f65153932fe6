"""A world of its own for each test: on SQLite, and in `make test-deep` on Postgres too."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.support.databases import FreshDatabase, requested_database
from tests.support.moved_clock import MovedClock
from tests.support.watching import Watching
from tests.support.world import World, open_world


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.deep)])
async def fresh_database(request: pytest.FixtureRequest) -> AsyncIterator[FreshDatabase]:
    """An empty, migrated database; `stores` tests each statement on both dialects, so one is enough for most runs."""
    async with requested_database(request) as fresh:
        yield fresh


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three partitions of six small files, registered."""
    async with open_world(tmp_path / "world", database_url=fresh_database.url, redis_url=redis_url) as opened:
        yield opened


@pytest.fixture
async def clock(world: World) -> MovedClock:
    """The record's clock, for time to pass."""
    return await MovedClock.of(world.container.database)


@pytest.fixture
async def later(clock: MovedClock) -> MovedClock:
    """The record's clock, an hour after the table was written."""
    await clock.pass_by(hours=1)
    return clock


@pytest.fixture
async def watching(world: World) -> AsyncIterator[Watching]:
    opened = Watching(world)
    yield opened
    await opened.service.close()

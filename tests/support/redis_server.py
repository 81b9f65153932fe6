"""A real Redis for tests: one server for the session, emptied for each test, and one that a test may kill."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import TimeoutError as RedisTimeoutError

from engine.embedded.redis import EmbeddedRedis
from engine.queue.connection import connect_redis


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of the session's server; shared, so take `redis` unless you need the address itself."""
    server = EmbeddedRedis(data_dir=tmp_path_factory.mktemp("redis"))
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """Client of the session's server, emptied before the test."""
    client = connect_redis(redis_url)
    await _empty(client)
    yield client
    await client.aclose()


async def _empty(client: Redis) -> None:
    """Remove everything; on a machine that is busy for seconds the short timeouts of connections may pass."""
    for _ in range(10):
        try:
            await client.flushall()
        except RedisTimeoutError:
            continue
        return
    await client.flushall()


@pytest.fixture
def mortal_redis(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    """A started server of the test's own, to kill and start again."""
    server = EmbeddedRedis(data_dir=tmp_path)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
async def mortal_client(mortal_redis: EmbeddedRedis) -> AsyncIterator[Redis]:
    """Client of `mortal_redis`; it finds the server again after a restart."""
    client = connect_redis(mortal_redis.start())
    yield client
    await client.aclose()


async def until_blocked(redis: Redis) -> None:
    """Return once a client of this server waits in a blocking command; TimeoutError after 5 s."""
    async with asyncio.timeout(5):
        while not (await redis.info("clients"))["blocked_clients"]:
            pass

"""Worlds whose lake is on S3."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import pytest
from redis.asyncio import Redis

from tests.support.s3_server import BUCKET, S3Server
from tests.support.world import World, open_world


class Open(Protocol):
    """Opens a world whose lake lies on S3."""

    def __call__(self, *, scheme: str = "s3", **lake: object) -> AbstractAsyncContextManager[World]: ...


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secrets that the catalog's properties refer to."""
    monkeypatch.setenv("TEST_S3_KEY", "packhouse")
    monkeypatch.setenv("TEST_S3_SECRET", "secret")


@pytest.fixture
def open_on_s3(s3: S3Server, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> Open:
    """Writers have a key of their own; Packhouse has the one that the environment says."""
    database = f"sqlite:///{tmp_path}/catalog.db"

    @asynccontextmanager
    async def opened(*, scheme: str = "s3", **lake: object) -> AsyncIterator[World]:
        common = {"type": "sql", "uri": database, "warehouse": f"{scheme}://{BUCKET}/wh"}
        writers = common | {"init_catalog_tables": "true"} | s3.properties("writer", "secret")
        ours = common | s3.properties("env:TEST_S3_KEY", "env:TEST_S3_SECRET")
        async with open_world(
            tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, settings=writers, registered=ours, **lake
        ) as world:
            s3.asked.clear()
            yield world

    return opened

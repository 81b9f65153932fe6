"""A worker without work keeps its Spark session."""

import asyncio
from pathlib import Path

import pytest

from engine.domain.errors import Transient
from engine.workers import worker as workers
from tests.support.eventually import seen_when
from tests.support.world import open_world


async def test_a_worker_keeps_its_session_and_a_spark_that_is_away_does_not_end_it(
    sqlite_url: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = list[int]()

    def keep() -> None:
        calls.append(len(calls))
        if len(calls) == 1:
            raise Transient("Spark does not answer")
        if len(calls) == 2:
            raise ValueError("an answer that is not understood")

    async def count() -> int:
        return len(calls)

    monkeypatch.setattr(workers, "KEEP_SECONDS", 0.05)
    async with open_world(tmp_path, database_url=sqlite_url, redis_url=redis_url) as world:
        worker = world.container.worker
        monkeypatch.setattr(worker, "_keep_session", keep)
        working = asyncio.create_task(worker.run())
        try:
            await seen_when(count, lambda seen: seen >= 4)
        finally:
            worker.stop()
            await working

"""Paimon tables are compacted by tasks on a real Spark Connect server, committed and proven."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import FormatName, TableRef
from engine.embedded.jars import CACHE_FOLDER, PAIMON, fetch
from engine.factory import Container, open_container
from engine.settings import Settings
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.settings import settings_of

DAYS = ("2026-11-01", "2026-11-02")


@pytest.fixture
def settings(sqlite_url: str, redis: Redis, redis_url: str, spark_url: str, tmp_path: Path) -> Settings:
    jar = fetch(PAIMON, CACHE_FOLDER).absolute()
    return settings_of(
        tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, spark_url=spark_url, paimon_jar=jar
    )


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    return PaimonLake(paimon_core, tmp_path / "warehouse")


@dataclass
class Served:
    """A container with the table of a lake registered."""

    container: Container
    lake: PaimonLake
    table_id: TableId

    async def compacted(self, **request: Any) -> Run:
        run, _ = await self.container.runs.submit(SYSTEM, self.table_id, RunRequest(**request))
        await self.container.worker.advance(run.id)
        return await self.container.runs.get(SYSTEM, run.id)


@asynccontextmanager
async def served(settings: Settings, lake: PaimonLake) -> AsyncIterator[Served]:
    async with open_container(settings) as container:
        await container.catalogs.create(SYSTEM, "lake", FormatName.PAIMON, dict(lake.properties))
        ref = TableRef("lake", ("lake",), lake.name)
        table = await container.tables.register(SYSTEM, ref, owner_team=None, labels={})
        yield Served(container, lake, table.id)


def values(lake: PaimonLake) -> list[Any]:
    return sorted(map(repr, lake.call("rows")))


def runs_by_bucket(lake: PaimonLake) -> dict[tuple[str, int], int]:
    """Count level-0 files and other levels by partition and bucket."""
    found: dict[tuple[str, int], set[Any]] = {}
    for row in lake.open().digest().to_pylist():
        run = row["path"] if row["level"] == 0 else row["level"]
        found.setdefault((row["partition"], row["bucket"]), set()).add(run)
    return {place: len(runs) for place, runs in found.items()}


async def test_a_key_table_is_compacted_bucket_by_bucket(settings: Settings, lake: PaimonLake) -> None:
    """Updates of the same keys: every key has the same value afterwards, and no bucket has many sorted runs."""
    lake.create(partition_keys=["day"], primary_keys=["id", "day"], bucket="2", write_only="true")
    for turn in range(6):
        for day in DAYS:
            await asyncio.to_thread(lake.write, [[number, day, turn + 0.5] for number in range(turn, 40)])
    before = values(lake)
    assert set(runs_by_bucket(lake).values()) == {6}
    async with served(settings, lake) as here:
        run = await here.compacted(force_full=True)
    assert (run.state, run.result.committed_groups) == (RunState.SUCCEEDED, 4), run
    assert all(proof["ok"] for proof in run.result.verifications)
    assert values(lake) == before
    assert set(runs_by_bucket(lake).values()) == {1}

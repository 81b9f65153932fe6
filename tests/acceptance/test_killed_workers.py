"""Real worker processes, ended by SIGKILL at a labelled step; real Spark Connect, Redis, database and table.

Each time another worker finishes the run: one effective commit a group, no row lost or doubled, and no output of
the dead attempt left behind.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.access import SYSTEM
from engine.domain.ids import RunId
from engine.domain.run_requests import RunRequest
from engine.domain.runs import Run, RunState
from engine.domain.tables import TableFormatName, TableRef
from engine.factory import Container, open_container
from engine.settings import Settings
from tests.support.world import NAME, Lake, make_lake

PATIENCE_SECONDS = 90
STEPS = ["claimed", "planned", "rewriting", "group_written", "before_commit", "after_commit", "before_end"]


@contextmanager
def doomed_worker(settings: Settings, step: str, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a worker process on the same record and queue that kills itself at a step; end it if it still lives."""
    environment = os.environ | {
        "PACKHOUSE_DATA_DIR": str(settings.data_dir),
        "PACKHOUSE_DATABASE_URL": str(settings.database_url),
        "PACKHOUSE_REDIS_URL": str(settings.redis_url),
        "PACKHOUSE_SPARK_URL": str(settings.spark_url),
        "PACKHOUSE_SECRET_KEY": "a key for tests",
        "PACKHOUSE_MODE": "embedded",
        "PACKHOUSE_LEASE_SECONDS": str(settings.lease_seconds),
        "PACKHOUSE_WORKER_SLOTS": "1",
    }
    command = [sys.executable, "-m", "tests.support.killable_worker", step]
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            yield process
        finally:
            process.kill()
            process.wait(timeout=30)


@asynccontextmanager
async def control_plane(settings: Settings, lake: Lake) -> AsyncIterator[tuple[Container, RunId]]:
    """The api's side: a coordinator at work and one submitted run; the workers are processes of their own."""
    async with open_container(settings) as container:
        await container.catalogs.create(SYSTEM, "lake", TableFormatName.ICEBERG, lake.properties)
        table = await container.tables.register(SYSTEM, TableRef("lake", NAME[:1], NAME[1]), owner_team=None, labels={})
        coordinator = asyncio.create_task(container.coordinator.run())
        run, _ = await container.runs.submit(SYSTEM, table.id, RunRequest())
        try:
            yield container, run.id
        finally:
            container.coordinator.stop()
            await coordinator


async def ended(container: Container, run_id: RunId) -> Run:
    """Wait for the run's end, bounded."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (run := await container.runs.get(SYSTEM, run_id)).is_terminal:
            async with container.hints.watch(run_id) as watch:
                await watch.wait(1.0)
    return run


@pytest.fixture
def settings(tmp_path: Path, postgres_url: str, redis: Redis, redis_url: str, spark_url: str) -> Settings:
    """One record, queue and Spark for all processes; leases that end soon."""
    return Settings(
        data_dir=tmp_path / "state",
        database_url=postgres_url,
        redis_url=redis_url,
        spark_url=spark_url,
        secret_key="a key for tests",
        mode="embedded",
        lease_seconds=3,
        watch=False,
    )


@pytest.mark.parametrize("step", STEPS)
async def test_another_worker_finishes_what_a_killed_one_began(step: str, tmp_path: Path, settings: Settings) -> None:
    lake = await asyncio.to_thread(lambda: make_lake(tmp_path / "lake", days=2, files=5))
    rows = lake.rows()
    log = tmp_path / "workers.log"
    async with control_plane(settings, lake) as (container, run_id):
        with doomed_worker(settings, step, log) as doomed:
            assert await asyncio.to_thread(doomed.wait, PATIENCE_SECONDS) == -9, log.read_text()
        survivor = asyncio.create_task(container.worker.run())
        run = await ended(container, run_id)
        container.worker.stop()
        await survivor
    assert run.state is RunState.SUCCEEDED, (run.reason, run.detail, log.read_text())
    assert run.attempt >= 2
    assert lake.rows() == rows
    assert len(lake.paths()) == 2
    committed = [group for summary in lake.replaces() for group in summary["packhouse.groups"].split(",")]
    assert len(committed) == len(set(committed)) == 2
    live = {path.removeprefix("file://") for path in lake.paths()}
    ours = {path for path in lake.stored_files() if run.id in path}
    assert ours == live

"""Real worker processes, ended by SIGKILL at a labelled step; real Spark Connect, Redis, database and table.

Each time another worker finishes the run: one effective commit a group, no row lost or doubled, and no output of
the dead attempt left behind.
"""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.factory import Container, open_container
from engine.settings import Settings
from tests.support.processes import child, environment_of
from tests.support.world import Lake, make_lake, register_lake

PATIENCE_SECONDS = 90
STEPS = ["claimed", "planned", "rewriting", "group_written", "before_commit", "after_commit", "before_end"]
MARK = [("commit_made", RunState.CANCELLED), ("commit_marked", RunState.SUCCEEDED)]
"""The steps before and after the mark that a commit is sent, and what a cancel after a death there comes to."""


def doomed_worker(settings: Settings, step: str, log: Path) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    """Start a worker process on the same record and queue that kills itself at a step; end it if it still lives."""
    return child(environment_of(settings, worker_slots=1), "tests.support.killable_worker", step, log=log)


@asynccontextmanager
async def control_plane(settings: Settings, lake: Lake) -> AsyncIterator[tuple[Container, RunId]]:
    """The api's side: a coordinator at work and one submitted run; the workers are processes of their own."""
    async with open_container(settings) as container:
        table = await register_lake(container, lake)
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
def settings(settings: Settings) -> Settings:
    """Leases that end soon."""
    return settings.model_copy(update={"lease_seconds": 3})


@pytest.mark.parametrize("step", [*STEPS, *(step for step, _ in MARK)])
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


@pytest.mark.parametrize(("step", "state"), MARK)
async def test_a_cancel_after_a_death_around_the_mark_goes_by_what_may_have_been_sent(
    step: str, state: RunState, tmp_path: Path, settings: Settings
) -> None:
    """Before it nothing can have left, so nothing is sent any more; after it only a commit settles the question."""
    lake = await asyncio.to_thread(lambda: make_lake(tmp_path / "lake", days=2, files=5))
    rows, before, stored = lake.rows(), sorted(lake.paths()), lake.stored_files()
    log = tmp_path / "workers.log"
    async with control_plane(settings, lake) as (container, run_id):
        with doomed_worker(settings, step, log) as doomed:
            assert await asyncio.to_thread(doomed.wait, PATIENCE_SECONDS) == -9, log.read_text()
        asked = await container.runs.cancel(SYSTEM, run_id)
        survivor = asyncio.create_task(container.worker.run())
        run = await ended(container, run_id)
        container.worker.stop()
        await survivor
    is_sent = state is RunState.SUCCEEDED
    assert (run.state, asked.unsettled) == (state, {0, 1} if is_sent else frozenset()), (run.detail, log.read_text())
    assert (lake.rows(), len(lake.replaces())) == (rows, int(is_sent))
    if not is_sent:
        assert (sorted(lake.paths()), lake.stored_files()) == (before, stored)

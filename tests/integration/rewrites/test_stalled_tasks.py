"""A run whose tasks move nothing ends with the reason, and its slot is free."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from engine.queue.budgets import LiveProgress
from engine.services.operations.tasks.stalls import StallWatch
from tests.integration.rewrites.test_interrupted_bytes import PACED, connect_tasks
from tests.support.attempts import append_files
from tests.support.windows_ahead import change_policy
from tests.support.world import World, open_world


@pytest.fixture
async def world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A world whose tasks reach the pace channel without HTTP."""
    url = "http://packhouse/internal/pace"
    async with open_world(
        tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, pace_url=url, days=1, files=1
    ) as opened:
        connect_tasks(opened)
        yield opened


async def test_f41_a_run_whose_tasks_move_nothing_fails_and_leaves_no_file(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F41: tasks that compute for ever held the slots of their worker for ever."""
    monkeypatch.setattr(StallWatch, "is_stalled", lambda _watch, live: _has_task(live))
    await asyncio.to_thread(append_files, world.lake, "2026-11-01", 5, rows=20_000)
    await change_policy(world, PACED)
    run = await world.submit()
    await asyncio.wait_for(world.container.worker.advance(run.id), 60)
    ended = await world.get(run.id)
    assert (ended.state, ended.reason) == (RunState.FAILED, "state_conflict")
    assert "its tasks moved nothing for 900 s and were stopped" in (ended.detail or "")
    assert not [path for path in world.lake.stored_files() if run.id in path]
    assert "packhouse_stalled_runs_total 1.0" in world.container.metrics.render().decode()
    async with world.container.database.read() as unit:
        kinds = [event.kind for event in await unit.events.list(run.id)]
    assert "tasks_stalled" in kinds


def _has_task(live: LiveProgress) -> bool:
    return live.members > 0

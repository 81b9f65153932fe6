"""A run whose tasks move nothing, or whose planning never ends, ends with the reason, and its slot is free."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.plans import Plan
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.formats.base import KERNEL_TRAITS
from engine.formats.iceberg.rewrite import tasks
from engine.queue.budgets import LiveProgress
from engine.services.catalogs.bulkheads import calls
from engine.services.operations.rewrite import steps
from engine.services.operations.tasks.pacing import StallWatch
from engine.services.planning.engines import EngineChoice
from tests.integration.rewrites.test_interrupted_bytes import PACED, connect_tasks
from tests.support.attempts import append_files
from tests.support.windows_ahead import change_policy
from tests.support.world import NAME, SCHEMA, SPEC, World, open_world


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


async def test_f41_tasks_of_a_library_which_report_at_their_end_are_not_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F41: Paimon's core may merge a large bucket for longer than any limit."""
    seen: list[bool] = []

    def is_stalled(_watch: StallWatch, live: LiveProgress) -> bool:
        seen.append(_has_task(live))
        return seen[-1]

    monkeypatch.setattr(StallWatch, "is_stalled", is_stalled)
    monkeypatch.setattr(tasks, "KERNEL_TRAITS", replace(KERNEL_TRAITS, reports_bytes=False))
    await asyncio.to_thread(append_files, world.lake, "2026-11-01", 5, rows=5_000)
    await change_policy(world, PACED)
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    assert any(seen)


def _has_task(live: LiveProgress) -> bool:
    return live.members > 0


async def test_f41_tables_whose_planning_never_ends_give_the_slots_of_their_worker_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F41: such a run fails once with the reason and the remedy, and a run of another table is not delayed."""
    bulkheads = world.container.formats._bulkheads
    monkeypatch.setattr(bulkheads, "_limits", replace(bulkheads._limits, compute_seconds=0.2))
    monkeypatch.setattr(calls, "CHECK_SECONDS", 0.05)
    plan, hostile = steps.plan_run, {"first", "second"}

    def plan_run(chosen: EngineChoice, *args: Any, **kwargs: Any) -> Plan:
        while chosen.table.ref.name in hostile:
            pass
        return plan(chosen, *args, **kwargs)

    monkeypatch.setattr(steps, "plan_run", plan_run)
    runs = []
    for name in sorted(hostile):
        world.lake.catalog.create_table((NAME[0], name), SCHEMA, partition_spec=SPEC)
        table = await world.register(name)
        runs.append((await world.container.runs.submit(SYSTEM, table.id, RunRequest()))[0])
    worker = world.container.worker
    async with asyncio.timeout(60):
        await asyncio.gather(*(worker.advance(run.id) for run in runs))
    for run in runs:
        ended = await world.get(run.id)
        assert (ended.state, ended.reason, ended.attempt) == (RunState.REFUSED, "table_unreadable", 1)
        assert "raise PACKHOUSE_COMPUTE_SECONDS" in (ended.detail or "")
    assert world.container.formats.stuck_seconds() == 0
    await asyncio.to_thread(append_files, world.lake, "2026-11-01", 5)
    assert (await world.rewrite()).state is RunState.SUCCEEDED

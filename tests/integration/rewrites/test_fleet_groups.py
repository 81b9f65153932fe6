"""At most so many tasks over all tables and workers, with a share for each run; one run on a table at a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import RunId, TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, RunState
from engine.factory.container import open_container
from engine.services.operations.tasks import waiting_groups
from tests.support.crowds import Crowd, slots_in_use, waiting_for_slots
from tests.support.databases import FreshDatabase
from tests.support.eventually import seen_when, until
from tests.support.world import NAME, SCHEMA, SPEC, Lake, World, open_world

GROUPS = 8
OTHERS = ("second", "third")


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three tables with eight groups each."""
    where = {"database_url": fresh_database.url, "redis_url": redis_url}
    async with open_world(tmp_path / "world", **where, days=GROUPS, files=6) as opened:
        await asyncio.to_thread(fill_others, opened.lake)
        yield opened


def fill_others(lake: Lake) -> None:
    rows = lake.table.scan().to_arrow()
    for name in OTHERS:
        table = lake.catalog.create_table((NAME[0], name), SCHEMA, partition_spec=SPEC)
        for part in range(6):
            table.append(rows.slice(part * len(rows) // 6, len(rows) // 6))


@pytest.fixture
async def crowd(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Crowd]:
    """Two workers with two slots each, whose tasks are held back."""
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)  # each group is a task of its own
    crowd, settings = Crowd(), world.container.settings.model_copy(update={"worker_slots": 2})
    async with AsyncExitStack() as stack:
        workers = [(await stack.enter_async_context(open_container(settings, dispatcher=crowd))).worker for _ in "12"]
        working = [asyncio.create_task(worker.run()) for worker in workers]
        try:
            yield crowd
        finally:
            crowd.open()
            for worker in workers:
                worker.stop()
            await asyncio.gather(*working)


async def limit(world: World, parallel_groups: int) -> None:
    limits = world.container.limits
    await limits.replace(
        SYSTEM, FleetLimits(parallel_groups=parallel_groups), version=(await limits.get(SYSTEM)).version
    )


async def submit(world: World, table_id: TableId) -> RunId:
    run, _ = await world.container.runs.submit(SYSTEM, table_id, RunRequest())
    await world.container.coordinator.relay()
    return run.id


async def test_l17_two_workers_have_at_most_four_tasks_over_three_tables_and_every_run_gets_one(
    world: World, crowd: Crowd
) -> None:
    await limit(world, 4)
    rows, others = world.lake.rows(), [await world.register(name) for name in OTHERS]
    first = await submit(world, world.table_id)
    await until(lambda: crowd.at_work == {first: 4})  # a lone run has all of them
    second, third = [await submit(world, table.id) for table in others]
    assert await seen_when(lambda: waiting_for_slots(world.container.database), lambda count: count == 2)
    assert crowd.at_work == {first: 4}
    crowd.end(first, 2)
    await until(lambda: crowd.at_work == {first: 2, second: 1, third: 1})
    assert len({(await world.get(run_id)).lease_holder for run_id in (first, second, third)}) == 2

    await limit(world, 2)  # fewer than runs: they take turns
    crowd.end(first, 2)
    await until(lambda: crowd.at_work == {second: 1, third: 1})
    await seen_when(lambda: slots_in_use(world.container.database), lambda count: count == 2)  # the first waits longer
    assert await seen_when(lambda: waiting_for_slots(world.container.database), lambda count: count == 3)
    assert (crowd.at_work, crowd.most) == ({second: 1, third: 1}, 4)
    crowd.most = 0
    crowd.end(second)
    await until(lambda: crowd.at_work == {first: 1, third: 1})
    crowd.end(third)
    await until(lambda: crowd.at_work == {first: 1, second: 1})
    assert crowd.most == 2

    await limit(world, 4)
    crowd.open()
    for run_id in (first, second, third):
        ended = await seen_when(lambda run_id=run_id: world.get(run_id), lambda run: run.is_terminal)  # type: ignore[misc]
        assert ended.state is RunState.SUCCEEDED
        assert ended.result.document["groups_committed"] == GROUPS
    assert crowd.most <= 4
    for name in (NAME[1], *OTHERS):
        table = world.lake.catalog.load_table((NAME[0], name))
        assert sorted(map(repr, table.scan().to_arrow().to_pylist())) == list(map(str, rows))


async def test_l13_partitions_are_rewritten_in_parallel_and_none_by_a_second_run(world: World, crowd: Crowd) -> None:
    first = await submit(world, world.table_id)
    await until(lambda: crowd.at_work == {first: 4})
    async with world.container.database.read() as unit:
        groups = await unit.groups.list(first, limit=100)
    at_work = {group.partition for group in groups if group.state is GroupState.RUNNING}
    assert len(at_work) == 4  # one group of each
    again, _ = await world.container.runs.submit(SYSTEM, world.table_id, RunRequest(force_full=True))
    await world.container.coordinator.relay()
    async with world.container.database.read() as unit:
        assert await unit.runs.list_ready(10) == []
    assert await world.container.worker.advance_next() is False  # a worker with a free slot
    crowd.open()
    ended = await seen_when(lambda: world.get(again.id), lambda run: run.is_terminal)
    before = await world.get(first)
    assert before.state is RunState.SUCCEEDED
    assert before.finished_at is not None
    assert ended.started_at is not None
    assert before.finished_at <= ended.started_at

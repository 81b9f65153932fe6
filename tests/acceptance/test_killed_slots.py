"""L17: a real worker process is killed while it holds a slot of the fleet's limit of tasks; the slot comes back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.limits import FleetLimits
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.factory.container import open_container
from engine.services.operations.tasks import waiting_groups
from tests.support.crowds import Crowd, waiting_for_slots
from tests.support.eventually import seen_when, until
from tests.support.killable_process import killable, killed
from tests.support.processes import environment_of
from tests.support.world import NAME, SCHEMA, SPEC, World, open_world

OTHER = "others"


@pytest.fixture
async def world(postgres_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Two tables with two groups each, the first with one task at a time; two tasks at once in the fleet."""
    folder = tmp_path / "world"
    async with open_world(folder, database_url=postgres_url, redis_url=redis_url, days=2, files=5) as opened:
        rows = opened.lake.table.scan().to_arrow()
        other = opened.lake.catalog.create_table((NAME[0], OTHER), SCHEMA, partition_spec=SPEC)
        for _ in range(5):
            await asyncio.to_thread(other.append, rows)
        await opened.set_policy({"limits": {"parallel_groups": 1}})
        limits = opened.container.limits
        await limits.replace(SYSTEM, FleetLimits(parallel_groups=2), version=(await limits.get(SYSTEM)).version)
        yield opened


async def test_l17_the_slot_of_a_killed_worker_goes_to_another_run_once_its_lease_is_gone(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)  # each group is a task of its own
    crowd, log, database = Crowd(), tmp_path / "worker.log", world.container.database
    other, rows = await world.register(OTHER), world.lake.rows()
    first = await world.submit()
    environment = environment_of(world.container.settings, worker_slots=1)

    async def in_use() -> int:
        async with database.read() as unit:
            return await unit.task_slots.in_use()

    with killable(environment, "worker", "never", 1, log=log) as process:  # its first task waits to be stopped
        await world.container.coordinator.relay()
        assert await seen_when(in_use) == 1
        second, _ = await world.container.runs.submit(SYSTEM, other.id, RunRequest())
        async with open_container(world.container.settings, dispatcher=crowd) as container:
            working = asyncio.create_task(container.worker.advance(second.id))
            assert await seen_when(lambda: waiting_for_slots(database)) == 1
            process.kill()
            await killed(process, within_seconds=30, log=log)
            assert await seen_when(in_use) == 2
            assert crowd.at_work == {second.id: 1}  # the tasks of a dead worker may live on, on Spark
            await world.expire_lease(first.id)
            await until(lambda: crowd.at_work == {second.id: 2})
            crowd.open()
            await working
    assert (await world.get(second.id)).state is RunState.SUCCEEDED
    assert (await world.finish(first.id)).state is RunState.SUCCEEDED
    assert (crowd.most, world.lake.rows()) == (2, rows)

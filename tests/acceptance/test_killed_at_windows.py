"""Real processes that are killed where windows begin, hold and end: nothing is lost, and nothing is run twice.

Real Postgres, Redis and table; tasks run in threads of the worker's process. The record's clock is moved, so that
leases end and windows are over without waiting.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.ids import RunId
from engine.domain.runs.run import GroupState, Run, RunState, WaitingFor
from engine.domain.tables.watches import Verdict
from tests.support.eventually import seen_when
from tests.support.killable_process import killable, killed
from tests.support.moved_clock import MovedClock
from tests.support.processes import environment_of
from tests.support.watching import Watching, runs_of
from tests.support.windows_ahead import blackout, change_policy
from tests.support.world import World, open_world

PATIENCE_SECONDS = 90
DAYS = 3
BY_ITSELF = {"triggers": [{"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}]}
ONE_LANE: dict[str, Any] = {"limits": {"parallel_groups": 1}, "schedule": {"min_interval": "0s"}} | BY_ITSELF
LEASES_END = timedelta(seconds=31)


@dataclass
class Deployment:
    """This process is the api and whoever survives."""

    world: World
    clock: MovedClock
    folder: Path
    rows: list[Any]

    def doomed(self, part: str, point: str, waiting_task: int = 0) -> AbstractContextManager[BaseProcess]:
        """Start a process that will kill itself at a point."""
        environment = environment_of(self.world.container.settings, worker_slots=1, watch="on")
        return killable(environment, part, point, waiting_task, log=self.folder / "log")

    async def dies(self, process: BaseProcess) -> None:
        await killed(process, within_seconds=PATIENCE_SECONDS, log=self.folder / "log")

    async def set_window(self, on_start: str) -> None:
        """Let a blackout hold from now on, for an hour; a run at work hears of it at once."""
        now = (await self.clock.now()).astimezone(UTC).replace(microsecond=0)
        window = blackout(now, now + timedelta(hours=1), on_start)
        await change_policy(self.world, ONE_LANE | {"blackouts": [window]})
        for run in await runs_of(self.world):
            await self.world.container.hints.publish(run.id)

    async def groups(self, run_id: RunId) -> Counter[GroupState]:
        async with self.world.container.database.read() as unit:
            return Counter(group.state for group in await unit.groups.list(run_id, limit=1000))

    async def let_leases_end(self) -> None:
        await self.clock.pass_by(seconds=LEASES_END.total_seconds())
        await self.world.container.coordinator.reap()

    async def is_sent_again(self) -> None:
        """Let a coordinator that is left find the run ready, and a worker take it from the queue."""
        await self.world.container.coordinator.sweep()
        delivery = await self.world.container.queue.take(block_seconds=4)
        assert delivery is not None
        assert await self.world.container.worker.advance_next()

    async def ends_well(self, run_id: RunId) -> Run:
        """Every group once, no row lost or doubled, one run, no lease, no file left behind."""
        lake = self.world.lake
        (run,) = await runs_of(self.world)
        assert (run.id, run.state, run.lease_holder) == (run_id, RunState.SUCCEEDED, None), (run.reason, run.detail)
        assert (lake.rows(), len(lake.paths())) == (self.rows, DAYS)
        committed = [group for summary in lake.replaces() for group in summary["packhouse.groups"].split(",")]
        assert len(committed) == len(set(committed)) == DAYS
        live = {path.removeprefix("file://") for path in lake.paths()}
        assert {path for path in lake.stored_files() if run.id in path} == live
        return run


@pytest.fixture
async def deployment(postgres_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[Deployment]:
    folder = tmp_path / "world"
    async with open_world(folder, database_url=postgres_url, redis_url=redis_url, days=DAYS, files=5) as world:
        clock = await MovedClock.of(world.container.database)
        await change_policy(world, ONE_LANE)
        yield Deployment(world, clock, tmp_path, world.lake.rows())


@pytest.mark.parametrize(
    ("point", "on_start"),
    [
        ("told_to_stop", "interrupt"),
        ("before_commit", "drain"),
        ("before_park", "drain"),
        ("after_park", "interrupt"),
    ],
)
async def test_a_worker_that_is_killed_when_a_window_stops_it(
    deployment: Deployment, point: str, on_start: str
) -> None:
    world = deployment.world
    run = await world.submit()
    with deployment.doomed("worker", point, 2) as doomed:
        await seen_when(lambda: deployment.groups(run.id), lambda groups: groups[GroupState.WRITTEN] == 1)
        await seen_when(lambda: deployment.groups(run.id), lambda groups: groups[GroupState.RUNNING] == 1)
        await deployment.set_window(on_start)
        await deployment.dies(doomed)
    await deployment.let_leases_end()
    assert not await world.container.worker.advance(run.id)  # the window holds
    waits = await world.get(run.id)
    assert (waits.state, waits.waiting_for, waits.lease_holder) == (RunState.QUEUED, WaitingFor.BLACKOUT, None)
    await deployment.clock.pass_by(hours=1)
    await deployment.is_sent_again()
    assert (await deployment.ends_well(run.id)).attempt == 2


async def test_a_worker_that_is_killed_where_a_window_ends(deployment: Deployment) -> None:
    world = deployment.world
    await deployment.set_window("drain")
    run = await world.submit()
    with deployment.doomed("worker", "claimed") as doomed:
        await seen_when(lambda: world.get(run.id), lambda seen: seen.waiting_for is WaitingFor.BLACKOUT)
        await deployment.clock.pass_by(hours=1, seconds=1)
        await world.container.coordinator.sweep()
        await deployment.dies(doomed)
    assert (await world.get(run.id)).lease_holder is not None
    await deployment.let_leases_end()
    await deployment.is_sent_again()
    assert (await deployment.ends_well(run.id)).attempt == 2


async def test_a_coordinator_that_is_killed_where_a_window_ends(deployment: Deployment) -> None:
    world = deployment.world
    await deployment.set_window("drain")
    run = await world.submit()
    assert not await world.container.worker.advance(run.id)
    await empty_queue(world)
    with deployment.doomed("coordinator", "seen_ready") as doomed:
        await seen_when(lambda: is_led(world))
        await deployment.clock.pass_by(hours=1, seconds=1)
        await deployment.dies(doomed)
    assert (await world.container.queue.depth()).waiting == 0
    await deployment.is_sent_again()
    assert (await deployment.ends_well(run.id)).attempt == 1


async def test_a_coordinator_that_is_killed_in_the_middle_of_a_review(deployment: Deployment) -> None:
    world = deployment.world
    await deployment.set_window("drain")
    run = await world.submit()
    assert not await world.container.worker.advance(run.id)
    await empty_queue(world)
    await change_policy(world, ONE_LANE)
    with deployment.doomed("coordinator", "let_go") as doomed:
        await deployment.dies(doomed)
    freed = await world.get(run.id)
    assert (freed.state, freed.waiting_for) == (RunState.QUEUED, None)
    assert (await world.container.queue.depth()).waiting == 0
    await deployment.is_sent_again()
    assert (await deployment.ends_well(run.id)).attempt == 1


@pytest.mark.parametrize("point", ["decided", "submitted"])
async def test_a_leader_that_is_killed_between_decision_and_record(deployment: Deployment, point: str) -> None:
    world = deployment.world
    with deployment.doomed("coordinator", point) as doomed:
        await deployment.dies(doomed)
    assert len(await runs_of(world)) == (point == "submitted")
    next_leader = Watching(world, holder="the next")
    assert await next_leader.service.lead() == 0  # the dead one's time is not over
    await deployment.clock.pass_by(seconds=16)
    seen = await next_leader.look()
    assert (seen.verdict, seen.code) in {(Verdict.SUBMITTED, None), (Verdict.HELD, "run_waits")}
    (run,) = await runs_of(world)
    await deployment.is_sent_again()
    assert (await deployment.ends_well(run.id)).attempt == 1
    assert (await next_leader.look(wake=True)).verdict is Verdict.NOT_DUE
    await next_leader.service.close()
    assert not await is_led(world)


async def is_led(world: World) -> bool:
    async with world.container.database.read() as unit:
        return await unit.leadership.is_led("watch")


async def empty_queue(world: World) -> None:
    """Take what was sent with the submission: it is not what wakes anybody afterwards."""
    while (delivery := await world.container.queue.take(block_seconds=0.1)) is not None:
        await world.container.queue.acknowledge(delivery)
    await world.container.coordinator.relay()
    while (delivery := await world.container.queue.take(block_seconds=0.1)) is not None:
        await world.container.queue.acknowledge(delivery)

"""A rewrite slows down and stops while queries are slow, and goes on by itself when they are fast again."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.backoff import FRESH
from engine.domain.ids import TableId
from engine.domain.runs.run import GroupState, RunState, WaitingFor
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.services.operations.tasks import waiting_groups
from engine.services.runs import hold_watch
from tests.support.attempts import content
from tests.support.eventually import until
from tests.support.windows_ahead import Gate, attempt_of, change_policy, go_on
from tests.support.world import World

SLOW: dict[str, Any] = {
    "limits": {"parallel_groups": 1},
    "backoff": {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"},
}


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each group is sent alone, and the heartbeat looks often."""
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    monkeypatch.setattr(hold_watch, "POLICY_SECONDS", 0.0)
    monkeypatch.setattr("engine.services.runs.attempts.LOOK_SECONDS", 0.2)


async def tell(world: World, seconds: float, table_id: TableId | None = None) -> None:
    latency = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=seconds)
    await world.container.signals.send(SYSTEM, table_id, latency)


async def test_slow_queries_stop_a_running_rewrite_until_they_are_fast_again(world: World) -> None:
    await change_policy(world, SLOW)
    gate, rows = Gate(world, 2), content(world)
    run = await world.submit()
    advancing = asyncio.create_task(world.container.worker.advance(run.id))
    await gate.reached.wait()
    for factor in (0.5, 0.25):
        await tell(world, 3.0, world.table_id)
        await until(lambda factor=factor: attempt_of(world).pace_factor == factor)
    assert attempt_of(world).stop_reason is None
    await tell(world, 6.0, world.table_id)
    await advancing
    parked = await world.get(run.id)
    assert (parked.state, parked.waiting_for, parked.failures) == (RunState.QUEUED, WaitingFor.LATENCY_BACKOFF, 0)
    assert parked.not_before is not None
    assert FRESH - timedelta(seconds=30) < parked.not_before - parked.updated_at <= FRESH
    async with world.container.database.read() as unit:
        states = [group.state for group in await unit.groups.list(run.id, limit=1000)]
    assert states.count(GroupState.COMMITTED) == 1
    await tell(world, 1.5, world.table_id)
    assert await world.container.coordinator.review() == 0
    assert not await world.container.worker.advance(run.id)
    await tell(world, 0.5, world.table_id)
    assert await world.container.coordinator.review() == 1
    ended = await go_on(world, run)
    assert (ended.state, ended.attempt, ended.result.rewritten_files) == (RunState.SUCCEEDED, 2, 18)
    assert content(world) == rows


async def test_slow_queries_of_the_fleet_hold_a_run_back_at_its_claim(world: World) -> None:
    await change_policy(world, SLOW)
    await tell(world, 6.0)
    await tell(world, 0.5, world.table_id)
    run = await world.submit()
    assert not await world.container.worker.advance_next()
    held = await world.get(run.id)
    assert (held.waiting_for, held.reason) == (WaitingFor.LATENCY_BACKOFF, "latency_backoff")
    assert held.detail == "the 95th percentile of query times is 6 s; it was above 5s, and runs continue below 1s"
    await tell(world, 0.5)
    assert await world.container.coordinator.review() == 1
    assert await world.container.worker.advance_next()
    assert (await world.get(run.id)).state is RunState.SUCCEEDED


async def test_slow_queries_mean_nothing_without_a_back_off(world: World) -> None:
    await tell(world, 60.0)
    assert (await world.rewrite()).state is RunState.SUCCEEDED

"""Limits of fleet, catalog and table over several runs at once, in virtual time (see `support/paced_runs`)."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from redis.asyncio import Redis

from engine.domain.fleet.limits import CatalogLimits, FleetLimits
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.runs.run import Run
from engine.embedded.redis import EmbeddedRedis
from engine.queue.budgets import SILENCE_SECONDS
from engine.stores.database import Database
from tests.integration.stores.samples import LAKE, a_table, submitted
from tests.support.paced_runs import PacedRuns

MB = 1e6
LIMIT = 100 * MB
FLEET = FleetLimits(parallel_runs=4, bandwidth=int(LIMIT))


@pytest.fixture
async def paced(sqlite_database: Database, redis: Redis) -> PacedRuns:
    """Runs under the limits `FLEET`."""
    paced = PacedRuns(database=sqlite_database, redis=redis)
    await paced.set_limits(FLEET)
    return paced


def assert_held(windows: Sequence[float], limit: float, *, least: float = 0.85) -> None:
    """Check rates over 10 s, of which there must be some."""
    assert windows
    assert max(windows) <= 1.05 * limit
    assert min(windows) >= least * limit


async def test_a_run_ends_although_a_cancel_of_its_pace_was_lost(paced: PacedRuns, monkeypatch: pytest.MonkeyPatch):
    """redis-py swallows a cancel that comes while it connects."""
    run = await paced.hold(await submitted(paced.database), lanes=1)
    entered = asyncio.Event()

    async def deaf() -> None:
        entered.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    monkeypatch.setattr(run.pacing, "reread", deaf)
    async with asyncio.timeout(10), run.pacing.at_work():
        await entered.wait()
        entered.clear()
    assert not entered.is_set()


@pytest.mark.parametrize("tasks", [(4,), (1, 1), (4, 2), (8, 1, 3)])
async def test_runs_at_once_hold_the_limit_of_the_fleet_and_use_it(paced: PacedRuns, tasks: tuple[int, ...]) -> None:
    runs = [await paced.start(await submitted(paced.database), tasks=count) for count in tasks]
    await paced.pass_time(25)
    assert_held(paced.windows(), LIMIT)
    for run in runs:
        assert paced.rate(run) == pytest.approx(LIMIT / len(tasks), rel=0.1)


async def test_runs_that_come_and_go_do_not_move_the_sum(paced: PacedRuns) -> None:
    first = await paced.start(await submitted(paced.database))
    await paced.pass_time(10)
    second = await paced.start(await submitted(paced.database), tasks=2)
    await paced.pass_time(10)
    third = await paced.start(await submitted(paced.database), tasks=1)
    await paced.pass_time(10)
    assert paced.rate(third) == pytest.approx(LIMIT / 3, rel=0.1)
    await paced.end(first)
    await paced.pass_time(10)
    assert paced.rate(second) == pytest.approx(LIMIT / 2, rel=0.1)
    await paced.end(second)
    await paced.pass_time(10)
    assert_held(paced.windows(), LIMIT)
    assert paced.rate(third) == pytest.approx(LIMIT, rel=0.1)


async def test_what_a_table_with_a_small_budget_leaves_goes_to_the_others(paced: PacedRuns) -> None:
    slow, fast = await submitted(paced.database), await submitted(paced.database)
    await set_policy(paced.database, slow, {"limits": {"bandwidth": "5MB"}})
    held, free = await paced.start(slow), await paced.start(fast)
    await paced.pass_time(20)
    assert_held(paced.windows(held), 5 * MB)
    assert paced.rate(free) >= 0.9 * (LIMIT - 5 * MB)
    assert_held(paced.windows(), LIMIT)


async def test_a_share_of_the_available_bandwidth_holds_like_a_bandwidth(paced: PacedRuns) -> None:
    await paced.set_limits(FleetLimits())
    stored = await submitted(paced.database)
    await set_policy(paced.database, stored, {"limits": {"share_percent": 30, "available_bandwidth": "100MB"}})
    await paced.start(stored)
    await paced.pass_time(15)
    assert_held(paced.windows(), 30 * MB)


async def test_a_run_whose_tasks_all_wait_for_spark_leaves_its_share_to_others(paced: PacedRuns) -> None:
    waiting = await paced.hold(await submitted(paced.database), lanes=4)
    busy = await paced.start(await submitted(paced.database))
    await paced.pass_time(20)
    assert paced.rate(busy) >= 0.9 * LIMIT
    for group in range(4):
        await paced.add_task(waiting, group)
    await paced.pass_time(10)
    assert paced.rate(waiting) == pytest.approx(LIMIT / 2, rel=0.1)
    assert_held(paced.windows(since=8), LIMIT)


async def test_what_a_run_can_not_use_for_its_machine_goes_to_others_until_it_can(paced: PacedRuns) -> None:
    bound = await paced.start(await submitted(paced.database), speed=4 * MB)  # 16 MB/s of its 50
    fast = await paced.start(await submitted(paced.database))
    await paced.pass_time(20)
    assert min(paced.windows(bound, since=2)) >= 0.98 * 16 * MB
    assert paced.rate(fast) >= 0.9 * (0.98 * LIMIT - 20 * MB)
    for task in bound.tasks:
        task.speed = 400 * MB
    await paced.pass_time(6)
    assert paced.rate(bound) == pytest.approx(LIMIT / 2, rel=0.1)
    assert paced.rate(fast) == pytest.approx(LIMIT / 2, rel=0.1)
    await paced.pass_time(10)
    assert max(paced.windows()) <= 1.05 * LIMIT
    assert_held(paced.windows(since=13), LIMIT)


async def test_runs_that_are_held_up_now_and_then_never_move_more_than_the_limit(paced: PacedRuns) -> None:
    runs = [await paced.start(await submitted(paced.database), tasks=tasks) for tasks in (1, 2, 4)]
    random = Random(5)
    for _ in range(12):
        for run in runs:
            for task in run.tasks:
                task.speed = random.choice([0, 1, 5, 20, 100, 400]) * MB
        await paced.pass_time(random.choice([2, 5, 8]))
    assert max(paced.windows()) <= 1.05 * LIMIT


async def test_the_share_of_a_holder_that_died_is_dealt_again_once_its_tasks_have_slowed_down(paced: PacedRuns):
    dead, alive = [await paced.start(await submitted(paced.database)) for _ in range(2)]
    await paced.pass_time(15)
    dead.is_held = False
    await paced.pass_time(SILENCE_SECONDS + 3)
    assert paced.rate(dead, seconds=1) <= 0.02 * LIMIT
    assert paced.rate(alive, seconds=1) >= 0.9 * LIMIT
    await paced.pass_time(10)
    assert max(paced.windows()) <= 1.05 * LIMIT


async def test_a_later_attempt_takes_the_place_of_the_stale_one(paced: PacedRuns) -> None:
    stored = await submitted(paced.database)
    other, stale = await paced.start(await submitted(paced.database)), await paced.start(stored)
    await paced.pass_time(12)
    fresh = await paced.start(stored, number=2)
    await paced.pass_time(15)
    assert all(task.is_stopped for task in stale.tasks)
    for run in (other, fresh):
        assert paced.rate(run) == pytest.approx(LIMIT / 2, rel=0.1)
    assert_held(paced.windows(), LIMIT)


@pytest.mark.parametrize("factor", [0.3, 2.0])
async def test_a_change_of_the_limit_reaches_runs_at_work(paced: PacedRuns, factor: float) -> None:
    for _ in range(2):
        await paced.start(await submitted(paced.database))
    await paced.pass_time(15)
    await paced.set_limits(FleetLimits(parallel_runs=4, bandwidth=int(LIMIT * factor)))
    await paced.pass_time(4)
    assert paced.rate(seconds=0.5) == pytest.approx(LIMIT * factor, rel=0.1)
    await paced.pass_time(15)
    assert_held(paced.windows(since=19), LIMIT * factor)


async def test_a_change_of_the_policy_reaches_a_run_at_work(paced: PacedRuns) -> None:
    await paced.set_limits(FleetLimits())
    stored = await submitted(paced.database)
    await paced.start(stored)
    await paced.pass_time(2)
    await set_policy(paced.database, stored, {"limits": {"bandwidth": "20MB"}})
    await paced.pass_time(14)
    assert_held(paced.windows(since=6), 20 * MB)


async def test_a_catalog_holds_its_own_limit_below_that_of_the_fleet(paced: PacedRuns) -> None:
    archive = {"lake": CatalogLimits(bandwidth=int(30 * MB))}
    await paced.set_limits(FleetLimits(parallel_runs=4, bandwidth=int(LIMIT), catalogs=archive))
    lake = [await paced.start(await submitted(paced.database)) for _ in range(2)]
    other = await paced.start(await in_catalog(paced.database, "archive"))
    await paced.pass_time(25)
    assert_held(paced.windows(*lake, since=5), 30 * MB)
    assert_held(paced.windows(since=5), LIMIT)
    assert paced.rate(other) == pytest.approx(LIMIT - 30 * MB, rel=0.1)
    assert paced.rate(lake[0]) == pytest.approx(paced.rate(lake[1]), rel=0.1)


async def test_a_catalog_is_limited_in_a_fleet_without_limits(paced: PacedRuns) -> None:
    await paced.set_limits(FleetLimits(parallel_runs=4, catalogs={"lake": CatalogLimits(bandwidth=int(LIMIT))}))
    lake = [await paced.start(await submitted(paced.database)) for _ in range(2)]
    other = await paced.start(await in_catalog(paced.database, "archive"), tasks=1)
    await paced.pass_time(20)
    assert_held(paced.windows(*lake), LIMIT)
    assert paced.rate(other) >= 3 * LIMIT


async def test_requests_are_held_at_all_three_levels(paced: PacedRuns) -> None:
    catalogs = {"lake": CatalogLimits(requests=40)}
    await paced.set_limits(FleetLimits(parallel_runs=4, requests=100, catalogs=catalogs))
    stored = [await submitted(paced.database), await submitted(paced.database)]
    await set_policy(paced.database, stored[0], {"limits": {"requests": 10}})
    runs = [await paced.start(each) for each in stored]
    runs.append(await paced.start(await in_catalog(paced.database, "archive")))
    await paced.pass_time(12)
    held = [(await paced.ledger.progress(run.attempt.run.id)).held.requests_per_second for run in runs]
    assert held == [pytest.approx(rate, rel=0.07) for rate in (10, 30, 60)]


async def test_a_slow_down_halves_the_budget_of_a_table_and_gives_the_rest_to_others(paced: PacedRuns) -> None:
    slowed, other = [await paced.start(await submitted(paced.database)) for _ in range(2)]
    await paced.pass_time(12)
    slowed.attempt.pace_factor = 0.5
    await paced.pass_time(12)
    assert paced.rate(slowed) == pytest.approx(LIMIT / 4, rel=0.1)
    assert paced.rate(other) == pytest.approx(LIMIT * 3 / 4, rel=0.1)
    slowed.attempt.pace_factor = 1.0
    await paced.pass_time(6)
    assert paced.rate(slowed) == pytest.approx(LIMIT / 2, rel=0.1)


async def test_a_slow_down_of_a_run_without_any_limit_is_of_its_measured_rate(paced: PacedRuns) -> None:
    await paced.set_limits(FleetLimits())
    run = await paced.start(await submitted(paced.database), tasks=2, speed=50 * MB)
    await paced.pass_time(12)
    run.attempt.pace_factor = 0.5
    await paced.pass_time(12)
    assert paced.rate(run) == pytest.approx(50 * MB, rel=0.12)


async def test_without_redis_every_task_keeps_to_its_fixed_share_and_comes_back(
    sqlite_database: Database, mortal_redis: EmbeddedRedis, mortal_client: Redis
) -> None:
    paced = PacedRuns(database=sqlite_database, redis=mortal_client)
    await paced.set_limits(FLEET)
    for tasks in (2, 1):
        await paced.start(await submitted(paced.database), tasks=tasks)
    await paced.pass_time(12)
    mortal_redis.kill()
    await paced.pass_time(12)
    assert paced.rate() == pytest.approx(2 * LIMIT / FLEET.parallel_runs, rel=0.05)  # type: ignore[operator]
    mortal_redis.start()
    await paced.pass_time(15)
    assert max(paced.windows()) <= 1.05 * LIMIT
    assert_held(paced.windows(since=28), LIMIT)


@pytest.mark.parametrize("tasks", [(1, 1), (3, 2, 1)])
async def test_a_redis_that_lost_everything_breaks_no_limit(paced: PacedRuns, redis: Redis, tasks: tuple[int, ...]):
    for count in tasks:
        await paced.start(await submitted(paced.database), tasks=count)
    await paced.pass_time(15)
    await redis.flushall()
    await paced.pass_time(15)
    assert_held(paced.windows(), LIMIT)


async def set_policy(database: Database, run: Run, document: dict[str, object]) -> None:
    """Give a run's table a policy of its own."""
    read = PolicyDocument.model_validate(document)
    async with database.begin() as unit:
        scope = PolicyScope(PolicyScopeKind.TABLE, table_id=run.table_id)
        await unit.policies.insert(run.table_id, scope, read, "test")


async def in_catalog(database: Database, name: str) -> Run:
    """Return a run on a table of another catalog, which is made."""
    table = a_table(catalog=name)
    async with database.begin() as unit:
        await unit.catalogs.insert(replace(LAKE, name=name))
        await unit.tables.insert(table)
    return await submitted(database, table.id, catalog=name)

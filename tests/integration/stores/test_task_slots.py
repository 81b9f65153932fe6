"""Slots under the fleet's limit of rewrite tasks: never more than the limit, and free when their holder is gone."""

import asyncio
from collections.abc import Sequence

import pytest

from engine.domain.errors import LeaseLost
from engine.domain.fleet.limits import FleetLimits
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Operation, RunState
from engine.stores.database import Database
from engine.stores.runs.task_slots import SILENCE_SECONDS, STOP_SECONDS
from tests.integration.stores.samples import claimed, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase


async def limit(database: Database, parallel_groups: int | None) -> None:
    async with database.begin() as unit:
        version = (await unit.fleet.get()).version
        await unit.fleet.replace_limits(FleetLimits(parallel_groups=parallel_groups), by="admin", version=version)


async def granted(database: Stores, leases: Sequence[Lease], held: int = 0) -> list[int]:
    """Return what each of the runs gets when all ask one after the other."""
    return [await database.task_slots.request(lease, held, 1) for lease in leases]


async def age(fresh: FreshDatabase, database: Stores, column: str, seconds: float) -> None:
    """Let so many seconds pass since an instant that is stored in all rows."""
    table, at = column.split(".")
    before = (await database.now()).timestamp() - seconds
    text = f"strftime('%Y-%m-%dT%H:%M:%f000Z', {before}, 'unixepoch')"
    fresh.execute(f"UPDATE {table} SET {at} = {text if fresh.dialect == 'sqlite' else f'to_timestamp({before})'}")


async def test_as_many_rewrites_are_claimed_as_there_may_be_tasks_and_other_operations_all_the_same(
    database: Stores,
) -> None:
    rewrites = [await submitted(database) for _ in range(4)]
    expiry = await submitted(database, operation=Operation.EXPIRE_SNAPSHOTS)
    await limit(database, 2)
    assert [run.id for run in await database.runs.list_ready(10)] == [rewrites[0].id, expiry.id, rewrites[1].id]
    for run in rewrites[:2]:
        assert await database.runs.claim(run.id, "worker", 60)
    assert [run.id for run in await database.runs.list_ready(10)] == [expiry.id]
    assert await database.runs.claim(rewrites[2].id, "worker", 60) is None
    assert await database.runs.claim(expiry.id, "worker", 60)
    await limit(database, 3)
    assert [run.id for run in await database.runs.list_ready(10)] == [rewrites[2].id]


async def test_concurrent_requests_never_pass_the_limit(fresh_database: FreshDatabase) -> None:
    databases = [fresh_database.connect() for _ in range(3)]
    leases = [await claimed(databases[0]) for _ in range(3)]
    await limit(databases[0], 4)
    held = [0] * 3

    async def take(at: int) -> None:
        for _ in range(6):
            async with databases[at].begin() as unit:
                held[at] += await unit.task_slots.request(leases[at], held[at], 1)

    await asyncio.gather(*map(take, range(3)))
    assert sum(held) == 4
    async with databases[0].read() as unit:
        assert await unit.task_slots.in_use() == 4


async def test_without_the_limit_all_get_what_they_ask_for_and_a_lowered_one_waits_for_the_end_of_tasks(
    database: Stores,
) -> None:
    leases = [await claimed(database) for _ in range(2)]
    assert await granted(database, leases, held=3) == [1, 1]
    await limit(database, 5)
    assert await granted(database, leases, held=4) == [0, 0]
    await database.task_slots.mark_held(leases[0].run_id, leases[0].token, 0)
    assert await granted(database, leases[1:], held=4) == [1]


async def test_a_run_that_waits_gets_the_next_slot_before_one_that_holds_more(
    fresh_database: FreshDatabase, database: Stores
) -> None:
    first, second = [await claimed(database) for _ in range(2)]
    await limit(database, 2)
    assert await database.task_slots.request(first, 0, 1) == 1
    assert await database.task_slots.request(first, 1, 1) == 1
    assert await granted(database, [second]) == [0]
    await database.task_slots.mark_held(first.run_id, first.token, 1)
    assert await granted(database, [first], held=1) == [0]
    await age(fresh_database, database, "task_slots.seen_at", SILENCE_SECONDS + 1)  # its worker is gone
    assert await granted(database, [first], held=1) == [1]


async def test_a_run_that_gave_up_a_slot_waits_behind_one_that_waits_already(database: Stores) -> None:
    first, second = [await claimed(database) for _ in range(2)]
    await limit(database, 1)
    assert await granted(database, [first, second]) == [1, 0]
    assert await granted(database, [first], held=1) == [0]  # it waits for another one
    assert await granted(database, [first], held=0) == [0]  # its task has ended
    assert await granted(database, [second]) == [1]


async def test_the_slots_of_a_dead_worker_are_free_once_its_lease_and_its_tasks_are_gone(
    fresh_database: FreshDatabase, database: Stores
) -> None:
    dead, alive = await claimed(database), await claimed(database)
    await limit(database, 2)
    for held in range(2):
        assert await database.task_slots.request(dead, held, 1) == 1
    fresh_database.execute("UPDATE runs SET lease_expires_at = created_at WHERE id = :id", id=dead.run_id)
    assert await granted(database, [alive]) == [0]
    await database.runs.reap(10)
    assert await granted(database, [alive]) == [0]
    await age(fresh_database, database, "runs.updated_at", STOP_SECONDS + 1)
    assert await granted(database, [alive]) == [1]
    with pytest.raises(LeaseLost):
        await database.task_slots.request(dead, 2, 1)


async def test_a_stale_attempt_does_not_change_the_slots_of_a_later_one(database: Stores) -> None:
    run = await submitted(database)
    stale = await claimed(database, run.id)
    await database.runs.transition(stale, to=RunState.REWRITING)
    await limit(database, 4)
    assert await database.task_slots.request(stale, 0, 1) == 1
    await database.task_slots.mark_held(run.id, stale.token + 1, 3)
    await database.task_slots.mark_held(run.id, stale.token, 0)
    assert await granted(database, [await claimed(database)]) == [1]
    assert await granted(database, [await claimed(database)]) == [0]

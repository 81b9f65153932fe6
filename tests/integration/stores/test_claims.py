"""Exactly one holder at a time: for a run, and for a table across all of its runs."""

import asyncio
import os
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.ids import RunId
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Run, RunState, WaitingFor
from tests.integration.stores.samples import claimed, registered, submitted
from tests.integration.stores.stores import FreshStores, Stores
from tests.support.databases import FreshDatabase

_ROUNDS = 20 if os.environ.get("PACKHOUSE_DEEP") else 6


async def _claim(database: Stores, run_id: RunId, holder: str) -> tuple[Run, Lease] | None:
    return await database.runs.claim(run_id, holder, 60)


async def test_a_claim_starts_an_attempt_under_a_lease_by_the_clock_of_the_database(database: Stores) -> None:
    run = await submitted(database)
    stored, lease = await database.runs.claim(run.id, "worker-1", 30.5)
    assert (stored.state, stored.attempt, stored.lease_holder) == (RunState.PLANNING, 1, "worker-1")
    assert (lease.run_id, lease.holder, lease.token) == (run.id, "worker-1", 1)
    assert stored.started_at is not None
    assert lease.expires_at == stored.lease_expires_at
    assert timedelta(seconds=28) < lease.expires_at - await database.now() <= timedelta(seconds=30.5)


async def test_neither_a_claimed_nor_an_unknown_run_is_claimed(database: Stores) -> None:
    lease = await claimed(database)
    assert await _claim(database, lease.run_id, "worker-2") is None
    assert await _claim(database, RunId("run_unknown"), "worker-1") is None


@pytest.mark.parametrize("holder", ["worker-1", "worker-2"])
async def test_an_expired_lease_must_be_reaped_before_the_next_attempt_which_keeps_the_start(
    database: Stores, holder: str
) -> None:
    lease = await claimed(database, ttl_seconds=-1)
    first = await database.runs.get(lease.run_id)
    assert await _claim(database, lease.run_id, holder) is None
    await database.runs.reap(10)
    second, again = await _claim(database, lease.run_id, holder)
    assert (again.token, lease.token) == (2, 1)
    assert second.started_at == first.started_at is not None


async def test_a_parked_run_is_claimed_once_its_time_has_come(database: Stores) -> None:
    now = await database.now()
    park: dict[str, Any] = {"waiting_for": WaitingFor.RETRY, "reason": "spark", "detail": "away", "failed": True}
    waiting, due = [await claimed(database) for _ in range(2)]
    await database.runs.park(waiting, not_before=now + timedelta(seconds=60), **park)
    await database.runs.park(due, not_before=now - timedelta(seconds=1), **park)
    assert await _claim(database, waiting.run_id, "worker-1") is None
    run, _ = await _claim(database, due.run_id, "worker-1")
    assert (run.waiting_for, run.not_before, run.reason, run.detail) == (None, None, None, None)


async def test_one_of_two_racing_claims_of_a_run_wins(fresh_database: FreshDatabase) -> None:
    first, second = fresh_database.connect(), fresh_database.connect()
    table = await registered(first)
    for _ in range(_ROUNDS):
        run = await submitted(first, table.id)
        claims = await asyncio.gather(_claim(first, run.id, "worker-1"), _claim(second, run.id, "worker-2"))
        (winner,) = (claim for claim in claims if claim is not None)
        async with first.begin() as work:
            assert [event.kind for event in await work.events.list(run.id)] == ["submitted", "claimed"]
            await work.runs.transition(winner[1], to=RunState.FAILED)


async def _two_operations(fresh: FreshDatabase, database: Stores) -> tuple[Run, Run]:
    """Store two queued runs of one table; one operation is renamed, because there is only one yet."""
    table = await registered(database)
    other = await submitted(database, table.id)
    fresh.execute(f"UPDATE runs SET operation = 'other' WHERE id = '{other.id}'")
    return other, await submitted(database, table.id)


async def test_a_table_that_another_run_holds_is_not_claimed(database: Stores, fresh_database: FreshDatabase) -> None:
    """P2, F17: a second run of the table waits, whatever the operations: nothing is cleaned up under a rewrite."""
    other, run = await _two_operations(fresh_database, database)
    held = "state = 'planning', attempt = 1, started_at = created_at, lease_holder = 'w', lease_expires_at = created_at"
    fresh_database.execute(f"UPDATE runs SET {held} WHERE id = '{other.id}'")
    assert await _claim(database, run.id, "worker-1") is None


async def test_a_hold_that_is_not_yet_visible_keeps_the_table(postgres_url: str) -> None:
    fresh = FreshStores(url=postgres_url)
    first, second = fresh.connect(), fresh.connect()
    one, run = await _two_operations(fresh, first)
    fresh.execute(f"UPDATE runs SET operation = 'rewrite_other' WHERE id = '{run.id}'")
    fresh.execute(f"UPDATE runs SET operation = 'rewrite' WHERE id = '{one.id}'")
    async with first.begin() as work:
        assert await work.runs.claim(one.id, "worker-1", 60) is not None
        rival = asyncio.create_task(_claim(second, run.id, "worker-2"))
        await _until_blocked(fresh)
    assert await rival is None
    await fresh.close()


async def _until_blocked(fresh: FreshDatabase) -> None:
    """Return once a session waits for another one's row."""
    async with asyncio.timeout(10):
        while not await asyncio.to_thread(fresh.execute, "SELECT 1 FROM pg_locks WHERE NOT granted"):
            pass


async def test_the_transaction_goes_on_after_a_lost_claim(database: Stores) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        assert await work.runs.claim(lease.run_id, "worker-2", 60) is None
        assert (await work.runs.metrics())[RunState.PLANNING] == 1

"""Exactly one holder at a time: for a run, and for a table across all of its runs."""

import asyncio
from datetime import timedelta

import pytest

from engine.domain.ids import RunId
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.stores.database import Database
from tests.integration.stores.samples import claimed, registered, submitted
from tests.support.databases import FreshDatabase

_ROUNDS = 20


async def _claim(database: Database, run_id: RunId, holder: str) -> tuple[Run, Lease] | None:
    async with database.begin() as work:
        return await work.runs.claim(run_id, holder, 60)


async def test_a_claim_starts_an_attempt_under_a_lease(database: Database) -> None:
    run = await submitted(database)
    claim = await _claim(database, run.id, "worker-1")
    assert claim is not None
    stored, lease = claim
    assert (stored.state, stored.attempt, stored.lease_holder) == (RunState.PLANNING, 1, "worker-1")
    assert (lease.run_id, lease.holder, lease.token) == (run.id, "worker-1", 1)
    assert stored.started_at is not None
    assert lease.expires_at == stored.lease_expires_at


async def test_a_lease_expires_by_the_clock_of_the_database(database: Database) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        claim = await work.runs.claim(run.id, "worker-1", 30.5)
        now = await work.now()
    assert claim is not None
    assert timedelta(seconds=29) < claim[1].expires_at - now <= timedelta(seconds=30.5)


async def test_a_claimed_run_is_not_claimed_again(database: Database) -> None:
    lease = await claimed(database)
    assert await _claim(database, lease.run_id, "worker-2") is None


async def test_an_expired_lease_must_be_reaped_before_the_next_claim(database: Database) -> None:
    lease = await claimed(database, ttl_seconds=-1)
    assert await _claim(database, lease.run_id, "worker-2") is None
    async with database.begin() as work:
        await work.runs.reap(10)
    claim = await _claim(database, lease.run_id, "worker-2")
    assert claim is not None
    assert claim[1].token == 2


async def test_an_unknown_run_is_not_claimed(database: Database) -> None:
    assert await _claim(database, RunId("run_unknown"), "worker-1") is None


async def _parked(database: Database, *, seconds: float) -> RunId:
    """Store a run that waits until so many seconds from now."""
    lease = await claimed(database)
    async with database.begin() as work:
        until = await work.now() + timedelta(seconds=seconds)
        await work.runs.park(
            lease, waiting_for=WaitingFor.RETRY, not_before=until, reason="spark", detail="away", failed=True
        )
    return lease.run_id


async def test_a_parked_run_is_not_claimed_before_its_time(database: Database) -> None:
    run_id = await _parked(database, seconds=60)
    assert await _claim(database, run_id, "worker-1") is None


async def test_a_parked_run_is_claimed_once_its_time_has_come(database: Database) -> None:
    run_id = await _parked(database, seconds=-1)
    claim = await _claim(database, run_id, "worker-1")
    assert claim is not None
    assert (claim[0].waiting_for, claim[0].not_before, claim[0].reason, claim[0].detail) == (None, None, None, None)


async def test_the_start_is_that_of_the_first_attempt(database: Database) -> None:
    lease = await claimed(database, ttl_seconds=-1)
    async with database.begin() as work:
        first = await work.runs.get(lease.run_id)
        await work.runs.reap(10)
        second = await work.runs.claim(lease.run_id, "worker-2", 60)
    assert first is not None
    assert second is not None
    assert second[0].started_at == first.started_at


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


async def _two_operations(fresh: FreshDatabase, database: Database) -> tuple[Run, Run]:
    """Store two queued runs of one table; one operation is renamed, because there is only one yet."""
    table = await registered(database)
    other = await submitted(database, table.id)
    fresh.execute(f"UPDATE runs SET operation = 'other' WHERE id = '{other.id}'")
    return other, await submitted(database, table.id)


async def test_a_table_that_another_run_holds_is_not_claimed(fresh_database: FreshDatabase) -> None:
    """P2: a second run of the table waits."""
    database = fresh_database.connect()
    other, run = await _two_operations(fresh_database, database)
    held = "state = 'planning', attempt = 1, started_at = created_at, lease_holder = 'w', lease_expires_at = created_at"
    fresh_database.execute(f"UPDATE runs SET {held} WHERE id = '{other.id}'")
    assert await _claim(database, run.id, "worker-1") is None


async def test_a_hold_that_is_not_yet_visible_keeps_the_table(postgres_url: str) -> None:
    fresh = FreshDatabase(url=postgres_url)
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


async def test_the_transaction_goes_on_after_a_lost_claim(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    lease = await claimed(database)
    async with database.begin() as work:
        assert await work.runs.claim(lease.run_id, "worker-2", 60) is None
        assert (await work.runs.metrics())[RunState.PLANNING] == 1


@pytest.mark.parametrize("rival_holder", ["worker-1", "worker-2"])
async def test_a_claim_by_the_same_holder_is_another_attempt(database: Database, rival_holder: str) -> None:
    lease = await claimed(database, ttl_seconds=-1)
    async with database.begin() as work:
        await work.runs.reap(10)
        claim = await work.runs.claim(lease.run_id, rival_holder, 60)
    assert claim is not None
    assert claim[1].token == lease.token + 1

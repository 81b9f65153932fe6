"""Claims by many at once: what they cost, and what they may not take."""

import asyncio

from redis.asyncio import Redis

from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.runs.run import Operation, RunState
from engine.metrics import WorkMetrics
from engine.queue.hints import Hints
from engine.queue.streams import RunQueue
from engine.services.runs.claims import ClaimService
from engine.services.runs.wakes import Wakes
from engine.services.tables.pauses import PauseService
from engine.stores.database import Database
from tests.integration.stores.samples import submitted
from tests.integration.stores.test_breakers import end, open_breaker, time_is_over
from tests.support.databases import FreshDatabase

SLOTS = 24


async def state_of(database: Database, run_id: object) -> RunState:
    async with database.read() as unit:
        run = await unit.runs.get(run_id)  # type: ignore[arg-type]
    return run.state


async def test_of_many_slots_that_look_at_once_few_lose(fresh_database: FreshDatabase) -> None:
    database, metrics = fresh_database.connect(), WorkMetrics()
    runs = {(await submitted(database)).id for _ in range(SLOTS)}
    processes = [
        ClaimService(
            database=fresh_database.connect(),
            operations=Operation,
            holder=f"w{number}",
            lease_seconds=60,
            metrics=metrics,
        )
        for number in range(4)
    ]
    found = await asyncio.gather(*(processes[slot % 4].claim_next() for slot in range(SLOTS)))
    assert {claimed[0].id for claimed in found if claimed is not None} == runs
    # one after the other would lose up to SLOTS² / 2
    assert metrics.claims.labels("lost")._value.get() <= 1.5 * SLOTS


async def test_whoever_loses_the_first_takes_the_next_in_turn(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    first, second, third = [await submitted(database) for _ in range(3)]
    async with database.begin() as unit:
        assert await unit.runs.claim(first.id, "other", 60) is not None
        claimed = await unit.runs.claim_first([first.id, second.id, third.id], "w", 60)
    assert claimed[0].id == second.id
    async with database.begin() as unit:
        assert await unit.runs.claim_first([first.id, second.id], "w", 60) is None
        assert await unit.runs.claim_first([], "w", 60) is None


async def test_a_claim_that_a_breaker_undoes_is_none(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    await open_breaker(database)
    time_is_over(fresh_database)
    probe, other = [await submitted(database, requested_by=COORDINATOR.subject) for _ in range(2)]
    service = ClaimService(database=database, operations=Operation, holder="w", lease_seconds=60)
    assert await service._claim([probe.id]) is not None
    assert await service._claim([other.id]) is None
    assert await state_of(database, other.id) is RunState.QUEUED


async def test_a_resume_of_a_catalog_and_a_claim_in_it_do_not_wait_for_one_another(
    fresh_database: FreshDatabase, redis: Redis
) -> None:
    first, second = fresh_database.connect(), fresh_database.connect()
    tables = await open_breaker(first)
    pauses = PauseService(
        database=second, wakes=Wakes(queue=RunQueue(redis=redis, consumer="c"), hints=Hints(redis=redis))
    )
    service = ClaimService(database=first, operations=Operation, holder="w", lease_seconds=60)
    for _ in range(10):
        for table_id in tables:
            await end(first, table_id)
        time_is_over(fresh_database)
        run = await submitted(first, requested_by=COORDINATOR.subject)
        await asyncio.gather(service._claim([run.id]), pauses.resume_catalog(SYSTEM, "lake"))

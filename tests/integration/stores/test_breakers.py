"""Breakers of catalogs in the record: what ends count, who is let through, and what happens at the same instant."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from engine.domain.fleet.breakers import Breaker, Fault
from engine.domain.ids import TableId
from engine.domain.runs.run import RunState, WaitingFor
from engine.domain.tables.watches import Verdict
from engine.stores.watching.leadership import WATCH
from tests.integration.stores.samples import claimed, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase


async def end(database: Stores, table_id: TableId, to: RunState = RunState.FAILED, fault: Fault = Fault.STORE) -> None:
    """Let a run of the table end."""
    lease = await claimed(database, (await submitted(database, table_id)).id)
    async with database.begin() as work:
        for state in (RunState.REWRITING,) if to is RunState.SUCCEEDED else ():
            await work.runs.transition(lease, to=state)
        await work.runs.transition(lease, to=to, reason="gave_up", detail="the storage refuses", fault=fault)


async def breaker(database: Stores) -> Breaker | None:
    return await database.breakers.get("lake")


async def open_breaker(database: Stores) -> list[TableId]:
    """Let runs of three tables fail; return the tables."""
    tables = [(await registered(database, name)).id for name in ("a", "b", "c")]
    for table_id in tables:
        await end(database, table_id)
    return tables


async def let_through(database: Stores) -> bool:
    return await database.breakers.let_through("lake")


def time_is_over(fresh_database: FreshDatabase) -> None:
    fresh_database.execute("UPDATE breakers SET open_until = failed_at, probe_until = NULL")


async def test_failures_of_three_tables_open_it_and_a_success_closes_it(database: Stores):
    tables = await open_breaker(database)
    found = await breaker(database)
    assert (set(found.failed_tables), found.times_open, found.reason) == (set(tables), 1, "gave_up")
    assert not await let_through(database)
    await end(database, tables[0], RunState.SUCCEEDED)
    assert await breaker(database) is None
    assert await let_through(database)


async def test_a_success_lets_the_tables_that_it_held_be_looked_at_at_once(database: Stores):
    first, held, other = await open_breaker(database)
    token = await database.leadership.lead(WATCH, "a", 60)
    assert token is not None
    later = await database.now() + timedelta(minutes=30)
    for table_id, code in ((first, "run_at_work"), (held, "catalog_fails"), (other, "table_paused")):
        seen = await database.watches.get(table_id)
        assert seen is not None
        after = replace(seen, verdict=Verdict.HELD, code=code, next_at=later, reconsider_at=later)
        assert await database.watches.settle(token, [(seen, after)]) == 1
    await end(database, first, RunState.SUCCEEDED, "committed")
    due = await database.watches.list_due(await database.now() + timedelta(seconds=5), 10)
    assert {each.watch.table_id for each in due} == {first, held}


async def test_a_success_between_failures_keeps_it_closed(database: Stores):
    tables = [(await registered(database, name)).id for name in ("a", "b", "c")]
    await end(database, tables[0])
    await end(database, tables[1])
    await end(database, tables[2], RunState.SUCCEEDED)
    await end(database, tables[2])
    found = await breaker(database)
    assert (found.times_open, len(found.failed_tables)) == (0, 1)
    assert await let_through(database)


async def test_neither_faults_of_tables_nor_failed_attempts_alone_count(database: Stores):
    for name in ("a", "b", "c", "d"):
        table = await registered(database, name)
        await end(database, table.id, fault=Fault.OTHER)
        await fail_attempt(database, table.id)
    assert await breaker(database) is None


async def test_of_many_that_ask_at_once_one_is_let_through(database: Stores, fresh_database: FreshDatabase):
    await open_breaker(database)
    time_is_over(fresh_database)
    asked = await asyncio.gather(*(let_through(fresh_database.connect()) for _ in range(8)))
    assert sorted(asked) == [False] * 7 + [True]
    assert not await let_through(database)


async def test_a_probe_that_fails_opens_it_for_longer(database: Stores, fresh_database: FreshDatabase):
    tables = await open_breaker(database)
    time_is_over(fresh_database)
    assert await let_through(database)
    await end(database, tables[0])
    found = await breaker(database)
    assert found.open_until is not None
    assert (found.times_open, found.probe_until) == (2, None)
    assert (found.open_until - found.failed_at).total_seconds() == 120


async def test_a_probe_whose_attempt_fails_is_answer_enough(database: Stores, fresh_database: FreshDatabase):
    tables = await open_breaker(database)
    time_is_over(fresh_database)
    assert await let_through(database)
    await fail_attempt(database, tables[1])
    found = await breaker(database)
    assert (found.times_open, found.probe_until) == (2, None)
    await fail_attempt(database, tables[2])  # while it is open it tells nothing new
    found = await breaker(database)
    assert found.times_open == 2


async def fail_attempt(database: Stores, table_id: TableId, fault: Fault = Fault.STORE) -> None:
    """Let an attempt of a new run fail, so that the run waits to be tried again."""
    lease = await claimed(database, (await submitted(database, table_id)).id)
    park = {"waiting_for": WaitingFor.RETRY, "not_before": None, "reason": "retry", "detail": "no answer"}
    await database.runs.park(lease, **park, failed=True, fault=fault)


async def test_a_probe_that_tells_nothing_makes_room_for_the_next(database: Stores, fresh_database: FreshDatabase):
    tables = await open_breaker(database)
    time_is_over(fresh_database)
    assert await let_through(database)
    await end(database, tables[0], RunState.SKIPPED)
    assert await let_through(database)
    await fail_attempt(database, tables[1], Fault.OTHER)
    assert await let_through(database)
    found = await breaker(database)
    assert found.times_open == 1


async def test_first_failures_at_the_same_instant_are_all_counted(database: Stores, fresh_database: FreshDatabase):
    tables = [(await registered(database, name)).id for name in ("a", "b", "c", "d")]
    await asyncio.gather(*(end(fresh_database.connect(), table_id) for table_id in tables))
    found = await breaker(database)
    assert (len(found.failed_tables), found.times_open) == (3, 1)


async def test_only_open_breakers_are_listed_and_they_go_with_their_catalog(
    database: Stores, fresh_database: FreshDatabase
):
    await end(database, (table := await registered(database)).id)
    assert await database.breakers.list_open() == []
    tables = await open_breaker(database)
    assert [each.catalog for each in await database.breakers.list_open()] == ["lake"]
    for table_id in (table.id, *tables):
        await database.tables.delete(table_id)
    await database.catalogs.delete("lake", 1)
    assert fresh_database.execute("SELECT COUNT(*) FROM breakers") == [(0,)]

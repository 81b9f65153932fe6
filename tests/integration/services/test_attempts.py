"""What an attempt knows of its run is what the database has: a write whose transaction failed leaves no trace."""

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.clock import SystemClock
from engine.domain.errors import Away, LeaseLost, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.queue.hints import Hints
from engine.services.runs.attempts import Attempt
from engine.stores.database import Database
from tests.integration.stores.samples import claimed, submitted

Write = Callable[[Attempt], Awaitable[Any]]

WRITES: dict[str, Write] = {
    "transition": lambda attempt: attempt.transition(RunState.REWRITING),
    "record": lambda attempt: attempt.record(
        "commit_sent", {"groups": [1]}, intent=attempt.run.intent.marked_sent([1])
    ),
    "park": lambda attempt: attempt.park(
        waiting_for=WaitingFor.RETRY, not_before=datetime.now(UTC), reason="conflict", detail="again", failed=True
    ),
    "outage": lambda attempt: attempt.park_on_outage(Away(DependencyKind.SPARK, "it does not answer")),
}


async def begun(database: Database, redis: Redis) -> Attempt:
    run = await submitted(database)
    lease = await claimed(database, run.id)
    return Attempt(
        database=database,
        hints=Hints(redis=redis),
        clock=SystemClock(),
        run=await stored(database, run),
        lease=lease,
        lease_seconds=60,
    )


async def stored(database: Database, run: Run) -> Run:
    async with database.read() as unit:
        found = await unit.runs.get(run.id)
    assert found is not None
    return found


async def is_frozen(database: Database, run: Run) -> bool:
    async with database.read() as unit:
        table = await unit.tables.get(run.table_id)
    return table.freeze is not None


def lose_commits(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roll back each write transaction after its last statement, as a connection that is cut before the commit."""
    begin = database.begin

    @asynccontextmanager
    async def cut() -> Any:
        async with begin() as unit:
            yield unit
            raise Transient("the connection was cut")

    monkeypatch.setattr(database, "begin", cut)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
async def test_a_write_that_did_not_commit_does_not_change_the_run(
    database: Database, redis: Redis, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    attempt = await begun(database, redis)
    before, lease = attempt.run, attempt.lease
    with monkeypatch.context() as patch:
        lose_commits(database, patch)
        with pytest.raises(Transient):
            await write(attempt)
        with pytest.raises(Transient):
            await attempt.check()
    assert attempt.run == before == await stored(database, before)
    assert attempt.lease == lease
    await write(attempt)
    assert attempt.run != before
    assert attempt.run == await stored(database, before)


async def test_an_event_is_recorded_with_all_writes_of_its_body_or_none(database: Database, redis: Redis) -> None:
    attempt = await begun(database, redis)
    before = attempt.run

    async def freeze_and_fail() -> None:
        async with attempt.recording("frozen", {}, intent=before.intent.marked_sent([1])) as unit:
            await unit.freezes.freeze(before.table_id, by=before.id, snapshot_id=1, parent_id=None, reason="a test")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await freeze_and_fail()
    assert not await is_frozen(database, before)
    assert attempt.run == before == await stored(database, before)


async def test_a_body_of_another_holders_run_is_not_written(database: Database, redis: Redis) -> None:
    attempt = await begun(database, redis)
    await attempt.park(waiting_for=None, not_before=None, reason="goes_on", detail="again", failed=False)
    await claimed(database, attempt.run.id)
    table_id = attempt.run.table_id
    with pytest.raises(LeaseLost):
        async with attempt.recording("frozen", {}) as unit:
            await unit.freezes.freeze(table_id, by=attempt.run.id, snapshot_id=1, parent_id=None, reason="a test")
    assert not await is_frozen(database, attempt.run)

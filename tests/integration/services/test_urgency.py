"""Runs become urgent as policies say, whenever those are written."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId, TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.runs.run import Operation, Run
from engine.services.policies import writes as policy_writes
from engine.services.policies.urgency import urgent_at
from engine.stores.database import Database
from engine.stores.runs.urgency import PAGE
from tests.integration.stores.samples import NOON, a_run, a_table, finished, insert_run, registered, submitted
from tests.support.databases import FreshDatabase

FLEET = PolicyScope(PolicyScopeKind.FLEET)
ARCHIVE = PolicyScope(PolicyScopeKind.CATALOG, catalog="archive")
HOUR = timedelta(hours=1)


def after(patience: str | None) -> PolicyDocument:
    return PolicyDocument.model_validate({"schedule": {"urgent_after": patience}} if patience else {"priority": "low"})


async def write(database: Database, scope: PolicyScope, patience: str | None) -> StoredPolicy:
    async with database.begin() as unit:
        return await policy_writes.insert(unit, SYSTEM, f"p_{scope.kind}", scope, after(patience))


async def urgent(database: Database, run: Run) -> timedelta | None:
    """Return how long after its submission a run becomes urgent."""
    async with database.read() as unit:
        stored = await unit.runs.get(run.id)
    return None if stored.urgent_at is None else stored.urgent_at - stored.created_at


async def test_live_runs_follow_policies_as_they_are_written_and_deleted(database: Database) -> None:
    here, there = await submitted(database), await submitted(database, catalog="archive")
    ended = await finished(database, (await registered(database, "done")).id)
    fleet = await write(database, FLEET, "2h")
    assert [await urgent(database, run) for run in (here, there, ended)] == [2 * HOUR, 2 * HOUR, None]
    archive = await write(database, ARCHIVE, "off")
    assert [await urgent(database, run) for run in (here, there)] == [2 * HOUR, None]
    async with database.begin() as unit:
        fleet = await policy_writes.replace(unit, SYSTEM, fleet, after("3h"), fleet.version)
    assert [await urgent(database, run) for run in (here, there)] == [3 * HOUR, None]
    async with database.begin() as unit:
        await policy_writes.replace(unit, SYSTEM, archive, after(None), archive.version)
    assert [await urgent(database, run) for run in (here, there)] == [3 * HOUR, 3 * HOUR]
    async with database.begin() as unit:
        await policy_writes.delete(unit, SYSTEM, fleet, fleet.version)
    assert [await urgent(database, run) for run in (here, there)] == [None, None]


async def test_only_rewrites_become_urgent(database: Database) -> None:
    """A backlog of expiries would otherwise precede rewrites that have waited for `urgent_after` since."""
    table = await registered(database)
    rewrite, expiry = [
        await submitted(database, table.id, operation=operation)
        for operation in (Operation.REWRITE, Operation.EXPIRE_SNAPSHOTS)
    ]
    await write(database, FLEET, "2h")
    assert [await urgent(database, run) for run in (rewrite, expiry)] == [2 * HOUR, None]


async def test_patience_counts_from_when_the_table_became_due(database: Database) -> None:
    due_since = (NOON - 5 * HOUR).isoformat()
    run = await submitted(database, request={"due_since": due_since})
    await write(database, FLEET, "2h")
    assert await urgent(database, run) == -3 * HOUR


async def test_more_live_runs_than_a_page_follow(database: Database) -> None:
    table = await registered(database)
    runs = [a_run(table.id, request_key=str(number)) for number in range(PAGE + 20)]
    async with database.begin() as unit:
        await unit.runs.insert_many(runs, {table.id: table})
    await write(database, FLEET, "1h")
    async with database.read() as unit:
        found = {run.urgent_at for run in await unit.runs.list(limit=2 * PAGE)}
    assert found == {NOON + HOUR}


async def test_a_pattern_makes_only_runs_of_the_tables_urgent_that_it_covers(database: Database) -> None:
    tables = [await registered(database, name) for name in ("orders", "Orders", "old_orders")]
    runs = [await submitted(database, table.id) for table in tables]
    await write(database, PolicyScope(PolicyScopeKind.PATTERN, pattern="lake.shop.eu.orders"), "1h")
    assert [await urgent(database, run) for run in runs] == [HOUR, None, None]


async def test_a_run_that_is_submitted_while_a_policy_is_written_follows_it(fresh_database: FreshDatabase) -> None:
    database, other = fresh_database.connect(), fresh_database.connect()
    table = await registered(database)
    run = a_run(table.id)
    async with database.begin() as unit:
        await unit.tables.lock_many([table.id])
        seen = await unit.policy_coverage.setting_order([table.id])
        writing = asyncio.create_task(write(other, FLEET, "1h"))
        await asyncio.wait([writing], timeout=0.3)
        assert not writing.done()
        assert urgent_at(run, table, seen) is None
        await insert_run(unit, run)
    await writing
    assert await urgent(database, run) == HOUR


@pytest.mark.parametrize(("own", "expected"), [("30m", 0.5), ("off", None), (None, 2.0)])
def test_the_strongest_policy_that_says_something_decides(own: str | None, expected: float | None) -> None:
    table_id = TableId("tbl_1")
    scope = PolicyScope(PolicyScopeKind.TABLE, table_id=table_id)
    policies = [
        StoredPolicy(after(patience), 1, NOON, "somebody", name, where)
        for name, where, patience in (("fleet", FLEET, "2h"), (table_id, scope, own))
    ]
    run = a_run(table_id, id=RunId("run_1"))
    at = urgent_at(run, replace(a_table(), id=table_id), policies)
    assert at == (None if expected is None else NOON + expected * HOUR)

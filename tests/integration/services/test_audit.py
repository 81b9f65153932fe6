"""The audit log's chain on both databases: sealed in order, and every way to tamper with it is told."""

import asyncio
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import Caller, Role
from engine.domain.errors import PackhouseError
from engine.services.access.audit import AuditService
from engine.stores.database import Database
from tests.support.databases import FreshDatabase

ALICE = Caller("key:alice", Role.ADMIN, request_id="req_1")
BOB = Caller("key:bob", Role.OWNER)


@pytest.fixture
def service(database: Database) -> AuditService:
    return AuditService(database=database)


async def tell(database: Database, *objects: str, caller: Caller = ALICE, action: str = "table.pause") -> None:
    for name in objects:
        async with database.begin() as unit:
            await unit.audit.append(caller, action, name, before={"paused": False}, after={"paused": True, "n": 1.5})


async def tell_and_seal(database: Database, service: AuditService, *objects: str) -> None:
    await tell(database, *objects)
    await service.seal()


def disarm(fresh: FreshDatabase) -> None:
    """Drop the triggers, as somebody with all rights could."""
    for table in ("audit", "audit_seals"):
        if fresh.dialect == "sqlite":
            for action in ("update", "delete"):
                fresh.execute(f"DROP TRIGGER {table}_no_{action}")
        else:
            fresh.execute(f"DROP TRIGGER {table}_append_only ON {table}")


def messages(verdict: Any) -> str:
    return "; ".join(fault.message for fault in verdict.faults)


async def test_an_entry_says_who_did_what_and_how_it_was_and_became(database: Database, service: AuditService) -> None:
    await tell(database, "tbl_1")
    ((entry, seal),) = await service.list(ALICE, AuditFilter(), before=None, limit=10)
    assert (entry.caller, entry.action, entry.object, entry.request_id) == (
        "key:alice",
        "table.pause",
        "tbl_1",
        "req_1",
    )
    assert (entry.before, entry.after) == ({"paused": False}, {"paused": True, "n": 1.5})
    assert abs(datetime.now(UTC) - entry.at) < timedelta(minutes=1)
    assert seal is None


async def test_an_entry_shares_the_fate_of_its_change(database: Database, service: AuditService) -> None:
    with suppress(RuntimeError):
        async with database.begin() as unit:
            await unit.audit.append(ALICE, "table.pause", "tbl_1")
            raise RuntimeError
    assert not await service.list(ALICE, AuditFilter(), before=None, limit=10)


async def test_the_database_refuses_to_alter_the_log(
    database: Database, service: AuditService, fresh_database: FreshDatabase
) -> None:
    await tell_and_seal(database, service, "a")
    for statement in ("UPDATE audit SET caller = 'x'", "DELETE FROM audit", "DELETE FROM audit_seals"):
        with pytest.raises((DBAPIError, PackhouseError), match="append-only"):
            fresh_database.execute(statement)


async def test_sealing_chains_every_entry_once_and_entries_without_a_seal_are_no_fault(
    database: Database, service: AuditService
) -> None:
    verdict = await service.verify()
    assert (verdict.holds, verdict.head) == (True, None)
    await tell(database, "a", "b")
    assert [await service.seal(), await service.seal()] == [2, 0]
    await tell(database, "c")
    assert await service.seal() == 1
    head = await service.head(ALICE)
    assert head.sequence == 3
    await tell(database, "d", "e")
    verdict = await service.verify(expected_heads=[head.hash])
    assert (verdict.holds, verdict.sealed, verdict.unsealed) == (True, 3, 2)


async def test_sealers_of_several_processes_make_one_chain(
    database: Database, service: AuditService, fresh_database: FreshDatabase
) -> None:
    others = [AuditService(database=fresh_database.connect()) for _ in range(3)]
    await tell(database, *map(str, range(20)))
    sealed = await asyncio.gather(*(each.seal() for each in (service, *others)))
    assert sum(sealed) == 20
    assert (await service.verify()).holds


@pytest.mark.parametrize("fresh_database", ["postgres"], indirect=True)  # SQLite has one writer: none commits late
async def test_an_entry_that_commits_late_is_sealed_after_those_with_larger_ids(
    database: Database, service: AuditService
) -> None:
    async with database.begin() as slow:
        await slow.audit.append(ALICE, "table.pause", "slow")
        await tell(database, "fast")
        assert await service.seal() == 1
    assert await service.seal() == 1
    assert (await service.verify()).holds


async def test_an_altered_entry_is_the_first_broken_one(
    database: Database, service: AuditService, fresh_database: FreshDatabase
) -> None:
    await tell_and_seal(database, service, "a", "b", "c")
    disarm(fresh_database)
    changes = {"caller": "'key:nobody'", "request_id": "NULL", "after": "'{\"paused\": false}'", "action": "'x.y'"}
    for column, value in (changes | {"object": "'z'"}).items():
        before = fresh_database.execute(f"SELECT CAST({column} AS text) FROM audit WHERE id = 2")[0][0]
        fresh_database.execute(f"UPDATE audit SET {column} = {value} WHERE id = 2")
        verdict = await service.verify()
        assert not verdict.holds
        assert (verdict.faults[0].sequence, "was altered" in messages(verdict), len(verdict.faults)) == (2, True, 1)
        fresh_database.execute(f"UPDATE audit SET {column} = :before WHERE id = 2", before=before)
        assert (await service.verify()).holds


async def test_a_missing_entry_a_gap_and_its_closing_are_told(
    database: Database, service: AuditService, fresh_database: FreshDatabase
) -> None:
    await tell_and_seal(database, service, "a", "b", "c")
    disarm(fresh_database)
    for change, told in (
        ("DELETE FROM audit WHERE object = 'b'", "is missing: it was sealed as link 2"),
        ("DELETE FROM audit_seals WHERE sequence = 2", "links 2 of the chain are missing"),
        ("UPDATE audit_seals SET sequence = 2 WHERE sequence = 3", "was altered"),
    ):
        fresh_database.execute(change)
        assert told in messages(await service.verify())


async def test_an_altered_seal_is_told(database: Database, service: AuditService, fresh_database: FreshDatabase):
    await tell_and_seal(database, service, "a", "b")
    disarm(fresh_database)
    fresh_database.execute(f"UPDATE audit_seals SET hash = '{'f' * 64}' WHERE sequence = 1")
    assert (await service.verify()).faults[0].sequence == 1


async def test_an_end_that_was_cut_off_is_told_by_a_head_that_was_kept(
    database: Database, service: AuditService, fresh_database: FreshDatabase
) -> None:
    await tell_and_seal(database, service, "a", "b")
    head = await service.head(ALICE)
    disarm(fresh_database)
    fresh_database.execute("DELETE FROM audit_seals WHERE sequence = 2")
    fresh_database.execute("DELETE FROM audit WHERE object = 'b'")
    assert (await service.verify()).holds
    assert "is not in the chain" in messages(await service.verify(expected_heads=[head.hash]))


def insert_with_past(fresh: FreshDatabase, entry_id: int) -> None:
    """Slip in an entry that claims to be an hour old."""
    past = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    columns = "(id, at, caller, action, object, before, after)"
    fresh.execute(
        f"INSERT INTO audit {columns} VALUES ({entry_id}, '{past}', 'key:alice', 'key.create', 'x', :none, :none)",
        none=json.dumps(None),
    )


@pytest.mark.parametrize("is_sealed_later", [False, True])
async def test_an_entry_slipped_in_between_is_told_even_if_the_sealer_takes_it(
    database: Database, service: AuditService, fresh_database: FreshDatabase, is_sealed_later: bool
) -> None:
    await tell(database, "a", "b", "c")
    disarm(fresh_database)
    fresh_database.execute("DELETE FROM audit WHERE object = 'b'")  # a rolled back transaction leaves such a hole
    await service.seal()
    insert_with_past(fresh_database, 2)
    if is_sealed_later:
        await service.seal()
    assert "entry 2 was inserted later than it says" in messages(await service.verify())


async def test_filters_narrow_the_list(database: Database, service: AuditService) -> None:
    await tell(database, "a")
    await tell(database, "b", caller=BOB, action="run.submit")

    async def found(wanted: AuditFilter) -> list[str]:
        return [entry.object for entry, _ in await service.list(ALICE, wanted, before=None, limit=10)]

    now = datetime.now(UTC)
    assert await found(AuditFilter()) == ["b", "a"]
    assert await found(AuditFilter(caller="key:bob")) == ["b"]
    assert await found(AuditFilter(action="table.pause")) == ["a"]
    assert await found(AuditFilter(object="a", caller="key:bob")) == []
    assert await found(AuditFilter(since=now - timedelta(hours=1), until=now + timedelta(hours=1))) == ["b", "a"]
    assert await found(AuditFilter(until=now - timedelta(hours=1))) == []

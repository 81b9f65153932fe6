"""The audit log is pruned from its beginning, and its chain is verified from the anchor on."""

import asyncio
import re
from datetime import timedelta

import pytest
from sqlalchemy.exc import DBAPIError

from engine.domain.access.audit import PRUNED, AuditFilter
from engine.domain.errors import PackhouseError
from engine.domain.fleet.retention import Retention
from engine.services.access.audit import AuditService
from engine.services.retention import pruning
from engine.services.retention.pruning import PruningService
from engine.stores.database import Database
from tests.integration.services.test_audit import ALICE, disarm, messages, tell
from tests.support.databases import FreshDatabase

OLD = "2020-01-01T00\\:00\\:00.000000Z"


@pytest.fixture
def audit(database: Database) -> AuditService:
    return AuditService(database=database)


@pytest.fixture
def service(database: Database) -> PruningService:
    return PruningService(database=database, retention=Retention(None, timedelta(days=400)))


async def old_entries(database: Database, audit: AuditService, fresh: FreshDatabase, count: int) -> None:
    """Store sealed entries of long ago, then two of now."""
    columns = "at, caller, action, object, before, after"
    for number in range(count):
        fresh.execute(f"INSERT INTO audit ({columns}) VALUES ('{OLD}', 'key', 'a.b', 'old-{number}', 'null', 'null')")
    await audit.seal()
    await tell(database, "new-1", "new-2")
    await audit.seal()


async def objects(audit: AuditService) -> list[str]:
    return [entry.object for entry, _ in await audit.list(ALICE, AuditFilter(), before=None, limit=100)]


async def test_old_entries_go_and_the_chain_holds_from_the_anchor_on(
    database: Database, audit: AuditService, fresh_database: FreshDatabase, service: PruningService
) -> None:
    await old_entries(database, audit, fresh_database, 3)
    head = await audit.head(ALICE)
    assert (await service.prune())["audit"] == 3
    assert await objects(audit) == ["audit", "new-2", "new-1"]
    await audit.seal()
    verdict = await audit.verify(expected_heads=[head.hash])
    assert verdict.holds, messages(verdict)
    assert (verdict.sealed, verdict.anchor.sequence, verdict.head and verdict.head.sequence) == (3, 3, 6)
    told = (await audit.list(ALICE, AuditFilter(action=PRUNED), before=None, limit=2))[0][0].after
    assert (told["sequence"], told["hash"], told["entries"]) == (3, verdict.anchor.hash, 3)
    assert (await service.prune())["audit"] == 0


async def test_a_chain_whose_entries_are_all_old_keeps_its_last_link_and_goes_on_from_it(
    database: Database, audit: AuditService, fresh_database: FreshDatabase, service: PruningService
) -> None:
    fresh_database.execute(
        "INSERT INTO audit (at, caller, action, object, before, after) "
        f"VALUES ('{OLD}', 'key', 'a.b', '1', 'null', 'null'), ('{OLD}', 'key', 'a.b', '2', 'null', 'null')"
    )
    await audit.seal()
    assert (await service.prune())["audit"] == 1
    await audit.seal()
    verdict = await audit.verify()
    assert verdict.holds, messages(verdict)
    assert verdict.head.sequence == 3


async def test_a_head_that_was_pruned_is_told_apart_from_one_that_was_cut_off(
    database: Database, audit: AuditService, fresh_database: FreshDatabase, service: PruningService
) -> None:
    await old_entries(database, audit, fresh_database, 3)
    seals = fresh_database.execute("SELECT hash FROM audit_seals WHERE sequence IN (2, 3) ORDER BY sequence")
    second, third = (row[0] for row in seals)
    await service.prune()
    assert (await audit.verify(expected_heads=[third])).holds
    told = messages(await audit.verify(expected_heads=[second]))
    assert "it is older than the retained entries (those up to 2020-01-01 00:00:00 UTC were pruned)" in told


async def test_the_database_refuses_to_delete_what_is_after_the_anchor(
    database: Database, audit: AuditService, fresh_database: FreshDatabase, service: PruningService
) -> None:
    await old_entries(database, audit, fresh_database, 2)
    await service.prune()
    refused = [f"DELETE FROM {table}" for table in ("audit", "audit_seals", "audit_anchor")]
    for statement in (*refused, "UPDATE audit_anchor SET sequence = 1"):
        with pytest.raises((DBAPIError, PackhouseError), match="append-only"):
            fresh_database.execute(statement)


async def test_a_beginning_that_was_cut_off_by_hand_is_found(
    database: Database, audit: AuditService, fresh_database: FreshDatabase
) -> None:
    await old_entries(database, audit, fresh_database, 3)
    fresh_database.execute(
        "UPDATE audit_anchor SET sequence = 2, hash = (SELECT hash FROM audit_seals WHERE sequence = 2), "
        f"pruned_until = '{OLD}'"
    )
    fresh_database.execute("DELETE FROM audit WHERE id IN (SELECT audit_id FROM audit_seals WHERE sequence <= 2)")
    fresh_database.execute("DELETE FROM audit_seals WHERE sequence <= 2")
    verdict = await audit.verify()
    assert messages(verdict) == "no entry records that the log was pruned up to link 2: its beginning was cut off"


async def test_nothing_is_pruned_from_a_broken_link_on(
    database: Database, audit: AuditService, fresh_database: FreshDatabase, service: PruningService
) -> None:
    await old_entries(database, audit, fresh_database, 4)
    disarm(fresh_database)
    fresh_database.execute("UPDATE audit SET caller = 'x' WHERE object = 'old-2'")
    assert (await service.prune())["audit"] == 2
    assert (await service.prune())["audit"] == 0
    verdict = await audit.verify()
    assert re.search(r"entry \d+ was altered after it was sealed as link 3", messages(verdict))


async def test_a_verification_that_meets_pruning_goes_on_from_the_new_anchor(
    database: Database,
    audit: AuditService,
    fresh_database: FreshDatabase,
    service: PruningService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pruning, "ENTRIES_AT_ONCE", 3)
    monkeypatch.setattr("engine.services.access.audit._BATCH", 2)
    await old_entries(database, audit, fresh_database, 12)
    while await audit.seal():
        pass
    verdicts, pruned = await asyncio.gather(asyncio.gather(*(audit.verify() for _ in range(4))), service.prune())
    assert pruned["audit"] == 12
    assert [messages(verdict) for verdict in verdicts] == [""] * 4

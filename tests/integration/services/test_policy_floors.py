"""F43: only an admin stores a quarantine of orphans that is shorter than a day."""

from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import InvalidInput
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.services.policies import writes
from engine.stores.database import Database

SCOPE = PolicyScope(PolicyScopeKind.CATALOG, catalog="lake")
OWNER = Caller("key:owner", Role.OWNER)


def document(quarantine: str | None, **more: Any) -> PolicyDocument:
    found = {} if quarantine is None else {"maintenance": {"remove_orphans": {"quarantine": quarantine}}}
    return PolicyDocument.model_validate({**found, **more})


async def insert(database: Database, caller: Caller, quarantine: str | None) -> StoredPolicy:
    async with database.begin() as unit:
        return await writes.insert(unit, caller, "short", SCOPE, document(quarantine))


@pytest.mark.parametrize("quarantine", ["1s", "23h"])
async def test_f43_a_short_quarantine_is_refused_by_name_value_and_remedy(database: Database, quarantine: str) -> None:
    with pytest.raises(InvalidInput, match="give 1d or more, or let an admin") as refused:
        await insert(database, OWNER, quarantine)
    (problem,) = refused.value.problems
    assert (problem.pointer, problem.value) == ("/maintenance/remove_orphans/quarantine", quarantine)
    async with database.read() as unit:
        assert await unit.policies.get("short") is None


@pytest.mark.parametrize(("caller", "quarantine"), [(SYSTEM, "1s"), (OWNER, "1d"), (OWNER, None)])
async def test_an_admin_may_and_a_day_is_enough(database: Database, caller: Caller, quarantine: str | None) -> None:
    assert (await insert(database, caller, quarantine)).version == 1


async def test_others_change_a_policy_with_a_short_quarantine_but_do_not_shorten_it(database: Database) -> None:
    stored = await insert(database, SYSTEM, "2h")
    async with database.begin() as unit:
        stored = await writes.replace(unit, OWNER, stored, document("2h", enabled=False), stored.version)
    with pytest.raises(InvalidInput, match="in quarantine"):
        async with database.begin() as unit:
            await writes.replace(unit, OWNER, stored, document("1h"), stored.version)

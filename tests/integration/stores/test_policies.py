"""Policies of tables and of wider scopes, and all versions of them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from engine.domain.errors import NotFound, PackhouseError, PreconditionFailed, StateConflict
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from tests.integration.stores.samples import registered
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

DOCUMENT = PolicyDocument.model_validate(
    {
        "rewrite": {"target_file_bytes": "256MiB", "large_file_bytes": "off", "full": {"interval": "1d"}},
        "limits": {"bandwidth": "50MB"},
        "triggers": [{"name": "old", "all": [{"metric": "newest_file_age", "above": "2d"}]}],
    }
)
DISABLED = PolicyDocument(enabled=False)
FLEET = PolicyScope(PolicyScopeKind.FLEET)
LAKE = PolicyScope(PolicyScopeKind.CATALOG, catalog="lake")
SHOP = PolicyScope(PolicyScopeKind.NAMESPACE, catalog="lake", namespace=("shop",))
PATTERN = PolicyScope(PolicyScopeKind.PATTERN, pattern="lake.*.or?ers")


def of_table(table_id: TableId) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.TABLE, table_id=table_id)


async def test_a_policy_comes_back_as_it_was_stored_and_a_scope_has_one(database: Stores) -> None:
    for scope in (FLEET, LAKE, SHOP, PATTERN):
        assert await database.policies.get(scope.kind) is None
        stored = await database.policies.insert(scope.kind, scope, DOCUMENT, "key:admin")
        assert await database.policies.get(scope.kind) == stored
        assert (stored.document, stored.version, stored.updated_by) == (DOCUMENT, 1, "key:admin")
        assert (await database.policies.get(scope.kind)).document.as_given() == DOCUMENT.as_given()
        assert (stored.name, stored.scope) == (scope.kind, scope)
        if scope is PATTERN:
            continue
        with pytest.raises(StateConflict) as caught:
            await database.policies.insert("two", scope, DISABLED, "key:admin")
        assert await database.policies.find_scope(scope) == stored
        assert caught.value.details == {"constraint": f"uq_policies_{scope.kind}"}


async def test_a_table_s_own_policy_goes_by_the_table_s_id(database: Stores) -> None:
    table = await registered(database)
    stored = await database.policies.insert(table.id, of_table(table.id), DOCUMENT, "key:admin")
    assert await database.policies.get(table.id) == stored
    assert await database.policies.list_scoped() == []


async def test_a_replace_makes_the_next_version_and_keeps_the_scope(database: Stores) -> None:
    await database.policies.insert("mine", SHOP, DOCUMENT, "key:admin")
    for write in (replace, delete):
        with pytest.raises(PreconditionFailed):
            await write(database, version=2)
    replaced = await database.policies.replace("mine", DISABLED, "key:other", 1)
    assert await database.policies.get("mine") == replaced
    assert (replaced.document, replaced.version, replaced.updated_by) == (DISABLED, 2, "key:other")
    assert replaced.scope == SHOP


async def test_a_second_policy_of_one_name_is_refused(database: Stores) -> None:
    first = await database.policies.insert("mine", FLEET, DOCUMENT, "key:admin")
    with pytest.raises(StateConflict) as caught:
        await database.policies.insert("mine", LAKE, DISABLED, "key:admin")
    assert await database.policies.get("mine") == first
    assert caught.value.details == {"constraint": "pk_policies"}


async def test_one_pattern_may_have_several_policies(database: Stores) -> None:
    for name in ("one", "two"):
        await database.policies.insert(name, PATTERN, DISABLED, "key:admin")
    assert [each.name for each in await database.policies.list_scoped()] == ["one", "two"]
    assert [each.name for each in await database.policies.list_scoped(after="one", limit=5)] == ["two"]
    assert await database.policies.find_scope(PATTERN) is None


async def test_what_is_not_there_is_not_found(database: Stores) -> None:
    with pytest.raises(NotFound):
        await database.policies.insert("tbl_unknown", of_table(TableId("tbl_unknown")), DOCUMENT, "key:admin")
    with pytest.raises(NotFound):
        await database.policies.replace("mine", DOCUMENT, "key:admin", 1)
    with pytest.raises(NotFound):
        await database.policies.delete("mine", "key:admin", 1)
    assert await database.policies.list_versions("mine") == []
    assert await database.policies.get_version("mine", 1) is None


async def test_every_version_is_kept_and_a_deletion_is_one(database: Stores) -> None:
    async with database.begin() as work:
        await work.policies.insert("mine", SHOP, DOCUMENT, "key:admin")
        await work.policies.replace("mine", DISABLED, "key:other", 1)
        await work.policies.delete("mine", "key:third", 2)
        again = await work.policies.insert("mine", LAKE, DOCUMENT, "key:other")
        kept = await work.policies.list_versions("mine")
        assert again.version == 4
        assert [(each.version, each.written_by, each.is_deletion) for each in kept] == [
            (4, "key:other", False),
            (3, "key:third", True),
            (2, "key:other", False),
            (1, "key:admin", False),
        ]
        assert [each.document for each in kept] == [DOCUMENT, PolicyDocument(), DISABLED, DOCUMENT]
        assert [each.scope for each in kept] == [LAKE, SHOP, SHOP, SHOP]
        assert await work.policies.get_version("mine", 2) == kept[2]
        assert [each.version for each in await work.policies.list_versions("mine", before=3, limit=1)] == [2]


async def test_history_outlives_the_table(database: Stores) -> None:
    table = await registered(database)
    await database.policies.insert(table.id, of_table(table.id), DOCUMENT, "key:admin")
    await database.tables.delete(table.id)
    assert await database.policies.get(table.id) is None
    assert [each.version for each in await database.policies.list_versions(table.id)] == [1]


Write = Callable[[Stores], Awaitable[StoredPolicy | None]]


async def race(fresh: FreshDatabase, *writes: Write) -> list[type]:
    """Do all writes at once, each on connections of its own; return the types of what they came to, sorted by name."""
    done = await asyncio.gather(*(write(fresh.connect()) for write in writes), return_exceptions=True)
    unexpected = [each for each in done if isinstance(each, BaseException) and not isinstance(each, PackhouseError)]
    assert not unexpected
    return sorted((type(each) for each in done), key=lambda kind: (kind is not type(None), kind.__name__))


def insert(database: Stores) -> Awaitable[StoredPolicy | None]:
    return database.policies.insert("mine", FLEET, DOCUMENT, "key:admin")


def replace(database: Stores, version: int = 1) -> Awaitable[StoredPolicy | None]:
    return database.policies.replace("mine", DISABLED, "key:admin", version)


def delete(database: Stores, version: int = 1) -> Awaitable[StoredPolicy | None]:
    return database.policies.delete("mine", "key:admin", version)  # type: ignore[return-value]


async def test_one_of_two_racing_first_writes_and_of_two_replaces_wins(fresh_database: FreshDatabase) -> None:
    assert await race(fresh_database, insert, insert) == [StateConflict, StoredPolicy]
    assert await race(fresh_database, replace, replace) == [PreconditionFailed, StoredPolicy]


async def test_of_a_racing_delete_and_replace_one_wins(database: Stores, fresh_database: FreshDatabase) -> None:
    await insert(database)
    came_to = await race(fresh_database, delete, replace)
    assert came_to in ([type(None), NotFound], [PreconditionFailed, StoredPolicy])
    assert [each.version for each in await database.policies.list_versions("mine")] == [2, 1]


async def test_a_first_write_that_races_a_delete_never_takes_an_old_version(
    database: Stores, fresh_database: FreshDatabase
) -> None:
    await insert(database)
    await race(fresh_database, delete, insert)
    present = await database.policies.get("mine")
    assert present is None or present.version == 3

"""Policies of tables and of wider scopes, and all versions of them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from engine.domain.errors import NotFound, PackhouseError, PreconditionFailed, StateConflict
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork
from tests.integration.stores.samples import registered
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


@pytest.mark.parametrize("scope", [FLEET, LAKE, SHOP, PATTERN], ids=lambda scope: scope.kind)
async def test_a_policy_comes_back_as_it_was_stored(database: Database, scope: PolicyScope) -> None:
    async with database.begin() as work:
        assert await work.policies.get("mine") is None
        stored = await work.policies.insert("mine", scope, DOCUMENT, "key:admin")
        assert await work.policies.get("mine") == stored
    assert (stored.document, stored.version, stored.updated_by) == (DOCUMENT, 1, "key:admin")
    assert (stored.name, stored.scope) == ("mine", scope)


async def test_a_table_s_own_policy_goes_by_the_table_s_id(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        stored = await work.policies.insert(table.id, of_table(table.id), DOCUMENT, "key:admin")
        assert await work.policies.get(table.id) == stored
        assert await work.policies.list_scoped() == []


async def test_a_replace_makes_the_next_version_and_keeps_the_scope(database: Database) -> None:
    async with database.begin() as work:
        await work.policies.insert("mine", SHOP, DOCUMENT, "key:admin")
        replaced = await work.policies.replace("mine", DISABLED, "key:other", 1)
        assert await work.policies.get("mine") == replaced
    assert (replaced.document, replaced.version, replaced.updated_by) == (DISABLED, 2, "key:other")
    assert replaced.scope == SHOP


async def test_a_second_policy_of_one_name_is_refused(database: Database) -> None:
    async with database.begin() as work:
        first = await work.policies.insert("mine", FLEET, DOCUMENT, "key:admin")
        with pytest.raises(StateConflict) as caught:
            await work.policies.insert("mine", LAKE, DISABLED, "key:admin")
        assert await work.policies.get("mine") == first
    assert caught.value.details == {"constraint": "pk_policies"}


@pytest.mark.parametrize("scope", [FLEET, LAKE, SHOP], ids=lambda scope: scope.kind)
async def test_a_scope_has_one_policy(database: Database, scope: PolicyScope) -> None:
    async with database.begin() as work:
        first = await work.policies.insert("one", scope, DOCUMENT, "key:admin")
        with pytest.raises(StateConflict) as caught:
            await work.policies.insert("two", scope, DISABLED, "key:admin")
        assert await work.policies.find_scope(scope) == first
    assert caught.value.details == {"constraint": f"uq_policies_{scope.kind}"}


async def test_one_pattern_may_have_several_policies(database: Database) -> None:
    async with database.begin() as work:
        for name in ("one", "two"):
            await work.policies.insert(name, PATTERN, DISABLED, "key:admin")
        assert [each.name for each in await work.policies.list_scoped()] == ["one", "two"]
        assert [each.name for each in await work.policies.list_scoped(after="one", limit=5)] == ["two"]
        assert await work.policies.find_scope(PATTERN) is None


async def test_a_stale_version_neither_replaces_nor_deletes(database: Database) -> None:
    async with database.begin() as work:
        await work.policies.insert("mine", FLEET, DOCUMENT, "key:admin")
        with pytest.raises(PreconditionFailed):
            await work.policies.replace("mine", DISABLED, "key:admin", 2)
        with pytest.raises(PreconditionFailed):
            await work.policies.delete("mine", "key:admin", 2)


async def test_what_is_not_there_is_not_found(database: Database) -> None:
    async with database.begin() as work:
        with pytest.raises(NotFound):
            await work.policies.insert("tbl_unknown", of_table(TableId("tbl_unknown")), DOCUMENT, "key:admin")
        with pytest.raises(NotFound):
            await work.policies.replace("mine", DOCUMENT, "key:admin", 1)
        with pytest.raises(NotFound):
            await work.policies.delete("mine", "key:admin", 1)
        assert await work.policies.list_versions("mine") == []
        assert await work.policies.get_version("mine", 1) is None


async def test_every_version_is_kept_and_a_deletion_is_one(database: Database) -> None:
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


async def test_history_outlives_the_table(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        await work.policies.insert(table.id, of_table(table.id), DOCUMENT, "key:admin")
        await work.tables.delete(table.id)
        assert await work.policies.get(table.id) is None
        assert [each.version for each in await work.policies.list_versions(table.id)] == [1]


Write = Callable[[UnitOfWork], Awaitable[StoredPolicy | None]]


async def race(fresh: FreshDatabase, *writes: Write) -> list[type]:
    """Do all writes at once, each on connections of its own; return the types of what they came to, sorted by name."""

    async def do(database: Database, write: Write) -> StoredPolicy | None:
        async with database.begin() as work:
            return await write(work)

    databases = [fresh.connect() for _ in writes]
    done = await asyncio.gather(*map(do, databases, writes), return_exceptions=True)
    unexpected = [each for each in done if isinstance(each, BaseException) and not isinstance(each, PackhouseError)]
    assert not unexpected
    return sorted((type(each) for each in done), key=lambda kind: (kind is not type(None), kind.__name__))


def insert(work: UnitOfWork) -> Awaitable[StoredPolicy | None]:
    return work.policies.insert("mine", FLEET, DOCUMENT, "key:admin")


def replace(work: UnitOfWork) -> Awaitable[StoredPolicy | None]:
    return work.policies.replace("mine", DISABLED, "key:admin", 1)


def delete(work: UnitOfWork) -> Awaitable[StoredPolicy | None]:
    return work.policies.delete("mine", "key:admin", 1)  # type: ignore[return-value]


async def test_one_of_two_racing_replaces_wins(fresh_database: FreshDatabase) -> None:
    async with fresh_database.connect().begin() as work:
        await insert(work)
    assert await race(fresh_database, replace, replace) == [PreconditionFailed, StoredPolicy]


async def test_one_of_two_racing_first_writes_wins(fresh_database: FreshDatabase) -> None:
    assert await race(fresh_database, insert, insert) == [StateConflict, StoredPolicy]


async def test_of_a_racing_delete_and_replace_one_wins(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    async with database.begin() as work:
        await insert(work)
    came_to = await race(fresh_database, delete, replace)
    assert came_to in ([type(None), NotFound], [PreconditionFailed, StoredPolicy])
    async with database.begin() as work:
        assert [each.version for each in await work.policies.list_versions("mine")] == [2, 1]


async def test_a_first_write_that_races_a_delete_never_takes_an_old_version(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    async with database.begin() as work:
        await insert(work)
    await race(fresh_database, delete, insert)
    async with database.begin() as work:
        present = await work.policies.get("mine")
        assert present is None or present.version == 3

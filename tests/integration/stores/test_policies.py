"""A table's own policy and its versions."""

import asyncio

import pytest

from engine.domain.errors import NotFound, PreconditionFailed, StateConflict
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, StoredPolicy
from engine.stores.database import Database
from tests.integration.stores.samples import registered
from tests.support.databases import FreshDatabase

_DOCUMENT = PolicyDocument.model_validate(
    {"rewrite": {"target_file_bytes": "256MiB", "large_file_bytes": "off"}, "limits": {"bandwidth": "50MB"}}
)
_DISABLED = PolicyDocument(enabled=False)


async def test_a_policy_comes_back_as_it_was_stored(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        assert await work.policies.get(table.id) is None
        stored = await work.policies.insert(table.id, _DOCUMENT, "key:admin")
        assert await work.policies.get(table.id) == stored
    assert (stored.document, stored.version, stored.updated_by) == (_DOCUMENT, 1, "key:admin")


async def test_a_replace_makes_the_next_version(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        await work.policies.insert(table.id, _DOCUMENT, "key:admin")
        replaced = await work.policies.replace(table.id, _DISABLED, "key:other", 1)
        assert await work.policies.get(table.id) == replaced
    assert (replaced.document, replaced.version, replaced.updated_by) == (_DISABLED, 2, "key:other")


async def test_a_second_first_policy_is_refused(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        first = await work.policies.insert(table.id, _DOCUMENT, "key:admin")
        with pytest.raises(StateConflict) as caught:
            await work.policies.insert(table.id, _DISABLED, "key:admin")
        assert await work.policies.get(table.id) == first
    assert caught.value.details == {"constraint": "pk_policies"}


async def test_a_stale_version_neither_replaces_nor_deletes(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        await work.policies.insert(table.id, _DOCUMENT, "key:admin")
        with pytest.raises(PreconditionFailed):
            await work.policies.replace(table.id, _DISABLED, "key:admin", 2)
        with pytest.raises(PreconditionFailed):
            await work.policies.delete(table.id, 2)


async def test_versions_grow_on_after_a_delete_and_are_all_kept(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    table = await registered(database)
    async with database.begin() as work:
        await work.policies.insert(table.id, _DOCUMENT, "key:admin")
        await work.policies.replace(table.id, _DISABLED, "key:admin", 1)
        await work.policies.delete(table.id, 2)
        assert (await work.policies.insert(table.id, _DOCUMENT, "key:other")).version == 3
    kept = fresh_database.execute("SELECT version, written_by FROM policy_versions ORDER BY version")
    assert kept == [(1, "key:admin"), (2, "key:admin"), (3, "key:other")]


async def test_what_is_not_there_is_not_found(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        with pytest.raises(NotFound):
            await work.policies.insert(TableId("tbl_unknown"), _DOCUMENT, "key:admin")
        with pytest.raises(NotFound):
            await work.policies.replace(table.id, _DOCUMENT, "key:admin", 1)
        with pytest.raises(NotFound):
            await work.policies.delete(table.id, 1)


async def test_one_of_two_racing_replaces_wins(fresh_database: FreshDatabase) -> None:
    databases = fresh_database.connect(), fresh_database.connect()
    table = await registered(databases[0])
    async with databases[0].begin() as work:
        await work.policies.insert(table.id, _DOCUMENT, "key:admin")

    async def replace(database: Database) -> StoredPolicy:
        async with database.begin() as work:
            return await work.policies.replace(table.id, _DISABLED, "key:admin", 1)

    results = await asyncio.gather(*(replace(each) for each in databases), return_exceptions=True)
    assert {type(result) for result in results} == {StoredPolicy, PreconditionFailed}

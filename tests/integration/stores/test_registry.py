"""Catalogs and tables."""

import asyncio

import pytest

from engine.domain.errors import NotFound, PreconditionFailed, StateConflict
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.tables.table import Catalog, TableRef
from engine.stores.database import Database
from tests.integration.stores.samples import LAKE, NOON, a_table, finished, registered, submitted
from tests.support.databases import FreshDatabase


async def test_a_catalog_comes_back_as_it_was_stored(database: Database) -> None:
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        assert await work.catalogs.get("lake") == LAKE
        assert await work.catalogs.get("other") is None


async def test_catalogs_are_listed_by_name_in_pages_whatever_the_locale(database: Database) -> None:
    names = ["Zoo", "a_b", "ab", "b-c", "lake", "é"]
    async with database.begin() as work:
        for name in reversed(names):
            await work.catalogs.insert(Catalog(name, LAKE.format, {}, 1, NOON, NOON))
        first = await work.catalogs.list(limit=4)
        second = await work.catalogs.list(after=first[-1].name, limit=4)
    assert [catalog.name for catalog in [*first, *second]] == names


async def test_a_replace_raises_the_version(database: Database) -> None:
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        replaced = await work.catalogs.replace("lake", {"uri": "new"}, 1)
        assert await work.catalogs.get("lake") == replaced
    assert (replaced.version, replaced.properties, replaced.created_at) == (2, {"uri": "new"}, NOON)
    assert replaced.updated_at != NOON


async def test_a_stale_version_neither_replaces_nor_deletes_a_catalog(database: Database) -> None:
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        with pytest.raises(PreconditionFailed):
            await work.catalogs.replace("lake", {}, 2)
        with pytest.raises(PreconditionFailed) as caught:
            await work.catalogs.delete("lake", 2)
    assert caught.value.details == {"version": 1}


async def test_an_unknown_catalog_is_not_found(database: Database) -> None:
    async with database.begin() as work:
        with pytest.raises(NotFound):
            await work.catalogs.replace("lake", {}, 1)
        with pytest.raises(NotFound):
            await work.catalogs.delete("lake", 1)


async def test_a_catalog_made_anew_goes_on_with_its_versions(database: Database) -> None:
    async with database.begin() as work:
        assert await work.catalogs.insert(LAKE) == LAKE
        await work.catalogs.replace("lake", {}, 1)
        await work.catalogs.delete("lake", 2)
        again = await work.catalogs.insert(LAKE)
        assert again.version == 3
        assert await work.catalogs.get("lake") == again
        await work.catalogs.delete("lake", 3)
        assert (await work.catalogs.insert(LAKE)).version == 4


async def test_a_catalog_made_while_its_namesake_is_deleted_goes_on_with_its_versions(
    fresh_database: FreshDatabase,
) -> None:
    database = fresh_database.connect()
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)

    async def make_anew() -> Catalog:
        async with fresh_database.connect().begin() as work:
            return await work.catalogs.insert(LAKE)

    async with database.begin() as work:
        await work.catalogs.delete("lake", 1)
        making = asyncio.create_task(make_anew())
        await asyncio.wait({making}, timeout=0.2)  # it waits for the end of the delete
        assert not making.done()
    assert (await making).version == 2


async def test_a_catalog_is_deleted_once_no_table_is_registered(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        with pytest.raises(StateConflict, match="registered tables"):
            await work.catalogs.delete("lake", 1)
        await work.tables.delete(table.id)
        await work.catalogs.delete("lake", 1)
        assert await work.catalogs.get("lake") is None


async def test_a_table_is_found_by_id_and_by_address(database: Database) -> None:
    table = await registered(database)
    async with database.read() as work:
        assert await work.tables.get(table.id) == table
        assert await work.tables.find(table.ref) == table
        assert await work.tables.find(TableRef("lake", ("shop.eu",), "orders")) is None
        assert await work.tables.get(TableId("tbl_unknown")) is None


async def test_an_address_is_registered_once(database: Database) -> None:
    await registered(database)
    async with database.begin() as work:
        with pytest.raises(StateConflict) as caught:
            await work.tables.insert(a_table())
    assert caught.value.details == {"constraint": "uq_tables_ref"}


async def test_a_table_needs_its_catalog(database: Database) -> None:
    async with database.begin() as work:
        with pytest.raises(NotFound, match="no catalog 'lake'"):
            await work.tables.insert(a_table())


async def test_a_table_with_a_live_run_is_not_deleted(database: Database) -> None:
    table = await registered(database)
    await submitted(database, table.id)
    async with database.begin() as work:
        with pytest.raises(StateConflict, match="live run"):
            await work.tables.delete(table.id)


async def test_a_deleted_table_takes_its_policy_along_and_leaves_its_runs(database: Database) -> None:
    table = await registered(database)
    run = await finished(database, table.id)
    async with database.begin() as work:
        scope = PolicyScope(PolicyScopeKind.TABLE, table_id=table.id)
        await work.policies.insert(table.id, scope, PolicyDocument(enabled=False), "key:admin")
        await work.tables.delete(table.id)
        assert await work.tables.get(table.id) is None
        assert await work.policies.get(table.id) is None
        assert await work.runs.get(run.id) == run


async def test_an_unknown_table_is_not_found(database: Database) -> None:
    async with database.begin() as work:
        with pytest.raises(NotFound):
            await work.tables.delete(TableId("tbl_unknown"))

"""Catalogs and tables."""

import asyncio

import pytest

from engine.domain.errors import NotFound, PreconditionFailed, StateConflict
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.tables.table import Catalog, Table, TableRef
from tests.integration.stores.samples import LAKE, NOON, a_table, finished, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase


async def test_catalogs_are_listed_by_name_in_pages_whatever_the_locale(database: Stores) -> None:
    names = ["Zoo", "a_b", "ab", "b-c", "lake", "é"]
    for name in reversed(names):
        await database.catalogs.insert(Catalog(name, LAKE.format, {}, 1, NOON, NOON))
    first = await database.catalogs.list(limit=4)
    second = await database.catalogs.list(after=first[-1].name, limit=4)
    assert [catalog.name for catalog in [*first, *second]] == names


async def test_a_replace_raises_the_version_and_a_stale_one_neither_replaces_nor_deletes(database: Stores) -> None:
    for write in (database.catalogs.replace("lake", {}, 1), database.catalogs.delete("lake", 1)):
        with pytest.raises(NotFound):
            await write
    await database.catalogs.insert(LAKE)
    for write in (database.catalogs.replace("lake", {}, 2), database.catalogs.delete("lake", 2)):
        with pytest.raises(PreconditionFailed) as caught:
            await write
    assert caught.value.details == {"version": 1}
    replaced = await database.catalogs.replace("lake", {"uri": "new"}, 1)
    assert await database.catalogs.get("lake") == replaced
    assert (replaced.version, replaced.properties, replaced.created_at) == (2, {"uri": "new"}, NOON)
    assert replaced.updated_at != NOON


async def test_a_catalog_comes_back_as_it_was_stored_and_made_anew_goes_on_with_its_versions(database: Stores) -> None:
    assert await database.catalogs.insert(LAKE) == await database.catalogs.get("lake") == LAKE
    assert await database.catalogs.get("other") is None
    await database.catalogs.replace("lake", {}, 1)
    await database.catalogs.delete("lake", 2)
    again = await database.catalogs.insert(LAKE)
    assert again.version == 3
    assert await database.catalogs.get("lake") == again
    await database.catalogs.delete("lake", 3)
    assert (await database.catalogs.insert(LAKE)).version == 4


async def test_a_catalog_made_while_its_namesake_is_deleted_goes_on_with_its_versions(
    database: Stores, fresh_database: FreshDatabase
):
    await database.catalogs.insert(LAKE)

    async def make_anew() -> Catalog:
        async with fresh_database.connect().begin() as work:
            return await work.catalogs.insert(LAKE)

    async with database.begin() as work:
        await work.catalogs.delete("lake", 1)
        making = asyncio.create_task(make_anew())
        await asyncio.wait({making}, timeout=0.2)  # it waits for the end of the delete
        assert not making.done()
    assert (await making).version == 2


async def test_a_catalog_is_deleted_once_no_table_is_registered(database: Stores, table: Table) -> None:
    with pytest.raises(StateConflict, match="registered tables"):
        await database.catalogs.delete("lake", 1)
    await database.tables.delete(table.id)
    await database.catalogs.delete("lake", 1)
    assert await database.catalogs.get("lake") is None


async def test_a_table_is_found_by_id_and_by_address(database: Stores, table: Table) -> None:
    assert await database.tables.get(table.id) == table
    assert await database.tables.find(table.ref) == table
    assert await database.tables.find(TableRef("lake", ("shop.eu",), "orders")) is None
    assert await database.tables.get(TableId("tbl_unknown")) is None


async def test_a_table_needs_its_catalog_and_an_address_is_registered_once(database: Stores) -> None:
    with pytest.raises(NotFound, match="no catalog 'lake'"):
        await database.tables.insert(a_table())
    await registered(database)
    with pytest.raises(StateConflict) as caught:
        await database.tables.insert(a_table())
    assert caught.value.details == {"constraint": "uq_tables_ref"}


async def test_a_table_with_a_live_run_is_not_deleted_and_an_unknown_one_is_not_found(database: Stores, table: Table):
    await submitted(database, table.id)
    with pytest.raises(StateConflict, match="live run"):
        await database.tables.delete(table.id)
    with pytest.raises(NotFound):
        await database.tables.delete(TableId("tbl_unknown"))


async def test_a_deleted_table_takes_its_policy_along_and_leaves_its_runs(database: Stores, table: Table) -> None:
    run = await finished(database, table.id)
    scope = PolicyScope(PolicyScopeKind.TABLE, table_id=table.id)
    await database.policies.insert(table.id, scope, PolicyDocument(enabled=False), "key:admin")
    await database.tables.delete(table.id)
    assert await database.tables.get(table.id) is None
    assert await database.policies.get(table.id) is None
    assert await database.runs.get(run.id) == run

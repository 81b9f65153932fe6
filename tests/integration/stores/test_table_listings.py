"""Pages of tables by every filter, and that no page reads all of a hundred thousand tables."""

import re
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from engine.domain.ids import TableId
from engine.domain.tables.table import Catalog, Pause, Table, TableFilter
from engine.stores.database import Database
from engine.stores.tables import listings as table_listings
from tests.integration.stores.samples import LAKE, NOON, a_table, registered
from tests.support.databases import FreshDatabase

HOSTILE = ("'; DROP TABLE tables; --", '"', "%", "_", "\\", "${x}", "\U0001f4a5", "a:b", "\u202e", "null", "[]", "{}")


async def stored(database: Database, table: Table) -> Table:
    async with database.begin() as work:
        if await work.catalogs.get(table.ref.catalog) is None:
            await work.catalogs.insert(Catalog(table.ref.catalog, LAKE.format, {}, 1, NOON, NOON))
        await work.tables.insert(table)
    return table


async def found(database: Database, wanted: TableFilter, **page: Any) -> list[Table]:
    async with database.read() as work:
        return await work.tables.list(wanted, **page)


async def test_tables_are_listed_newest_first_in_pages(database: Database) -> None:
    tables = [await registered(database, name) for name in ("a", "b", "c", "d")]
    await stored(database, a_table(catalog="pond"))
    first = await found(database, TableFilter(catalog="lake"), limit=3)
    await stored(database, a_table("e"))
    second = await found(database, TableFilter(catalog="lake"), after=first[-1].id, limit=3)
    assert first + second == tables[::-1]
    assert len(await found(database, TableFilter())) == 6


async def test_tables_are_found_by_namespace_and_by_exact_address(database: Database) -> None:
    orders, other = await registered(database, "orders"), await registered(database, "other")
    namespace = TableFilter(catalog="lake", namespace=("shop", "eu"))
    assert await found(database, namespace) == [other, orders]
    assert await found(database, replace(namespace, name="orders")) == [orders]
    assert await found(database, replace(namespace, namespace=("shop.eu",))) == []


@pytest.mark.parametrize(
    ("searched", "names"),
    [
        ("ORD", {"orders"}),
        ("lake.shop.EU.o", {"orders", "odd_%"}),
        ("shop.eu", {"orders", "odd_%", "dotted"}),
        ('lake."shop.eu".dotted', {"dotted"}),
        ("%", {"odd_%"}),
        ("d_%", {"odd_%"}),
        ("q/", set[str]()),
        ("café", {"deep"}),
        ("back\\slash", {"deep"}),
        ('a"b', {"deep"}),
        ('"a""b"', {"deep"}),
        ('"', {"deep"}),
        ('["', set[str]()),
        ("nowhere", set[str]()),
    ],
)
async def test_tables_are_found_by_a_part_of_the_address(database: Database, searched: str, names: set[str]) -> None:
    await registered(database, "orders")
    await registered(database, "odd_%")
    for name, namespace in (("dotted", ("shop.eu",)), ("deep", ("café", "back\\slash", 'a"b'))):
        table = a_table(name)
        await stored(database, replace(table, ref=replace(table.ref, namespace=namespace)))
    assert {table.ref.name for table in await found(database, TableFilter(search=searched))} == names
    of_others = TableFilter(search=searched, labels={"a": "b"}, teams=frozenset({"other"}))
    assert await found(database, of_others) == []


async def test_a_page_of_some_teams_is_the_newest_of_all_of_them(database: Database) -> None:
    tables = [
        await stored(database, replace(a_table(f"t{number}"), owner_team=team))
        for number, team in enumerate(["red", "blue", None, "red", "green", "blue"])
    ]
    teams = TableFilter(teams=frozenset({"red", "blue"}))
    first = await found(database, teams, limit=3)
    second = await found(database, teams, after=first[-1].id, limit=3)
    assert first + second == [tables[5], tables[3], tables[1], tables[0]]
    assert await found(database, replace(teams, owner_team="red")) == [tables[3], tables[0]]
    assert await found(database, replace(teams, owner_team="green")) == []
    assert await found(database, TableFilter(teams=frozenset())) == []
    assert await found(database, TableFilter(owner_team="green")) == [tables[4]]


async def test_a_table_fits_when_it_has_every_label(database: Database) -> None:
    both = await stored(database, replace(a_table("both"), labels={"tier": "gold", "env": "live"}))
    one = await stored(database, replace(a_table("one"), labels={"tier": "gold", "env": "test"}))
    await stored(database, replace(a_table("none"), labels={}))
    assert await found(database, TableFilter(labels={"tier": "gold"})) == [one, both]
    assert await found(database, TableFilter(labels={"tier": "gold"}), after=one.id) == [both]
    assert await found(database, TableFilter(labels={"tier": "gold", "env": "live"})) == [both]
    assert await found(database, TableFilter(labels={"tier": "gold"}, teams=frozenset({"shop"}))) == [one, both]
    assert await found(database, TableFilter(labels={"tier": "gold"}, teams=frozenset({"other"}))) == []


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_name_is_only_a_name(database: Database, name: str) -> None:
    table = replace(a_table(name), owner_team=name, labels={name: name})
    table = await stored(database, replace(table, ref=replace(table.ref, namespace=(name, name))))
    await registered(database, "innocent")
    for wanted in (
        TableFilter(catalog="lake", namespace=(name, name), name=name),
        TableFilter(owner_team=name),
        TableFilter(search=name),
        TableFilter(labels={name: name}),
        TableFilter(teams=frozenset({name})),
    ):
        assert await found(database, wanted) == [table]


async def test_paused_tables_are_told_from_others(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    going, paused = await registered(database, "going"), await registered(database, "paused")
    fresh_database.execute(
        "UPDATE tables SET paused_at = created_at, paused_by = 'me', pause_reason = 'why', pause_stops = :no "
        "WHERE id = :id",
        id=paused.id,
        no=False,
    )
    assert await found(database, TableFilter(is_paused=False)) == [going]
    [table] = await found(database, TableFilter(is_paused=True))
    assert table.pause == Pause(NOON, "me", "why", stops=False)


async def test_an_update_is_found_by_the_new_labels_only(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        locked = await work.tables.lock(table.id)
        assert locked == table
        updated = await work.tables.update(table, owner_team=None, labels={"new": "one"})
        assert await work.tables.get(table.id) == updated
    assert (updated.version, updated.owner_team) == (2, None)
    assert await found(database, TableFilter(labels={"a": "b"})) == []
    assert await found(database, TableFilter(labels={"new": "one"})) == [updated]


_TABLES = 100_000
_FILTERS = {
    "everything": TableFilter(),
    "a catalog": TableFilter(catalog="lake"),
    "a rare namespace": TableFilter(catalog="lake", namespace=("rare",)),
    "an address": TableFilter(catalog="lake", namespace=("ns",), name="t77777"),
    "a rare team": TableFilter(owner_team="rare"),
    "some teams": TableFilter(teams=frozenset({"rare", "team1", "team2", "none"})),
    "a rare label": TableFilter(labels={"tier": "rare"}),
    "paused": TableFilter(is_paused=True),
    "not paused": TableFilter(is_paused=False),
    "frozen": TableFilter(is_frozen=True),
    "not frozen": TableFilter(is_frozen=False),
}


async def test_no_page_reads_all_tables(fresh_database: FreshDatabase) -> None:
    """One test over all filters: making the tables takes longer than asking."""
    database = fresh_database.connect()
    await _add_tables(database)
    async with database.read() as work:
        for name, wanted in _FILTERS.items():
            for after in (None, TableId("tbl_050000")):
                assert await effort_of(work.connection, table_listings.page(wanted, after, 50)) <= 200, (name, after)


async def _add_tables(database: Database) -> None:
    """Store the tables behind the stores' back: one in ten thousand is of the rare kind, as old as any."""
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        is_sqlite = work.connection.dialect.name == "sqlite"
        key = "printf('tbl_%06d', i)" if is_sqlite else "'tbl_' || lpad(i::text, 6, '0')"
        rare = "(i % 10000 = 1)"
        at = "'2026-11-01T00:00:00.000000Z'"
        numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {_TABLES}) "
        columns = "id, catalog, namespace, name, uuid, location, owner_team, created_at, version, labels, "
        columns += "paused_at, paused_by, pause_reason, pause_stops"
        cast = "" if is_sqlite else "::timestamptz"
        select = f"""SELECT {key}, 'lake', CASE WHEN {rare} THEN '["rare"]' ELSE '["ns"]' END, 't' || i, 'u', 'l',
            CASE WHEN {rare} THEN 'rare' ELSE 'team' || i % 5 END, {at}{cast}, 1, '{{}}',
            CASE WHEN {rare} THEN {at}{cast} END, CASE WHEN {rare} THEN 'me' END, CASE WHEN {rare} THEN 'why' END,
            CASE WHEN {rare} THEN true END FROM n"""
        labels = "INSERT INTO table_labels (table_id, key, value) SELECT id, 'tier', owner_team FROM tables"
        live = "INSERT INTO table_labels (table_id, key, value) SELECT id, 'env', 'live' FROM tables"
        insert = f"INSERT INTO tables ({columns}) "
        await work.connection.execute(text(insert + numbers + select if is_sqlite else numbers + insert + select))
        await work.connection.execute(text(labels))
        await work.connection.execute(text(live))
        await work.connection.execute(text("ANALYZE"))


async def effort_of(connection: Any, query: Any) -> int:
    """Return the most rows that one step of the query reads; on SQLite the thousands of instructions that it takes."""
    if connection.dialect.name == "sqlite":
        driver = (await connection.get_raw_connection()).driver_connection
        thousands: list[None] = []
        await driver.set_progress_handler(lambda: thousands.append(None), 1000)
        await connection.execute(query)
        await driver.set_progress_handler(None, 1000)
        return len(thousands)
    compiled = query.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
    lines = [str(row[0]) for row in await connection.exec_driver_sql(f"EXPLAIN ANALYZE {compiled}")]
    steps = re.findall(r"actual time=\S+ rows=([\d.]+) loops=(\d+)|Rows Removed by [\w ]+: (\d+)", "\n".join(lines))
    return max(int(float(rows or removed) * int(loops or 1)) for rows, loops, removed in steps)

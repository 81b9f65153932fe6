"""Pages of tables by every filter, and that no page reads all of many tables."""

import re
from dataclasses import replace
from typing import Any

from sqlalchemy import text

from engine.domain.ids import TableId
from engine.domain.tables.table import Catalog, Pause, Table, TableFilter
from engine.stores.tables import listings as table_listings
from tests.integration.stores.plans import AT, fill
from tests.integration.stores.samples import LAKE, NOON, a_table, registered
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

HOSTILE = ("'; DROP TABLE tables; --", '"', "%", "_", "\\", "${x}", "\U0001f4a5", "a:b", "\u202e", "null", "[]", "{}")
SEARCHES = {
    "ORD": "orders",
    "lake.shop.EU.o": "orders odd_%",
    "shop.eu": "orders odd_% dotted",
    'lake."shop.eu".dotted': "dotted",
    "%": "odd_%",
    "d_%": "odd_%",
    "q/": "",
    "café": "deep",
    "back\\slash": "deep",
    'a"b': "deep",
    '"a""b"': "deep",
    '"': "deep",
    '["': "",
    "nowhere": "",
}
"""Texts that are searched for, and the tables that are found."""


async def stored(database: Stores, table: Table) -> Table:
    if await database.catalogs.get(table.ref.catalog) is None:
        await database.catalogs.insert(Catalog(table.ref.catalog, LAKE.format, {}, 1, NOON, NOON))
    await database.tables.insert(table)
    return table


async def found(database: Stores, wanted: TableFilter, **page: Any) -> list[Table]:
    return await database.tables.list(wanted, **page)


async def test_tables_are_listed_newest_first_in_pages(database: Stores) -> None:
    tables = [await registered(database, name) for name in ("a", "b", "c", "d")]
    await stored(database, a_table(catalog="pond"))
    first = await found(database, TableFilter(catalog="lake"), limit=3)
    await stored(database, a_table("e"))
    second = await found(database, TableFilter(catalog="lake"), after=first[-1].id, limit=3)
    assert first + second == tables[::-1]
    assert len(await found(database, TableFilter())) == 6


async def test_tables_are_found_by_namespace_and_by_exact_address(database: Stores) -> None:
    orders, other = await registered(database, "orders"), await registered(database, "other")
    namespace = TableFilter(catalog="lake", namespace=("shop", "eu"))
    assert await found(database, namespace) == [other, orders]
    assert await found(database, replace(namespace, name="orders")) == [orders]
    assert await found(database, replace(namespace, namespace=("shop.eu",))) == []


async def test_tables_are_found_by_a_part_of_the_address(database: Stores) -> None:
    await registered(database, "orders")
    await registered(database, "odd_%")
    for name, namespace in (("dotted", ("shop.eu",)), ("deep", ("café", "back\\slash", 'a"b'))):
        table = a_table(name)
        await stored(database, replace(table, ref=replace(table.ref, namespace=namespace)))
    for searched, names in SEARCHES.items():
        tables = await found(database, TableFilter(search=searched))
        assert (searched, {table.ref.name for table in tables}) == (searched, set(names.split()))
        of_others = TableFilter(search=searched, labels={"a": "b"}, teams=frozenset({"other"}))
        assert await found(database, of_others) == []


async def test_a_page_of_some_teams_is_the_newest_of_all_of_them(database: Stores) -> None:
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


async def test_a_table_fits_when_it_has_every_label(database: Stores) -> None:
    both = await stored(database, replace(a_table("both"), labels={"tier": "gold", "env": "live"}))
    one = await stored(database, replace(a_table("one"), labels={"tier": "gold", "env": "test"}))
    await stored(database, replace(a_table("none"), labels={}))
    assert await found(database, TableFilter(labels={"tier": "gold"})) == [one, both]
    assert await found(database, TableFilter(labels={"tier": "gold"}), after=one.id) == [both]
    assert await found(database, TableFilter(labels={"tier": "gold", "env": "live"})) == [both]
    assert await found(database, TableFilter(labels={"tier": "gold"}, teams=frozenset({"shop"}))) == [one, both]
    assert await found(database, TableFilter(labels={"tier": "gold"}, teams=frozenset({"other"}))) == []


async def test_a_hostile_name_is_only_a_name(database: Stores) -> None:
    await registered(database, "innocent")
    for name in HOSTILE:
        table = replace(a_table(name), owner_team=name, labels={name: name})
        table = await stored(database, replace(table, ref=replace(table.ref, namespace=(name, name))))
        for wanted in (
            TableFilter(catalog="lake", namespace=(name, name), name=name),
            TableFilter(owner_team=name),
            TableFilter(search=name),
            TableFilter(labels={name: name}),
            TableFilter(teams=frozenset({name})),
        ):
            assert await found(database, wanted) == [table], (name, wanted)
        await database.tables.delete(table.id)


async def test_paused_tables_are_told_from_others(database: Stores, fresh_database: FreshDatabase) -> None:
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


async def test_an_update_is_found_by_the_new_labels_only(database: Stores, table: Table) -> None:
    locked = await database.tables.lock(table.id)
    assert locked == table
    updated = await database.tables.update(table, owner_team=None, labels={"new": "one"})
    assert await database.tables.get(table.id) == updated
    assert (updated.version, updated.owner_team) == (2, None)
    assert await found(database, TableFilter(labels={"a": "b"})) == []
    assert await found(database, TableFilter(labels={"new": "one"})) == [updated]


_TABLES = 40_000
_FILTERS = {
    "everything": TableFilter(),
    "a catalog": TableFilter(catalog="lake"),
    "a rare namespace": TableFilter(catalog="lake", namespace=("rare",)),
    "an address": TableFilter(catalog="lake", namespace=("ns",), name="t33333"),
    "a rare team": TableFilter(owner_team="rare"),
    "some teams": TableFilter(teams=frozenset({"rare", "team1", "team2", "none"})),
    "a rare label": TableFilter(labels={"tier": "rare"}),
    "paused": TableFilter(is_paused=True),
    "not paused": TableFilter(is_paused=False),
    "frozen": TableFilter(is_frozen=True),
    "not frozen": TableFilter(is_frozen=False),
}


async def test_no_page_reads_all_tables(database: Stores) -> None:
    """One test over all filters: making the tables takes longer than asking."""
    await _add_tables(database)
    async with database.read() as work:
        for name, wanted in _FILTERS.items():
            for after in (None, TableId("tbl_1020000")):
                assert await effort_of(work.connection, table_listings.page(wanted, after, 50)) <= 200, (name, after)


async def _add_tables(database: Stores) -> None:
    """Store the tables behind the stores' back: one in four thousand is of the rare kind, as old as any."""
    await database.catalogs.insert(LAKE)
    rare = "CASE WHEN i % 4000 = 1 THEN {} ELSE {} END"
    of_lake = {"catalog": "'lake'", "uuid": "'u'", "location": "'l'", "created_at": AT}
    of_lake |= {"version": "1", "labels": "'{}'"}
    key, namespace = "'tbl_' || (1000000 + i)", rare.format("""'["rare"]'""", """'["ns"]'""")
    team = rare.format("'rare'", "'team' || i % 5")
    await fill(database, "tables", _TABLES, id=key, namespace=namespace, name="'t' || i", owner_team=team, **of_lake)
    async with database.begin() as work:
        paused = "paused_at = created_at, paused_by = 'me', pause_reason = 'why', pause_stops = true"
        labels = "INSERT INTO table_labels (table_id, key, value) SELECT id,"
        for statement in (
            f"UPDATE tables SET {paused} WHERE owner_team = 'rare'",
            f"{labels} 'tier', owner_team FROM tables",
            f"{labels} 'env', 'live' FROM tables",
            "ANALYZE",
        ):
            await work.connection.execute(text(statement))


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

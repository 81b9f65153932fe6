"""Locations of tables by which objects find them, and the events that were received lately, on both databases."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.ids import TableId
from engine.stores.tables import received_events
from engine.stores.tables.locations import DEEPEST, MOST_LOCATIONS
from engine.stores.tables.received_events import event_key
from engine.uris.locations import Location
from tests.integration.stores.samples import LAKE, a_table, registered
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase
from tests.support.moved_clock import MovedClock


async def at(database: Stores, *locations: str) -> list[TableId]:
    """Register a table at each location."""
    if await database.catalogs.get("lake") is None:
        await database.catalogs.insert(LAKE)
    found = []
    for number, location in enumerate(locations):
        table = replace(a_table(f"t{number}{location[-3:]}"), location=location)
        await database.tables.insert(table)
        found.append(table.id)
    return found


async def find(database: Stores, uri: str) -> Sequence[TableId]:
    location = Location.of(uri)
    assert location is not None
    return (await database.locations.find([location])).get(location, ())


@pytest.mark.parametrize(
    ("table", "event"),
    [
        ("s3a://lake/db.db/t/", "s3://lake/db.db/t/dt=1/part-0.parquet"),
        ("s3n://lake/db.db/t", "s3a://lake/db.db/t/x"),
        ("s3://lake", "s3://lake/any/where"),
        ("s3://lake/a%20b", "s3://lake/a%20b/x"),
        ("s3://lake/a b", "s3://lake/a b/x"),
        ("s3://lake/t", "s3://lake/t"),
        ("gcs://lake/t", "gs://LAKE/t/x"),
        ("abfss://c@acc.dfs.core.windows.net/t", "abfs://c@acc.blob.core.windows.net/t/x"),
        ("hdfs://nn:8020/w/t", "hdfs://NN/w//t/x"),
        ("/srv/lake/t", "file:///srv/lake/t/x"),
    ],
)
async def test_every_spelling_of_an_object_finds_its_table(database: Stores, table: str, event: str) -> None:
    [table_id] = await at(database, table)
    assert await find(database, event) == [table_id]


@pytest.mark.parametrize(
    "event", ["s3://lake/db/t2/x", "s3://lake/db", "s3://other/db/t/x", "gs://lake/db/t/x", "s3://lake/db/T/x"]
)
async def test_an_object_beside_a_table_finds_none(database: Stores, event: str) -> None:
    await at(database, "s3://lake/db/t")
    assert await find(database, event) == ()


async def test_the_nearest_table_is_found_and_every_one_at_its_location(database: Stores) -> None:
    outer, inner, also = await at(database, "s3://lake/t", "s3://lake/t/sub/u", "s3a://lake/t/sub/u/")
    assert await find(database, "s3://lake/t/sub/u/x") == [inner, also]
    assert await find(database, "s3://lake/t/sub/x") == [outer]
    assert await find(database, "s3://lake/t/sub/u2/x") == [outer]


async def test_a_moved_table_is_found_at_its_new_place_and_a_deleted_one_nowhere(database: Stores) -> None:
    [table_id] = await at(database, "s3://lake/t")
    moved = ["s3://lake/u", "s3a://data/u/", "s3://lake/u/below", "no location"]
    assert not await database.locations.has(table_id, moved)
    await database.locations.replace(table_id, moved)
    assert await database.locations.has(table_id, moved)
    assert await database.locations.has(table_id, moved[:2])
    found = [await find(database, f"s3://{each}/x") for each in ("lake/t", "lake/u", "data/u")]
    assert found == [(), [table_id], [table_id]]
    await database.tables.delete(table_id)
    assert await find(database, "s3://lake/u/x") == ()


async def test_locations_and_folders_that_are_looked_up_are_bounded(database: Stores) -> None:
    [table_id] = await at(database, "s3://lake/" + "/".join("d" * DEEPEST))
    assert await find(database, "s3://lake/" + "/".join("d" * 400)) == ()
    await database.locations.replace(table_id, (f"s3://lake/{number}" for number in range(MOST_LOCATIONS + 9)))
    assert await find(database, f"s3://lake/{MOST_LOCATIONS - 1}/x") == [table_id]
    assert await find(database, f"s3://lake/{MOST_LOCATIONS}/x") == ()


async def test_tables_of_a_version_without_the_index_are_indexed_in_steps(
    database: Stores, fresh_database: FreshDatabase
) -> None:
    found = await at(database, "s3://lake/t", "viewfs://lake/t", "s3://lake/u", "s3://lake/v")
    fresh_database.execute("DELETE FROM table_locations")
    await database.locations.replace(found[2], ["s3://lake/elsewhere"])
    first = await database.locations.insert_missing(TableId(""), 2)
    assert (first.count, first.last) == (1, found[1])
    rest = await database.locations.insert_missing(first.last, 2)
    assert (rest.count, rest.last) == (1, None)
    assert [await find(database, f"s3://lake/{name}/x") for name in "tuv"] == [[found[0]], (), [found[3]]]


async def test_a_repeated_event_is_noticed_for_an_hour_within_a_bound(
    database: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(received_events, "MOST_KEPT", 3)
    table, clock = await registered(database), await MovedClock.of(database)
    keys = [event_key("key:a", "s", str(number)) for number in range(5)]
    assert event_key("key:b", "s", "0") != keys[0] != event_key("key:a", "s0", "")
    first = [(table.id, key) for key in keys[:2]]
    assert await database.received_events.add([*first, first[0]]) == set(first)
    await clock.pass_by(hours=0.5)
    rest = [(table.id, key) for key in keys]
    assert await database.received_events.add(rest) == set(rest[2:])
    await database.received_events.delete_older([table.id])
    assert await database.received_events.add(rest) == set(first), "the oldest went"
    await clock.pass_by(hours=2)
    assert await database.received_events.prune(await database.now() - timedelta(hours=1), 3) == 3

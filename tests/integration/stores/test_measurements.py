"""Measurements: one for each snapshot, the newest marked, whoever comes first."""

import asyncio
from datetime import timedelta

from engine.domain.ids import TableId
from engine.domain.tables.measurements import Measurement
from engine.stores.database import Database
from engine.stores.tables.measurements import MOST_KEPT
from tests.integration.stores.samples import NOON, registered
from tests.support.databases import FreshDatabase


def measured(table_id: TableId, number: int, *, small: int = 10, seconds: float | None = None) -> Measurement:
    """Return what was found in snapshot `number`, `seconds` after noon (as many as its number)."""
    at = NOON + timedelta(seconds=number if seconds is None else seconds)
    document = {"small_file_count": small, "worst_partitions": [{"partition": "{}"}]}
    return Measurement(table_id, str(number), at, 2 * small, small, small - 1, 10**12, 50.0, 0.5, document)


async def record(database: Database, *measurements: Measurement) -> None:
    for each in measurements:
        async with database.begin() as work:
            await work.measurements.record(each)


async def history(database: Database, table_id: TableId) -> list[tuple[str | None, bool]]:
    async with database.read() as work:
        return [(each.snapshot_id, each.is_latest) for each in await work.measurements.list(table_id, limit=1000)]


async def test_a_measurement_comes_back_as_it_was_recorded(database: Database) -> None:
    table = await registered(database)
    await record(database, measured(table.id, 1))
    async with database.read() as work:
        found = await work.measurements.latest(table.id)
    assert found is not None
    assert found.id > 0
    assert found.says_the_same(measured(table.id, 1))
    assert (found.measured_at, found.total_bytes) == (NOON + timedelta(seconds=1), 10**12)


async def test_a_table_that_was_never_measured_has_no_measurement(database: Database) -> None:
    table = await registered(database)
    async with database.read() as work:
        assert await work.measurements.latest(table.id) is None
        assert await work.measurements.list(table.id) == []


async def test_the_newest_look_is_the_latest(database: Database) -> None:
    table = await registered(database)
    await record(database, *(measured(table.id, number) for number in (1, 2, 3)))
    assert await history(database, table.id) == [("3", True), ("2", False), ("1", False)]


async def test_a_snapshot_is_kept_once_with_what_was_found_last(database: Database) -> None:
    table = await registered(database)
    await record(database, measured(table.id, 1), measured(table.id, 1, small=4, seconds=5))
    async with database.read() as work:
        [found] = await work.measurements.list(table.id)
    assert (found.small_file_count, found.is_latest) == (4, True)


async def test_a_table_without_a_snapshot_is_measured_too(database: Database) -> None:
    table = await registered(database)
    empty = Measurement(table.id, None, NOON, 0, 0, 0, 0, 100, 0, {})
    await record(database, empty, empty)
    assert await history(database, table.id) == [(None, True)]


async def test_a_look_that_comes_late_does_not_become_the_latest(database: Database) -> None:
    table = await registered(database)
    await record(database, measured(table.id, 2), measured(table.id, 1), measured(table.id, 2, small=99, seconds=1))
    assert await history(database, table.id) == [("1", False), ("2", True)]
    async with database.read() as work:
        latest = await work.measurements.latest(table.id)
    assert latest is not None
    assert latest.small_file_count == 10


async def test_a_table_that_was_rolled_back_has_its_old_snapshot_as_the_latest(database: Database) -> None:
    table = await registered(database)
    await record(database, measured(table.id, 1), measured(table.id, 2), measured(table.id, 1, seconds=3))
    assert await history(database, table.id) == [("2", False), ("1", True)]


async def test_each_measurement_says_how_many_small_files_came_or_went(database: Database) -> None:
    table = await registered(database)
    counts = [5, 12, 2]
    await record(database, *(measured(table.id, number, small=small) for number, small in enumerate(counts)))
    async with database.read() as work:
        assert [each.small_file_change for each in await work.measurements.list(table.id)] == [-10, 7, 0]


async def test_only_the_latest_keeps_its_worst_partitions(database: Database) -> None:
    table = await registered(database)
    await record(database, measured(table.id, 1), measured(table.id, 2))
    async with database.read() as work:
        documents = [each.document for each in await work.measurements.list(table.id)]
    assert ["worst_partitions" in document for document in documents] == [True, False]


async def test_the_newest_five_hundred_are_kept(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        for number in range(MOST_KEPT + 20):
            await work.measurements.record(measured(table.id, number))
    kept = await history(database, table.id)
    assert len(kept) == MOST_KEPT
    assert kept[0] == (str(MOST_KEPT + 19), True)


async def test_measuring_at_once_leaves_one_latest_and_every_snapshot_once(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    table = await registered(database)
    looks = [measured(table.id, number % 5, seconds=number) for number in range(20)]
    await asyncio.gather(*(record(fresh_database.connect(), look) for look in looks))
    kept = await history(database, table.id)
    assert sorted(snapshot or "" for snapshot, _ in kept) == ["0", "1", "2", "3", "4"]
    assert [snapshot for snapshot, is_latest in kept if is_latest] == ["4"]


async def test_pages_of_history_hold_every_measurement_once(database: Database) -> None:
    table = await registered(database)
    await record(database, *(measured(table.id, number) for number in range(5)))
    async with database.read() as work:
        first = await work.measurements.list(table.id, limit=2)
        second = await work.measurements.list(table.id, before=first[-1].id, limit=9)
    assert [each.snapshot_id for each in [*first, *second]] == ["4", "3", "2", "1", "0"]


async def test_nothing_is_kept_of_a_table_that_is_gone(database: Database) -> None:
    table = await registered(database)
    await record(database, measured(table.id, 1))
    async with database.begin() as work:
        await work.tables.delete(table.id)
    await record(database, measured(table.id, 2))
    assert await history(database, table.id) == []

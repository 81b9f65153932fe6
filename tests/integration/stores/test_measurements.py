"""Measurements: one for each snapshot, the newest marked, whoever comes first."""

import asyncio
from datetime import timedelta

import pytest

from engine.domain.ids import TableId
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import Table
from engine.stores.tables import measurements
from tests.integration.stores.samples import NOON, registered
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase


def measured(table_id: TableId, number: int, *, small: int = 10, seconds: float | None = None) -> Measurement:
    """Return what was found in snapshot `number`, `seconds` after noon (as many as its number)."""
    at = NOON + timedelta(seconds=number if seconds is None else seconds)
    document = {"small_file_count": small, "worst_partitions": [{"partition": "{}"}]}
    return Measurement(table_id, str(number), at, 2 * small, small, small - 1, 10**12, 50.0, 0.5, document)


async def record(database: Stores, *given: Measurement) -> None:
    for each in given:
        await database.measurements.record(each)


async def history(database: Stores, table_id: TableId) -> list[tuple[str | None, bool]]:
    return [(each.snapshot_id, each.is_latest) for each in await database.measurements.list(table_id, limit=1000)]


async def test_a_measurement_comes_back_as_it_was_recorded_and_before_there_is_none(database: Stores, table: Table):
    assert await database.measurements.latest(table.id) is None
    assert await database.measurements.list(table.id) == []
    await record(database, measured(table.id, 1))
    found = await database.measurements.latest(table.id)
    assert found.id > 0
    assert found.says_the_same(measured(table.id, 1))
    assert (found.measured_at, found.total_bytes) == (NOON + timedelta(seconds=1), 10**12)


LOOKS: dict[str, tuple[list[dict[str, float]], list[tuple[str, bool]], int]] = {
    "measured twice": (
        [{"number": 1}, {"number": 1, "small": 4, "seconds": 5}],
        [("1", True)],
        4,
    ),
    "measured late": (
        [{"number": 2}, {"number": 1}, {"number": 2, "small": 99, "seconds": 1}],
        [("1", False), ("2", True)],
        10,
    ),
    "rolled back": (
        [{"number": 1}, {"number": 2}, {"number": 1, "seconds": 3}],
        [("2", False), ("1", True)],
        10,
    ),
}
"""Snapshots measured one after the other, the history after that, and the small files of the latest.

A snapshot is kept once, and the latest is that of the newest look, also after a late one or a roll-back.
"""


async def test_the_latest_measurement_is_that_of_the_newest_look(database: Stores) -> None:
    for name, (looks, kept, small) in LOOKS.items():
        table = await registered(database, name)
        await record(database, *(measured(table.id, **look) for look in looks))
        assert (name, await history(database, table.id)) == (name, kept)
        assert (await database.measurements.latest(table.id)).small_file_count == small


async def test_a_table_without_a_snapshot_is_measured_too(database: Stores, table: Table) -> None:
    empty = Measurement(table.id, None, NOON, 0, 0, 0, 0, 100, 0, {})
    await record(database, empty, empty)
    assert await history(database, table.id) == [(None, True)]


async def test_each_measurement_says_how_many_small_files_came_or_went_and_the_latest_where(
    database: Stores, table: Table
) -> None:
    counts = [5, 12, 2]
    await record(database, *(measured(table.id, number, small=small) for number, small in enumerate(counts)))
    kept = await database.measurements.list(table.id)
    assert [(each.snapshot_id, each.is_latest) for each in kept] == [("2", True), ("1", False), ("0", False)]
    assert [each.small_file_change for each in kept] == [-10, 7, 0]
    assert ["worst_partitions" in each.document for each in kept] == [True, False, False]


async def test_the_newest_five_hundred_are_kept(database: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    assert measurements.MOST_KEPT == 500
    monkeypatch.setattr(measurements, "MOST_KEPT", 30)
    table = await registered(database)
    await record(database, *(measured(table.id, number) for number in range(50)))
    kept = await history(database, table.id)
    assert (len(kept), kept[0]) == (30, ("49", True))


async def test_measuring_at_once_leaves_one_latest_and_every_snapshot_once(
    database: Stores, fresh_database: FreshDatabase
) -> None:
    table = await registered(database)
    looks = [measured(table.id, number % 5, seconds=number) for number in range(20)]
    await asyncio.gather(*(record(fresh_database.connect(), look) for look in looks))
    kept = await history(database, table.id)
    assert sorted(snapshot or "" for snapshot, _ in kept) == ["0", "1", "2", "3", "4"]
    assert [snapshot for snapshot, is_latest in kept if is_latest] == ["4"]


async def test_pages_of_history_hold_every_measurement_once_and_none_of_a_table_that_is_gone(
    database: Stores, table: Table
) -> None:
    await record(database, *(measured(table.id, number) for number in range(5)))
    first = await database.measurements.list(table.id, limit=2)
    second = await database.measurements.list(table.id, before=first[-1].id, limit=9)
    assert [each.snapshot_id for each in [*first, *second]] == ["4", "3", "2", "1", "0"]
    await database.tables.delete(table.id)
    await record(database, measured(table.id, 9))
    assert await history(database, table.id) == []

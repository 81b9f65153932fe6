"""Sums of reported scans on both databases."""

from datetime import timedelta

from engine.domain.tables.scans import MOST_COMBINATIONS, SCANS_KEPT_FOR, Scan
from tests.integration.stores.samples import registered
from tests.integration.stores.stores import Stores
from tests.support.moved_clock import MovedClock


async def test_scans_are_summed_by_hour_and_columns(database: Stores) -> None:
    table, clock = await registered(database), await MovedClock.of(database)
    since = await database.now()
    for scan in (Scan(("city",), 10, 1, 5), Scan(("city",), 30, 0, 7), Scan((), 100, 0, 9), Scan(None, 1, 0, 0)):
        await database.scans.add(table.id, scan)
    await clock.pass_by(hours=1)
    await database.scans.add(table.id, Scan(("city",), 1, 0, 1))
    sums = await database.scans.sums(table.id, since)
    assert sorted((sorted(each.columns) if each.columns is not None else ["?"], each.scans) for each in sums) == [
        ([], 1),
        (["?"], 1),
        (["city"], 1),
        (["city"], 2),
    ]
    figures = await database.scans.figures(table.id, since)
    assert (figures.scans, figures.result_files, figures.delete_files, figures.planning_ms) == (5, 142, 1, 22)
    assert await database.scans.figures((await registered(database, "other")).id, since) is None
    await clock.pass_by(days=SCANS_KEPT_FOR.days)
    assert await database.scans.prune(await database.now() - SCANS_KEPT_FOR - timedelta(hours=1), 100) == 3
    assert [each.scans for each in await database.scans.sums(table.id, since)] == [1]
    assert await database.scans.prune(await database.now(), 100) == 1


async def test_a_sender_of_ever_new_columns_makes_a_bounded_number_of_rows(database: Stores) -> None:
    table, since = await registered(database), await database.now()
    for number in range(MOST_COMBINATIONS + 20):
        await database.scans.add(table.id, Scan((f"c{number}",), 1, 0, 0))
    sums = await database.scans.sums(table.id, since - timedelta(hours=1))
    assert len(sums) <= 2 * (MOST_COMBINATIONS + 1), "two hours, if one ended meanwhile"
    assert sum(each.scans for each in sums) == MOST_COMBINATIONS + 20
    assert sum(each.scans for each in sums if each.columns is None) >= 20 - MOST_COMBINATIONS

"""Sums over all tables, and the ranking of a hundred thousand."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import text

from engine.domain.fleet.figures import EndedRunCounts, OwnerFigures
from engine.domain.ids import RunId, TableId
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from engine.domain.tables.measurements import Measurement
from tests.integration.stores.samples import LAKE, NOON, a_table, claimed, finished, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

LATER = timedelta(hours=1)


async def measured(database: Stores, name: str, benefit: float, *, team: str | None = "shop", **counts: int) -> TableId:
    """Register and measure a table."""
    table = replace(a_table(name), owner_team=team)
    numbers = {"file_count": 10, "small_file_count": 8, "avoidable_file_count": 7, "total_bytes": 2**50} | counts
    found = replace(Measurement(table.id, "1", NOON, 0, 0, 0, 0, 40.0, benefit, {}), **numbers)  # type: ignore[arg-type]
    if await database.catalogs.get("lake") is None:
        await database.catalogs.insert(LAKE)
    await database.tables.insert(table)
    await database.measurements.record(found)
    return table.id


async def again(database: Stores, table_id: TableId, *, small: int, minutes: int) -> None:
    """Measure a table once more."""
    at = NOON + timedelta(minutes=minutes)
    latest = await database.measurements.latest(table_id)
    assert latest is not None
    await database.measurements.record(
        replace(latest, snapshot_id=f"after {minutes}", measured_at=at, small_file_count=small)
    )


async def test_an_empty_record_has_figures_and_only_the_newest_measurement_of_a_table_counts(database: Stores) -> None:
    found = await database.fleet_figures.of_tables(None)
    assert (found.tables, found.measured_tables, found.total_bytes) == (0, 0, 0)
    assert await database.fleet_figures.small_files(None, NOON) == (0, 0)
    assert await database.fleet_figures.ended_runs(None, NOON, RunId("run_0")) == EndedRunCounts({}, 0, 0, 0)
    table_id = await measured(database, "a", 1.0)
    await again(database, table_id, small=3, minutes=5)
    await measured(database, "b", 1.0)
    await registered(database, "never measured")
    found = await database.fleet_figures.of_tables(None)
    assert (found.tables, found.measured_tables, found.small_file_count, found.total_bytes) == (3, 2, 11, 2**51)


async def test_small_files_made_and_removed_are_told_apart(database: Stores) -> None:
    table_id = await measured(database, "a", 1.0)
    for minutes, small in ((1, 20), (2, 5), (3, 9), (200, 100)):
        await again(database, table_id, small=small, minutes=minutes)
    assert await database.fleet_figures.small_files(None, NOON) == (12 + 4 + 91, 15)
    assert await database.fleet_figures.small_files(None, NOON + LATER) == (91, 0)


async def test_figures_of_some_teams_leave_out_all_others(database: Stores) -> None:
    await measured(database, "mine", 1.0, team="shop")
    await measured(database, "foreign", 9.0, team="other")
    await measured(database, "nobody's", 9.0, team=None)
    run = await finished(database, (await registered(database)).id)
    mine, none = frozenset({"shop"}), frozenset[str]()
    assert (await database.fleet_figures.of_tables(mine)).measured_tables == 1
    assert (await database.fleet_figures.of_tables(none)).tables == 0
    ended = await database.fleet_figures.ended_runs(frozenset({"shop"}), NOON, run.id)
    assert ended.by_state == {RunState.FAILED: 1}
    assert (await database.fleet_figures.ended_runs(frozenset({"other"}), NOON, run.id)).by_state == {}
    assert await database.fleet_figures.live_runs(none) == {}


async def test_ended_runs_of_the_time_are_summed(database: Stores) -> None:
    results: list[dict[str, Any]] = [
        {"groups_committed": 3, "races": {"groups_lost": 2}, "wasted_bytes": 2**40},
        {"groups_committed": 1, "races": {"groups_lost": 1}, "groups_dropped": {"cancelled": 4}, "wasted_bytes": 5},
        {"groups_committed": 4, "groups_dropped": {}, "wasted_bytes": 0},
        {},
    ]
    first = None
    for result in results:
        lease = await claimed(database)
        first = first or lease.run_id
        await database.runs.transition(lease, to=RunState.FAILED, reason="done", result=RunResult(result))
    await submitted(database)
    assert first is not None
    found = await database.fleet_figures.ended_runs(None, NOON, first)
    now = await database.now()
    assert (await database.fleet_figures.ended_runs(None, now + LATER, first)).by_state == {}
    assert (await database.fleet_figures.ended_runs(None, NOON, RunId("run_z"))).by_state == {}
    assert await database.fleet_figures.live_runs(None) == {RunState.QUEUED: 1}
    assert found.by_state == {RunState.FAILED: 4}
    assert (found.groups_committed, found.groups_lost, found.wasted_bytes) == (8, 3, 2**40 + 5)


async def test_bytes_of_the_time_are_summed(database: Stores, fresh_database: FreshDatabase) -> None:
    table_id = await measured(database, "a", 1.0)
    insert = "INSERT INTO rewritten_bytes (table_id, at, bytes) SELECT id, created_at, 3000000000 FROM tables"
    fresh_database.execute(insert)
    fresh_database.execute(insert)
    assert await database.fleet_figures.rewritten_bytes(None, NOON) == 6_000_000_000
    assert await database.fleet_figures.rewritten_bytes(frozenset({"shop"}), NOON) == 6_000_000_000
    assert await database.fleet_figures.rewritten_bytes(frozenset({"other"}), NOON) == 0
    assert await database.fleet_figures.rewritten_bytes(None, NOON + LATER) == 0
    assert table_id


async def test_figures_of_owners_are_sums_over_one_team_in_one_catalog(database: Stores) -> None:
    first = await measured(database, "a", 1.0)
    await measured(database, "b", 1.0, file_count=30, history_bytes=5)
    await measured(database, "c", 1.0, team=None)
    await registered(database, "not measured")
    await again(database, first, small=3, minutes=5)
    async with database.begin() as work:
        await work.connection.execute(text(f"UPDATE watches SET verdict = 'held' WHERE table_id = '{first}'"))
    found = await database.fleet_figures.by_owner()
    assert sorted(found, key=lambda owner: owner.owner_team or "") == [
        OwnerFigures("lake", None, 1, 0, 1, 10, 8, 7, 2**50, 0, 40.0, 40.0),
        OwnerFigures("lake", "shop", 3, 1, 2, 40, 11, 14, 2**51, 5, 80.0, 40.0),
    ]

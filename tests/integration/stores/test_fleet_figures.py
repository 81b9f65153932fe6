"""Sums over all tables, and the ranking of a hundred thousand."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import text

from engine.domain.fleet_figures import EndedRuns, OwnerFigures
from engine.domain.ids import RunId, TableId
from engine.domain.measurements import Measurement
from engine.domain.runs import RunState
from engine.stores import fleet_figures
from engine.stores.database import Database
from tests.integration.stores.samples import LAKE, NOON, a_table, claimed, finished, registered, submitted
from tests.integration.stores.test_table_listings import effort_of
from tests.support.databases import FreshDatabase

LATER = timedelta(hours=1)


async def measured(
    database: Database, name: str, benefit: float, *, team: str | None = "shop", **counts: int
) -> TableId:
    """Register and measure a table."""
    table = replace(a_table(name), owner_team=team)
    numbers = {"file_count": 10, "small_file_count": 8, "avoidable_file_count": 7, "total_bytes": 2**50} | counts
    found = replace(Measurement(table.id, "1", NOON, 0, 0, 0, 0, 40.0, benefit, {}), **numbers)  # type: ignore[arg-type]
    async with database.begin() as work:
        if await work.catalogs.get("lake") is None:
            await work.catalogs.insert(LAKE)
        await work.tables.insert(table)
        await work.measurements.record(found)
    return table.id


async def again(database: Database, table_id: TableId, *, small: int, minutes: int) -> None:
    """Measure a table once more."""
    at = NOON + timedelta(minutes=minutes)
    async with database.begin() as work:
        latest = await work.measurements.latest(table_id)
        assert latest is not None
        await work.measurements.record(
            replace(latest, snapshot_id=f"after {minutes}", measured_at=at, small_file_count=small)
        )


async def test_an_empty_record_has_figures(database: Database) -> None:
    async with database.read() as work:
        found = await work.fleet_figures.of_tables(None)
        assert (found.tables, found.measured_tables, found.total_bytes) == (0, 0, 0)
        assert await work.fleet_figures.small_files(None, NOON) == (0, 0)
        assert await work.fleet_figures.ended_runs(None, NOON, RunId("run_0")) == EndedRuns({}, 0, 0, 0)
        assert await work.fleet_figures.ranked(None, None, 5) == []


async def test_only_the_newest_measurement_of_a_table_counts(database: Database) -> None:
    table_id = await measured(database, "a", 1.0)
    await again(database, table_id, small=3, minutes=5)
    await measured(database, "b", 1.0)
    await registered(database, "never measured")
    async with database.read() as work:
        found = await work.fleet_figures.of_tables(None)
    assert (found.tables, found.measured_tables, found.small_file_count, found.total_bytes) == (3, 2, 11, 2**51)


async def test_small_files_made_and_removed_are_told_apart(database: Database) -> None:
    table_id = await measured(database, "a", 1.0)
    for minutes, small in ((1, 20), (2, 5), (3, 9), (200, 100)):
        await again(database, table_id, small=small, minutes=minutes)
    async with database.read() as work:
        assert await work.fleet_figures.small_files(None, NOON) == (12 + 4 + 91, 15)
        assert await work.fleet_figures.small_files(None, NOON + LATER) == (91, 0)


async def test_figures_of_some_teams_leave_out_all_others(database: Database) -> None:
    await measured(database, "mine", 1.0, team="shop")
    await measured(database, "foreign", 9.0, team="other")
    await measured(database, "nobody's", 9.0, team=None)
    run = await finished(database, (await registered(database)).id)
    mine, none = frozenset({"shop"}), frozenset[str]()
    async with database.read() as work:
        assert (await work.fleet_figures.of_tables(mine)).measured_tables == 1
        assert (await work.fleet_figures.of_tables(none)).tables == 0
        assert [each.ref.name for each in await work.fleet_figures.ranked(mine, None, 9)] == ["mine"]
        assert await work.fleet_figures.ranked(none, None, 9) == []
        ended = await work.fleet_figures.ended_runs(frozenset({"shop"}), NOON, run.id)
        assert ended.by_state == {RunState.FAILED: 1}
        assert (await work.fleet_figures.ended_runs(frozenset({"other"}), NOON, run.id)).by_state == {}
        assert await work.fleet_figures.live_runs(none) == {}


async def test_ended_runs_of_the_time_are_summed(database: Database) -> None:
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
        async with database.begin() as work:
            await work.runs.transition(lease, to=RunState.FAILED, reason="done", result=result)
    await submitted(database)
    assert first is not None
    async with database.read() as work:
        found = await work.fleet_figures.ended_runs(None, NOON, first)
        now = await work.now()
        assert (await work.fleet_figures.ended_runs(None, now + LATER, first)).by_state == {}
        assert (await work.fleet_figures.ended_runs(None, NOON, RunId("run_z"))).by_state == {}
        assert await work.fleet_figures.live_runs(None) == {RunState.QUEUED: 1}
    assert found.by_state == {RunState.FAILED: 4}
    assert (found.groups_committed, found.groups_lost, found.wasted_bytes) == (8, 3, 2**40 + 5)


async def test_bytes_of_the_time_are_summed(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    table_id = await measured(database, "a", 1.0)
    insert = "INSERT INTO rewritten_bytes (table_id, at, bytes) SELECT id, created_at, 3000000000 FROM tables"
    fresh_database.execute(insert)
    fresh_database.execute(insert)
    async with database.read() as work:
        assert await work.fleet_figures.rewritten_bytes(None, NOON) == 6_000_000_000
        assert await work.fleet_figures.rewritten_bytes(frozenset({"shop"}), NOON) == 6_000_000_000
        assert await work.fleet_figures.rewritten_bytes(frozenset({"other"}), NOON) == 0
        assert await work.fleet_figures.rewritten_bytes(None, NOON + LATER) == 0
    assert table_id


async def test_tables_are_ranked_in_pages_that_hold_each_once(database: Database) -> None:
    benefits = [0.1, 2.5, 1 / 3, 2.5, 0.0, 1e-9, 123456.789]
    ids = [await measured(database, f"t{at}", benefit) for at, benefit in enumerate(benefits)]
    expected = [table_id for _, table_id in sorted(zip(benefits, ids, strict=True), reverse=True)]
    found: list[TableId] = []
    after = None
    async with database.read() as work:
        while page := await work.fleet_figures.ranked(None, after, 2):
            found += [each.table_id for each in page]
            after = (page[-1].benefit_per_cost, page[-1].table_id)
    assert found == expected


async def test_no_page_of_the_ranking_reads_all_tables(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        is_sqlite = work.connection.dialect.name == "sqlite"
        number = "printf('%06d', i)" if is_sqlite else "lpad(i::text, 6, '0')"
        at = "'2026-11-01T00:00:00.000000Z'" + ("" if is_sqlite else "::timestamptz")
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
        of_tables = "id, catalog, namespace, name, uuid, location, owner_team, created_at, version, labels"
        table = f"'tbl_' || {number}, 'lake', '[\"ns\"]', 't' || i, 'u', 'l', 'team' || i % 5, {at}, 1, '{{}}'"
        of_measurements = "table_id, snapshot_id, measured_at, is_latest, file_count, small_file_count, "
        of_measurements += "avoidable_file_count, total_bytes, score, benefit_per_cost, small_file_change, document"
        measurement = f"'tbl_' || {number}, '1', {at}, true, 10, 9, 8, 7, 50, i % 1000 / 7.0, 0, '{{}}'"
        for name, columns, values in (("tables", of_tables, table), ("measurements", of_measurements, measurement)):
            insert, select = f"INSERT INTO {name} ({columns}) ", f"SELECT {values} FROM n"
            statement = insert + numbers + select if is_sqlite else numbers + insert + select
            await work.connection.execute(text(statement))
        await work.connection.execute(text("ANALYZE"))
    async with database.read() as work:
        for after in (None, (50.0, TableId("tbl_050000"))):
            assert await effort_of(work.connection, fleet_figures.ranking(None, after, 50)) <= 200
            # at most the tables of the team: a planner may read them all and sort
            assert await effort_of(work.connection, fleet_figures.ranking({"team1"}, after, 50)) <= 25_000


async def test_figures_of_owners_are_sums_over_one_team_in_one_catalog(database: Database) -> None:
    first = await measured(database, "a", 1.0)
    await measured(database, "b", 1.0, file_count=30)
    await measured(database, "c", 1.0, team=None)
    await registered(database, "not measured")
    await again(database, first, small=3, minutes=5)
    async with database.begin() as work:
        await work.connection.execute(text(f"UPDATE watches SET verdict = 'held' WHERE table_id = '{first}'"))
    async with database.read() as work:
        found = await work.fleet_figures.by_owner()
    assert sorted(found, key=lambda owner: owner.owner_team or "") == [
        OwnerFigures("lake", None, 1, 0, 1, 10, 8, 7, 2**50, 40.0, 40.0),
        OwnerFigures("lake", "shop", 3, 1, 2, 40, 11, 14, 2**51, 80.0, 40.0),
    ]

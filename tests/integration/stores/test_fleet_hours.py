"""Activity by hour and team: counted once for what happened, sampled, pruned, and read by ranges of hours."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from engine.domain.fleet.figures import OwnerFigures
from engine.domain.fleet.history import HOUR, BacklogSample, EndedRunSums, TableActivity, floor_of
from engine.domain.ids import TableId
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from engine.domain.tables.measurements import Measurement
from engine.stores.database import Database
from engine.stores.fleet.hours import ended_runs, table_activity
from tests.integration.stores.samples import LAKE, NOON, a_table, claimed, submitted
from tests.support.databases import FreshDatabase

START = floor_of(NOON, HOUR)
EVER = (datetime.fromisoformat("2000-01-01T00:00:00Z"), datetime.fromisoformat("2100-01-01T00:00:00Z"))
RESULT: dict[str, Any] = {
    "rewritten_files": 7,
    "rewritten_bytes": 2**40,
    "wasted_bytes": 5,
    "groups_committed": 3,
    "races": {"groups_lost": 2},
}


async def ended(database: Database, to: RunState, result: dict[str, Any], **changes: Any) -> None:
    run = await submitted(database, **changes)
    async with database.begin() as work:
        claim = await work.runs.claim(run.id, "worker", 60)
        assert claim is not None
        await work.runs.transition(claim[1], to=to, reason="done", result=RunResult(result))


async def measured(database: Database, counts: list[int], *, team: str | None = "shop", minutes: int = 10) -> TableId:
    """Register a table and measure it with these small files, every few minutes from noon on."""
    table = replace(a_table(f"of {team}"), owner_team=team)
    async with database.begin() as work:
        if await work.catalogs.get("lake") is None:
            await work.catalogs.insert(LAKE)
        await work.tables.insert(table)
    for number, small in enumerate(counts):
        at = NOON + timedelta(minutes=minutes * number)
        found = Measurement(table.id, str(number), at, 2 * small, small, small - 1, 10 * small, 40.0, 1.0, {})
        async with database.begin() as work:
            await work.measurements.record(found)
    return table.id


async def test_runs_that_end_are_summed_by_hour_team_and_state(database: Database) -> None:
    for _ in range(2):
        await ended(database, RunState.FAILED, RESULT)
    table_id = await measured(database, [], team=None)
    await ended(database, RunState.SKIPPED, {}, table_id=table_id)
    async with database.read() as work:
        now = await work.now()
        found = await work.fleet_hours.ended_runs(None, *EVER)
        mine = await work.fleet_hours.ended_runs(frozenset({"shop"}), *EVER)
        foreign = await work.fleet_hours.ended_runs(frozenset({"other"}), *EVER)
    hour = next(iter(found))[0]
    assert hour in {floor_of(now, HOUR), floor_of(now - HOUR, HOUR)}
    twice = EndedRunSums(2, 14, 2**41, 10, 6, 4)
    assert mine == {(hour, RunState.FAILED): twice}
    assert found == {**mine, (hour, RunState.SKIPPED): EndedRunSums(1)}
    assert foreign == {}


async def test_a_run_that_is_cancelled_in_the_queue_is_counted(database: Database) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        await work.runs.request_cancel(run.id, "key:admin")
    async with database.read() as work:
        [(_, state)] = await work.fleet_hours.ended_runs(None, *EVER)
    assert state is RunState.CANCELLED


async def test_a_run_that_is_parked_has_not_ended(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.runs.park(lease, waiting_for=None, not_before=None, reason="x", detail=None, failed=False)
    async with database.read() as work:
        assert await work.fleet_hours.ended_runs(None, *EVER) == {}


async def test_small_files_made_and_removed_are_summed_by_hour(database: Database) -> None:
    await measured(database, [10, 30, 5, 5], minutes=10)
    await measured(database, [10, 0], team=None, minutes=90)
    async with database.read() as work:
        found = await work.fleet_hours.tables(None, *EVER)
        mine = await work.fleet_hours.tables(frozenset({"shop"}), *EVER)
        assert await work.fleet_hours.tables(None, START + HOUR, START + HOUR) == {}
        assert await work.fleet_hours.known_since() == START
    assert mine == {START: TableActivity(20, 25, None)}
    assert found == {**mine, START + HOUR: TableActivity(0, 10, None)}


async def test_a_snapshot_that_is_measured_again_makes_no_small_files(database: Database) -> None:
    table_id = await measured(database, [10])
    async with database.begin() as work:
        latest = await work.measurements.latest(table_id)
        assert latest is not None
        await work.measurements.record(replace(latest, small_file_count=99))
    async with database.read() as work:
        assert await work.fleet_hours.tables(None, *EVER) == {}


async def test_a_sample_is_replaced_by_a_later_one_of_its_hour(database: Database) -> None:
    def owner(catalog: str, team: str | None, files: int) -> OwnerFigures:
        return OwnerFigures(catalog, team, 2, 0, 1, files, 8, 7, 2**50, 3, 80.0, 40.0)

    for minutes, files in ((1, 99), (6, 10)):
        owners = [owner("a", "shop", files), owner("b", "shop", 1), owner("a", None, 1)]
        async with database.begin() as work:
            await work.fleet_hours.sample(owners, START + timedelta(minutes=minutes))
    sampled = START + timedelta(minutes=6)
    async with database.read() as work:
        mine = await work.fleet_hours.tables(frozenset({"shop"}), *EVER)
        every = await work.fleet_hours.tables(None, *EVER)
        assert await work.fleet_hours.last_sample(NOON) == sampled
        assert await work.fleet_hours.last_sample(NOON + 2 * HOUR) is None
    assert mine[START].sample == BacklogSample(sampled, 2, 11, 16, 14, 2**51, 6)
    assert every[START].sample == BacklogSample(sampled, 3, 12, 24, 21, 3 * 2**50, 9)


async def test_a_sample_keeps_what_was_counted_in_its_hour(database: Database) -> None:
    await measured(database, [10, 30])
    async with database.begin() as work:
        await work.fleet_hours.sample(await work.fleet_figures.by_owner(), START + timedelta(minutes=50))
    async with database.read() as work:
        [found] = (await work.fleet_hours.tables(None, *EVER)).values()
    assert (found.small_files_made, found.sample and found.sample.small_file_count) == (20, 30)


async def test_hours_before_an_instant_are_pruned(database: Database) -> None:
    await measured(database, [10, 30, 5], minutes=70)
    await ended(database, RunState.FAILED, {})
    async with database.begin() as work:
        assert await work.fleet_hours.prune(START + 2 * HOUR, 100) == 1
        assert await work.fleet_hours.prune(START + 2 * HOUR, 100) == 0
    async with database.read() as work:
        assert list(await work.fleet_hours.tables(None, *EVER)) == [START + 2 * HOUR]
        assert len(await work.fleet_hours.ended_runs(None, *EVER)) == 1


async def test_a_history_reads_only_the_hours_of_its_period(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    hours = [START - HOUR * at for at in range(2000)]
    teams = [f"team_{at}" for at in range(20)]
    async with database.begin() as work:
        for table, more in (("run_hours", ", state"), ("table_hours", "")):
            rows = [{"hour": hour.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "team": team} for hour in hours for team in teams]
            rows = (
                rows
                if work.connection.dialect.name == "sqlite"
                else [{"hour": hour, "team": team} for hour in hours for team in teams]
            )
            insert = f"INSERT INTO {table} (hour, owner_team{more}) VALUES (:hour, :team{', :state' if more else ''})"
            await work.connection.execute(text(insert), [{**row, "state": "failed"} for row in rows])
    async with database.begin() as work:
        await work.connection.execute(text("ANALYZE"))
        dialect = work.connection.dialect
        for query in (ended_runs, table_activity):
            for some in (None, frozenset({"team_1", "team_2"})):
                compiled = query(some, START - 24 * HOUR, START).compile(
                    dialect=dialect, compile_kwargs={"literal_binds": True}
                )
                prefix = "EXPLAIN QUERY PLAN " if dialect.name == "sqlite" else "EXPLAIN "
                rows = (await work.connection.exec_driver_sql(prefix + str(compiled))).all()
                plan = "\n".join(str(row[-1]) for row in rows)
                assert "SEARCH" in plan or "pk_" in plan, plan
                assert "Seq Scan" not in plan, plan
                assert "SCAN run_hours" not in plan, plan
                assert "SCAN table_hours" not in plan, plan

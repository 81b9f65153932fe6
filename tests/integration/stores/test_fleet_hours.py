"""Activity by hour and team: counted once for what happened, sampled, pruned, and read by ranges of hours."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from sqlalchemy import insert, text

from engine.domain.fleet.figures import OwnerFigures
from engine.domain.fleet.history import HOUR, BacklogSample, EndedRunSums, TableActivity, floor_of
from engine.domain.ids import TableId
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from engine.domain.tables.measurements import Measurement
from engine.stores.fleet.hours import ended_runs, table_activity
from engine.stores.schema.history import run_hours, table_hours
from tests.integration.stores.plans import plan_of
from tests.integration.stores.samples import LAKE, NOON, a_table, claimed, submitted
from tests.integration.stores.stores import Stores

START = floor_of(NOON, HOUR)
EVER = (datetime.fromisoformat("2000-01-01T00:00:00Z"), datetime.fromisoformat("2100-01-01T00:00:00Z"))
RESULT: dict[str, Any] = {
    "rewritten_files": 7,
    "rewritten_bytes": 2**40,
    "wasted_bytes": 5,
    "groups_committed": 3,
    "races": {"groups_lost": 2},
}


async def ended(database: Stores, to: RunState, result: dict[str, Any], **changes: Any) -> None:
    run = await submitted(database, **changes)
    claim = await database.runs.claim(run.id, "worker", 60)
    await database.runs.transition(claim[1], to=to, reason="done", result=RunResult(result))


async def measured(database: Stores, counts: list[int], *, team: str | None = "shop", minutes: int = 10) -> TableId:
    """Register a table and measure it with these small files, every few minutes from noon on."""
    table = replace(a_table(f"of {team}"), owner_team=team)
    if await database.catalogs.get("lake") is None:
        await database.catalogs.insert(LAKE)
    await database.tables.insert(table)
    for number, small in enumerate(counts):
        at = NOON + timedelta(minutes=minutes * number)
        found = Measurement(table.id, str(number), at, 2 * small, small, small - 1, 10 * small, 40.0, 1.0, {})
        await database.measurements.record(found)
    return table.id


async def test_runs_that_end_are_summed_by_hour_team_and_state(database: Stores) -> None:
    for _ in range(2):
        await ended(database, RunState.FAILED, RESULT)
    table_id = await measured(database, [], team=None)
    await ended(database, RunState.SKIPPED, {}, table_id=table_id)
    now = await database.now()
    found = await database.fleet_hours.ended_runs(None, *EVER)
    mine = await database.fleet_hours.ended_runs(frozenset({"shop"}), *EVER)
    foreign = await database.fleet_hours.ended_runs(frozenset({"other"}), *EVER)
    hour = next(iter(found))[0]
    assert hour in {floor_of(now, HOUR), floor_of(now - HOUR, HOUR)}
    twice = EndedRunSums(2, 14, 2**41, 10, 6, 4)
    assert mine == {(hour, RunState.FAILED): twice}
    assert found == {**mine, (hour, RunState.SKIPPED): EndedRunSums(1)}
    assert foreign == {}


async def test_a_run_that_is_cancelled_in_the_queue_is_counted_and_one_that_is_parked_has_not_ended(database: Stores):
    lease = await claimed(database)
    await database.runs.park(lease, waiting_for=None, not_before=None, reason="x", detail=None, failed=False)
    assert await database.fleet_hours.ended_runs(None, *EVER) == {}
    run = await submitted(database)
    await database.runs.request_cancel(run.id, "key:admin")
    [(_, state)] = await database.fleet_hours.ended_runs(None, *EVER)
    assert state is RunState.CANCELLED


async def test_small_files_made_and_removed_are_summed_by_hour(database: Stores) -> None:
    await measured(database, [10, 30, 5, 5], minutes=10)
    await measured(database, [10, 0], team=None, minutes=90)
    found = await database.fleet_hours.tables(None, *EVER)
    mine = await database.fleet_hours.tables(frozenset({"shop"}), *EVER)
    assert await database.fleet_hours.tables(None, START + HOUR, START + HOUR) == {}
    assert await database.fleet_hours.known_since() == START
    assert mine == {START: TableActivity(20, 25, None)}
    assert found == {**mine, START + HOUR: TableActivity(0, 10, None)}


async def test_a_snapshot_that_is_measured_again_makes_no_small_files(database: Stores) -> None:
    table_id = await measured(database, [10])
    latest = await database.measurements.latest(table_id)
    assert latest is not None
    await database.measurements.record(replace(latest, small_file_count=99))
    assert await database.fleet_hours.tables(None, *EVER) == {}


async def test_a_sample_is_replaced_by_a_later_one_of_its_hour(database: Stores) -> None:
    def owner(catalog: str, team: str | None, files: int) -> OwnerFigures:
        return OwnerFigures(catalog, team, 2, 0, 1, files, 8, 7, 2**50, 3, 80.0, 40.0)

    for minutes, files in ((1, 99), (6, 10)):
        owners = [owner("a", "shop", files), owner("b", "shop", 1), owner("a", None, 1)]
        await database.fleet_hours.sample(owners, START + timedelta(minutes=minutes))
    sampled = START + timedelta(minutes=6)
    mine = await database.fleet_hours.tables(frozenset({"shop"}), *EVER)
    every = await database.fleet_hours.tables(None, *EVER)
    assert await database.fleet_hours.last_sample(NOON) == sampled
    assert await database.fleet_hours.last_sample(NOON + 2 * HOUR) is None
    assert mine[START].sample == BacklogSample(sampled, 2, 11, 16, 14, 2**51, 6)
    assert every[START].sample == BacklogSample(sampled, 3, 12, 24, 21, 3 * 2**50, 9)


async def test_a_sample_keeps_what_was_counted_in_its_hour(database: Stores) -> None:
    await measured(database, [10, 30])
    await database.fleet_hours.sample(await database.fleet_figures.by_owner(), START + timedelta(minutes=50))
    [found] = (await database.fleet_hours.tables(None, *EVER)).values()
    assert (found.small_files_made, found.sample and found.sample.small_file_count) == (20, 30)


async def test_hours_before_an_instant_are_pruned(database: Stores) -> None:
    await measured(database, [10, 30, 5], minutes=70)
    await ended(database, RunState.FAILED, {})
    assert await database.fleet_hours.prune(START + 2 * HOUR, 100) == 1
    assert await database.fleet_hours.prune(START + 2 * HOUR, 100) == 0
    assert list(await database.fleet_hours.tables(None, *EVER)) == [START + 2 * HOUR]
    assert len(await database.fleet_hours.ended_runs(None, *EVER)) == 1


async def test_a_history_reads_only_the_hours_of_its_period(database: Stores) -> None:
    hours = [START - HOUR * at for at in range(500)]
    rows = [{"hour": hour, "owner_team": f"team_{at}", "state": "failed"} for hour in hours for at in range(20)]
    async with database.begin() as work:
        for table in (run_hours, table_hours):
            known = [{name: value for name, value in row.items() if name in table.c} for row in rows]
            await work.connection.execute(insert(table), known)
        await work.connection.execute(text("ANALYZE"))
    for query, some in product((ended_runs, table_activity), (None, frozenset({"team_1", "team_2"}))):
        plan = await plan_of(database, query(some, START - 24 * HOUR, START))
        assert "SEARCH" in plan or "pk_" in plan, plan
        assert not re.search(r"Seq Scan|SCAN run_hours|SCAN table_hours", plan), plan

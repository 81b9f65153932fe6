"""Which run is next: priority, then age, within the fleet's limit, past what is held or paused."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.errors import PreconditionFailed
from engine.domain.fleet.limits import CatalogLimits, FleetLimits
from engine.domain.ids import RunId
from engine.domain.runs.run import Operation, Priority, Run, RunState, WaitingFor
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import Pause, Table
from engine.stores.runs.claims import LOOKED_AT
from engine.stores.unit_of_work import UnitOfWork
from tests.integration.stores.samples import LAKE, NOON, a_run, a_table, claimed, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

HOUR = timedelta(hours=1)


async def ready(database: Stores, limit: int = 10) -> list[RunId]:
    return [run.id for run in await database.runs.list_ready(limit)]


async def measure(database: Stores, run: Run, document: dict[str, Any], benefit: float = 0.0) -> None:
    await database.measurements.record(Measurement(run.table_id, "1", NOON, 9, 9, 8, 10**6, 40.0, benefit, document))


async def backlog(database: Stores, **changes: Any) -> list[Run]:
    """Store more old runs of one table than are looked at for a turn."""
    table = await registered(database)
    runs = [a_run(table.id, request_key=str(n), created_at=NOON - HOUR, **changes) for n in range(LOOKED_AT + 50)]
    await database.runs.insert_many(runs, {table.id: table})
    return runs


async def limit(database: Stores, parallel_runs: int | None, **catalogs: int) -> None:
    own = {name: CatalogLimits(parallel_runs=runs) for name, runs in catalogs.items()}
    version = (await database.fleet.get()).version
    await database.fleet.replace_limits(FleetLimits(parallel_runs, catalogs=own), by="admin", version=version)


async def claim(database: Stores, run: Run) -> bool:
    return await database.runs.claim(run.id, f"holder of {run.id}", 60) is not None


async def test_high_goes_before_normal_before_low_then_the_oldest(database: Stores) -> None:
    order = [Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.NORMAL, Priority.HIGH]
    runs = [await submitted(database, priority=priority) for priority in order]
    assert await ready(database) == [runs[at].id for at in (2, 4, 1, 3, 0)]
    assert await ready(database, 2) == [runs[2].id, runs[4].id]


async def test_the_table_worth_most_goes_first(database: Stores) -> None:
    dear, worth = await submitted(database), await submitted(database)
    await measure(database, worth, {}, 4.0)
    assert await ready(database) == [worth.id, dear.id]


async def level0(database: Stores) -> dict[RunId, tuple[int, bool]]:
    return {run.id: (run.level0_file_count, run.hides_level0) for run in await database.runs.list_ready(10)}


async def test_p15_the_table_with_hidden_files_of_level_0_goes_first_then_that_with_most(database: Stores) -> None:
    none, some, most, hidden = [await submitted(database) for _ in range(4)]
    expiry = await submitted(database, operation=Operation.EXPIRE_SNAPSHOTS)
    for run, count, hides in ((some, 2, False), (most, 9, False), (hidden, 1, True), (expiry, 9, True)):
        await measure(database, run, {"fullest_bucket": {"level0_file_count": count, "hides_level0": hides}})
    await measure(database, none, {"fullest_bucket": None})
    order = await ready(database)
    assert [each for each in order if each != expiry.id] == [hidden.id, most.id, some.id, none.id]
    runs, counts = (none, some, most, hidden, expiry), ((0, False), (2, False), (9, False), (1, True), (0, False))
    assert await level0(database) == {run.id: count for run, count in zip(runs, counts, strict=True)}


async def test_p15_new_files_of_another_bucket_than_the_fullest_count(database: Stores) -> None:
    other, hidden = await submitted(database), await submitted(database)
    fullest = {"level0_file_count": 0, "hides_level0": True}
    for run, count in ((other, 0), (hidden, 1)):
        await measure(database, run, {"fullest_bucket": fullest, "level0_file_count": count})
    assert await ready(database) == [hidden.id, other.id]
    assert await level0(database) == {other.id: (0, True), hidden.id: (1, True)}


async def test_p15_a_measurement_of_an_earlier_version_hides_nothing(database: Stores) -> None:
    run = await submitted(database)
    await measure(database, run, {"fullest_bucket": {"level0_file_count": 4}})
    assert await level0(database) == {run.id: (4, False)}


async def test_a_team_is_not_out_of_sight_behind_anothers_backlog(database: Stores, table: Table) -> None:
    small = replace(a_table("small"), owner_team="small")
    await database.tables.insert(small)
    tables = {table.id: table, small.id: small}
    storm = [a_run(table.id, request_key=str(n), created_at=NOON - HOUR) for n in range(LOOKED_AT + 50)]
    await database.runs.insert_many([*storm, run := a_run(small.id)], tables)
    assert (await ready(database, 5))[2:4].count(run.id) == 1


async def test_upkeep_has_turns_apart_from_the_rewrites_of_its_team(database: Stores) -> None:
    expiry = Operation.EXPIRE_SNAPSHOTS
    waiting = [await submitted(database, operation=expiry, created_at=NOON - HOUR) for _ in range(3)]
    rewrite = await submitted(database)
    await measure(database, waiting[2], {}, 4.0)  # the worth of a rewrite is not that of an expiry
    assert (await ready(database))[0] == waiting[0].id
    await claimed(database, waiting[0].id)
    assert (await database.runs.count_leased()).by_sharer == {"upkeep of team shop": 1}
    assert await ready(database) == [rewrite.id, waiting[1].id, waiting[2].id]


async def test_a_rewrite_is_not_out_of_sight_behind_a_backlog_of_upkeep(database: Stores) -> None:
    await backlog(database, operation=Operation.EXPIRE_SNAPSHOTS)
    rewrite = await submitted(database)
    assert rewrite.id in (await ready(database, 5))


async def test_an_urgent_run_goes_first_however_many_wait_and_a_later_one_not_yet(database: Stores) -> None:
    await backlog(database, priority=Priority.HIGH)
    now = await database.now()
    urgent, other, later = [
        await submitted(database, priority=Priority.LOW, urgent_at=now + seconds)
        for seconds in (-timedelta(seconds=1), -timedelta(seconds=9), HOUR)
    ]
    found = await ready(database)
    assert (found[:2], later.id in found) == ([urgent.id, other.id], False)


@pytest.mark.parametrize(("older", "minutes"), [(Priority.NORMAL, 30), (Priority.LOW, 60)])
async def test_a_run_that_waited_long_goes_before_a_newer_one_of_a_higher_level(
    database: Stores, older: Priority, minutes: int
) -> None:
    newer = await submitted(database, priority=Priority.HIGH)
    for waited, goes_first in ((minutes - 1, False), (minutes + 1, True)):
        run = await submitted(database, priority=older, created_at=NOON - timedelta(minutes=waited))
        assert (await ready(database))[0] == (run.id if goes_first else newer.id)


async def test_a_run_whose_table_is_held_is_not_ready_until_it_is_free(database: Stores, table: Table) -> None:
    first, second = [await submitted(database, table.id, request_key=key) for key in "ab"]
    lease = await claimed(database, first.id)
    assert await ready(database) == []
    await database.runs.transition(lease, to=RunState.FAILED)
    assert await ready(database) == [second.id]


async def test_a_limit_leaves_room_for_so_many(database: Stores) -> None:
    runs = [await submitted(database) for _ in range(3)]
    await limit(database, 2)
    assert await ready(database) == [runs[0].id, runs[1].id]
    await claimed(database, runs[0].id)
    await claimed(database, runs[1].id)
    assert await ready(database) == []
    assert await database.runs.claim(runs[2].id, "worker-2", 60) is None


@pytest.mark.parametrize(("fleet", "catalogs"), [(3, {}), (9, {"lake": 2, "archive": 1})])
async def test_concurrent_claims_never_pass_the_limit_of_the_fleet_or_of_a_catalog(
    fresh_database: FreshDatabase, fleet: int, catalogs: dict[str, int]
) -> None:
    databases = [fresh_database.connect() for _ in range(4)]
    names = ["lake", "archive", "other"] * 5
    runs = [await submitted(databases[0], catalog=name) for name in names]
    await limit(databases[0], fleet, **catalogs)
    won = await asyncio.gather(*(claim(databases[at % 4], run) for at, run in enumerate(runs)))
    held = Counter(name for name, is_held in zip(names, won, strict=True) if is_held)
    assert held == {"lake": 2, "archive": 1, "other": 5} if catalogs else held.total() == fleet
    assert await ready(databases[0]) == []


async def test_a_full_catalog_is_passed_over_and_hides_nobody(database: Stores) -> None:
    waiting = await backlog(database)
    others = [await submitted(database, catalog="archive") for _ in range(3)]
    at_work = await submitted(database)
    await limit(database, None, lake=1)
    assert await ready(database) == [waiting[0].id, *(run.id for run in others)]
    assert await claim(database, at_work)
    assert await ready(database) == [run.id for run in others]
    assert not await claim(database, waiting[0])
    await limit(database, None, lake=2)
    assert (await ready(database))[0] == waiting[0].id


async def test_no_more_of_a_catalog_are_ready_than_there_is_room_for(database: Stores) -> None:
    runs = [await submitted(database, catalog=name) for name in ("lake", "lake", "lake", "archive")]
    await limit(database, 3, lake=2)
    assert await ready(database) == [runs[0].id, runs[1].id, runs[3].id]
    for run in runs[:2]:
        assert await claim(database, run)
    await limit(database, 3, lake=1)
    assert await ready(database) == [runs[3].id]


async def test_limits_are_replaced_as_they_were_read(database: Stores) -> None:
    version = (await database.fleet.get()).version
    limits = FleetLimits(parallel_runs=2, bandwidth=10**6)
    stored = await database.fleet.replace_limits(limits, by="admin", version=version)
    assert (stored.limits, stored.version, stored.updated_by) == (limits, version + 1, "admin")
    with pytest.raises(PreconditionFailed):
        await database.fleet.replace_limits(FleetLimits(), by="other", version=version)


async def switch(work: UnitOfWork, scope: str, run: Run, *, stops: bool = False) -> Pause:
    where = {"table": [run.table_id], "catalog": [run.catalog], "fleet": []}[scope]
    paused: Pause = await getattr(work.pauses, f"switch_{scope}")(*where, by="op", reason="backfill", stops=stops)
    return paused


async def release(work: UnitOfWork, scope: str, run: Run) -> None:
    where = {"table": [run.table_id], "catalog": [run.catalog], "fleet": []}[scope]
    await getattr(work.pauses, f"release_{scope}")(*where)


async def test_nothing_paused_is_claimed_before_the_resume(database: Stores) -> None:
    run = await submitted(database)
    for scope in ("table", "catalog", "fleet"):
        await switch(database, scope, run, stops=scope == "fleet")
        assert await ready(database) == []
        assert await database.runs.claim(run.id, "worker-1", 60) is None
        present = (await database.pauses.of_table(run.table_id)).present
        assert (present.by, present.reason, present.stops) == ("op", "backfill", scope == "fleet")
        await release(database, scope, run)
        assert await ready(database) == [run.id]


async def test_a_paused_catalog_stops_no_other(database: Stores) -> None:
    paused, other = await submitted(database), a_table("elsewhere", catalog="other")
    async with database.begin() as work:
        await work.catalogs.insert(replace(LAKE, name="other"))
        await work.tables.insert(other)
        run = a_run(other.id, catalog="other")
        await work.runs.insert_many([run], {other.id: other})
        await switch(work, "catalog", paused)
        pauses = await work.pauses.of_tables([paused.table_id, other.id])
    assert await ready(database) == [run.id]
    assert [pauses[table].catalog is None for table in (paused.table_id, other.id)] == [False, True]
    assert (await claimed(database, run.id)).token == 1


async def test_of_several_pauses_one_that_stops_is_obeyed_then_the_widest(database: Stores) -> None:
    run = await submitted(database)
    made = {scope: await switch(database, scope, run) for scope in ("table", "catalog", "fleet")}
    assert (await database.pauses.of_table(run.table_id)).present == made["fleet"]
    await release(database, "fleet", run)
    assert (await database.pauses.of_table(run.table_id)).present == made["catalog"]
    stops = await switch(database, "table", run, stops=True)
    assert (await database.pauses.of_table(run.table_id)).present == stops


@pytest.mark.parametrize("scope", ["table", "catalog", "fleet"])
async def test_a_paused_run_that_is_to_be_cancelled_is_let_through(database: Stores, scope: str) -> None:
    lease = await claimed(database)
    park = {"waiting_for": WaitingFor.PAUSED, "not_before": None, "reason": "paused", "detail": None}
    await database.runs.park(lease, **park, failed=False)
    run = await database.runs.request_cancel(lease.run_id, "somebody")
    await switch(database, scope, run)
    assert run.state is RunState.QUEUED
    assert await ready(database) == [lease.run_id]
    assert (await claimed(database, lease.run_id)).token == 2


@pytest.mark.parametrize("scope", ["table", "catalog"])
async def test_a_pause_and_a_claim_at_one_instant_know_of_one_another(fresh_database: FreshDatabase, scope: str):
    first, second = fresh_database.connect(), fresh_database.connect()
    for _ in range(10):
        run = await submitted(first)

        async def claim(run: Run = run) -> bool:
            async with first.begin() as work:
                return await work.runs.claim(run.id, "worker-1", 60) is not None

        async def pause(run: Run = run) -> list[RunId]:
            async with second.begin() as work:
                await switch(work, scope, run)
                if scope == "catalog":
                    return await work.runs.list_leased(catalog=run.catalog)
                return await work.runs.list_leased(run.table_id)

        was_claimed, held = await asyncio.gather(claim(), pause())
        assert (run.id in held) is was_claimed
        async with first.begin() as work:
            await release(work, scope, run)


async def test_a_run_held_back_waits_until_its_time_and_tells_why(database: Stores) -> None:
    run = await submitted(database)
    until = await database.now() + HOUR
    held = await database.runs.hold_back(
        run.id, waiting_for=WaitingFor.BLACKOUT, not_before=until, reason="blackout", detail="freeze", by="w"
    )
    events = await database.events.list(run.id)
    assert (held.waiting_for, held.not_before, held.detail) == (WaitingFor.BLACKOUT, until, "freeze")
    assert [event.kind for event in events] == ["submitted", "held_back"]
    assert await ready(database) == []
    assert [one.id for one in await database.runs.list_held_back(10)] == [run.id]
    await database.runs.end_wait(run.id, by="w")
    assert await ready(database) == [run.id]

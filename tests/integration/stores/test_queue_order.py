"""Which run is next: priority, then age, within the fleet's limit, past what is held or paused."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.errors import PreconditionFailed
from engine.domain.fleet.limits import CatalogLimits, FleetLimits
from engine.domain.ids import RunId
from engine.domain.runs.run import Operation, Priority, Run, RunState, WaitingFor
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import Pause
from engine.stores.database import Database
from engine.stores.runs.claims import LOOKED_AT
from engine.stores.unit_of_work import UnitOfWork
from tests.integration.stores.samples import LAKE, NOON, a_run, a_table, claimed, registered, submitted
from tests.support.databases import FreshDatabase

HOUR = timedelta(hours=1)


async def ready(database: Database, limit: int = 10) -> list[RunId]:
    async with database.read() as work:
        return [run.id for run in await work.runs.list_ready(limit)]


async def limit(database: Database, parallel_runs: int | None, **catalogs: int) -> None:
    own = {name: CatalogLimits(parallel_runs=runs) for name, runs in catalogs.items()}
    async with database.begin() as work:
        version = (await work.fleet.get()).version
        await work.fleet.replace_limits(FleetLimits(parallel_runs, catalogs=own), by="admin", version=version)


async def claim(database: Database, run: Run) -> bool:
    async with database.begin() as work:
        return await work.runs.claim(run.id, f"holder of {run.id}", 60) is not None


async def test_high_goes_before_normal_before_low_then_the_oldest(database: Database) -> None:
    order = [Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.NORMAL, Priority.HIGH]
    runs = [await submitted(database, priority=priority) for priority in order]
    assert await ready(database) == [runs[at].id for at in (2, 4, 1, 3, 0)]
    assert await ready(database, 2) == [runs[2].id, runs[4].id]


async def test_the_table_worth_most_goes_first(database: Database) -> None:
    dear, worth = await submitted(database), await submitted(database)
    async with database.begin() as work:
        await work.measurements.record(Measurement(worth.table_id, "1", NOON, 9, 9, 8, 10**6, 40.0, 4.0, {}))
    assert await ready(database) == [worth.id, dear.id]


async def test_p15_the_table_with_hidden_files_of_level_0_goes_first_then_that_with_most(database: Database) -> None:
    none, some, most, hidden = [await submitted(database) for _ in range(4)]
    expiry = await submitted(database, operation=Operation.EXPIRE_SNAPSHOTS)
    async with database.begin() as work:
        for run, count, hides in ((some, 2, False), (most, 9, False), (hidden, 1, True), (expiry, 9, True)):
            fullest = {"fullest_bucket": {"level0_file_count": count, "hides_level0": hides}}
            await work.measurements.record(Measurement(run.table_id, "1", NOON, 9, 0, 0, 10**6, 40.0, 0.0, fullest))
        for run, document in ((none, {"fullest_bucket": None}),):
            await work.measurements.record(Measurement(run.table_id, "1", NOON, 9, 0, 0, 10**6, 40.0, 0.0, document))
    order = await ready(database)
    assert [each for each in order if each != expiry.id] == [hidden.id, most.id, some.id, none.id]
    async with database.read() as work:
        found = {run.id: (run.level0_file_count, run.hides_level0) for run in await work.runs.list_ready(10)}
    assert found == {
        none.id: (0, False),
        some.id: (2, False),
        most.id: (9, False),
        hidden.id: (1, True),
        expiry.id: (0, False),
    }


async def test_p15_new_files_of_another_bucket_than_the_fullest_count(database: Database) -> None:
    other, hidden = await submitted(database), await submitted(database)
    async with database.begin() as work:
        for run, count in ((other, 0), (hidden, 1)):
            fullest = {"level0_file_count": 0, "hides_level0": True}
            document = {"fullest_bucket": fullest, "level0_file_count": count}
            await work.measurements.record(Measurement(run.table_id, "1", NOON, 9, 0, 0, 10**6, 40.0, 0.0, document))
    assert await ready(database) == [hidden.id, other.id]
    async with database.read() as work:
        found = {run.id: (run.level0_file_count, run.hides_level0) for run in await work.runs.list_ready(10)}
    assert found == {other.id: (0, True), hidden.id: (1, True)}


async def test_p15_a_measurement_of_an_earlier_version_hides_nothing(database: Database) -> None:
    run = await submitted(database)
    document = {"fullest_bucket": {"level0_file_count": 4}}
    async with database.begin() as work:
        await work.measurements.record(Measurement(run.table_id, "1", NOON, 9, 0, 0, 10**6, 40.0, 0.0, document))
    async with database.read() as work:
        (found,) = await work.runs.list_ready(10)
    assert (found.level0_file_count, found.hides_level0) == (4, False)


async def test_a_team_is_not_out_of_sight_behind_anothers_backlog(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        small = replace(a_table("small"), owner_team="small")
        await work.tables.insert(small)
        tables = {table.id: table, small.id: small}
        storm = [a_run(table.id, request_key=str(n), created_at=NOON - HOUR) for n in range(LOOKED_AT + 50)]
        await work.runs.insert_many([*storm, run := a_run(small.id)], tables)
    assert (await ready(database, 5))[2:4].count(run.id) == 1


async def test_upkeep_has_turns_apart_from_the_rewrites_of_its_team(database: Database) -> None:
    expiry = Operation.EXPIRE_SNAPSHOTS
    waiting = [await submitted(database, operation=expiry, created_at=NOON - HOUR) for _ in range(3)]
    rewrite = await submitted(database)
    async with database.begin() as work:  # the worth of a rewrite is not that of an expiry
        await work.measurements.record(Measurement(waiting[2].table_id, "1", NOON, 9, 9, 8, 10**6, 40.0, 4.0, {}))
    assert (await ready(database))[0] == waiting[0].id
    await claimed(database, waiting[0].id)
    async with database.read() as work:
        assert (await work.runs.at_work()).by_sharer == {"upkeep of team shop": 1}
    assert await ready(database) == [rewrite.id, waiting[1].id, waiting[2].id]


async def test_a_rewrite_is_not_out_of_sight_behind_a_backlog_of_upkeep(database: Database) -> None:
    table = await registered(database)
    storm = [
        a_run(table.id, request_key=str(n), created_at=NOON - HOUR, operation=Operation.EXPIRE_SNAPSHOTS)
        for n in range(LOOKED_AT + 50)
    ]
    async with database.begin() as work:
        await work.runs.insert_many(storm, {table.id: table})
    rewrite = await submitted(database)
    assert rewrite.id in (await ready(database, 5))


async def test_an_urgent_run_goes_first_however_many_wait_and_a_later_one_not_yet(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        now = await work.now()
        storm = [
            a_run(table.id, request_key=str(n), created_at=NOON - HOUR, priority=Priority.HIGH)
            for n in range(LOOKED_AT + 50)
        ]
        await work.runs.insert_many(storm, {table.id: table})
    urgent, other, later = [
        await submitted(database, priority=Priority.LOW, urgent_at=now + seconds)
        for seconds in (-timedelta(seconds=1), -timedelta(seconds=9), HOUR)
    ]
    found = await ready(database)
    assert (found[:2], later.id in found) == ([urgent.id, other.id], False)


@pytest.mark.parametrize(
    ("older", "newer", "minutes", "first"),
    [
        (Priority.NORMAL, Priority.HIGH, 29, 1),
        (Priority.NORMAL, Priority.HIGH, 31, 0),
        (Priority.LOW, Priority.HIGH, 59, 1),
        (Priority.LOW, Priority.HIGH, 61, 0),
    ],
)
async def test_a_run_that_waited_long_goes_before_a_newer_one_of_a_higher_level(
    database: Database, older: Priority, newer: Priority, minutes: int, first: int
) -> None:
    runs = [
        await submitted(database, priority=older, created_at=NOON - timedelta(minutes=minutes)),
        await submitted(database, priority=newer),
    ]
    assert (await ready(database))[0] == runs[first].id


async def test_a_run_whose_table_is_held_is_not_ready_until_it_is_free(database: Database) -> None:
    table = await registered(database)
    first, second = [await submitted(database, table.id, request_key=key) for key in "ab"]
    lease = await claimed(database, first.id)
    assert await ready(database) == []
    async with database.begin() as work:
        await work.runs.transition(lease, to=RunState.FAILED)
    assert await ready(database) == [second.id]


async def test_a_limit_leaves_room_for_so_many(database: Database) -> None:
    runs = [await submitted(database) for _ in range(3)]
    await limit(database, 2)
    assert await ready(database) == [runs[0].id, runs[1].id]
    await claimed(database, runs[0].id)
    await claimed(database, runs[1].id)
    assert await ready(database) == []
    async with database.begin() as work:
        assert await work.runs.claim(runs[2].id, "worker-2", 60) is None


async def test_concurrent_claims_never_pass_the_limit(fresh_database: FreshDatabase) -> None:
    databases = [fresh_database.connect() for _ in range(4)]
    runs = [await submitted(databases[0]) for _ in range(12)]
    await limit(databases[0], 3)

    won = await asyncio.gather(*(claim(databases[at % 4], run) for at, run in enumerate(runs)))
    assert sum(won) == 3


async def test_concurrent_claims_never_pass_the_limit_of_a_catalog(fresh_database: FreshDatabase) -> None:
    databases = [fresh_database.connect() for _ in range(4)]
    names = ["lake", "archive", "other"] * 5
    runs = [await submitted(databases[0], catalog=name) for name in names]
    await limit(databases[0], 9, lake=2, archive=1)
    won = await asyncio.gather(*(claim(databases[at % 4], run) for at, run in enumerate(runs)))
    held = Counter(name for name, is_held in zip(names, won, strict=True) if is_held)
    assert held == {"lake": 2, "archive": 1, "other": 5}
    assert await ready(databases[0]) == []


async def test_a_full_catalog_is_passed_over_and_hides_nobody(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        backlog = [a_run(table.id, request_key=str(n), created_at=NOON - HOUR) for n in range(LOOKED_AT + 50)]
        await work.runs.insert_many(backlog, {table.id: table})
    others = [await submitted(database, catalog="archive") for _ in range(3)]
    at_work = await submitted(database)
    await limit(database, None, lake=1)
    assert await ready(database) == [backlog[0].id, *(run.id for run in others)]
    assert await claim(database, at_work)
    assert await ready(database) == [run.id for run in others]
    assert not await claim(database, backlog[0])
    await limit(database, None, lake=2)
    assert (await ready(database))[0] == backlog[0].id


async def test_no_more_of_a_catalog_are_ready_than_there_is_room_for(database: Database) -> None:
    runs = [await submitted(database, catalog=name) for name in ("lake", "lake", "lake", "archive")]
    await limit(database, 3, lake=2)
    assert await ready(database) == [runs[0].id, runs[1].id, runs[3].id]
    for run in runs[:2]:
        assert await claim(database, run)
    await limit(database, 3, lake=1)
    assert await ready(database) == [runs[3].id]


async def test_limits_are_replaced_as_they_were_read(database: Database) -> None:
    async with database.begin() as work:
        version = (await work.fleet.get()).version
        limits = FleetLimits(parallel_runs=2, bandwidth=10**6)
        stored = await work.fleet.replace_limits(limits, by="admin", version=version)
    assert (stored.limits, stored.version, stored.updated_by) == (limits, version + 1, "admin")
    with pytest.raises(PreconditionFailed):
        async with database.begin() as work:
            await work.fleet.replace_limits(FleetLimits(), by="other", version=version)


async def switch(work: UnitOfWork, scope: str, run: Run, *, stops: bool = False) -> Pause:
    if scope == "table":
        return await work.pauses.switch_table(run.table_id, by="op", reason="backfill", stops=stops)
    if scope == "catalog":
        return await work.pauses.switch_catalog(run.catalog, by="op", reason="backfill", stops=stops)
    return await work.pauses.switch_fleet(by="op", reason="backfill", stops=stops)


async def release(work: UnitOfWork, scope: str, run: Run) -> None:
    if scope == "table":
        await work.pauses.release_table(run.table_id)
    elif scope == "catalog":
        await work.pauses.release_catalog(run.catalog)
    else:
        await work.pauses.release_fleet()


@pytest.mark.parametrize("scope", ["table", "catalog", "fleet"])
async def test_nothing_paused_is_claimed_before_the_resume(database: Database, scope: str) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        await switch(work, scope, run, stops=scope == "fleet")
    assert await ready(database) == []
    async with database.begin() as work:
        assert await work.runs.claim(run.id, "worker-1", 60) is None
        present = (await work.pauses.of_table(run.table_id)).present
        assert present is not None
        assert (present.by, present.reason, present.stops) == ("op", "backfill", scope == "fleet")
        await release(work, scope, run)
    assert await ready(database) == [run.id]


async def test_a_paused_catalog_stops_no_other(database: Database) -> None:
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


async def test_of_several_pauses_one_that_stops_is_obeyed_then_the_widest(database: Database) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        made = {scope: await switch(work, scope, run) for scope in ("table", "catalog", "fleet")}
        assert (await work.pauses.of_table(run.table_id)).present == made["fleet"]
        await release(work, "fleet", run)
        assert (await work.pauses.of_table(run.table_id)).present == made["catalog"]
        stops = await switch(work, "table", run, stops=True)
        assert (await work.pauses.of_table(run.table_id)).present == stops


@pytest.mark.parametrize("scope", ["table", "catalog", "fleet"])
async def test_a_paused_run_that_is_to_be_cancelled_is_let_through(database: Database, scope: str) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.runs.park(
            lease, waiting_for=WaitingFor.PAUSED, not_before=None, reason="paused", detail=None, failed=False
        )
        run = await work.runs.request_cancel(lease.run_id, "somebody")
        await switch(work, scope, run)
    assert run.state is RunState.QUEUED
    assert await ready(database) == [lease.run_id]
    assert (await claimed(database, lease.run_id)).token == 2


@pytest.mark.parametrize("scope", ["table", "catalog"])
async def test_a_pause_and_a_claim_at_one_instant_know_of_one_another(
    fresh_database: FreshDatabase, scope: str
) -> None:
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


async def test_a_run_held_back_waits_until_its_time_and_tells_why(database: Database) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        until = await work.now() + HOUR
        held = await work.runs.hold_back(
            run.id, waiting_for=WaitingFor.BLACKOUT, not_before=until, reason="blackout", detail="freeze", by="w"
        )
        events = await work.events.list(run.id)
    assert held is not None
    assert (held.waiting_for, held.not_before, held.detail) == (WaitingFor.BLACKOUT, until, "freeze")
    assert [event.kind for event in events] == ["submitted", "held_back"]
    assert await ready(database) == []
    async with database.begin() as work:
        assert [one.id for one in await work.runs.list_held_back(10)] == [run.id]
        await work.runs.let_go(run.id, by="w")
    assert await ready(database) == [run.id]

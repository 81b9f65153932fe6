"""What goes wrong while a coordinator watches: tables that vanish, catalogs that hang, leaders that die."""

import asyncio
import socket
from datetime import timedelta

import pytest
import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.processes import ProcessKind
from engine.domain.policies import PolicyScope, PolicyScopeKind
from engine.domain.runs.run import RunState
from engine.domain.tables.table import OutsideFiles
from engine.domain.tables.watches import LONGEST_SECONDS, SHORTEST_SECONDS, Verdict
from engine.services.watching import service as watching_module
from engine.stores.watching.leadership import WATCH
from engine.workers.coordinator import Coordinator
from engine.workers.presence import ProcessEntry
from tests.support.attempts import append_files, raising
from tests.support.databases import TWO_DATABASES, FreshDatabase
from tests.support.eventually import seen_when
from tests.support.tarpit import Tarpit
from tests.support.watching import DAY, Killed, Watching, another_table, die, finish_live, is_led, runs_of, set_policy
from tests.support.world import NAME, World


def spread_all(fresh: FreshDatabase) -> None:
    """Schedule every look at another instant, as a new leader does, while a look is under way."""
    fresh.execute("UPDATE watches SET next_at = (SELECT MIN(created_at) FROM tables)")


async def test_a_table_that_vanishes_between_poll_and_look_harms_nobody(world: World, watching: Watching):
    await set_policy(world)
    await watching.look()
    await finish_live(world)
    await asyncio.to_thread(world.lake.catalog.drop_table, NAME)
    seen = await watching.look()
    assert (seen.verdict, seen.code) == (Verdict.UNREACHABLE, "state_conflict")
    assert "no longer in its catalog" in (seen.detail or "")
    await world.container.tables.delete(SYSTEM, world.table_id)
    assert await watching.service.turn() == 0


async def test_a_registration_that_ends_during_a_look_leaves_nothing(world: World, watching: Watching):
    async with world.container.database.read() as unit:
        (watched,) = await unit.watches.list_due((await watching.watch()).next_at, 10)
    await watching.service.lead()
    await world.container.tables.delete(SYSTEM, world.table_id)
    await watching.service._visit("lake", [watched])
    assert await runs_of(world) == []


async def test_a_catalog_that_is_away_backs_off_and_stops_no_other(world: World, watching: Watching):
    broken = {**world.lake.properties, "uri": "sqlite:////nowhere/catalog.db"}
    other = await another_table(world, "away", broken)
    await set_policy(world)
    waits = []
    for _ in range(7):
        await watching.look(also=other)
        away = await watching.watch(other)
        assert away.verdict is Verdict.UNREACHABLE
        waits.append(away.interval_seconds)
    assert waits[:2] == [2 * SHORTEST_SECONDS, 4 * SHORTEST_SECONDS]
    assert waits[-1] == LONGEST_SECONDS
    assert len(await runs_of(world)) == 1


async def test_a_catalog_or_table_that_cannot_be_read_is_logged_once(world: World, watching: Watching):
    broken = {**world.lake.properties, "uri": "sqlite:////nowhere/catalog.db"}
    other = await another_table(world, "away", broken)
    await asyncio.to_thread(world.lake.catalog.drop_table, NAME)
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            await watching.look(also=other)
    said = {each["event"]: each for each in logs if each["event"].endswith("_unreachable")}
    assert len([each for each in logs if each["event"] in said]) == 2
    catalog, table = said["catalog_unreachable"], said["table_unreachable"]
    assert (catalog["catalog"], catalog["tables"]) == ("away", 1)
    assert "unable to open database file" in catalog["reason"]
    assert (table["catalog"], table["table_id"]) == ("lake", world.table_id)
    assert "no longer in its catalog" in table["reason"]


async def test_a_catalog_that_hangs_stops_no_other(world: World, watching: Watching):
    await set_policy(world)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never answers
        properties = {"type": "rest", "uri": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        hung = await another_table(world, "hung", properties)
        await watching.service.lead()
        await watching.let_time_come(evaluate=True)
        async with world.container.database.begin() as unit:
            await unit.watches.wake(hung)
        await watching.service.turn()
        await seen_when(watching.watch, lambda watch: watch.verdict is Verdict.SUBMITTED, within_seconds=20)
        await watching.let_time_come(evaluate=True)
        assert await watching.service.turn() == 1  # the hung catalog is left out until its visit ends
        await watching.service.close()
    assert not await is_led(world)


async def test_f54_a_coordinator_leads_and_is_counted_while_it_runs(world: World, watching: Watching):
    container = world.container
    coordinator = Coordinator(
        database=container.database,
        claims=container.worker._claims,
        audit=container.audit,
        queue=container.queue,
        ledger=container.pace,
        clock=container.clock,
        reclaim_idle_seconds=60,
        watching=watching.service,
        presence=ProcessEntry(database=container.database, kind=ProcessKind.COORDINATOR, holder="this"),
    )
    await set_policy(world)
    running = asyncio.create_task(coordinator.run())
    await seen_when(lambda: runs_of(world))
    assert await is_led(world)
    assert await live_processes(world) == {ProcessKind.WORKER: 0, ProcessKind.COORDINATOR: 1}
    coordinator.stop()
    await running
    assert not await is_led(world)
    assert await live_processes(world) == {ProcessKind.WORKER: 0, ProcessKind.COORDINATOR: 0}


async def test_f54_a_worker_is_counted_while_it_takes_runs(world: World) -> None:
    worker = world.container.worker
    running = asyncio.create_task(worker.run())
    await seen_when(lambda: live_processes(world), lambda live: live[ProcessKind.WORKER] == 1)
    worker.stop()
    await running
    assert (await live_processes(world))[ProcessKind.WORKER] == 0


async def live_processes(world: World) -> dict[ProcessKind, int]:
    async with world.container.database.read() as unit:
        return await unit.processes.count_live()


async def test_a_table_that_comes_back_is_evaluated_although_nothing_was_written(world: World, watching: Watching):
    await set_policy(world)
    present = world.lake.properties
    broken = {**present, "uri": "sqlite:////nowhere/catalog.db"}
    await world.container.catalogs.replace(SYSTEM, "lake", broken, 1)
    assert (await watching.look()).verdict is Verdict.UNREACHABLE
    await world.container.catalogs.replace(SYSTEM, "lake", present, 2)
    assert (await watching.look()).verdict is Verdict.SUBMITTED


@TWO_DATABASES
async def test_only_the_leader_looks(world: World, watching: Watching):
    await watching.service.lead()
    other = Watching(world, holder="second")
    assert await other.service.lead() == 0
    await watching.let_time_come(evaluate=True)
    assert await other.service.turn() == 0


@TWO_DATABASES
async def test_another_takes_over_from_a_leader_that_fell_silent(world: World):
    await set_policy(world)
    silent = Watching(world, seconds=0.3)
    await silent.service.lead()
    other = Watching(world, holder="second")
    assert await other.service.lead() == 0
    await seen_when(other.service.lead)
    assert (await other.look()).verdict is Verdict.SUBMITTED
    assert await silent.service.turn() == 0
    await other.service.close()


@TWO_DATABASES
async def test_what_a_leader_decides_after_its_time_is_harmless(world: World):
    await set_policy(world)
    stale, current = Watching(world, seconds=60), Watching(world, holder="second")
    await stale.service.lead()
    await stale.let_time_come(evaluate=True)
    async with world.container.database.begin() as unit:
        await unit.leadership.resign(WATCH, stale.leadership.token or 0)
    await asyncio.gather(stale.service.turn(), current.service.lead())
    await current.service.turn()
    await asyncio.gather(stale.service.finish(), current.service.finish())
    assert len(await runs_of(world)) == 1
    assert (await current.look(wake=True)).verdict is Verdict.HELD
    assert len(await runs_of(world)) == 1
    await current.service.close()


async def test_a_leader_that_spreads_looks_during_its_first_one_evaluates_the_table_again_in_time(
    world: World, watching: Watching, fresh_database: FreshDatabase
):
    """A new leader spreads overdue looks while its first look may be under way: a held table is not forgotten."""
    await set_policy(world, schedule={"min_interval": "1h"})
    await watching.look()
    run = await finish_live(world)
    assert run.started_at is not None
    assert (await watching.look()).reconsider_at is None
    append_files(world.lake, DAY)
    world.at("decided", lambda: spread_all(fresh_database))
    seen = await watching.look()
    assert (seen.verdict, seen.code) == (Verdict.HELD, "min_interval")
    again_at = run.started_at + timedelta(hours=1)
    assert seen.reconsider_at == again_at
    assert seen.next_at < again_at  # as spread
    seen = await watching.look()  # the table is unchanged: nothing is evaluated, and the instant stays
    assert (seen.verdict, seen.reconsider_at) == (Verdict.HELD, again_at)


@pytest.mark.parametrize("step", ["decided", "submitted"])
async def test_a_coordinator_that_dies_in_a_decision_is_followed_by_one_that_decides_anew(world: World, step: str):
    await set_policy(world)
    first = Watching(world)
    world.at(step, die)
    with pytest.raises(Killed):
        await first.look(wake=True)
    assert (await first.watch()).verdict is Verdict.NEW
    async with world.container.database.begin() as unit:  # its time runs out
        await unit.leadership.resign(WATCH, first.leadership.token or 0)
    second = Watching(world, holder="second")
    seen = await second.look()
    assert seen.verdict is (Verdict.SUBMITTED if step == "decided" else Verdict.HELD)
    assert len(await runs_of(world)) == 1
    assert (await finish_live(world)).state is RunState.SUCCEEDED
    await second.service.close()


async def test_looks_that_fail_for_an_unknown_reason_back_off_too(world: World, watching: Watching):
    world.at("decided", raising(RuntimeError("a bug")))
    seen = await watching.look(wake=True)
    assert (seen.verdict, seen.code) == (Verdict.UNREACHABLE, "internal")
    assert (await watching.look()).verdict is Verdict.NOT_DUE


async def test_a_fleet_policy_reaches_every_table_in_two_statements(world: World, watching: Watching):
    await watching.look()
    async with world.container.database.begin() as unit:
        await unit.watches.wake_covered(PolicyScope(PolicyScopeKind.FLEET))
    assert (await watching.watch()).reconsider_at is not None


async def test_tables_whose_storage_hangs_stop_no_other_of_their_catalog(
    world: World, watching: Watching, tarpit: Tarpit, fresh_database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching_module, "SLOW_LOOK_SECONDS", 0.1)
    await world.container.catalogs.replace(SYSTEM, "lake", world.lake.properties | tarpit.properties(), 1)
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, world.lake.table.location(), "s3://tarpit")
    await set_policy(world)
    for name in ("first", "second", "third"):  # more than are looked at at once
        await asyncio.to_thread(world.lake.add_twin, name)
        await world.register(name)
        await asyncio.to_thread(tarpit.swallow, world.lake.catalog, NAME[0], name)
    all_are_due = "UPDATE watches SET next_at = (SELECT MIN(created_at) FROM tables)"
    await watching.service.lead()
    fresh_database.execute(all_are_due)
    assert await watching.service.turn() == 4
    await seen_when(watching.watch, lambda watch: watch.verdict is Verdict.SUBMITTED, within_seconds=30)
    await asyncio.gather(*watching.service._visits.values())  # the visit ends; the looks that hang go on without it
    assert len(watching.service._looks) == 3
    fresh_database.execute(all_are_due)
    assert await watching.service.turn() == 1  # a table is not looked at twice at once
    await watching.service.close()
    assert not watching.service._looks

"""Looks that come before their time: who reads a table with a new head, or ends a run, wakes the watch."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import SystemClock
from engine.domain.ids import TableId
from engine.domain.tables.table import FormatName, OutsideFiles, TableRef
from engine.domain.tables.watches import LONGEST_SECONDS, Verdict, Watch
from engine.formats.iceberg import IcebergConnection
from tests.support.attempts import append_files
from tests.support.moved_clock import MovedClock
from tests.support.passing_time import PassingTime
from tests.support.rest_catalog import RestCatalogServer
from tests.support.watching import DAY, Watching, finish_live, runs_of, set_policy
from tests.support.world import NAME, World

SEVEN = {"name": "seven", "all": [{"metric": "small_file_count", "at_least": 7}]}
READERS: dict[str, Callable[[World], Awaitable[Any]]] = {
    "explain": lambda world: world.container.explain.explain(SYSTEM, world.table_id),
    "health": lambda world: world.container.observations.health(SYSTEM, world.table_id),
    "plan": lambda world: world.container.tables.plan(SYSTEM, world.table_id, policy=None),
}


async def has_due_look(world: World) -> bool:
    async with world.container.database.read() as unit:
        return world.table_id in {each.watch.table_id for each in await unit.watches.list_due(await unit.now(), 10)}


async def put_off(watching: Watching, **changes: Any) -> None:
    """Let the next look be an hour away, so that only a wake brings it sooner."""
    await watching.service.lead()
    seen, token = await watching.watch(), watching.leadership.token
    assert token is not None
    async with watching.world.container.database.begin() as unit:
        later = await unit.now() + timedelta(hours=1)
        assert await unit.watches.settle(token, [(seen, replace(seen, next_at=later, **changes))]) == 1


async def turn(watching: Watching) -> Watch:
    """Make the looks that are due, without letting the table's time come."""
    await watching.service.turn()
    await watching.service.finish()
    return await watching.watch()


async def test_a_commit_on_a_table_that_was_idle_for_a_day_starts_a_run_within_the_longest_interval(
    world: World, watching: Watching, clock: MovedClock
) -> None:
    """U1, U8: commits are also found without a signal."""
    time = PassingTime(watching, clock)
    await set_policy(world, triggers=[SEVEN])
    for _ in range(6):
        await time.look_when_due()
    await clock.pass_by(days=1)
    await time.look_when_due()
    await asyncio.to_thread(world.lake.append, day=DAY)
    committed_at = await clock.now()
    assert (await time.look_when_due()).verdict is Verdict.SUBMITTED
    waited = (await runs_of(world))[0].created_at - committed_at
    assert waited <= timedelta(seconds=LONGEST_SECONDS + 5)


@pytest.mark.parametrize("reader", READERS)
async def test_reading_a_table_with_a_new_head_lets_it_be_looked_at_at_once(
    world: World, watching: Watching, reader: str
) -> None:
    await set_policy(world, triggers=[SEVEN])
    await watching.look()
    await put_off(watching)
    await READERS[reader](world)
    assert not await has_due_look(world)  # nothing is new: nothing is written
    await asyncio.to_thread(world.lake.append, day=DAY)
    assert not await has_due_look(world)
    await READERS[reader](world)
    assert (await turn(watching)).verdict is Verdict.SUBMITTED


async def test_an_explanation_of_a_due_table_shows_the_look_that_it_caused(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[SEVEN])
    await watching.look()
    await put_off(watching)
    await asyncio.to_thread(world.lake.append, day=DAY)
    told = await world.container.explain.explain(SYSTEM, world.table_id)
    assert told["due"]
    assert told["next_eligible"]["held_by"] == []
    moment = timedelta(seconds=5)
    assert told["watch"]["next_look_at"] - told["explained_at"] < moment
    assert told["starts_at"] - told["explained_at"] < moment


async def test_an_explanation_that_finds_no_hold_ends_a_wait_that_the_watch_still_keeps(
    world: World, watching: Watching
) -> None:
    await set_policy(world)
    later = (await watching.watch()).next_at + timedelta(hours=5)
    pointer = world.lake.table.metadata_location
    await put_off(watching, verdict=Verdict.HELD, pointer=pointer, reconsider_at=later)
    told = await world.container.explain.explain(SYSTEM, world.table_id)
    assert told["watch"]["next_look_at"] - told["explained_at"] < timedelta(seconds=5)
    assert (await turn(watching)).verdict is Verdict.SUBMITTED


async def test_a_paused_table_is_not_woken_by_an_explanation(world: World, watching: Watching) -> None:
    await set_policy(world)
    await world.container.pauses.pause_table(SYSTEM, world.table_id, reason="migration", stops=False)
    assert (await watching.look()).code == "table_paused"
    await put_off(watching)
    await world.container.explain.explain(SYSTEM, world.table_id)
    assert not await has_due_look(world)


async def test_the_end_of_a_run_lets_what_was_committed_meanwhile_be_seen_at_once(
    world: World, watching: Watching
) -> None:
    await set_policy(world)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    assert (await watching.look(wake=True)).code == "run_waits"
    await put_off(watching)
    append_files(world.lake, "2026-11-09")
    assert not await has_due_look(world)
    await finish_live(world)
    assert await has_due_look(world)
    await turn(watching)
    assert len((await world.container.explain.explain(SYSTEM, world.table_id))["last_runs"]) == 1


async def test_a_cancelled_run_lets_its_table_be_looked_at_at_once(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[SEVEN])
    run = await world.submit()
    assert (await watching.look(wake=True)).code == "run_waits"
    await put_off(watching)
    await world.container.runs.cancel(SYSTEM, run.id)
    assert (await turn(watching)).verdict is Verdict.NOT_DUE


@dataclass
class RecordingClock(SystemClock):
    """A clock that stands still and writes down how long it was slept for."""

    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return 1.0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def rest(world: World) -> Iterator[RestCatalogServer]:
    with RestCatalogServer(catalog=world.lake.catalog).running() as server:  # type: ignore[arg-type]
        yield server


def of_rest(refs: list[TableRef]) -> list[TableRef]:
    """Return the references in the REST catalog: the world's own table, in another catalog, may be due as well."""
    return [ref for ref in refs if ref.catalog == "rest"]


async def test_a_catalog_that_is_asked_for_each_table_is_asked_within_its_budget(
    world: World, watching: Watching, rest: RestCatalogServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    container, ids = world.container, list[TableId]()
    await container.catalogs.create(
        SYSTEM,
        "rest",
        FormatName.ICEBERG,
        {"type": "rest", "uri": rest.uri},
        allowed_locations=[world.lake.table.location()],
        outside_files=OutsideFiles.ALLOWED_LOCATIONS,
    )
    for number in range(13):
        await asyncio.to_thread(world.lake.add_twin, f"t{number}")
        ref = TableRef("rest", NAME[:1], f"t{number}")
        ids.append((await container.tables.register(SYSTEM, ref, owner_team=None, labels={})).id)
    asked, pointers = list[TableRef](), IcebergConnection.pointers
    monkeypatch.setattr(IcebergConnection, "pointers", lambda self, refs: asked.extend(refs) or pointers(self, refs))
    clock = RecordingClock()
    watching.service._clock = clock
    watching.service._requests_per_second = 0.001
    await watching.service.lead()
    async with container.database.begin() as unit:
        for table_id in ids:
            await unit.watches.wake(table_id)
    await turn(watching)
    assert len(of_rest(asked)) == 1
    assert clock.slept == [1000]
    asked.clear()
    watching.service._requests_per_second, watching.service._paces = 2, {}
    async with container.database.begin() as unit:
        for table_id in ids:
            await unit.watches.wake(table_id)
    await turn(watching)
    assert len(of_rest(asked)) == 10
    assert clock.slept == [1000, 5]

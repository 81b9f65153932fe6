"""Live workers and coordinators, and the oldest waits of runs, on both databases."""

from datetime import timedelta

from engine.domain.fleet.processes import LIVE_SECONDS, ProcessKind, Workforce
from engine.domain.runs.run import WaitingFor
from tests.integration.stores.samples import claimed, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase
from tests.support.moved_clock import MovedClock

WORKER, COORDINATOR = ProcessKind.WORKER, ProcessKind.COORDINATOR


async def live(database: Stores) -> dict[ProcessKind, int]:
    async with database.read() as unit:
        return await unit.processes.count_live()


async def report(database: Stores, kind: ProcessKind, holder: str) -> None:
    async with database.begin() as unit:
        await unit.processes.report(kind, holder)


async def test_f54_a_process_is_alive_until_it_ends_or_is_silent_for_30_seconds(
    database: Stores, fresh_database: FreshDatabase
) -> None:
    clock = await MovedClock.of(database)
    assert await live(database) == {WORKER: 0, COORDINATOR: 0}
    for kind, holder in ((WORKER, "a"), (WORKER, "b"), (WORKER, "a"), (COORDINATOR, "a")):
        await report(database, kind, holder)
    assert await live(database) == {WORKER: 2, COORDINATOR: 1}
    async with database.begin() as unit:
        await unit.processes.forget(WORKER, "b")
    assert await live(database) == {WORKER: 1, COORDINATOR: 1}
    await clock.pass_by(seconds=LIVE_SECONDS / 2)
    await report(database, WORKER, "c")
    await clock.pass_by(seconds=LIVE_SECONDS / 2 + 1)
    assert await live(database) == {WORKER: 1, COORDINATOR: 0}
    await clock.pass_by(seconds=20 * LIVE_SECONDS)
    await report(database, COORDINATOR, "d")
    assert fresh_database.execute("SELECT kind, holder FROM processes") == [("coordinator", "d")]


def test_f54_a_workforce_needs_a_process_of_each_kind() -> None:
    assert Workforce({WORKER: 1, COORDINATOR: 2}).is_complete
    assert not Workforce({WORKER: 0, COORDINATOR: 1}).is_complete
    assert not Workforce({WORKER: 1, COORDINATOR: 0}).is_complete


async def test_f54_the_oldest_run_that_may_start_counts_from_the_instant_at_which_it_could(database: Stores) -> None:
    """A run that waits for a time counts from that time on, and one whose table is held does not count."""
    clock = await MovedClock.of(database)
    held, waiting = await registered(database, "held"), await registered(database, "waiting")
    await claimed(database, (await submitted(database, held.id)).id)
    async with database.read() as unit:
        assert await unit.runs.oldest_startable() is None
    run = await submitted(database, waiting.id)
    async with database.begin() as unit:
        now = await unit.now()
        until = now + timedelta(seconds=100)
        parked = {
            "waiting_for": WaitingFor.QUIET_HOURS,
            "not_before": until,
            "reason": "quiet_hours",
            "detail": "night",
        }
        assert await unit.runs.hold_back(run.id, **parked, by="test") is not None
    async with database.read() as unit:
        assert await unit.runs.oldest_startable() is None
        waits = await unit.runs.longest_waits()
        assert waits.keys() == {"quiet_hours"}
        assert abs(waits["quiet_hours"] - now) < timedelta(seconds=5)
    await clock.pass_by(seconds=130)
    async with database.read() as unit:
        assert await unit.runs.oldest_startable() == until


async def test_f41_the_run_at_work_that_has_been_silent_longest_is_known(database: Stores) -> None:
    """F41: by its last event, whatever its heartbeat does; queued runs do not count."""
    clock = await MovedClock.of(database)
    table = await registered(database, "silent")
    await submitted(database, (await registered(database, "waiting")).id)
    async with database.read() as unit:
        assert await unit.runs.oldest_event_at_work() is None
    lease = await claimed(database, (await submitted(database, table.id)).id)
    await clock.pass_by(seconds=30)
    async with database.begin() as unit:
        run, _ = await unit.runs.extend(lease, 60)
        assert await unit.runs.oldest_event_at_work() == run.updated_at < await unit.now() - timedelta(seconds=29)

"""Dependencies that are away: runs wait without a counted failure, one process probes, an answer releases all."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Away, OutcomeUnknown
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.outages import LONGEST_PROBE_WAIT_SECONDS, SPARK_PROBE_LEASE_SECONDS
from engine.domain.ids import RunId, TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from engine.formats.iceberg.commits.commit import TableCommits
from engine.formats.iceberg.commits.tries import CommitTries
from engine.services.fleet.health import HealthService
from engine.services.operations.rewrite import commits
from engine.services.runs import execution
from tests.support.attempts import advanced, content, explained
from tests.support.databases import TWO_DATABASES, FreshDatabase
from tests.support.outages import let_probe_be_due, outage_of, probe_once, submit_all, with_twins, work_off
from tests.support.world import World

PROBES = 9
FRUITLESS = 2


@pytest.fixture
async def tables(world: World) -> Sequence[TableId]:
    """The world's table and two more of its catalog that read the same files."""
    return await with_twins(world)


@pytest.fixture
def few_outages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run count failures from its third outage on."""
    monkeypatch.setattr(execution, "MOST_FRUITLESS_OUTAGES", FRUITLESS)


async def stored(world: World, run_id: RunId) -> Run:
    async with world.container.database.read() as unit:
        run = await unit.runs.get(run_id)
    assert run is not None
    return run


async def test_runs_outlive_a_spark_that_is_away_for_longer_than_all_retries(
    world: World, tables: Sequence[TableId], fresh_database: FreshDatabase
) -> None:
    rows, runs = content(world), await submit_all(world, tables)
    world.dispatcher.is_away = True
    attempts = await work_off(world)
    assert 1 <= attempts <= len(tables)  # the first report holds back runs that were not tried yet
    for _ in range(PROBES):
        await probe_once(world, fresh_database)
        assert await work_off(world) == 0
    world.dispatcher.is_away = False
    await probe_once(world, fresh_database)
    await work_off(world)
    ended = [await world.get(run.id) for run in runs]
    assert [(run.state, run.failures) for run in ended] == [(RunState.SUCCEEDED, 0)] * 3, [r.detail for r in ended]
    assert content(world) == rows


async def test_f53_the_time_between_probes_grows_to_15_seconds(world: World, fresh_database: FreshDatabase) -> None:
    run = await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    waits = []
    for _ in range(PROBES - 1):  # one more would be the second with the longest wait
        await probe_once(world, fresh_database)
        outage = await outage_of(world, "spark")
        assert outage is not None
        async with world.container.database.read() as unit:
            waits.append((outage.next_probe_at - await unit.now()).total_seconds())
    planned = [2, 4, 8, *[LONGEST_PROBE_WAIT_SECONDS] * (PROBES - 4)]
    assert [wait for wait, most in zip(waits, planned, strict=True) if not most - 1.9 < wait <= most] == []
    assert LONGEST_PROBE_WAIT_SECONDS <= 15
    assert (await stored(world, run.id)).failures == 0


async def test_f53_a_probe_that_takes_long_to_fail_does_not_delay_the_next(
    world: World, fresh_database: FreshDatabase
) -> None:
    await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    fresh_database.execute("UPDATE outages SET probes = 9, next_probe_at = away_since")
    async with world.container.database.begin() as unit:
        (claimed,) = await unit.outages.claim_probes(8)
    began_at = claimed.next_probe_at - timedelta(seconds=SPARK_PROBE_LEASE_SECONDS)
    async with world.container.database.begin() as unit:  # whenever the probe ends
        await unit.outages.note_no_answer(claimed, "no answer")
    outage = await outage_of(world, "spark")
    assert outage is not None
    assert outage.next_probe_at - began_at == timedelta(seconds=LONGEST_PROBE_WAIT_SECONDS)


@pytest.mark.usefixtures("later")
async def test_f53_work_that_needs_no_spark_is_done_while_spark_is_away(
    world: World, fresh_database: FreshDatabase
) -> None:
    """The worker itself expires snapshots; a rewrite of the same table waits, and explain names Spark for it only."""
    rule = {"older_than": "30m", "keep_last": 1, "interval": "1h"}
    await world.set_policy({"maintenance": {"expire_snapshots": rule}})
    rewrite = await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    expiry = await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS))
    assert ((await world.get(rewrite.id)).waiting_for, (await world.get(expiry.id)).waiting_for) == ("spark", None)
    holds = {each["operation"]: str(each) for each in (await explained(world))["upkeep"]}
    assert "Spark" not in holds[Operation.EXPIRE_SNAPSHOTS]
    assert await work_off(world) == 1
    ended = await world.get(expiry.id)
    assert (ended.state, ended.attempt) == (RunState.SUCCEEDED, 1), ended.detail
    assert await outage_of(world, "spark") is not None


async def test_f53_readiness_stays_degraded_until_the_runs_that_waited_are_released(
    world: World, fresh_database: FreshDatabase
) -> None:
    """One probe decides for all processes: an api that reaches Spark earlier does not report it as back."""

    async def answers() -> str:
        return "Spark 4.1.4"

    def health() -> HealthService:
        return HealthService(database=world.container.database, probes={"spark": answers}, clock=world.container.clock)

    run = await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    world.dispatcher.is_away = False
    outage = await outage_of(world, "spark")
    assert outage is not None
    shown = {each.name: each for each in await health().dependencies()}
    assert (shown["database"].ok, shown["spark"].ok) == (True, False)
    assert shown["spark"].detail == outage.describe()
    await probe_once(world, fresh_database)
    shown = {each.name: each for each in await health().dependencies()}
    assert (shown["spark"].ok, shown["spark"].detail) == (True, "Spark 4.1.4")
    assert (await world.get(run.id)).waiting_for is None


@TWO_DATABASES
async def test_one_process_at_a_time_probes(world: World, fresh_database: FreshDatabase) -> None:
    await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    let_probe_be_due(fresh_database)
    async with world.container.database.begin() as unit:
        assert len(await unit.outages.claim_probes(8)) == 1
    async with world.container.database.begin() as unit:
        assert await unit.outages.claim_probes(8) == []


async def test_f53_a_worker_that_stops_leaves_its_probe_to_another_at_once(
    world: World, fresh_database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    probes, hangs = world.container.worker._probes, asyncio.Event()

    async def hang(_: object) -> None:
        hangs.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(probes, "_ask", hang)
    await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    let_probe_be_due(fresh_database)
    assert await probes.turn() == 1
    await hangs.wait()
    async with world.container.database.read() as unit:
        assert not await unit.outages.has_due()
    await probes.close()
    async with world.container.database.read() as unit:
        assert await unit.outages.has_due()


@TWO_DATABASES
async def test_a_probe_that_another_process_overtook_changes_nothing(
    world: World, fresh_database: FreshDatabase
) -> None:
    await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    let_probe_be_due(fresh_database)
    async with world.container.database.begin() as unit:
        (late,) = await unit.outages.claim_probes(8)
    let_probe_be_due(fresh_database)
    async with world.container.database.begin() as unit:
        (other,) = await unit.outages.claim_probes(8)
        await unit.outages.note_no_answer(other, "still nothing")
    async with world.container.database.begin() as unit:
        assert not await unit.outages.end(late)
    assert (await outage_of(world, "spark") or late).probes == 1


async def test_views_and_explain_name_the_outage_until_it_ends(world: World, fresh_database: FreshDatabase) -> None:
    run = await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    await probe_once(world, fresh_database)
    shown, outage = await world.get(run.id), await outage_of(world, "spark")
    assert outage is not None
    assert (shown.waiting_for, shown.not_before) == (WaitingFor.SPARK, outage.next_probe_at)
    assert f"Spark has not answered since {outage.away_since:%H:%M:%S} UTC; next probe at" in str(shown.detail)
    told = str(await explained(world))
    assert "'code': 'spark'" in told
    assert outage.describe() in told
    world.dispatcher.is_away = False
    await probe_once(world, fresh_database)
    shown = await world.get(run.id)
    assert (shown.state, shown.waiting_for, shown.not_before) == (RunState.QUEUED, None, None)


async def test_a_run_that_is_parked_can_be_cancelled(world: World) -> None:
    run = await world.submit()
    world.dispatcher.is_away = True
    await work_off(world)
    await world.container.runs.cancel(SYSTEM, run.id)
    await work_off(world)
    assert (await world.get(run.id)).state is RunState.CANCELLED


@pytest.mark.usefixtures("few_outages")
async def test_a_run_that_reports_what_answers_every_probe_fails_in_the_end(
    world: World, fresh_database: FreshDatabase
) -> None:
    """What it reports is not away, or only now and then: the run waits longer each time, and counts failures late."""
    run = await world.submit()
    failures = []
    while not (await world.get(run.id)).is_terminal:
        world.dispatcher.is_away = True
        await world.container.worker.advance(run.id)
        failures.append((await stored(world, run.id)).failures)
        world.dispatcher.is_away = False
        if await outage_of(world, "spark") is not None:
            await probe_once(world, fresh_database)
        world.make_due(run.id)
    ended = await world.get(run.id)
    assert (ended.state, ended.reason) == (RunState.FAILED, "gave_up"), ended.detail
    assert failures == [0] * FRUITLESS + [1, 2, 3, 4, 4]


@pytest.mark.usefixtures("few_outages")
async def test_a_run_under_which_spark_ends_each_time_fails_in_the_end(
    world: World, fresh_database: FreshDatabase
) -> None:
    """Spark is away for a while each time, as after a task that took all memory of its machine."""
    run = await world.submit()
    parked = 0
    while not (await world.get(run.id)).is_terminal:
        world.make_due(run.id)
        world.dispatcher.is_away = True
        await world.container.worker.advance(run.id)
        parked += 1
        if await outage_of(world, "spark") is not None:
            await probe_once(world, fresh_database)
            world.dispatcher.is_away = False
            await probe_once(world, fresh_database)
    ended = await world.get(run.id)
    assert (ended.state, ended.reason) == (RunState.FAILED, "gave_up"), ended.detail
    assert parked == FRUITLESS + 5
    assert "lower rewrite.max_group_bytes" in str(ended.detail)


async def test_f53_a_catalog_that_is_away_after_a_lost_answer_is_waited_for_without_a_failure(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit took effect: the attempt that follows the outage finds it, and none has failed."""
    send, find, lost = CommitTries._send, TableCommits.find, list[bool]()

    def without_answer(self: CommitTries, *given: Any) -> bool:
        lost.append(send(self, *given))
        raise OutcomeUnknown("the answer was lost")

    def away(self: TableCommits, run_id: str) -> Any:
        if lost:
            raise Away(DependencyKind.CATALOG, "the catalog does not answer")
        return find(self, run_id)

    rows = content(world)
    with monkeypatch.context() as patched:
        patched.setattr(commits, "LOOK_PAUSES", (0.0, 0.0))
        patched.setattr(CommitTries, "_send", without_answer)
        patched.setattr(TableCommits, "find", away)
        run = await advanced(world, await world.submit())
    assert (run.state, run.waiting_for, run.failures) == (RunState.QUEUED, WaitingFor.CATALOG, 0)
    run = await world.finish(run.id)
    assert (run.state, run.attempt, lost) == (RunState.SUCCEEDED, 2, [True]), run.detail
    assert content(world) == rows


async def test_a_committed_group_resets_the_count_of_failures(world: World, fresh_database: FreshDatabase) -> None:
    run = await world.submit()
    for _ in range(4):
        world.dispatcher.fail_next("the session is gone")
        await world.container.worker.advance(run.id)
        world.make_due(run.id)
    assert (await stored(world, run.id)).failures == 4
    counts: list[int] = []

    query = "SELECT failures FROM runs WHERE id = :id"
    world.at("verified", lambda: counts.append(fresh_database.execute(query, id=run.id)[0][0]))
    ended = await world.finish(run.id)
    assert ended.state is RunState.SUCCEEDED, ended.detail
    assert counts == [0]

"""A pause lets go of nothing: what is written is committed, the rest waits, and a resume goes on from there."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId, TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, Operation, Priority, Run, RunState, WaitingFor
from engine.domain.tables.table import Table, TableRef
from engine.services.operations.tasks import waiting_groups
from engine.services.runs.attempts import AttemptStop, Stop
from engine.services.runs.claims import ClaimService
from engine.spark.dispatch import Ticket
from tests.support.attempts import advanced, groups_of
from tests.support.databases import TWO_DATABASES
from tests.support.eventually import seen_when
from tests.support.windows_ahead import change_policy
from tests.support.world import World

NOW = datetime(2026, 11, 1, tzinfo=UTC)
FREEZE = {"from": "2020-01-01", "to": "2150-01-01", "time_zone": "UTC", "reason": "freeze"}
ONE_LANE = {"limits": {"parallel_groups": 1}}


async def committed_groups(world: World, run: Run) -> int:
    return sum(group.state is GroupState.COMMITTED for group in await groups_of(world, run.id))


def pause_at_group(world: World, number: int, *, stops: bool) -> None:
    """Pause the table while its so many-th group is under way, and let the attempt hear of it at once."""
    loop, send = asyncio.get_running_loop(), world.dispatcher.run
    sent: list[int] = []
    columns = f"paused_at = created_at, paused_by = 'op', pause_reason = 'backfill', pause_stops = {stops}"

    def run(ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        sent.append(len(payloads))
        if len(sent) == number:
            world.execute(f"UPDATE tables SET {columns} WHERE id = :id", RunId(world.table_id))
            (attempt,) = world.container.worker._attempts
            stop = AttemptStop(Stop.INTERRUPTED if stops else Stop.DRAINED)
            loop.call_soon_threadsafe(attempt.request_stop, stop)
        return send(ticket, function, payloads)

    world.dispatcher.run = run  # type: ignore[method-assign]


@pytest.mark.parametrize(("stops", "at_group", "committed"), [(False, 1, {1}), (True, 2, {1, 2})])
async def test_a_paused_run_commits_what_is_written_and_goes_on_after_the_resume(
    world: World, monkeypatch: pytest.MonkeyPatch, stops: bool, at_group: int, committed: set[int]
) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    await world.set_policy(ONE_LANE)
    before = world.lake.ids()
    pause_at_group(world, at_group, stops=stops)
    run = await world.submit()
    parked = await advanced(world, run)
    assert (parked.state, parked.waiting_for, parked.failures) == (RunState.QUEUED, WaitingFor.PAUSED, 0)
    done = await committed_groups(world, run)
    assert done in committed
    assert len(world.lake.paths()) == 3 * 6 - 5 * done
    assert not await world.container.worker.advance(run.id)
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    ended = await world.finish(run.id)
    assert (ended.state, ended.attempt, ended.result.groups_committed) == (RunState.SUCCEEDED, 2, 3)
    assert ended.result.rewritten_files == 18  # no group was done twice
    assert (world.lake.ids(), len(world.lake.paths())) == (before, 3)


@pytest.mark.parametrize("scope", ["table", "catalog", "fleet"])
async def test_a_paused_run_is_seen_to_wait_and_starts_after_the_resume(world: World, scope: str) -> None:
    pauses, run = world.container.pauses, await world.submit()
    of = {"table": (world.table_id,), "catalog": (run.catalog,), "fleet": ()}[scope]
    await getattr(pauses, f"pause_{scope}")(SYSTEM, *of, reason="backfill", stops=False)
    shown = await world.get(run.id)
    assert (shown.state, shown.waiting_for, shown.reason) == (RunState.QUEUED, WaitingFor.PAUSED, "paused")
    assert f"the {scope} was paused by system" in (shown.detail or "")
    assert "backfill" in (shown.detail or "")
    assert not await world.container.worker.advance_next()
    await getattr(pauses, f"resume_{scope}")(SYSTEM, *of)
    assert (await world.get(run.id)).waiting_for is None
    assert await world.container.worker.advance_next()
    assert (await world.get(run.id)).state is RunState.SUCCEEDED


@pytest.mark.parametrize("stops", [False, True])
async def test_a_pause_of_the_catalog_reaches_a_run_at_work(
    world: World, monkeypatch: pytest.MonkeyPatch, stops: bool
) -> None:
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    await world.set_policy(ONE_LANE)
    loop, send, heard = asyncio.get_running_loop(), world.dispatcher.run, asyncio.Event()
    run = await world.submit()

    async def pause() -> None:
        await world.container.pauses.pause_catalog(SYSTEM, run.catalog, reason="outage", stops=stops)
        (attempt,) = world.container.worker._attempts
        await attempt._read_run()
        assert attempt.stop_reason is (Stop.INTERRUPTED if stops else Stop.DRAINED)
        heard.set()

    def slow(ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        if not heard.is_set():
            asyncio.run_coroutine_threadsafe(pause(), loop).result()
        return send(ticket, function, payloads)

    world.dispatcher.run = slow  # type: ignore[method-assign]
    parked = await advanced(world, run)
    assert (parked.state, parked.waiting_for, parked.failures) == (RunState.QUEUED, WaitingFor.PAUSED, 0)
    assert await committed_groups(world, run) <= 1
    await world.container.pauses.resume_catalog(SYSTEM, run.catalog)
    assert (await world.finish(run.id)).result.groups_committed == 3
    shown = world.container.metrics.render().decode().splitlines()
    assert {'packhouse_runs_parked_total{reason="paused"} 1.0', 'packhouse_claims_total{outcome="claimed"} 2.0'} <= set(
        shown
    )


@TWO_DATABASES
async def test_a_parked_run_is_cancelled_while_its_table_is_paused(world: World) -> None:
    run = await world.submit()
    await world.container.pauses.pause_table(SYSTEM, world.table_id, reason="x", stops=True)
    async with world.container.database.begin() as unit:
        await unit.pauses.release_table(world.table_id)
        claim = await unit.runs.claim(run.id, "w", 60)
        assert claim is not None
        await unit.runs.park(
            claim[1], waiting_for=WaitingFor.PAUSED, not_before=None, reason="paused", detail=None, failed=False
        )
        await unit.pauses.switch_table(world.table_id, by="op", reason="x", stops=True)
    await world.container.runs.cancel(SYSTEM, run.id)
    assert await world.container.worker.advance_next()
    ended = await world.get(run.id)
    assert (ended.state, ended.result.groups_committed) == (RunState.CANCELLED, 0)


@TWO_DATABASES
async def test_a_second_run_starts_as_soon_as_the_first_has_ended(world: World) -> None:
    first = await world.submit()
    second = await world.submit(allow_duplicate=True)
    assert first.id != second.id
    claimed = await world.container.worker._claims.claim(first.id)
    assert claimed is not None
    assert not await world.container.worker.advance_next()
    await world.container.worker._execute(*claimed)
    assert (await world.get(first.id)).state is RunState.SUCCEEDED
    assert await world.container.worker.advance_next()
    assert (await world.get(second.id)).state is RunState.SKIPPED


async def test_a_running_worker_takes_the_second_run_without_another_entry(world: World) -> None:
    first, second = await world.submit(), await world.submit(allow_duplicate=True)
    worker = asyncio.create_task(world.container.worker.run())
    for run in (first, second):
        await seen_when(lambda run=run: world.get(run.id), lambda seen: seen.is_terminal)
    world.container.worker.stop()
    await worker


@TWO_DATABASES
async def test_equal_requests_at_one_instant_are_one_run_unless_forced(world: World) -> None:
    answers = await asyncio.gather(*(world.submit() for _ in range(5)))
    assert len({run.id for run in answers}) == 1
    forced = await asyncio.gather(*(world.submit(allow_duplicate=True) for _ in range(3)))
    full = await world.submit(RunRequest(force_full=True))
    assert len({run.id for run in (*answers, *forced, full)}) == 5


async def test_a_full_run_rewrites_well_sized_files_once(world: World) -> None:
    """P10: `force_full` includes files of the right size."""
    await world.set_policy({"rewrite": {"min_input_files": 5}})
    await world.rewrite()
    assert len(world.lake.paths()) == 3
    world.lake.append_to([f"2026-11-0{day}" for day in (1, 2, 3)], rows=50)
    before = world.lake.ids()
    plain = await world.rewrite()
    assert plain.state is RunState.SKIPPED
    run = await world.submit(RunRequest(force_full=True))
    ended = await world.finish(run.id)
    assert (ended.state, ended.result.rewritten_files, len(world.lake.paths())) == (RunState.SUCCEEDED, 6, 3)
    assert world.lake.ids() == before


async def test_a_blackout_holds_a_run_back_until_the_policy_lets_go(world: World) -> None:
    await world.set_policy({"blackouts": [FREEZE]})
    run = await world.submit()
    assert not await world.container.worker.advance_next()
    held = await world.get(run.id)
    assert (held.waiting_for, held.reason, held.detail) == (WaitingFor.BLACKOUT, "blackout", "freeze")
    assert held.not_before is not None
    async with world.container.database.begin() as unit:
        await unit.policies.delete(world.table_id, "test", 1)
    assert await world.container.coordinator.review() == 1
    assert await world.container.worker.advance_next()
    assert (await world.get(run.id)).state is RunState.SUCCEEDED


async def test_runs_that_have_to_wait_hide_no_run_whose_window_is_gone(world: World) -> None:
    freeze = {"blackouts": [FREEZE]}
    other = Table(TableId("tbl_other"), TableRef("lake", ("lake",), "other"), "uuid", "s3://lake/other", None, NOW)
    scope = PolicyScope(PolicyScopeKind.TABLE, table_id=other.id)
    async with world.container.database.begin() as unit:
        await unit.tables.insert(other)
        await unit.policies.insert(other.id, scope, PolicyDocument.model_validate(freeze), "test")
    await world.set_policy(freeze)
    await world.container.runs.submit(SYSTEM, other.id, RunRequest())
    run = await world.submit()
    assert not await world.container.worker.advance_next()
    async with world.container.database.begin() as unit:
        await unit.policies.delete(world.table_id, "test", 1)
    claims = ClaimService(database=world.container.database, operations=Operation, holder="test", lease_seconds=60)
    assert [await claims.review(1), await claims.review(1)] == [[], [run.id]]


async def test_a_run_that_waited_long_enough_starts_in_quiet_hours_but_never_in_a_blackout(world: World) -> None:
    whole_day = {"from": "00:00", "to": "00:00", "time_zone": "UTC"}
    urgent = {"schedule": {"urgent_after": "1h"}}
    await change_policy(world, {"quiet_hours": [whole_day]} | urgent)
    run = await world.submit()
    assert not await world.container.worker.advance_next()
    assert (await world.get(run.id)).not_before == run.created_at + timedelta(hours=1)
    await change_policy(world, {"blackouts": [FREEZE]} | urgent)
    other = await world.submit(allow_duplicate=True)
    assert not await world.container.worker.advance_next()
    held = await world.get(other.id)
    assert held.waiting_for is WaitingFor.BLACKOUT
    assert held.not_before == datetime(2150, 1, 1, tzinfo=UTC)


async def test_the_priority_of_the_policy_holds_unless_the_request_says_another(world: World) -> None:
    await world.set_policy({"priority": "high"})
    assert (await world.submit(allow_duplicate=True)).priority is Priority.HIGH
    assert (await world.submit(priority=Priority.LOW, allow_duplicate=True)).priority is Priority.LOW

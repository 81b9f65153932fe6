"""Changes of state under a lease, back to the queue, and by cancel."""

from datetime import timedelta
from typing import Any

import pytest

from engine.domain.errors import IllegalTransition, LeaseLost, NotFound, StateConflict
from engine.domain.ids import RunId
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.leases import Lease
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import LEASED_STATES, TERMINAL_STATES, TRANSITIONS, Run, RunEvent, RunState, WaitingFor
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork
from tests.integration.stores.samples import a_run, claimed, finished, insert_run, registered, submitted

_PATHS = {
    RunState.PLANNING: [],
    RunState.REWRITING: [RunState.REWRITING],
    RunState.COMMITTING: [RunState.REWRITING, RunState.COMMITTING],
}
_PARK: dict[str, Any] = {"waiting_for": WaitingFor.RETRY, "not_before": None, "reason": "spark", "detail": "away"}


async def _in_state(database: Database, state: RunState, *, ttl_seconds: float = 60) -> Lease:
    lease = await claimed(database)
    async with database.begin() as work:
        for to in _PATHS[state]:
            await work.runs.transition(lease, to=to)
        return (await work.runs.extend(lease, ttl_seconds))[1]


async def _run(database: Database, run_id: RunId) -> Run:
    async with database.read() as work:
        run = await work.runs.get(run_id)
    assert run is not None
    return run


async def _last_event(database: Database, run_id: RunId) -> RunEvent:
    async with database.read() as work:
        return (await work.events.list(run_id))[-1]


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
@pytest.mark.parametrize("to", sorted(set(RunState) - {RunState.QUEUED}))
async def test_the_map_of_transitions_is_enforced(database: Database, state: RunState, to: RunState) -> None:
    lease = await _in_state(database, state)
    async with database.begin() as work:
        if to in TRANSITIONS[state]:
            assert (await work.runs.transition(lease, to=to)).state is to
        else:
            with pytest.raises(IllegalTransition):
                await work.runs.transition(lease, to=to)


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
async def test_only_park_goes_back_to_the_queue(database: Database, state: RunState) -> None:
    lease = await _in_state(database, state)
    async with database.begin() as work:
        with pytest.raises(IllegalTransition):
            await work.runs.transition(lease, to=RunState.QUEUED)
        assert (await work.runs.park(lease, **_PARK, failed=False)).state is RunState.QUEUED


async def test_a_transition_stores_the_documents_that_are_given_and_keeps_the_others(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.runs.transition(lease, to=RunState.REWRITING, plan={"groups": 3}, intent=RunIntent(tag="a"))
        run = await work.runs.transition(
            lease, to=RunState.COMMITTING, intent=RunIntent(base_snapshot_id=2**62), detail="d"
        )
    assert run == await _run(database, lease.run_id)
    assert (run.plan, run.intent, run.result.document) == ({"groups": 3}, RunIntent(base_snapshot_id=2**62), {})
    assert run.detail == "d"


async def test_a_transition_tells_its_event(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.runs.transition(lease, to=RunState.SKIPPED, reason="nothing", detail="d", details={"files": 1})
    event = await _last_event(database, lease.run_id)
    assert (event.sequence, event.kind, event.actor, event.attempt) == (3, "state_changed", "worker-1", 1)
    assert (event.from_state, event.to_state, event.reason) == (RunState.PLANNING, RunState.SKIPPED, "nothing")
    assert event.details == {"detail": "d", "files": 1}


@pytest.mark.parametrize("to", sorted(TERMINAL_STATES))
async def test_the_end_gives_the_lease_back(database: Database, to: RunState) -> None:
    lease = await _in_state(database, RunState.PLANNING)
    async with database.begin() as work:
        run = await work.runs.transition(lease, to=to)
        with pytest.raises(LeaseLost):
            await work.runs.transition(lease, to=RunState.FAILED)
    assert (run.lease_holder, run.lease_expires_at) == (None, None)
    assert run.finished_at is not None


async def _transition(work: UnitOfWork, lease: Lease) -> None:
    await work.runs.transition(lease, to=RunState.REWRITING)


async def _record(work: UnitOfWork, lease: Lease) -> None:
    await work.runs.record(lease, kind="note", details={})


async def _extend(work: UnitOfWork, lease: Lease) -> None:
    await work.runs.extend(lease, 60)


async def _park(work: UnitOfWork, lease: Lease) -> None:
    await work.runs.park(lease, **_PARK, failed=False)


_WRITES = pytest.mark.parametrize("write", [_transition, _record, _extend, _park])


@_WRITES
async def test_an_expired_lease_writes_nothing(database: Database, write: Any) -> None:
    lease = await claimed(database, ttl_seconds=-1)
    before = await _run(database, lease.run_id)
    with pytest.raises(LeaseLost):
        async with database.begin() as work:
            await write(work, lease)
    assert await _run(database, lease.run_id) == before


@_WRITES
@pytest.mark.parametrize("holder", ["worker-1", "worker-2"])
async def test_a_stale_holder_writes_nothing(database: Database, write: Any, holder: str) -> None:
    stale = await claimed(database, ttl_seconds=-1)
    async with database.begin() as work:
        await work.runs.reap(10)
        assert await work.runs.claim(stale.run_id, holder, 60) is not None
    before = await _run(database, stale.run_id)
    with pytest.raises(LeaseLost):
        async with database.begin() as work:
            await write(work, stale)
    assert await _run(database, stale.run_id) == before


async def test_a_record_changes_documents_but_no_state(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        run = await work.runs.record(lease, kind="commit_unknown", details={"send": 1}, result=RunResult({"a": [1]}))
    event = await _last_event(database, lease.run_id)
    assert (run.state, run.result.document) == (RunState.PLANNING, {"a": [1]})
    assert (event.kind, event.from_state, event.to_state, event.details) == ("commit_unknown", None, None, {"send": 1})


async def test_a_heartbeat_moves_the_expiry_and_shows_a_cancel_request(database: Database) -> None:
    lease = await claimed(database, ttl_seconds=5)
    async with database.begin() as work:
        await work.runs.request_cancel(lease.run_id, "key:admin")
        run, extended = await work.runs.extend(lease, 60)
    assert extended.expires_at > lease.expires_at + timedelta(seconds=50)
    assert (extended.token, run.lease_expires_at) == (lease.token, extended.expires_at)
    assert run.cancel_requested_by == "key:admin"


@pytest.mark.parametrize("failed", [False, True])
async def test_a_parked_run_waits_without_a_lease(database: Database, failed: bool) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        until = await work.now() + timedelta(hours=1)
        run = await work.runs.park(lease, **_PARK | {"not_before": until}, failed=failed)
    assert (run.state, run.lease_holder, run.failures) == (RunState.QUEUED, None, int(failed))
    assert (run.waiting_for, run.not_before, run.reason, run.detail) == (WaitingFor.RETRY, until, "spark", "away")
    assert (await _last_event(database, lease.run_id)).details["not_before"] == until.isoformat()


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
async def test_a_reaped_run_is_queued_with_its_intent(database: Database, state: RunState) -> None:
    lease = await _in_state(database, state)
    async with database.begin() as work:
        await work.runs.record(lease, kind="sent", details={}, intent=RunIntent(tag="t"))
        await work.runs.extend(lease, -1)
        (run,) = await work.runs.reap(10)
        assert [run.id for run in await work.runs.list_ready(10)] == [lease.run_id]
    event = await _last_event(database, lease.run_id)
    assert (run.state, run.lease_holder, run.failures, run.intent) == (RunState.QUEUED, None, 1, RunIntent(tag="t"))
    assert (event.kind, event.actor, event.from_state, event.to_state) == ("reaped", "reaper", state, RunState.QUEUED)


async def test_the_reaper_leaves_live_leases_alone(database: Database) -> None:
    await claimed(database)
    async with database.begin() as work:
        assert await work.runs.reap(10) == []


async def test_the_reaper_takes_the_longest_expired_first(database: Database) -> None:
    later, earlier = await claimed(database, ttl_seconds=-1), await claimed(database, ttl_seconds=-60)
    async with database.begin() as work:
        assert [run.id for run in await work.runs.reap(1)] == [earlier.run_id]
        assert [run.id for run in await work.runs.reap(10)] == [later.run_id]


async def test_two_reapers_do_not_wait_for_one_another(postgres_url: str) -> None:
    first, second = Database(postgres_url), Database(postgres_url, busy_seconds=0.1)
    await claimed(first, ttl_seconds=-1)
    async with first.begin() as work, second.begin() as other:
        assert len(await work.runs.reap(10)) == 1
        assert await other.runs.reap(10) == []
    await first.close()
    await second.close()


async def test_a_queued_run_is_cancelled_at_once(database: Database) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        cancelled = await work.runs.request_cancel(run.id, "key:admin")
    event = await _last_event(database, run.id)
    assert (cancelled.state, cancelled.cancel_requested_by) == (RunState.CANCELLED, "key:admin")
    assert cancelled.finished_at is not None
    assert (event.kind, event.actor, event.to_state) == ("cancelled", "key:admin", RunState.CANCELLED)


async def test_a_cancel_of_a_parked_run_is_left_to_its_next_attempt_which_need_not_wait(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.runs.park(lease, **_PARK, failed=True)
        asked = await work.runs.request_cancel(lease.run_id, "key:admin")
    assert (asked.state, asked.waiting_for, asked.not_before) == (RunState.QUEUED, None, None)
    assert asked.cancel_requested_by == "key:admin"


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
async def test_a_held_run_is_asked_to_stop_once(database: Database, state: RunState) -> None:
    lease = await _in_state(database, state)
    async with database.begin() as work:
        asked = await work.runs.request_cancel(lease.run_id, "key:admin")
        again = await work.runs.request_cancel(lease.run_id, "key:other")
        kinds = [event.kind for event in await work.events.list(lease.run_id)]
    assert again == asked
    assert (asked.state, asked.cancel_requested_by) == (state, "key:admin")
    assert kinds.count("cancel_requested") == 1


@pytest.mark.parametrize("to", sorted(TERMINAL_STATES))
async def test_an_ended_run_can_not_be_cancelled(database: Database, to: RunState) -> None:
    run = await finished(database, (await registered(database)).id, to)
    async with database.begin() as work:
        with pytest.raises(StateConflict, match=f"has ended: {to}"):
            await work.runs.request_cancel(run.id, "key:admin")


async def test_an_unknown_run_can_not_be_cancelled(database: Database) -> None:
    async with database.begin() as work:
        with pytest.raises(NotFound):
            await work.runs.request_cancel(RunId("run_unknown"), "key:admin")


async def test_a_second_live_run_is_refused_and_the_first_can_be_answered(database: Database) -> None:
    first = await submitted(database)
    async with database.begin() as work:
        assert await insert_run(work, a_run(first.table_id)) is None
        live = await work.runs.find_live(first.table_id, first.operation)
    assert live == first

"""Changes of state under a lease, back to the queue, and by cancel."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from engine.domain.errors import IllegalTransition, LeaseLost, NotFound, StateConflict
from engine.domain.ids import RunId
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.leases import Lease
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import LEASED_STATES, TERMINAL_STATES, TRANSITIONS, RunEvent, RunState, WaitingFor
from engine.stores.runs.store import RunStore
from tests.integration.stores.samples import a_run, claimed, finished, insert_run, registered, submitted
from tests.integration.stores.stores import Stores

_PATHS = {
    RunState.PLANNING: [],
    RunState.REWRITING: [RunState.REWRITING],
    RunState.COMMITTING: [RunState.REWRITING, RunState.COMMITTING],
}
_PARK: dict[str, Any] = {"waiting_for": WaitingFor.RETRY, "not_before": None, "reason": "spark", "detail": "away"}


async def _in_state(database: Stores, state: RunState, *, ttl_seconds: float = 60) -> Lease:
    lease = await claimed(database)
    for to in _PATHS[state]:
        await database.runs.transition(lease, to=to)
    return (await database.runs.extend(lease, ttl_seconds))[1]


async def _last_event(database: Stores, run_id: RunId) -> RunEvent:
    return (await database.events.list(run_id))[-1]


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
async def test_the_map_of_transitions_is_enforced_and_only_park_goes_back_to_the_queue(
    database: Stores, state: RunState
) -> None:
    for to in sorted(RunState):
        lease = await _in_state(database, state)
        if to in TRANSITIONS[state] - {RunState.QUEUED}:
            assert (await database.runs.transition(lease, to=to)).state is to
            continue
        with pytest.raises(IllegalTransition):
            await database.runs.transition(lease, to=to)
        assert (await database.runs.park(lease, **_PARK, failed=False)).state is RunState.QUEUED


async def test_a_transition_stores_its_documents_keeps_the_others_and_tells_its_event(database: Stores) -> None:
    lease = await claimed(database)
    await database.runs.transition(lease, to=RunState.REWRITING, plan={"groups": 3}, intent=RunIntent(tag="a"))
    run = await database.runs.transition(
        lease, to=RunState.COMMITTING, intent=RunIntent(base_snapshot_id=2**62), detail="d"
    )
    assert run == await database.runs.get(lease.run_id)
    assert (run.plan, run.intent, run.result.document) == ({"groups": 3}, RunIntent(base_snapshot_id=2**62), {})
    assert run.detail == "d"
    lease = await claimed(database)
    await database.runs.transition(lease, to=RunState.SKIPPED, reason="nothing", detail="d", details={"files": 1})
    event = await _last_event(database, lease.run_id)
    assert (event.sequence, event.kind, event.actor, event.attempt) == (3, "state_changed", "worker-1", 1)
    assert (event.from_state, event.to_state, event.reason) == (RunState.PLANNING, RunState.SKIPPED, "nothing")
    assert event.details == {"detail": "d", "files": 1}


async def test_the_end_gives_the_lease_back(database: Stores) -> None:
    for to in sorted(TERMINAL_STATES):
        lease = await claimed(database)
        run = await database.runs.transition(lease, to=to)
        with pytest.raises(LeaseLost):
            await database.runs.transition(lease, to=RunState.FAILED)
        assert (run.lease_holder, run.lease_expires_at) == (None, None)
        assert run.finished_at is not None


_WRITES: list[Callable[[RunStore, Lease], Awaitable[Any]]] = [
    lambda runs, lease: runs.transition(lease, to=RunState.REWRITING),
    lambda runs, lease: runs.record(lease, kind="note", details={}),
    lambda runs, lease: runs.extend(lease, 60),
    lambda runs, lease: runs.park(lease, **_PARK, failed=False),
]


async def _assert_writes_nothing(database: Stores, lease: Lease) -> None:
    before = await database.runs.get(lease.run_id)
    for write in _WRITES:
        with pytest.raises(LeaseLost):
            await write(database.runs, lease)
    assert await database.runs.get(lease.run_id) == before


async def test_an_expired_lease_writes_nothing(database: Stores) -> None:
    await _assert_writes_nothing(database, await claimed(database, ttl_seconds=-1))


@pytest.mark.parametrize("holder", ["worker-1", "worker-2"])
async def test_a_stale_holder_writes_nothing(database: Stores, holder: str) -> None:
    stale = await claimed(database, ttl_seconds=-1)
    await database.runs.reap(10)
    assert await database.runs.claim(stale.run_id, holder, 60) is not None
    await _assert_writes_nothing(database, stale)


async def test_a_record_changes_documents_and_a_heartbeat_the_expiry_but_no_state(database: Stores) -> None:
    lease = await claimed(database)
    run = await database.runs.record(lease, kind="commit_unknown", details={"send": 1}, result=RunResult({"a": [1]}))
    event = await _last_event(database, lease.run_id)
    assert (run.state, run.result.document) == (RunState.PLANNING, {"a": [1]})
    assert (event.kind, event.from_state, event.to_state, event.details) == ("commit_unknown", None, None, {"send": 1})
    lease = await claimed(database, ttl_seconds=5)
    await database.runs.request_cancel(lease.run_id, "key:admin")
    run, extended = await database.runs.extend(lease, 60)
    assert extended.expires_at > lease.expires_at + timedelta(seconds=50)
    assert (extended.token, run.lease_expires_at) == (lease.token, extended.expires_at)
    assert run.cancel_requested_by == "key:admin"


@pytest.mark.parametrize("failed", [False, True])
async def test_a_parked_run_waits_without_a_lease(database: Stores, failed: bool) -> None:
    lease = await claimed(database)
    until = await database.now() + timedelta(hours=1)
    run = await database.runs.park(lease, **_PARK | {"not_before": until}, failed=failed)
    assert (run.state, run.lease_holder, run.failures) == (RunState.QUEUED, None, int(failed))
    assert (run.waiting_for, run.not_before, run.reason, run.detail) == (WaitingFor.RETRY, until, "spark", "away")
    assert (await _last_event(database, lease.run_id)).details["not_before"] == until.isoformat()


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
async def test_a_reaped_run_is_queued_with_its_intent(database: Stores, state: RunState) -> None:
    lease = await _in_state(database, state)
    await database.runs.record(lease, kind="sent", details={}, intent=RunIntent(tag="t"))
    await database.runs.extend(lease, -1)
    (run,) = await database.runs.reap(10)
    assert [run.id for run in await database.runs.list_ready(10)] == [lease.run_id]
    event = await _last_event(database, lease.run_id)
    assert (run.state, run.lease_holder, run.failures, run.intent) == (RunState.QUEUED, None, 1, RunIntent(tag="t"))
    assert (event.kind, event.actor, event.from_state, event.to_state) == ("reaped", "reaper", state, RunState.QUEUED)


async def test_the_reaper_takes_the_longest_expired_first_and_leaves_live_leases_alone(database: Stores) -> None:
    await claimed(database)
    later, earlier = await claimed(database, ttl_seconds=-1), await claimed(database, ttl_seconds=-60)
    assert [run.id for run in await database.runs.reap(1)] == [earlier.run_id]
    assert [run.id for run in await database.runs.reap(10)] == [later.run_id]


async def test_two_reapers_do_not_wait_for_one_another(postgres_url: str) -> None:
    first, second = Stores(postgres_url), Stores(postgres_url, busy_seconds=0.1)
    await claimed(first, ttl_seconds=-1)
    async with first.begin() as work, second.begin() as other:
        assert len(await work.runs.reap(10)) == 1
        assert await other.runs.reap(10) == []
    await first.close()
    await second.close()


async def test_a_queued_run_is_cancelled_at_once_and_a_parked_one_by_its_next_attempt_which_need_not_wait(
    database: Stores,
) -> None:
    run = await submitted(database)
    cancelled = await database.runs.request_cancel(run.id, "key:admin")
    event = await _last_event(database, run.id)
    assert (cancelled.state, cancelled.cancel_requested_by) == (RunState.CANCELLED, "key:admin")
    assert cancelled.finished_at is not None
    assert (event.kind, event.actor, event.to_state) == ("cancelled", "key:admin", RunState.CANCELLED)
    lease = await claimed(database)
    await database.runs.park(lease, **_PARK, failed=True)
    asked = await database.runs.request_cancel(lease.run_id, "key:admin")
    assert (asked.state, asked.waiting_for, asked.not_before) == (RunState.QUEUED, None, None)
    assert asked.cancel_requested_by == "key:admin"


@pytest.mark.parametrize("state", sorted(LEASED_STATES))
async def test_a_held_run_is_asked_to_stop_once(database: Stores, state: RunState) -> None:
    lease = await _in_state(database, state)
    asked = await database.runs.request_cancel(lease.run_id, "key:admin")
    again = await database.runs.request_cancel(lease.run_id, "key:other")
    kinds = [event.kind for event in await database.events.list(lease.run_id)]
    assert again == asked
    assert (asked.state, asked.cancel_requested_by) == (state, "key:admin")
    assert kinds.count("cancel_requested") == 1


async def test_neither_an_ended_nor_an_unknown_run_can_be_cancelled(database: Stores) -> None:
    table = await registered(database)
    for to in sorted(TERMINAL_STATES):
        run = await finished(database, table.id, to)
        with pytest.raises(StateConflict, match=f"has ended: {to}"):
            await database.runs.request_cancel(run.id, "key:admin")
    with pytest.raises(NotFound):
        await database.runs.request_cancel(RunId("run_unknown"), "key:admin")


async def test_a_second_live_run_is_refused_and_the_first_can_be_answered(database: Stores) -> None:
    first = await submitted(database)
    async with database.begin() as work:
        assert await insert_run(work, a_run(first.table_id)) is None
        live = await work.runs.find_live(first.table_id, first.operation)
    assert live == first

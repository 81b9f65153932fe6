"""Signals of kind `oldest_reader`: expiry keeps what running readers need until the signal expires."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.signals import OldestReader, SignalKind, SignalValue
from tests.support.attempts import explained, snapshot_ids
from tests.support.moved_clock import MovedClock
from tests.support.statements import texts_of
from tests.support.world import World

RULE = {"older_than": "30m", "keep_last": 1, "interval": "1h"}
KIND = SignalKind.OLDEST_READER
AN_HOUR_LATER = pytest.mark.usefixtures("later")


@pytest.fixture
async def later(world: World, later: MovedClock) -> MovedClock:
    """An hour after the table was written, with a rule for expiry."""
    await world.set_policy({"maintenance": {"expire_snapshots": RULE}})
    return later


async def send(world: World, sender: Caller = SYSTEM, **fields: Any) -> None:
    await world.container.signals.send(sender, world.table_id, OldestReader(kind=KIND, **fields))


async def expire(world: World) -> Run:
    return await world.finish((await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS))).id)


@AN_HOUR_LATER
async def test_l4_the_snapshot_of_a_reader_and_all_newer_ones_stay(world: World) -> None:
    before = snapshot_ids(world)
    await send(world, snapshot_id=str(before[2]))
    run = await expire(world)
    assert run.state is RunState.SUCCEEDED
    assert snapshot_ids(world) == before[2:]
    assert run.plan["kept"]["reader"] == len(before) - 3  # the head is kept for its branch


@AN_HOUR_LATER
async def test_l4_a_reader_may_be_named_by_its_commit_time(world: World) -> None:
    before = world.lake.table.snapshots()
    await send(world, committed_at=datetime.fromtimestamp(before[2].timestamp_ms / 1000, UTC))
    await expire(world)
    assert snapshot_ids(world) == [each.snapshot_id for each in before[2:]]


async def test_a_signal_that_has_expired_keeps_nothing(world: World, later: MovedClock) -> None:
    before = snapshot_ids(world)
    await send(world, snapshot_id=str(before[0]), valid_seconds=60)
    await later.pass_by(minutes=2)
    await expire(world)
    assert snapshot_ids(world) == before[-1:]


@AN_HOUR_LATER
async def test_the_newest_signal_of_each_sender_counts(world: World) -> None:
    before = snapshot_ids(world)
    other = Caller("key:other", Role.OPERATOR, None)
    await send(world, snapshot_id=str(before[0]))
    await send(world, other, snapshot_id=str(before[3]))
    await send(world, snapshot_id=str(before[4]))
    await expire(world)
    assert snapshot_ids(world) == before[3:]


@AN_HOUR_LATER
async def test_a_snapshot_that_the_table_does_not_have_keeps_everything(world: World) -> None:
    before = snapshot_ids(world)
    await send(world, snapshot_id="12345")
    run = await expire(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert snapshot_ids(world) == before


@AN_HOUR_LATER
async def test_dry_runs_and_explain_show_what_readers_need(world: World) -> None:
    before = snapshot_ids(world)
    await send(world, snapshot_id=str(before[1]))
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.EXPIRE_SNAPSHOTS)
    assert (plan["count"], plan["details"]["kept"]["reader"]) == (1, len(before) - 2)
    told = await explained(world)
    assert any(f"running readers need {len(before) - 2} snapshots" in line for line in texts_of(told))


@AN_HOUR_LATER
async def test_a_time_in_the_future_and_a_missing_table_are_refused(world: World) -> None:
    future = OldestReader(kind=KIND, committed_at=datetime.now(UTC) + timedelta(days=9))
    with pytest.raises(InvalidInput) as refused:
        await world.container.signals.send(SYSTEM, world.table_id, future)
    (problem,) = refused.value.problems
    assert (problem.pointer, problem.value) == ("/signal/committed_at", future.committed_at.isoformat())  # type: ignore[union-attr]
    assert "is in the future" in problem.message
    with pytest.raises(InvalidInput, match="needs a table"):
        await world.container.signals.send(SYSTEM, None, OldestReader(kind=KIND, snapshot_id="1"))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"snapshot_id": "1", "committed_at": "2026-01-01T00:00:00Z"},
        {"snapshot_id": "-1"},
        {"snapshot_id": "1", "valid_seconds": 86_401},
        {"snapshot_id": "1", "valid_seconds": 0},
        {"committed_at": "2026-01-01T00:00:00"},
        {"committed_at": "soon"},
    ],
)
def test_garbage_is_no_signal(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter[Any](SignalValue).validate_python({"kind": KIND.value, **fields})

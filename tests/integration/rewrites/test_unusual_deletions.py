"""Deletions far above the usual ones, or above an acknowledged bound, wait for an acknowledgement (F44)."""

from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict
from engine.domain.policies import FLEET, PolicyDocument
from engine.domain.remedies import remedy
from engine.domain.runs.deletions import AcknowledgementRequest
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.services.runs.views import remedy_of
from tests.integration.rewrites.test_announced_deletions import EXPIRE, announced, deleting, hold_of
from tests.support.acknowledging import acknowledged
from tests.support.attempts import append_files
from tests.support.expired_files import stored
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import EXPIRY, ORPHANS, write_orphan
from tests.support.watching import DAY, Watching, runs_of
from tests.support.world import World

__all__ = ["deleting"]  # the fixture

UP_TO = "up_to:bytes=1GB,files=1000,snapshots={}"


@pytest.fixture
async def usual(world: World, deleting: MovedClock, watching: Watching) -> int:
    """Finish the first deletion, which its grace announced, and ask for larger ones; return its snapshots."""
    ended = await world.finish((await announced(world, watching)).id)
    assert (ended.state, ended.result.document.get("acknowledgement")) == (RunState.SUCCEEDED, None)
    careful = PolicyDocument.model_validate({"deletion": {"surge": {"factor": 1}}})
    await world.container.scoped_policies.create(SYSTEM, "careful", FLEET, careful)
    return ended.result.expired_snapshots


async def grown(world: World, clock: MovedClock, snapshots: int) -> None:
    """Let so many snapshots more become old."""
    for _ in range(snapshots):
        append_files(world.lake, DAY)
    await clock.pass_by(hours=2)


async def waiting(world: World, run: Run) -> AcknowledgementRequest:
    """Advance a run, insist that it deletes nothing and waits, and return why."""
    files = stored(world.lake.table)
    await world.container.worker.advance(run.id)
    now = await world.get(run.id)
    assert (now.state, now.waiting_for, now.reason) == (RunState.QUEUED, WaitingFor.ACKNOWLEDGEMENT, "acknowledgement")
    assert (now.detail or "").endswith("it deletes that once it is acknowledged")
    assert remedy_of(now) == remedy("get_deletion", run_id=run.id)
    assert stored(world.lake.table) == files
    asked = AcknowledgementRequest.of(now)
    assert asked is not None
    return asked


async def test_f44_a_deletion_above_the_usual_deletes_nothing_until_it_is_acknowledged(
    world: World, deleting: MovedClock, watching: Watching, usual: int
) -> None:
    """F44: an acknowledged policy deleted any amount later, unannounced."""
    await grown(world, deleting, usual + 3)
    run = await announced(world, watching)
    assert run.waiting_for is None
    asked = await waiting(world, run)
    assert asked.usual is not None
    assert (asked.usual.median.snapshots, asked.exceeded[0]) == (usual, "snapshots")
    assert asked.amounts.snapshots == usual + 3
    assert asked.amounts.files  # counted, not assumed
    held = (await hold_of(world))["acknowledgement"]
    assert (held["until"], held["remedy"]["operation"]) == (None, "get_deletion")
    seen = await world.get(run.id)
    await deleting.pass_by(hours=25)
    assert (await waiting(world, run)).amounts == asked.amounts  # it looks again, and goes on waiting
    async with world.container.database.begin() as unit:  # who read the question of before answers nothing
        assert await unit.runs.acknowledge(seen, seen.result, by="late") is None
    files = stored(world.lake.table)
    freed = await world.container.deletions.acknowledge(SYSTEM, run.id)
    assert (freed.waiting_for, freed.not_before) == (None, None)
    ended = await world.finish(run.id)
    assert (ended.state, ended.result.expired_snapshots) == (RunState.SUCCEEDED, usual + 3)
    assert len(stored(world.lake.table)) < len(files)
    assert ended.result.document["acknowledgement"]["given"]["by"] == SYSTEM.subject
    with pytest.raises(StateConflict, match="does not wait for an acknowledgement"):
        await world.container.deletions.acknowledge(SYSTEM, run.id)


async def test_f44_what_grew_since_it_was_acknowledged_waits_again(
    world: World, deleting: MovedClock, watching: Watching, usual: int
) -> None:
    await grown(world, deleting, usual + 3)
    run = await announced(world, watching)
    await waiting(world, run)
    await world.container.deletions.acknowledge(SYSTEM, run.id)
    await grown(world, deleting, 2)
    assert (await waiting(world, run)).given == {}


async def test_f44_a_deletion_that_waits_is_undone_with_nothing_deleted_and_holds_back_no_rewrite(
    world: World, deleting: MovedClock, watching: Watching, usual: int
) -> None:
    await grown(world, deleting, usual + 3)
    run = await announced(world, watching)
    await waiting(world, run)
    assert (await world.finish((await world.submit()).id)).operation != EXPIRE
    files = stored(world.lake.table)
    await world.container.deletions.undo(SYSTEM, run.id)
    assert (await world.finish(run.id)).state is RunState.CANCELLED
    assert stored(world.lake.table) == files


async def test_deletions_of_the_usual_size_start_at_once(
    world: World, deleting: MovedClock, watching: Watching, usual: int
) -> None:
    await grown(world, deleting, usual)
    ended = await world.finish((await announced(world, watching)).id)
    assert (ended.state, ended.result.expired_snapshots) == (RunState.SUCCEEDED, usual)


async def test_f44_the_deletion_after_an_announced_one_that_failed_is_the_announced_one(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    """F44: an outage at the end of the grace made every table wait for a person."""
    first = await announced(world, watching)
    with world.lake.table.transaction() as changes:
        changes.set_properties({"gc.enabled": "false"})
    failed = await world.finish(first.id)
    assert (failed.state, failed.reason) == (RunState.REFUSED, "not_eligible")
    with world.lake.table.transaction() as changes:
        changes.remove_properties("gc.enabled")
    await deleting.pass_by(hours=26)
    second = await announced(world, watching)
    assert (second.id != first.id, second.waiting_for) == (True, None)
    assert (await world.finish(second.id, attempts=1)).state is RunState.SUCCEEDED


async def test_f44_each_deletion_above_the_bound_that_was_acknowledged_with_the_policy_waits(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    """F44: a pipeline's bound holds for the deletions that follow, also for the first one after its grace."""
    stored_policy = (await world.container.policies.get(SYSTEM, world.table_id)).policy
    wider = PolicyDocument.model_validate({"maintenance": {"expire_snapshots": EXPIRY | {"older_than": "20m"}}})
    put, bound = world.container.policies.replace, UP_TO.format(7)
    await put(SYSTEM, world.table_id, wider, if_match=stored_policy.version, acknowledge=bound)
    await grown(world, deleting, 4)
    run = await announced(world, watching)
    assert run.waiting_for is WaitingFor.GRACE
    await deleting.pass_by(hours=25)
    asked = await waiting(world, run)
    assert (asked.usual, asked.up_to["snapshots"], asked.exceeded) == (None, 7, ("snapshots",))
    await world.container.deletions.acknowledge(SYSTEM, run.id)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED


async def test_f44_a_requested_run_waits_if_it_grew_above_its_bound_in_its_grace(
    world: World, deleting: MovedClock
) -> None:
    submit, request = world.container.runs.submit, RunRequest(EXPIRE)
    run, _ = await submit(SYSTEM, world.table_id, request, acknowledge=UP_TO.format(6))
    await grown(world, deleting, 2)
    assert (await waiting(world, run)).exceeded == ("snapshots",)
    other, _ = await acknowledged(submit, SYSTEM, world.table_id, request, allow_duplicate=True)
    await deleting.pass_by(hours=1)
    assert (await world.finish(other.id)).state is RunState.SUCCEEDED  # without a bound it is not compared


async def test_f44_orphans_that_no_search_deleted_before_wait_if_they_are_a_tenth_of_the_table(
    world: World, clock: MovedClock, watching: Watching
) -> None:
    """F44: the grace of the first search, which finds and deletes nothing, announced none of them."""
    orphans = [write_orphan(world, f"data/day=2026-11-01/{number}") for number in range(9)]
    await world.set_policy({"triggers": [], "maintenance": {"remove_orphans": ORPHANS}})
    await watching.look(wake=True)
    first = (await runs_of(world))[0]
    assert first.waiting_for is WaitingFor.GRACE
    assert (await world.finish(first.id)).state is RunState.SKIPPED
    await clock.pass_by(hours=2)
    await watching.look(wake=True)
    run = next(each for each in await runs_of(world) if each.id != first.id)
    asked = await waiting(world, run)
    assert (asked.amounts.files, asked.exceeded) == (9, ("files",))
    assert asked.usual is not None
    assert (asked.usual.median.files, asked.usual.table.files) == (None, 18)
    await world.container.deletions.acknowledge(SYSTEM, run.id)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    assert not any(each.exists() for each in orphans)


@pytest.mark.parametrize("setting", [{"undo_for": "7d"}, {"approval": "two"}])
def test_f44_settings_that_nothing_enforces_are_refused(setting: dict[str, Any]) -> None:
    """F44: no operation can bring back what it deleted, so `deletion.undo_for` would be an empty promise."""
    with pytest.raises(ValueError, match="Extra inputs are not permitted"):
        PolicyDocument.model_validate({"deletion": setting})

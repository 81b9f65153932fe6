"""Runs that delete are announced, wait for their grace, and can be undone until it ends (F44)."""

from datetime import timedelta
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import InvalidInput, StateConflict
from engine.domain.policies import FLEET, PolicyDocument
from engine.domain.runs.deletions import Announcement
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunFilter, RunState, WaitingFor
from tests.support.acknowledging import acknowledged
from tests.support.attempts import append_files, explained
from tests.support.expired_files import stored
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import EXPIRY, rewrite_and_untag
from tests.support.watching import DAY, Watching, runs_of
from tests.support.world import World

EXPIRE = Operation.EXPIRE_SNAPSHOTS
SETTING = "maintenance.expire_snapshots"
OPERATOR = Caller("key:operator", Role.OPERATOR)


@pytest.fixture
async def deleting(world: World, clock: MovedClock) -> MovedClock:
    """The clock of a world whose policy has just been set to delete what a rewrite replaced."""
    await rewrite_and_untag(world)
    await clock.pass_by(hours=1)
    await world.set_policy({"triggers": [], "maintenance": {"expire_snapshots": EXPIRY}})
    return clock


async def replaced(world: World, **expiry: Any) -> None:
    """Replace the policy of the table by one with another rule."""
    document = {"triggers": [], "maintenance": {"expire_snapshots": EXPIRY | expiry}}
    stored = await world.container.policies.get(SYSTEM, world.table_id)
    policy = PolicyDocument.model_validate(document)
    await acknowledged(world.container.policies.replace, SYSTEM, world.table_id, policy, if_match=stored.policy.version)


async def announced(world: World, watching: Watching) -> Run:
    """Look at the table as the coordinator does; return the run that it has submitted, newest first."""
    await watching.look(wake=True)
    return next(run for run in await runs_of(world) if run.operation is EXPIRE)


async def hold_of(world: World) -> dict[str, Any]:
    """Return what holds back the next run of the operation, as explain shows it."""
    (line,) = [each for each in (await explained(world))["upkeep"] if each["operation"] == EXPIRE]
    return {each["code"]: each for each in line["held_by"]}


async def test_f44_an_automatic_deletion_is_announced_and_deletes_nothing_for_a_day(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    """F44: a policy saved with `delete_files` deleted 189 files seconds later."""
    files = stored(world.lake.table)
    run = await announced(world, watching)
    assert (run.state, run.waiting_for, run.reason) == (RunState.QUEUED, WaitingFor.GRACE, "grace")
    assert run.not_before is not None
    assert timedelta(hours=23, minutes=59) < run.not_before - await deleting.now() <= timedelta(days=1)
    assert "KiB of data); it can be undone" in (run.detail or "")  # its metadata files are deleted as well
    held = (await hold_of(world))["grace"]
    assert held["until"] is not None
    assert held["remedy"] == {"operation": "undo_deletion", "parameters": {"run_id": run.id}}
    (line,) = [each for each in (await explained(world))["summary"] if each["code"] == "live_run"]
    assert line["text"].endswith("can still be undone.")
    assert line["remedy"] == held["remedy"]
    await world.container.worker.advance(run.id)
    await deleting.pass_by(hours=23)
    waiting = (await world.container.runs.timeline(run)).waiting
    assert waiting is not None
    assert waiting["grace"] == pytest.approx(23 * 3600, abs=60)
    await world.container.worker.advance(run.id)
    assert (await announced(world, watching)).id == run.id
    assert stored(world.lake.table) == files
    await deleting.pass_by(hours=1)
    await world.container.worker.advance(run.id)
    ended = await world.get(run.id)
    assert ended.state is RunState.SUCCEEDED
    assert ended.result.document["deleted_files"] > 0
    assert len(stored(world.lake.table)) < len(files)


async def test_f44_later_deletions_of_the_same_rule_start_at_once_and_those_of_a_wider_rule_are_announced(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    await world.finish((await announced(world, watching)).id)
    append_files(world.lake, DAY)
    await deleting.pass_by(hours=2)
    second = await announced(world, watching)
    assert (second.waiting_for, Announcement.of(second.request)) != (WaitingFor.GRACE, None)
    await world.finish(second.id)
    await replaced(world, older_than="10m")
    append_files(world.lake, DAY)
    await deleting.pass_by(hours=2)
    third = await announced(world, watching)
    assert third.id != second.id
    assert third.waiting_for is WaitingFor.GRACE


async def test_f44_a_rule_that_is_switched_off_and_on_again_is_announced_again(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    first = await announced(world, watching)
    await world.finish(first.id)
    off = PolicyDocument.model_validate({"triggers": [], "maintenance": {"expire_snapshots": "off"}})
    await world.container.policies.replace(SYSTEM, world.table_id, off, if_match=1)
    await replaced(world)
    append_files(world.lake, DAY)
    await deleting.pass_by(hours=2)
    again = await announced(world, watching)
    assert again.id != first.id
    assert again.waiting_for is WaitingFor.GRACE


async def test_f44_an_undone_deletion_deletes_nothing_and_its_setting_is_off(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    files, run = stored(world.lake.table), await announced(world, watching)
    undone = await world.container.deletions.undo(SYSTEM, run.id)
    assert undone.state is RunState.CANCELLED
    policy = (await world.container.policies.get(SYSTEM, world.table_id)).policy
    assert policy.document.leaves()[SETTING] == "off"
    assert policy.message == f"undo of deletion {run.id}"
    assert policy.document.triggers == ()  # its other settings stay
    await deleting.pass_by(hours=30)
    assert (await announced(world, watching)).id == run.id
    await world.container.worker.advance(run.id)
    assert stored(world.lake.table) == files
    with pytest.raises(StateConflict, match=r"was undone by system .* before it deleted anything"):
        await world.container.deletions.undo(SYSTEM, run.id)
    listed = await world.container.deletions.list(SYSTEM, RunFilter(), limit=10)
    assert [each.id for each in listed.runs] == [run.id]


async def test_f44_a_run_whose_rule_became_wider_in_its_grace_deletes_nothing(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    files, run = stored(world.lake.table), await announced(world, watching)
    await replaced(world, older_than="10m")
    ended = await world.finish(run.id)
    assert (ended.state, ended.reason) == (RunState.SKIPPED, "wider_rule")
    assert stored(world.lake.table) == files
    await deleting.pass_by(hours=2)  # it rests after a run without effect
    again = await announced(world, watching)
    assert (again.id != run.id, again.waiting_for) == (True, WaitingFor.GRACE)


@pytest.mark.usefixtures("deleting")
async def test_an_announced_deletion_holds_back_no_rewrite_and_no_other_upkeep(
    world: World, watching: Watching
) -> None:
    await announced(world, watching)
    append_files(world.lake, DAY)
    await world.finish((await world.submit()).id)
    held = {each["code"] for each in (await explained(world))["next_eligible"]["held_by"]}
    assert not held & {"run_waits", "grace"}


async def test_f44_a_requested_run_waits_for_a_quarter_of_an_hour_and_less_is_an_admins(
    world: World, deleting: MovedClock
) -> None:
    submit, request = world.container.runs.submit, RunRequest(EXPIRE)
    with pytest.raises(InvalidInput, match="needs the role admin"):
        await submit(OPERATOR, world.table_id, request, grace=timedelta(0))
    files = stored(world.lake.table)
    run, _ = await acknowledged(submit, OPERATOR, world.table_id, request)
    assert run.waiting_for is WaitingFor.GRACE
    await deleting.pass_by(minutes=14)
    await world.container.worker.advance(run.id)
    assert stored(world.lake.table) == files
    await deleting.pass_by(minutes=1)
    await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.SUCCEEDED
    append_files(world.lake, DAY)
    await deleting.pass_by(hours=1)
    at_once = await world.submit(request)  # an admin, with a grace of 0
    assert at_once.waiting_for is None


async def test_the_longest_grace_of_all_policies_applies(
    world: World, deleting: MovedClock, watching: Watching
) -> None:
    document = PolicyDocument.model_validate({"deletion": {"grace": "48h"}})
    await world.container.scoped_policies.create(SYSTEM, "careful", FLEET, document)
    run = await announced(world, watching)
    assert run.not_before is not None
    assert run.not_before - await deleting.now() > timedelta(hours=47)

"""Replaced folders of Hive tables: writers' files in them are found at once, their deletion is announced (F44)."""

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId
from engine.domain.policies import FLEET, PolicyDocument
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from tests.integration.hive.test_old_compactions import DAYS, add_late, late, rewritten, same_rows
from tests.support.hive.lakes import files_in
from tests.support.hive.worlds import WrittenTable
from tests.support.moved_clock import MovedClock
from tests.support.watching import Watching, runs_of
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")


async def looked(world: World[WrittenTable], watching: Watching) -> Run:
    """Look at the table as the coordinator does, and finish the run that it submits."""
    await watching.look(wake=True)
    runs = await runs_of(world)  # type: ignore[arg-type]
    run = next(each for each in runs if each.operation is Operation.DELETE_OLD_COMPACTIONS)
    assert run.waiting_for is not WaitingFor.GRACE
    return await world.finish(run.id, attempts=1)


async def test_f44_late_files_are_found_before_and_folders_deleted_after_the_grace(world: World[WrittenTable]) -> None:
    clock, watching = await MovedClock.of(world.container.database), Watching(world)  # type: ignore[arg-type]
    old = await rewritten(world)
    add_late(world, old[0])
    await clock.pass_by(hours=2)
    run = await looked(world, watching)
    assert late(run)["copied"] == 1
    assert all(files_in(each) for each in old)
    assert same_rows(world)
    await clock.pass_by(hours=25)
    run = await looked(world, watching)
    assert run.state is RunState.SUCCEEDED
    assert not any(files_in(each) for each in old)
    assert same_rows(world)
    await watching.service.close()


async def test_f44_late_files_are_found_while_an_unusual_deletion_waits_for_its_acknowledgement(
    world: World[WrittenTable],
) -> None:
    clock, watching = await MovedClock.of(world.container.database), Watching(world)  # type: ignore[arg-type]
    await rewritten(world)
    await clock.pass_by(hours=2)
    await looked(world, watching)
    await clock.pass_by(hours=25)
    assert (await looked(world, watching)).result.document["deleted_files"] > 0
    careful = PolicyDocument.model_validate({"deletion": {"surge": {"factor": 1}}})
    await world.container.scoped_policies.create(SYSTEM, "careful", FLEET, careful)
    for day in DAYS:
        for _ in range(12):
            world.lake.append(day)
    old = await rewritten(world)
    await clock.pass_by(hours=26)
    run = await waits(world, watching)
    assert all(files_in(each) for each in old)
    add_late(world, old[0])
    await clock.pass_by(hours=2)
    assert same_rows(world) is False
    assert await waits(world, watching) == run
    assert same_rows(world)
    await clock.pass_by(hours=2)
    assert await waits(world, watching) == run  # it deletes the folder of the late file as well by then
    await world.container.deletions.acknowledge(SYSTEM, run)
    await world.finish(run)
    assert not all(files_in(each) for each in old)
    assert same_rows(world)
    await watching.service.close()


async def waits(world: World[WrittenTable], watching: Watching) -> RunId:
    """Look at the table as the coordinator does, advance the run once, and insist that it waits for a person."""
    await watching.look(wake=True)
    runs = await runs_of(world)  # type: ignore[arg-type]
    run = next(each for each in runs if each.operation is Operation.DELETE_OLD_COMPACTIONS)
    await world.container.worker.advance(run.id)
    run = await world.get(run.id)
    assert (run.state, run.waiting_for) == (RunState.QUEUED, WaitingFor.ACKNOWLEDGEMENT), (run.reason, run.detail)
    return run.id

"""Deletion of old copies: only snapshots whose rows a proven rewrite has as well, after a grace, with their files.

Steps at which an attempt dies are those of every deletion (`test_removals.py`).
"""

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.support.attempts import content, snapshot_ids
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import COMPACTIONS, nothing_needed_is_missing, two_rewrites
from tests.support.watching import Watching, finish_live, runs_of, set_policy
from tests.support.world import World

DELETE = RunRequest(Operation.DELETE_OLD_COMPACTIONS)
ON = {"maintenance": {"delete_old_compactions": COMPACTIONS}}


async def delete(world: World) -> Run:
    return await world.finish((await world.submit(DELETE)).id)


async def test_u12_copies_that_a_rewrite_replaced_go_after_a_grace_and_other_snapshots_stay(
    world: World, clock: MovedClock
) -> None:
    """Dry runs count copies and files, and show when the next copy is old enough."""
    first, second = await two_rewrites(world)
    before, rows = snapshot_ids(world), content(world)
    await world.set_policy(ON)
    run = await delete(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do"), "within the grace"
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, DELETE.operation)
    assert (plan["count"], plan["details"]["removal"]["files"]) == (0, {})
    assert plan["next_at"] is not None
    await clock.pass_by(hours=2)
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, DELETE.operation)
    assert (plan["count"], plan["details"]["removal"]["files"]["manifest_lists"]["files"]) == (2, 2)
    run = await delete(world)
    assert run.state is RunState.SUCCEEDED
    assert snapshot_ids(world) == [each for each in before if each not in (first, second)]
    assert run.result.document["deleted_files"] > 0
    assert content(world) == rows
    assert nothing_needed_is_missing(world)


async def test_f39_an_expiry_after_it_keeps_as_many_snapshots_as_it_promises(world: World, clock: MovedClock) -> None:
    """Snapshots are counted along the whole history of main, although its chain of parents ends at each rewrite."""
    await two_rewrites(world)
    await clock.pass_by(hours=2)
    keeps_four = {"older_than": "1h", "keep_last": 4, "interval": "1h", "delete_files": True}
    await world.set_policy({"maintenance": {**ON["maintenance"], "expire_snapshots": keeps_four}})
    assert (await delete(world)).result.expired_snapshots == 2
    left = snapshot_ids(world)
    rows = {each: content(world, each) for each in left[-4:]}
    run = await world.finish((await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS))).id)
    assert (run.state, snapshot_ids(world)) == (RunState.SUCCEEDED, left[-4:])
    assert {each: content(world, each) for each in rows} == rows
    assert nothing_needed_is_missing(world)


async def test_a_copy_that_a_tag_names_stays(world: World, clock: MovedClock) -> None:
    first, _ = await two_rewrites(world)
    world.lake.table.manage_snapshots().create_tag(first, "audit").commit()
    await clock.pass_by(hours=2)
    await world.set_policy(ON)
    run = await delete(world)
    assert run.result.expired_snapshots == 1
    assert first in snapshot_ids(world)


async def test_a_rewrite_counts_only_if_the_record_has_its_proof(world: World, clock: MovedClock) -> None:
    """Whoever writes to the table can name a run of Packhouse in the summary of a snapshot."""
    await two_rewrites(world)
    before = snapshot_ids(world)
    world.execute("UPDATE runs SET result = '{}' WHERE :id = :id", world.table_id)
    await clock.pass_by(hours=2)
    await world.set_policy(ON)
    run = await delete(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert snapshot_ids(world) == before


async def test_a_run_needs_the_setting(world: World) -> None:
    with pytest.raises(InvalidInput, match="switched off for this table"):
        await world.submit(DELETE)


async def test_the_coordinator_deletes_copies_once_their_grace_is_over(watching: Watching, clock: MovedClock) -> None:
    world = watching.world
    first, _ = await two_rewrites(world)
    setting = {"delete_old_compactions": {"grace": "1d", "interval": "1d"}, "rewrite_manifests": "off"}
    await set_policy(world, maintenance=setting)
    await watching.look()
    assert first in snapshot_ids(world)
    await clock.pass_by(hours=26)
    await watching.look()
    await finish_live(world)
    assert first not in snapshot_ids(world)
    assert Operation.DELETE_OLD_COMPACTIONS in {run.operation for run in await runs_of(world)}

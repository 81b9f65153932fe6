"""Deletion of old copies: only snapshots whose rows a proven rewrite has as well, after a grace, with their files."""

from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.support.expired_files import needed, stored
from tests.support.moved_clock import MovedClock
from tests.support.watching import Watching, finish_live, runs_of, set_policy
from tests.support.world import World

DELETE = RunRequest(Operation.DELETE_OLD_COMPACTIONS)
SETTING = {"grace": "1h", "interval": "1h"}


@pytest.fixture
async def clock(world: World) -> MovedClock:
    return await MovedClock.of(world.container.database)


async def two_rewrites(world: World) -> list[int]:
    """Rewrite, append and rewrite again: returns the ids of the snapshots before each rewrite."""
    parents = [head(world)]
    await world.rewrite()
    for _ in range(6):
        world.lake.append(day="2026-11-01")
    parents.append(head(world))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    return parents


def head(world: World) -> int:
    snapshot = world.lake.table.current_snapshot()
    assert snapshot is not None
    return snapshot.snapshot_id


def ids(world: World) -> list[int]:
    return [each.snapshot_id for each in world.lake.table.snapshots()]


async def delete(world: World, **setting: Any) -> Run:
    await world.set_policy({"maintenance": {"delete_old_compactions": SETTING | setting}})
    return await world.finish((await world.submit(DELETE)).id)


async def test_u12_copies_that_a_rewrite_replaced_go_after_a_grace_and_other_snapshots_stay(
    world: World, clock: MovedClock
) -> None:
    first, second = await two_rewrites(world)
    before, rows = ids(world), world.lake.rows()
    run = await delete(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do"), "within the grace"
    await clock.pass_by(hours=2)
    run = await world.finish((await world.submit(DELETE)).id)
    assert run.state is RunState.SUCCEEDED
    assert ids(world) == [each for each in before if each not in (first, second)]
    assert run.result.document["deleted_files"] > 0
    assert world.lake.rows() == rows
    table = world.lake.table
    assert needed(table) <= stored(table)


async def test_a_copy_that_a_tag_names_stays(world: World, clock: MovedClock) -> None:
    first, _ = await two_rewrites(world)
    world.lake.table.manage_snapshots().create_tag(first, "audit").commit()
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert run.result.expired_snapshots == 1
    assert first in ids(world)


async def test_a_rewrite_counts_only_if_the_record_has_its_proof(world: World, clock: MovedClock) -> None:
    """Whoever writes to the table can name a run of Packhouse in the summary of a snapshot."""
    await two_rewrites(world)
    before = ids(world)
    world._sql("UPDATE runs SET result = '{}' WHERE :id = :id", world.table_id)
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert ids(world) == before


@pytest.mark.parametrize("step", ["planned", "before_commit", "after_commit", "files_recorded", "files_deleted"])
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, clock: MovedClock, step: str) -> None:
    first, _ = await two_rewrites(world)
    rows = world.lake.rows()
    await clock.pass_by(hours=2)
    await world.set_policy({"maintenance": {"delete_old_compactions": SETTING}})
    run = await world.submit(DELETE)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, run.result.expired_snapshots) == (RunState.SUCCEEDED, 2)
    assert first not in ids(world)
    assert run.result.document["deleted_files"] > 0
    assert world.lake.rows() == rows


async def test_a_run_needs_the_setting(world: World) -> None:
    with pytest.raises(InvalidInput, match="switched off for this table"):
        await world.submit(DELETE)


async def test_the_dry_run_counts_files_and_when_the_next_copy_is_old_enough(world: World, clock: MovedClock) -> None:
    await two_rewrites(world)
    await world.set_policy({"maintenance": {"delete_old_compactions": SETTING}})
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.DELETE_OLD_COMPACTIONS)
    assert (plan["count"], plan["details"]["removal"]["files"]) == (0, {})
    assert plan["next_at"] is not None
    await clock.pass_by(hours=2)
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.DELETE_OLD_COMPACTIONS)
    assert plan["count"] == 2
    assert plan["details"]["removal"]["files"]["manifest_lists"]["files"] == 2


async def test_the_coordinator_deletes_copies_once_their_grace_is_over(watching: Watching, clock: MovedClock) -> None:
    world = watching.world
    first, _ = await two_rewrites(world)
    setting = {"delete_old_compactions": {"grace": "1d", "interval": "1d"}, "rewrite_manifests": "off"}
    await set_policy(world, maintenance=setting)
    await watching.look()
    assert first in ids(world)
    await clock.pass_by(hours=26)
    await watching.look()
    await finish_live(world)
    assert first not in ids(world)
    assert Operation.DELETE_OLD_COMPACTIONS in {run.operation for run in await runs_of(world)}

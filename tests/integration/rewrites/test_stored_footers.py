"""Footers of outputs are in the record as long as a commit may need them, of another attempt too, and no longer."""

from collections.abc import Sequence

import pytest
from pyiceberg.transforms import IdentityTransform

from engine.domain.ids import RunId
from engine.domain.runs.run import GroupState, StoredGroup
from tests.support.attempts import content, succeeded
from tests.support.world import World


async def groups_of(world: World, run_id: RunId) -> Sequence[StoredGroup]:
    async with world.container.database.read() as unit:
        return await unit.groups.list(run_id)


def have_footers(groups: Sequence[StoredGroup]) -> set[bool]:
    return {bool(file.footer) for group in groups for file in group.outputs}


async def test_a_committed_group_has_no_footers_any_more(world: World) -> None:
    run = await world.rewrite()
    groups = await groups_of(world, run.id)
    assert {group.state for group in groups} == {GroupState.COMMITTED}
    assert have_footers(groups) == {False}
    assert {file.path for group in groups for file in group.outputs} == set(world.lake.paths())


@pytest.mark.parametrize("step", ["before_commit", "after_commit"])
async def test_what_a_lost_attempt_wrote_is_committed_or_proven_by_its_footers(world: World, step: str) -> None:
    """The table's own order makes the proof read footers as well."""
    with world.lake.table.update_sort_order() as update:
        update.asc("value", IdentityTransform())
    await world.set_policy({"rewrite": {"strategy": "sort"}})
    rows, run = content(world), await world.submit()
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    left = await groups_of(world, run.id)
    assert {group.state for group in left} == {GroupState.WRITTEN}
    assert have_footers(left) == {True}
    await world.expire_lease(run.id)
    run = await succeeded(world, run)
    assert have_footers(await groups_of(world, run.id)) == {False}
    assert content(world) == rows
    assert len(world.lake.replaces()) == 1
    (verification,) = run.result.verifications
    (check,) = [each for each in verification["checks"] if each["name"] == "sort_orders_as_written"]
    assert (check["holds"], check["detail"]) == (True, "3 added files claim a sort order, 3 rightly")


async def test_a_dropped_group_keeps_the_paths_of_its_outputs_only(world: World) -> None:
    world.at("before_commit", lambda: world.lake.table.delete("day = '2026-11-02'"))
    run = await world.rewrite()
    groups = await groups_of(world, run.id)
    assert {group.state for group in groups} == {GroupState.COMMITTED, GroupState.DROPPED}
    assert have_footers(groups) == {False}
    assert all(file.path for group in groups for file in group.outputs)

"""Health and explain count the files under older partition specs; a rewrite leaves them under their own spec."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pyiceberg.table.update.spec import UpdateSpec
from pyiceberg.transforms import BucketTransform, IdentityTransform, TruncateTransform

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.support.attempts import content, explained
from tests.support.world import World

Change = Callable[[UpdateSpec], Any]

DAY = "2026-11-01"
CHANGES: Mapping[str, Change] = {
    "dropped": lambda change: change.remove_field("day"),
    "added": lambda change: change.add_field("id", BucketTransform(2), "bucket"),
    "renamed": lambda change: change.rename_field("day", "date"),
    "replaced": lambda change: change.remove_field("day").add_field("day", TruncateTransform(7), "month"),
}


async def measured(world: World) -> tuple[int, int]:
    found = await world.container.observations.health(SYSTEM, world.table_id)
    return found["old_spec_file_count"], found["old_spec_bytes"]


def bytes_under(world: World, spec_id: int) -> list[int]:
    files = [task.file for task in world.lake.table.scan().plan_files()]
    return [file.file_size_in_bytes for file in files if file.spec_id == spec_id]


def change_spec(world: World, change: Change) -> int:
    """Change the table's partition spec and return the new one's id."""
    with world.lake.table.update_spec() as update:
        change(update)
    return world.lake.table.metadata.default_spec_id


async def test_no_file_of_an_unchanged_table_is_under_an_old_spec(world: World) -> None:
    assert await measured(world) == (0, 0)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_files_of_before_a_change_of_the_spec_are_counted_and_later_ones_are_not(
    world: World, change: Change
) -> None:
    old = bytes_under(world, 0)
    assert change_spec(world, change) == 1
    world.lake.append(day=DAY)
    assert bytes_under(world, 1)
    assert await measured(world) == (len(old), sum(old)) == (18, sum(old))


async def test_files_of_a_table_that_was_unpartitioned_are_counted_after_two_changes(world: World) -> None:
    change_spec(world, CHANGES["dropped"])
    world.lake.append(day=DAY)
    change_spec(world, CHANGES["added"])
    old = [*bytes_under(world, 0), *bytes_under(world, 1)]
    assert await measured(world) == (19, sum(old))


async def test_files_are_under_the_current_spec_again_once_it_is_restored(world: World) -> None:
    change_spec(world, CHANGES["dropped"])
    world.lake.append(day=DAY)
    between = bytes_under(world, 1)
    assert change_spec(world, lambda change: change.add_field("day", IdentityTransform(), "day")) == 0
    assert await measured(world) == (1, sum(between))


async def test_a_rewrite_merges_old_files_under_their_own_spec_and_health_still_counts_them(world: World) -> None:
    change_spec(world, CHANGES["replaced"])
    for _ in range(2):
        world.lake.append(day=DAY)
    rows = content(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (len(bytes_under(world, 0)), len(bytes_under(world, 1))) == (3, 1)
    assert content(world) == rows
    assert await measured(world) == (3, sum(bytes_under(world, 0)))


async def test_explain_states_the_number_of_old_files_and_only_if_there_are_any(world: World) -> None:
    before = await explained(world)
    assert "older partition specs" not in " ".join(before["summary"])
    change_spec(world, CHANGES["added"])
    after = await explained(world)
    assert any("18 files" in line and "are under older partition specs" in line for line in after["summary"])

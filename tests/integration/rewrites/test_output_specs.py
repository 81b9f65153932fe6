"""Files under older partition specs: counted, and left there or moved by `rewrite.output_spec: current`."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pyiceberg.table.update.spec import UpdateSpec
from pyiceberg.transforms import BucketTransform, IdentityTransform, TruncateTransform
from pyiceberg.typedef import Record

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from engine.domain.tables.watches import Verdict
from tests.support.attempts import content, explained, groups_of
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.statements import texts_of
from tests.support.watching import AT_ONCE, DAY, Watching, finish_live
from tests.support.world import World

Change = Callable[[UpdateSpec], Any]

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
    assert "older partition specs" not in " ".join(texts_of(before))
    change_spec(world, CHANGES["added"])
    after = await explained(world)
    assert any("18 files" in line and "are under older partition specs" in line for line in texts_of(after))


SMALL = {"name": "small", "all": [{"metric": "small_file_count", "at_least": 5}]}
RULE = {"name": "old", "all": [{"metric": "old_spec_file_count", "at_least": 1}]}


def policy(*triggers: dict[str, Any], **rewrite: Any) -> dict[str, Any]:
    return {"rewrite": {"output_spec": "current", **rewrite}, "triggers": list(triggers), "schedule": AT_ONCE}


async def said_of(world: World) -> str:
    return " ".join(texts_of(await explained(world)))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_a_requested_run_leaves_no_file_under_an_old_spec(world: World, change: Any) -> None:
    change_spec(world, change)
    rows = content(world)
    await world.set_policy(policy(small_file_bytes=1))
    run = await world.rewrite()
    assert (run.state, run.plan["moved_files"], run.result.rewritten_files) == (RunState.SUCCEEDED, 18, 18), run.detail
    assert content(world) == rows
    assert (bytes_under(world, 0), await measured(world)) == ([], (0, 0))
    again = await world.rewrite()
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do"), again.detail


async def test_a_rule_on_old_files_makes_their_partitions_due_once(world: World, watching: Watching) -> None:
    await world.set_policy(policy(RULE, small_file_bytes=1))
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    change_spec(world, CHANGES["added"])
    world.lake.append(day=DAY)
    rows = content(world)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.state, run.plan["moved_files"]) == (RunState.SUCCEEDED, 18), run.detail
    assert run.request["cause"]["rule"] == "old"
    assert (bytes_under(world, 0), await measured(world)) == ([], (0, 0))
    assert content(world) == rows
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_rows_stay_under_their_spec_by_default_and_explain_names_the_setting(world: World) -> None:
    change_spec(world, CHANGES["added"])
    said = await said_of(world)
    assert "rewrite.output_spec: current would move their rows" in said
    await world.set_policy(policy(SMALL, small_file_bytes=1))
    said = await said_of(world)
    assert "a rewrite moves their rows to the partitions of the current one" in said
    assert "The rows of 18 files move to the partitions of the current spec" in said
    assert "add one on old_spec_file_count to triggers" in said


async def test_a_later_attempt_commits_outputs_under_the_new_spec(world: World) -> None:
    change_spec(world, CHANGES["replaced"])
    rows = content(world)
    await world.set_policy(policy())
    run = await world.submit()
    world.at("before_commit", world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    change_spec(world, CHANGES["added"])  # the groups that are written keep the spec of their plan
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 3), run.detail
    assert content(world) == rows
    assert (bytes_under(world, 0), len(bytes_under(world, 1))) == ([], 3)
    assert len(world.lake.replaces()) == 1


async def test_an_equality_delete_into_a_new_partition_drops_the_groups_that_move_there(world: World) -> None:
    change_spec(world, lambda change: change.remove_field("day").add_field("note", IdentityTransform(), "note"))
    await world.set_policy(policy())
    table = world.lake.table

    def delete() -> None:
        spec_id = table.metadata.default_spec_id
        aimed = delete_file(table, [("", 1)], spec_id=spec_id, partition=Record("note 1"), equality_id=1)
        commit_deletes(world.lake.table, aimed)

    world.at("before_commit", delete)
    run = await world.submit()
    await world.container.worker.advance(run.id)
    groups = await groups_of(world, run.id)
    assert [str(group.reason) for group in groups] == ["new_deletes"] * 3
    assert world.lake.replaces() == []


async def test_a_table_whose_current_spec_cannot_divide_rows_is_not_eligible_and_says_so(world: World) -> None:
    change_spec(world, lambda change: change.add_field("value", IdentityTransform(), "value"))
    await world.set_policy(policy())
    run = await world.rewrite()
    assert run.state is RunState.REFUSED
    assert "rows can't be divided by value (identity of double): set rewrite.output_spec to keep" in str(run.detail)


async def test_rows_are_ordered_within_the_partitions_they_move_to(world: World) -> None:
    change_spec(world, lambda change: change.add_field("id", BucketTransform(3), "bucket"))
    rows = content(world)
    await world.set_policy(policy(strategy="sort", columns=[{"name": "id", "direction": "desc"}]))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert content(world) == rows
    assert await measured(world) == (0, 0)

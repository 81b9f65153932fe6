"""With `rewrite.output_spec: current` a run moves the rows of older partition specs, by a rule or a request."""

from typing import Any

import pytest
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.typedef import Record

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from engine.domain.tables.watches import Verdict
from tests.integration.rewrites.test_old_specs import CHANGES, bytes_under, change_spec, measured
from tests.support.attempts import content, groups_of
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.watching import AT_ONCE, DAY, Watching, finish_live
from tests.support.world import World

SMALL = {"name": "small", "all": [{"metric": "small_file_count", "at_least": 5}]}
RULE = {"name": "old", "all": [{"metric": "old_spec_file_count", "at_least": 1}]}


def policy(*triggers: dict[str, Any], **rewrite: Any) -> dict[str, Any]:
    return {"rewrite": {"output_spec": "current", **rewrite}, "triggers": list(triggers), "schedule": AT_ONCE}


async def explained(world: World) -> str:
    found = await world.container.explain.explain(SYSTEM, world.table_id)
    return " ".join(line.strip() for line in found["summary"])


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
    said = await explained(world)
    assert "rewrite.output_spec: current would move their rows" in said
    await world.set_policy(policy(SMALL, small_file_bytes=1))
    said = await explained(world)
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
    assert run.state is RunState.FAILED
    assert "rows can't be divided by value (identity of double): set rewrite.output_spec to keep" in str(run.detail)


async def test_rows_are_ordered_within_the_partitions_they_move_to(world: World) -> None:
    change_spec(world, lambda change: change.add_field("id", BucketTransform(3), "bucket"))
    rows = content(world)
    await world.set_policy(policy(strategy="sort", columns=[{"name": "id", "direction": "desc"}]))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert content(world) == rows
    assert await measured(world) == (0, 0)

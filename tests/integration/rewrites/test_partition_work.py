"""Over the API: the decision on each partition, and its newest compaction task, from the plan to the commit."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from pyiceberg.typedef import Record

from engine.domain.runs.run import RunState
from tests.integration.api.conftest import Api, api_on
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.watching import Killed, Watching, die
from tests.support.world import World

DAYS = [f"2026-11-0{day}" for day in (1, 2, 3)]
DAY = DAYS[1]
RULE = {"name": "seven", "all": [{"metric": "file_count", "at_least": 7}]}


@pytest.fixture
async def api(world: World) -> AsyncIterator[Api]:
    async with api_on(world.container) as opened:
        yield opened


async def listed(api: Api, world: World, *include: str, **params: Any) -> dict[str, Any]:
    chosen = params | ({"include": list(include)} if include else {})
    return dict(await api.get(f"/v1/tables/{world.table_id}/partitions", params=chosen))


async def parts(api: Api, world: World, part: str) -> dict[str, Any]:
    """Return a part of each partition by its day."""
    return {day_of(item): item[part] for item in (await listed(api, world, part))["items"]}


def day_of(item: Mapping[str, Any]) -> str:
    return str(item["partition"]["values"]["day"])


async def make_due(world: World) -> None:
    """Add a file to one partition, so that the rule makes it and no other due."""
    await world.set_policy({"triggers": [RULE], "rewrite": {"min_input_files": 2}, "schedule": {"min_interval": "0s"}})
    await asyncio.to_thread(world.lake.append, day=DAY)


async def stop_at(world: World, step: str) -> None:
    """Advance a new run until its worker dies at a step."""
    run = await world.submit()
    world.at(step, die)
    with suppress(Killed):
        await world.container.worker.advance(run.id)


def delete_one_row(world: World, day: str) -> None:
    """Let another writer delete a row of a partition by an equality delete."""
    (one, *_) = world.lake.table.scan(row_filter=f"day = '{day}'", selected_fields=("id",)).to_arrow()["id"].to_pylist()
    table = world.lake.table
    commit_deletes(table, delete_file(table, [("", one)], equality_id=1, partition=Record(day)))


async def test_parts_are_left_out_unless_they_are_requested(api: Api, world: World) -> None:
    plain = await listed(api, world)
    assert {"decision", "task"} & {name for item in plain["items"] for name in item} == set()
    assert {"decided_at", "watch"} & plain.keys() == set()
    both = await listed(api, world, "decision", "task")
    assert all({"decision", "task"} <= item.keys() for item in both["items"])
    [error] = (await api.get(f"/v1/tables/{world.table_id}/partitions", status=422, params={"include": "job"}))[
        "errors"
    ]
    assert (error["pointer"].startswith("query:include"), error["value"]) == (True, "job")


async def test_each_partition_has_the_decision_with_its_rules_its_work_and_its_reason(api: Api, world: World) -> None:
    """U18: before any task runs, the decision is shown with the files that a run would write."""
    await make_due(world)
    decisions = await parts(api, world, "decision")
    due, other = decisions[DAY], decisions[DAYS[0]]
    assert (due["is_due"], due["rules"], due["reason"], due["detail"]) == (True, ["seven"], None, None)
    assert (due["input_files"], due["predicted_outputs"]) == (7, 1)
    (health,) = [item for item in (await listed(api, world))["items"] if day_of(item) == DAY]
    assert due["input_bytes"] == health["total_bytes"]
    assert (other["is_due"], other["rules"], other["reason"]) == (False, [], "not_due")
    assert other["detail"] == "no rule of the policy makes it due now"
    assert (other["input_files"], other["predicted_outputs"], other["cools_until"]) == (None, None, None)
    assert set((await parts(api, world, "task")).values()) == {None}


async def test_the_list_has_the_last_look_of_the_coordinator_and_its_next(
    api: Api, world: World, watching: Watching
) -> None:
    """U18: the coordinator's verdict on the table is beside the decisions, and the work is a run of its own."""
    await make_due(world)
    assert (await listed(api, world, "decision"))["watch"]["verdict"] == "new"
    await watching.look()
    page = await listed(api, world, "decision", "task")
    assert (page["watch"]["verdict"], page["watch"]["looked_at"] is not None) == ("submitted", True)
    assert page["watch"]["next_look_at"] > page["watch"]["looked_at"]
    assert page["decided_at"] >= page["measured_at"]
    assert {item["task"] for item in page["items"]} == {None}  # nothing is planned before a worker claims the run


@pytest.mark.parametrize(
    ("step", "states"),
    [
        ("rewriting", ["planned", "planned", "planned"]),
        ("group_written", ["running", "running", "written"]),
        ("before_commit", ["written", "written", "written"]),
    ],
)
async def test_a_task_shows_how_far_it_is(api: Api, world: World, step: str, states: list[str]) -> None:
    """U18: state, start, files, bytes, and outputs projected and in progress of each partition."""
    await stop_at(world, step)
    tasks = (await parts(api, world, "task")).values()
    assert sorted(task["state"] for task in tasks) == states
    for task in tasks:
        state = task["state"]
        assert task["run_state"] == ("committing" if step == "before_commit" else "rewriting")
        assert (task["reason"], task["ended_at"]) == (None, None)
        assert (task["started_at"] is None) == (state == "planned")
        assert (task["input_files"], task["predicted_outputs"]) == (6, 1)
        assert task["input_bytes"] > 0
        assert task["running_outputs"] == int(state == "running")
        assert task["written_outputs"] == int(state == "written")
        assert (task["committed_outputs"], task["rewritten_bytes"], task["size_reduction"]) == (0, 0, None)


async def test_a_task_that_ended_shows_its_size_reduction(api: Api, world: World) -> None:
    """U18: outputs succeeded and size reduction of each partition, as the table has them."""
    before = {day_of(item): item for item in (await listed(api, world))["items"]}
    run = await world.rewrite()
    page = await listed(api, world, "decision", "task")
    assert {day_of(item) for item in page["items"]} == set(DAYS)
    for item in page["items"]:
        task, old = item["task"], before[day_of(item)]
        assert (task["run_id"], task["run_state"], task["state"]) == (run.id, "succeeded", "committed")
        assert task["started_at"] < task["ended_at"]
        assert (task["predicted_outputs"], task["committed_outputs"], task["dropped_outputs"]) == (1, 1, 0)
        assert (task["rewritten_bytes"], task["added_bytes"]) == (old["total_bytes"], item["total_bytes"])
        assert task["size_reduction"] == 1 - item["total_bytes"] / old["total_bytes"] > 0
        assert item["decision"]["is_due"] is False


async def test_a_partition_that_deletes_arrived_in_is_skipped_and_says_so(api: Api, world: World) -> None:
    """U18: outputs skipped because deletes arrived; the decision on the partition then waits for its cool-down."""
    await make_due(world)
    world.at("before_commit", lambda: delete_one_row(world, DAY))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    items = {day_of(item): item for item in (await listed(api, world, "decision", "task"))["items"]}
    task = items[DAY]["task"]
    assert (task["state"], task["reason"]) == ("dropped", "new_deletes")
    assert task["detail"] == "deletes of rows of its input files arrived before the commit"
    assert (task["committed_outputs"], task["dropped_outputs"], task["size_reduction"]) == (0, 1, None)
    assert task["ended_at"] is not None
    assert [items[day]["task"]["state"] for day in (DAYS[0], DAYS[2])] == ["committed"] * 2
    decision = items[DAY]["decision"]
    assert decision["cools_until"] > task["ended_at"]
    assert decision["is_due"] is False


async def test_later_pages_have_the_decisions_of_the_first_and_the_tasks_of_now(api: Api, world: World) -> None:
    await make_due(world)
    asked = {"page_size": 2, "sort": "partition"}
    first = await listed(api, world, "decision", "task", **asked)
    await stop_at(world, "rewriting")
    rest = await listed(api, world, "decision", "task", **asked, page_token=first["next_page_token"])
    assert rest["decided_at"] == first["decided_at"]
    assert [item["task"] is None for item in (*first["items"], *rest["items"])] == [True, True, False]
    assert rest["items"][0]["task"]["state"] == "planned"

"""Runs of upkeep that start because conditions on the table's figures hold, before their interval has passed."""

import asyncio
from typing import Any

import pytest

from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.watches import Verdict
from tests.support.attempts import explained
from tests.support.moved_clock import MovedClock
from tests.support.statements import texts_of
from tests.support.watching import DAY, Watching, finish_live, runs_of, set_policy
from tests.support.world import World

RULE = {"older_than": "30m", "keep_last": 2, "interval": "30d"}
pytestmark = pytest.mark.usefixtures("later")
MANY = [{"metric": "snapshot_count", "above": 3}]


async def expiry_of(world: World) -> dict[str, Any]:
    return next(each for each in (await explained(world))["upkeep"] if each["operation"] is Operation.EXPIRE_SNAPSHOTS)


async def expire_first(world: World, watching: Watching, when: list[dict[str, Any]]) -> None:
    """Let a first expiry run and write more snapshots."""
    maintenance = {"rewrite_manifests": "off", "expire_snapshots": RULE | {"when": when}}
    await set_policy(world, triggers=[], maintenance=maintenance)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    assert (await finish_live(world)).state is RunState.SUCCEEDED
    for _ in range(4):
        await asyncio.to_thread(world.lake.append, day=DAY)


async def test_u17_conditions_start_a_run_before_the_interval_but_not_within_an_hour(
    world: World, watching: Watching, later: MovedClock
) -> None:
    await expire_first(world, watching, MANY)
    await later.pass_by(minutes=50)  # the snapshots are old enough to expire, the last run is less than an hour ago
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    assert (await expiry_of(world))["due_at"] is not None
    await later.pass_by(minutes=15)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    assert len(await runs_of(world)) == 2


@pytest.mark.parametrize("metric", ["snapshot_count", "manifest_count", "delete_file_count"])
async def test_conditions_that_do_not_hold_start_nothing(
    world: World, watching: Watching, later: MovedClock, metric: str
) -> None:
    await expire_first(world, watching, [{"metric": metric, "above": 1000}])
    await later.pass_by(hours=9)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_conditions_that_hold_start_nothing_without_something_to_do(
    world: World, watching: Watching, later: MovedClock
) -> None:
    await set_policy(
        world,
        triggers=[],
        maintenance={"rewrite_manifests": "off", "expire_snapshots": RULE | {"older_than": "9d", "when": MANY}},
    )
    await later.pass_by(hours=9)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_explain_shows_each_condition_with_its_value(world: World, watching: Watching) -> None:
    await expire_first(world, watching, [*MANY, {"metric": "metadata_bytes", "above": "1GB"}])
    found = (await expiry_of(world))["conditions"]
    assert [(each["metric"], each["wanted"], each["holds"]) for each in found] == [
        ("snapshot_count", 3, True),
        ("metadata_bytes", 10**9, False),
    ]
    assert found[0]["measured"] == len(world.lake.table.snapshots())
    assert 500 < found[1]["measured"] < 10**6
    (line,) = [
        each for each in texts_of(await explained(world)) if "conditions of maintenance.expire_snapshots" in each
    ]
    assert "do not all hold: snapshot_count" in line


async def test_the_age_of_the_oldest_snapshot_starts_a_run_when_it_is_reached(
    world: World, watching: Watching, later: MovedClock
) -> None:
    await expire_first(world, watching, [{"metric": "oldest_snapshot_age", "at_least": "5h"}])
    await later.pass_by(hours=2)
    seen = await watching.look(wake=True)
    assert seen.verdict is Verdict.NOT_DUE
    assert seen.reconsider_at is not None
    await later.pass_by(hours=4)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED

"""Reclaim: history older than a retention goes with its files; deletes that keep rows stored are rewritten before.

Steps at which an attempt dies, and the limit of requests, are those of every deletion (`test_removals.py`).
"""

from typing import Any

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from tests.support.attempts import content, snapshot_ids
from tests.support.expired_files import stored
from tests.support.iceberg_tables import delete_positions
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import RECLAIM as SETTING
from tests.support.removal_runs import nothing_needed_is_missing
from tests.support.watching import Watching, finish_live, runs_of
from tests.support.world import World

RECLAIM = RunRequest(Operation.RECLAIM)
NO_RULES: dict[str, Any] = {
    "preset": "balanced",
    "triggers": [],
    "schedule": {"min_interval": "0s"},
    "maintenance": {"reclaim": SETTING, "rewrite_manifests": "off"},
}


async def reclaim(world: World) -> Run:
    return await world.finish((await world.submit(RECLAIM)).id)


async def test_m13_m14_history_after_its_retention_is_reclaimed_as_predicted(world: World, clock: MovedClock) -> None:
    await world.rewrite()
    await world.set_policy({"maintenance": {"reclaim": SETTING}})
    before, rows, was = snapshot_ids(world), content(world), stored(world.lake.table)
    assert (await reclaim(world)).state is RunState.SKIPPED, "within the retention"
    await clock.pass_by(hours=3)
    run = await reclaim(world)
    assert run.state is RunState.SUCCEEDED
    assert snapshot_ids(world) == before[-1:]
    assert content(world) == rows
    assert nothing_needed_is_missing(world)
    found = run.result.document["reclaimed"]
    assert found["predicted"] == found["actual"]
    assert found["actual"]["files"] == len(was - stored(world.lake.table)) > 18


async def test_m15_m17_deletes_older_than_the_retention_are_rewritten_and_then_the_rows_are_gone(
    watching: Watching, clock: MovedClock
) -> None:
    world = watching.world
    delete_positions(world.lake.table, 0, 1, 2)
    rows = content(world)
    await world.set_policy(NO_RULES)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    await clock.pass_by(hours=3)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.operation, run.state) == (Operation.REWRITE, RunState.SUCCEEDED)
    assert run.request["cause"]["rule"] == "maintenance.reclaim"
    assert run.request["cause"]["due_partitions"] == 1
    assert content(world) == rows
    for _ in range(3):  # the rewrite's own snapshot is older than the retention at once: writers' clocks are behind
        if (await watching.look(wake=True)).verdict is not Verdict.SUBMITTED:
            break
        run = await finish_live(world)
    assert (run.operation, run.state) == (Operation.RECLAIM, RunState.SUCCEEDED)
    assert len(snapshot_ids(world)) == 1
    assert content(world) == rows
    assert not any(path.endswith("-deletes.parquet") for path in stored(world.lake.table)), "gone, with the rows"
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_deletes_stay_without_compact_blocking(watching: Watching, clock: MovedClock) -> None:
    world = watching.world
    delete_positions(world.lake.table, 0)
    off = NO_RULES | {"maintenance": {"reclaim": SETTING | {"compact_blocking": False}, "rewrite_manifests": "off"}}
    await world.set_policy(off)
    await clock.pass_by(hours=3)
    await watching.look(wake=True)
    assert {run.operation for run in await runs_of(world)} == {Operation.RECLAIM}

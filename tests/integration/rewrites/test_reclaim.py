"""Reclaim: history older than a retention goes with its files; deletes that keep rows stored are rewritten before."""

import time
from typing import Any

import pytest
from pyiceberg.typedef import Record

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.deletion import removal
from tests.support.expired_files import needed, stored
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.moved_clock import MovedClock
from tests.support.watching import Watching, finish_live, runs_of
from tests.support.world import World

RECLAIM = RunRequest(Operation.RECLAIM)
SETTING = {"retention": "2h", "interval": "1h"}
NO_RULES: dict[str, Any] = {
    "preset": "balanced",
    "triggers": [],
    "schedule": {"min_interval": "0s"},
    "maintenance": {"reclaim": SETTING, "rewrite_manifests": "off"},
}


@pytest.fixture
async def clock(world: World) -> MovedClock:
    return await MovedClock.of(world.container.database)


def ids(world: World) -> list[int]:
    return [each.snapshot_id for each in world.lake.table.snapshots()]


def delete_rows(world: World, *positions: int) -> None:
    """Delete rows of one file by a position-delete file, as a writer with merge-on-read does."""
    table = world.lake.table
    task = next(iter(table.scan().plan_files()))
    partition = Record(*(task.file.partition[0],))
    pairs = [(task.file.file_path, each) for each in positions]
    commit_deletes(table, delete_file(table, pairs, spec_id=task.file.spec_id, partition=partition, aimed=True))


async def reclaim(world: World) -> Run:
    return await world.finish((await world.submit(RECLAIM)).id)


async def test_m13_m14_history_after_its_retention_is_reclaimed_as_predicted(world: World, clock: MovedClock) -> None:
    await world.rewrite()
    await world.set_policy({"maintenance": {"reclaim": SETTING}})
    before, rows, was = ids(world), world.lake.rows(), stored(world.lake.table)
    assert (await reclaim(world)).state is RunState.SKIPPED, "within the retention"
    await clock.pass_by(hours=3)
    run = await reclaim(world)
    table = world.lake.table
    assert run.state is RunState.SUCCEEDED
    assert ids(world) == before[-1:]
    assert world.lake.rows() == rows
    assert needed(table) <= stored(table)
    found = run.result.document["reclaimed"]
    assert found["predicted"] == found["actual"]
    assert found["actual"]["files"] == len(was - stored(table)) > 18


async def test_m18_requests_of_a_reclamation_wait_for_the_limit_of_the_table(
    world: World, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store on this machine takes no requests: each file counts as one here."""
    monkeypatch.setattr(removal._Batch, "requests", property(lambda batch: len(batch.paths)))
    await world.rewrite()
    await world.set_policy({"limits": {"requests": 10}, "maintenance": {"reclaim": SETTING}})
    await clock.pass_by(hours=3)
    run = await world.submit(RECLAIM)
    began = time.monotonic()
    run = await world.finish(run.id)
    result = run.result.document
    assert result["delete_requests"] == result["deleted_files"] > 18
    before_the_last_stage = result["deleted_files"] - result["deleted"]["manifest_lists"]["files"]
    assert time.monotonic() - began >= before_the_last_stage / 10 - 1, "the burst is a quarter of a second"


async def test_m15_m17_deletes_older_than_the_retention_are_rewritten_and_then_the_rows_are_gone(
    watching: Watching, clock: MovedClock
) -> None:
    world = watching.world
    delete_rows(world, 0, 1, 2)
    rows = world.lake.rows()
    await world.set_policy(NO_RULES)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    await clock.pass_by(hours=3)
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.operation, run.state) == (Operation.REWRITE, RunState.SUCCEEDED)
    assert run.request["cause"]["rule"] == "maintenance.reclaim"
    assert run.request["cause"]["due_partitions"] == 1
    assert world.lake.rows() == rows
    for _ in range(3):  # the rewrite's own snapshot is older than the retention at once: writers' clocks are behind
        if (await watching.look(wake=True)).verdict is not Verdict.SUBMITTED:
            break
        run = await finish_live(world)
    assert (run.operation, run.state) == (Operation.RECLAIM, RunState.SUCCEEDED)
    table = world.lake.table
    assert len(ids(world)) == 1
    assert world.lake.rows() == rows
    assert not any(path.endswith("-deletes.parquet") for path in stored(table)), "gone, with the rows"
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_deletes_stay_without_compact_blocking(watching: Watching, clock: MovedClock) -> None:
    world = watching.world
    delete_rows(world, 0)
    off = NO_RULES | {"maintenance": {"reclaim": SETTING | {"compact_blocking": False}, "rewrite_manifests": "off"}}
    await world.set_policy(off)
    await clock.pass_by(hours=3)
    await watching.look(wake=True)
    assert {run.operation for run in await runs_of(world)} == {Operation.RECLAIM}


@pytest.mark.parametrize("step", ["planned", "after_commit", "files_recorded", "files_deleted", "before_end"])
async def test_an_attempt_that_dies_at_any_step_keeps_its_prediction(
    world: World, clock: MovedClock, step: str
) -> None:
    await world.rewrite()
    await world.set_policy({"maintenance": {"reclaim": SETTING}})
    await clock.pass_by(hours=3)
    run = await world.submit(RECLAIM)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED
    found = run.result.document["reclaimed"]
    assert found["predicted"] == found["actual"]
    assert found["actual"]["files"] > 18

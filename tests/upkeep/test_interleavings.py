"""Upkeep while another writer acts at its steps: no needed file is deleted, and the result agrees with the table.

`make fuzz-upkeep RUNS=300 SEED=1` plays many random combinations; a failure names its seed.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import PackhouseError
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.differential.deletes import delete_positions
from tests.support.acknowledging import acknowledged
from tests.support.moved_clock import MovedClock
from tests.support.world import World, open_world
from tests.upkeep.checks import check_left_alone, check_upkeep, existing
from tests.upkeep.histories import local
from tests.upkeep.orphans import Planted, grow_old, pass_quarantine, plant
from tests.upkeep.writers import EVERY_ACTION, Rows, missing, put_late_file, rows_of_snapshots

FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
FEW = 5
RUNS = int(os.environ.get("PACKHOUSE_FUZZ_RUNS", FEW if os.environ.get("PACKHOUSE_DEEP") else 1))
FILE_STEPS = ("files_recorded", "deleting_files", "files_deleted")
COMMIT_STEPS = ("claimed", "planned", "before_commit", "after_commit")
STEPS = {
    Operation.EXPIRE_SNAPSHOTS: (*COMMIT_STEPS, *FILE_STEPS, "before_end"),
    Operation.DELETE_OLD_COMPACTIONS: (*COMMIT_STEPS, *FILE_STEPS, "before_end"),
    Operation.RECLAIM: (*COMMIT_STEPS, *FILE_STEPS, "before_end"),
    Operation.REWRITE_MANIFESTS: (*COMMIT_STEPS, "before_end"),
    Operation.REWRITE_DELETES: (*COMMIT_STEPS, "before_end"),
    Operation.REMOVE_ORPHANS: ("claimed", "looking", "planned", *FILE_STEPS, "before_end"),
}
DEATHS = [
    (operation, steps[at : at + 5])
    for operation, steps in STEPS.items()
    for at in range(0, len(steps), 5)
    if RUNS > FEW or operation in (Operation.REWRITE_DELETES, Operation.REMOVE_ORPHANS)
]
"""Five steps a run: it gives up after six attempts that died. Few runs: those of the other operations are in
`tests/integration/rewrites`."""
MAINTENANCE = {
    "expire_snapshots": {"older_than": "30m", "keep_last": 1, "interval": "1h", "delete_files": True},
    "delete_old_compactions": {"grace": "30m", "interval": "1h"},
    "reclaim": {"retention": "30m", "interval": "1h"},
    "rewrite_deletes": {"interval": "1h", "at_least_files": 1},
    "remove_orphans": {"older_than": "1d", "quarantine": "1h", "interval": "1h"},
}


@pytest.fixture
async def world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A table that was rewritten, appended to and rewritten an hour ago, with a branch and a tag."""
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, files=3) as opened:
        rewrite = {"min_input_files": 2, "deletes": {"files": 1}}
        await opened.set_policy({"rewrite": rewrite, "maintenance": MAINTENANCE})
        await opened.rewrite()
        opened.lake.append(day="2026-11-01")
        opened.lake.append(day="2026-11-01")
        table = opened.lake.table
        first = min(table.snapshots(), key=lambda each: each.timestamp_ms)
        table.manage_snapshots().create_tag(first.snapshot_id, "audit").commit()
        await opened.rewrite()
        table = opened.lake.table
        for name in [each for each in table.refs() if each not in ("main", "audit")]:
            opened.lake.table.manage_snapshots().remove_tag(name).commit()
        opened.lake.append(day="2026-11-02")
        opened.lake.append(day="2026-11-02")
        await (await MovedClock.of(opened.container.database)).pass_by(hours=1)
        yield opened


class Acting:
    """Writers that act when a run reaches steps; remembers the rows of all snapshots that there were."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.known: Rows = rows_of_snapshots(world.lake.table)
        self.rows = world.lake.rows()
        self.told: list[str] = []

    def at(self, step: str, action: str, then: Callable[[], None] = lambda: None) -> None:
        """Let a writer act once at a step, and something else happen right after."""

        def act() -> None:
            self._act(step, action)
            then()

        self._world.at(step, act)

    def _act(self, step: str, action: str) -> None:
        self.told.append(f"{action} at {step}")
        assert not missing(self._world), f"files were missing before {self.told}"
        try:
            EVERY_ACTION[action](self._world)
        except Exception as error:  # noqa: BLE001 - the writer's own conflict
            self.told.append(f"which failed: {error!r}")
        self.known |= rows_of_snapshots(self._world.lake.table)
        self.rows = self._world.lake.rows()


async def prepare(world: World, operation: Operation, random: Random) -> Planted:
    """Give an operation something to do: delete files, or orphans that a search found a quarantine ago."""
    folder = local(world.lake.table.location())
    if operation is Operation.REWRITE_DELETES:
        for _ in range(4):
            delete_positions(world.lake.table, random)
    if operation is not Operation.REMOVE_ORPHANS:
        return Planted(frozenset(), frozenset(), frozenset())
    grow_old(folder)
    late = put_late_file(world)
    planted = plant(folder, timedelta(days=1), random)
    first = await world.finish((await world.submit(RunRequest(operation))).id)
    assert first.reason == "nothing_to_do", first.detail
    pass_quarantine(folder, timedelta(hours=1))
    return replace(planted, goes=planted.goes | {late})


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
async def test_writers_at_random_steps_of_upkeep(world: World, seed: int) -> None:
    """L21, U11, U12: with one to three actions, and sometimes with a worker that dies at a step."""
    random = Random(f"{seed}/interleaving")
    operation = random.choice(list(STEPS))
    planted = await prepare(world, operation, random)
    acting = Acting(world)
    run = await world.submit(RunRequest(operation))
    for _ in range(random.choice((1, 1, 2, 3))):
        acting.at(random.choice(STEPS[operation]), random.choice(list(EVERY_ACTION)))
    if random.random() < 0.25:
        world.at(step := random.choice(STEPS[operation]), world.steal_lease(run.id))
        acting.told.append(f"the worker dies at {step}")
    try:
        await world.container.worker.advance(run.id)
        if (await world.get(run.id)).lease_holder is not None:
            await world.expire_lease(run.id)
        check_upkeep(world, await world.finish(run.id), acting.known, acting.rows)
        check_left_alone(planted)
    except BaseException as error:
        error.add_note(f"seed {seed}, {operation.value}: {', '.join(acting.told)}")
        raise


@pytest.mark.parametrize(("operation", "steps"), DEATHS, ids=str)
async def test_a_writer_commits_and_the_worker_dies_at_every_step(
    world: World, operation: Operation, steps: tuple[str, ...]
) -> None:
    """Each attempt is killed at the next step, right after a writer's commit."""
    planted = await prepare(world, operation, Random(operation.value))
    acting = Acting(world)
    run = await world.submit(RunRequest(operation))
    for step in steps:
        acting.at(step, "append", then=world.steal_lease(run.id))
    while not (ended := await world.get(run.id)).is_terminal:
        if ended.lease_holder is not None:
            await world.expire_lease(run.id)
        world.make_due(run.id)
        await world.container.worker.advance(run.id)
    assert acting.told == [f"append at {step}" for step in steps]
    assert ended.state is RunState.SUCCEEDED, ended.detail
    assert ended.attempt > len(steps)
    check_upkeep(world, ended, acting.known, acting.rows)
    check_left_alone(planted)
    assert not existing(planted.goes), "orphans are left"


async def submit(world: World, operation: Operation) -> Run | None:
    try:
        submit = world.container.runs.submit
        run, _ = await acknowledged(submit, SYSTEM, world.table_id, RunRequest(operation), grace=timedelta(0))
    except PackhouseError:
        return None
    return run


async def test_two_upkeep_runs_and_a_rewrite_at_once(world: World) -> None:
    """One live run a table: the others are refused, or wait for it."""
    known, rows = rows_of_snapshots(world.lake.table), world.lake.rows()
    every = (Operation.EXPIRE_SNAPSHOTS, Operation.REWRITE_MANIFESTS, Operation.REWRITE)
    submitted = [run for run in await asyncio.gather(*(submit(world, each) for each in every)) if run is not None]
    assert submitted
    await asyncio.gather(*(world.container.worker.advance(run.id) for run in submitted))
    for run in submitted:
        ended = await world.finish(run.id)
        assert ended.state in (RunState.SUCCEEDED, RunState.SKIPPED), ended.detail
        check_upkeep(world, ended, known, rows)

"""Every operation of upkeep in random orders, between writes: history that is promised is kept, and stays readable."""

from random import Random
from typing import Any, Final

import pyarrow as pa
import pytest
from pyiceberg.typedef import Record

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.watches import Verdict
from tests.support.attempts import append_files, content
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import (
    COMPACTIONS,
    ORPHANS,
    RECLAIM,
    confirmed_purge,
    grow_old,
    nothing_needed_is_missing,
    write_orphan,
)
from tests.support.watching import DAY, Watching, finish_live, set_policy
from tests.support.world import World

KEPT: Final = 4
MAINTENANCE: Final[dict[str, Any]] = {
    "expire_snapshots": {"older_than": "1h", "keep_last": KEPT, "interval": "1h", "delete_files": True},
    "delete_old_compactions": COMPACTIONS,
    "reclaim": RECLAIM | {"compact_blocking": False},
    "remove_orphans": ORPHANS,
    "rewrite_manifests": {"interval": "1h"},
    "rewrite_deletes": {"interval": "1h"},
}
KEEPS: Final = {Operation.EXPIRE_SNAPSHOTS: KEPT, Operation.RECLAIM: 1, Operation.PURGE: 1}
REMOVES_NONE: Final = (
    Operation.REWRITE,
    Operation.REWRITE_MANIFESTS,
    Operation.REWRITE_DELETES,
    Operation.REMOVE_ORPHANS,
)
STEPS: Final = 7
QUIET: Final = "2026-11-09"
MORE_STEPS: Final = 16


class Watched:
    """A world's table with the parent of every snapshot that it ever had, and the rows of each when it was new."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.parents: dict[int, int | None] = {}
        self.rows: dict[int, pa.Table] = {}
        self.look()

    def look(self) -> list[int]:
        """Take over new snapshots; return the retained ones of main by their true order, newest first."""
        retained = {each.snapshot_id: each.parent_snapshot_id for each in self.world.lake.table.snapshots()}
        for each, parent in retained.items():
            if each not in self.parents:
                self.parents[each], self.rows[each] = parent, content(self.world, each)
        found, at = [], self.world.lake.table.metadata.current_snapshot_id
        while at is not None:
            found += [at] if at in retained else []
            at = self.parents[at]
        return found

    async def run(self, operation: Operation) -> None:
        """Run an operation, and compare what it left with what it promises."""
        before, head = self.look(), content(self.world)
        request = RunRequest(operation)
        if operation is Operation.PURGE:
            request = await confirmed_purge(self.world)
        run = await self.world.finish((await self.world.submit(request)).id)
        assert run.state in {RunState.SUCCEEDED, RunState.SKIPPED}, run
        assert content(self.world) == head
        kept = self.look()
        if operation in KEEPS:
            assert kept == before[: KEEPS[operation]], f"{operation} of {before}"
        elif operation in REMOVES_NONE:
            assert [each for each in kept if each in before] == before
        for each in kept:
            assert content(self.world, each) == self.rows[each]
        assert nothing_needed_is_missing(self.world)


@pytest.mark.parametrize(
    ("seed", "steps"), [(1, STEPS), *(pytest.param(each, MORE_STEPS, marks=pytest.mark.deep) for each in range(2, 9))]
)
async def test_f39_upkeep_in_any_order_keeps_the_promised_snapshots(
    world: World, clock: MovedClock, seed: int, steps: int
) -> None:
    random, table = Random(f"{seed}/orders"), Watched(world)
    await world.set_policy({"maintenance": MAINTENANCE})
    for _ in range(steps):
        await clock.pass_by(hours=3)
        if random.random() < 0.5:
            append_files(world.lake, DAY, 3)
            await table.run(Operation.REWRITE)
        else:
            await table.run(random.choice([*KEEPS, *REMOVES_NONE, *[Operation.DELETE_OLD_COMPACTIONS] * 2]))


async def test_l27_operations_that_are_due_together_run_in_order(
    world: World, watching: Watching, later: MovedClock
) -> None:
    """L27: each makes work for the next, and an expiry leaves files that only a search for orphans finds."""
    world.lake.append(day=QUIET)  # too few files for the rule of rewrites, and many deletes
    (path,) = (each for each in world.lake.paths() if QUIET in each)
    for number in range(12):
        commit_deletes(world.lake.table, delete_file(world.lake.table, [(path, number)], partition=Record(QUIET)))
    write_orphan(world, "data/0")
    grow_old(world)
    rows, switched = content(world), {"rewrite_deletes", "rewrite_manifests", "expire_snapshots", "remove_orphans"}
    await set_policy(world, maintenance={name: MAINTENANCE[name] for name in switched})
    order = list[Operation]()
    while (await watching.look(wake=True)).verdict is Verdict.SUBMITTED:
        run = await finish_live(world)
        assert run.state in {RunState.SUCCEEDED, RunState.SKIPPED}, run
        order.append(run.operation)
    assert order == [
        Operation.REWRITE,
        Operation.REWRITE_DELETES,
        Operation.REWRITE_MANIFESTS,
        Operation.EXPIRE_SNAPSHOTS,
        Operation.REMOVE_ORPHANS,
    ]
    assert content(world) == rows

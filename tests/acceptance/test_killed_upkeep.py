"""Real workers that are killed at the steps of upkeep of a table of version 3: another one finishes it.

The table has what `rewrite_deletes` changes: position deletes from before its upgrade, and deletion vectors in a Puffin
file that is mostly dead. Rows, their ids and their sequence numbers stay, one snapshot is committed, and no file of the
dead attempt is left. Real Postgres, Redis and table.
"""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from redis.asyncio import Redis

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.predicates import Comparison
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat
from tests.integration.rewrites.test_snapshot_rewrites import unlisted
from tests.support.iceberg_tables import commit_deletes, delete_file, edit_metadata
from tests.support.killable_process import killable, killed
from tests.support.processes import environment_of
from tests.support.version_3 import commit_vectors, lineage, row_ids, touch
from tests.support.world import NAME, World, open_world

PATIENCE_SECONDS = 90
STEPS: Final = ("claimed", "planned", "before_commit", "all_but_sent", "after_commit", "before_end")
"""The labelled steps of both operations, in order; at `all_but_sent` every file of the snapshot is written."""
DAYS = ("2026-11-01", "2026-11-02")
NOT_DEEP = {(Operation.REWRITE_DELETES, "all_but_sent"), (Operation.REWRITE_MANIFESTS, "after_commit")}


@pytest.fixture
async def world(postgres_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Two partitions of five files; a rewrite of one made three of the four vectors in a Puffin file dead."""
    folder = tmp_path / "world"
    async with open_world(folder, database_url=postgres_url, redis_url=redis_url, days=2, files=5) as opened:
        await opened.set_policy({"maintenance": {"rewrite_deletes": {"interval": "1h", "at_least_files": 1}}})
        table = opened.lake.table
        tasks = sorted(table.scan().plan_files(), key=lambda task: (*task.file.partition, task.file.record_count))
        first, second = ([each.file for each in tasks if [*each.file.partition] == [day]] for day in DAYS)
        for file in second[:2]:
            commit_deletes(table.refresh(), delete_file(table, [(file.file_path, 3)], partition=file.partition))
        edit_metadata(opened.lake.table, lambda body: body.update({"format-version": 3, "next-row-id": 0}))
        with closing(IcebergFormat().connect("lake", opened.lake.properties)) as connection:
            ref = TableRef("lake", NAME[:1], NAME[1])
            touch(connection.open_table(ref))  # a commit gives every file row ids
            dying = {each.file_path: [0, 7] for each in (*first[:3], second[2])}
            commit_vectors(connection.open_table(ref), dying)
        of_first = Comparison.model_validate({"column": "day", "op": "eq", "value": DAYS[0]})
        run = await opened.finish((await opened.submit(RunRequest(partitions=of_first))).id)
        assert run.state is RunState.SUCCEEDED, run.detail
        yield opened


@pytest.mark.parametrize(
    ("operation", "step"),
    [
        pytest.param(each, step, marks=[] if (each, step) in NOT_DEEP else pytest.mark.deep)
        for each in (Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS)
        for step in STEPS
    ],
)
async def test_another_worker_finishes_the_upkeep_of_a_killed_one(
    world: World, operation: Operation, step: str, tmp_path: Path
) -> None:
    with closing(IcebergFormat().connect("lake", world.lake.properties)) as connection:
        ref, log = TableRef("lake", NAME[:1], NAME[1]), tmp_path / "worker.log"
        rows, before = world.lake.rows(), lineage(connection.open_table(ref))
        ids, known = row_ids(connection.open_table(ref)), {each.snapshot_id for each in world.lake.table.snapshots()}
        run = await world.submit(RunRequest(operation))
        with killable(environment_of(world.container.settings, worker_slots=1), "worker", step, log=log) as process:
            await killed(process, within_seconds=PATIENCE_SECONDS, log=log)
        left = unlisted(world.lake.table)
        assert bool(left) == (step == "all_but_sent"), left
        await world.expire_lease(run.id)
        run = await world.finish(run.id)
        assert (run.state, run.reason, run.attempt) == (RunState.SUCCEEDED, "committed", 2), run.detail
        assert {each.snapshot_id for each in world.lake.table.snapshots()} - known == world.lake.snapshots_of(run.id)
        assert len(world.lake.snapshots_of(run.id)) == 1
        assert (world.lake.rows(), unlisted(world.lake.table)) == (rows, set())
        opened = connection.open_table(ref)
        assert (lineage(opened), row_ids(opened)) == (before, ids)
        if operation is Operation.REWRITE_DELETES:
            vectors = [each for each in opened._view.live_files().deletes.to_pylist() if each["content_offset"]]
            assert len(vectors) == len(opened._view.live_files().deletes) == 3
            assert all(run.id in each["path"] for each in vectors)

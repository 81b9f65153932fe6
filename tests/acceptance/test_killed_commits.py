"""Real workers that are killed between writing a commit's manifests and sending it: no file of it stays behind.

Real Postgres, Redis and table; tasks run in threads of the worker's process. The record's clock is moved, so that
leases end without waiting.
"""

from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from tests.support.killable_process import killable, killed
from tests.support.moved_clock import MovedClock
from tests.support.processes import environment_of
from tests.support.world import Lake, open_world

PATIENCE_SECONDS = 90


def metadata_files(lake: Lake, run_id: str) -> set[str]:
    """Return the names of the manifests of a run, and of the lists of manifests of all commits."""
    folder = Path("/" + lake.table.location().removeprefix("file:").lstrip("/"), "metadata")
    return {path.name for path in folder.glob("*.avro") if run_id in path.name or path.name.startswith("snap-")}


def referenced(lake: Lake, run_id: str) -> set[str]:
    """Return those of them that snapshots of the table name."""
    table = lake.table
    lists = {snapshot.manifest_list.rpartition("/")[2] for snapshot in table.snapshots()}
    manifests = {path["path"].rpartition("/")[2] for path in table.inspect.all_manifests().to_pylist()}
    return lists | {name for name in manifests if run_id in name}


@pytest.mark.parametrize("point", ["commit_made", "commit_marked"])
async def test_manifests_of_a_killed_commit_are_removed_by_the_next_attempt(
    postgres_url: str, redis: Redis, redis_url: str, tmp_path: Path, point: str
) -> None:
    log = tmp_path / "log"
    async with open_world(tmp_path / "world", database_url=postgres_url, redis_url=redis_url) as world:
        clock, rows = await MovedClock.of(world.container.database), world.lake.rows()
        run = await world.submit()
        environment = environment_of(world.container.settings, worker_slots=1)
        with killable(environment, "worker", point, log=log) as process:
            await killed(process, within_seconds=PATIENCE_SECONDS, log=log)
        left = metadata_files(world.lake, run.id) - referenced(world.lake, run.id)
        assert len(left) >= 2, "a list and a manifest at least"
        await clock.pass_by(seconds=31)
        await world.container.coordinator.reap()
        ended = await world.finish(run.id)
        assert (ended.state, ended.attempt) == (RunState.SUCCEEDED, 2), ended.detail
        assert metadata_files(world.lake, run.id) == referenced(world.lake, run.id)
        assert world.lake.rows() == rows

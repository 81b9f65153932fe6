"""The record is restored from a backup while a Hive table is ahead of it: no partition is moved twice."""

from pathlib import Path

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from tests.support.attempts import succeeded
from tests.support.hive.lakes import HiveLake
from tests.support.hive.worlds import DAYS, WrittenTable, served
from tests.support.restores import make_drill

pytestmark = pytest.mark.usefixtures("redis")


@pytest.mark.parametrize("step", [None, "group_written", "after_commit"])
async def test_partitions_that_were_moved_after_the_backup_are_not_moved_again(
    hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path, step: str | None
) -> None:
    """A backup before the run, between its two commits, or after its first one: each commit is of one partition."""
    written = WrittenTable(hive_lake.create_table(keys=[("day", "string")]), hive_lake.metastore.uri)
    written.create_partitions(DAYS, files=4)
    drill = make_drill(written, tmp_path, sqlite_url, redis_url, formats=served)
    async with drill.open() as world:
        await world.set_policy({"maintenance": {"delete_old_compactions": {"grace": "1h", "interval": "1h"}}})
        run = await world.submit(RunRequest(force_full=True, every_file=True))
        if step is None:
            drill.backup.take()
        else:
            world.at(step, drill.backup.take)
        await succeeded(world, run)
        places = written.locations()
    async with drill.restored() as world:
        ended = await world.finish(run.id)
    assert ended.state is RunState.SUCCEEDED, ended.detail
    assert written.locations() == places
    assert len(ended.result.snapshot_ids) == len(DAYS)
    assert written.rows() == written.wanted()

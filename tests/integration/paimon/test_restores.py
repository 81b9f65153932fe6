"""The record is restored from a backup while a Paimon table is ahead of it: no bucket is compacted twice."""

from pathlib import Path

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from tests.support.attempts import succeeded
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.worlds import KINDS, make_twins, served
from tests.support.restores import make_drill

pytestmark = pytest.mark.usefixtures("core_child", "redis")


@pytest.mark.parametrize("kind", ["append", "key"])
async def test_buckets_that_were_compacted_after_the_backup_are_not_compacted_again(
    kind: str, paimon_core: PaimonCore, sqlite_url: str, redis_url: str, tmp_path: Path
) -> None:
    lake = make_twins(tmp_path, paimon_core, KINDS[kind], None)
    drill = make_drill(lake, tmp_path, sqlite_url, redis_url, formats=served)
    async with drill.open() as world:
        run = await world.submit(RunRequest(force_full=True, every_file=True))
        drill.backup.take()
        await succeeded(world, run)
        snapshots, files = lake.snapshots_of(run.id), lake.stored_files()
    async with drill.restored() as world:
        ended = await world.finish(run.id)
    assert (ended.state, ended.reason) == (RunState.SUCCEEDED, "record_restored"), ended.detail
    assert lake.snapshots_of(run.id) == snapshots == {int(each) for each in ended.result.snapshot_ids}
    assert lake.stored_files() == files
    assert lake.rows() == lake.twin_rows()

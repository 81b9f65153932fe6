"""Figures of a deletion of old copies that was interrupted."""

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from tests.support.attempts import die_at
from tests.support.hive.lakes import files_in, path_of
from tests.support.hive.worlds import WrittenTable
from tests.support.moved_clock import MovedClock
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")


async def test_f53_a_deletion_that_was_interrupted_three_times_counts_each_file_once(
    world: World[WrittenTable],
) -> None:
    """Two attempts recorded the same files before the third deleted them and died."""
    clock = await MovedClock.of(world.container.database)
    old = [path_of(each) for each in world.lake.locations()]
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    sizes = [file.stat().st_size for folder in old for file in files_in(folder)]
    await clock.pass_by(hours=2)
    run = await world.submit(RunRequest(Operation.DELETE_OLD_COMPACTIONS))
    for step in ("files_recorded", "files_recorded", "files_deleted"):
        await die_at(world, run, step)  # type: ignore[arg-type]
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert run.result.document["deleted"]["data"] == {"files": len(sizes), "bytes": sum(sizes)}
    assert [files_in(each) for each in old] == [[], []]

"""Real workers that are killed at the steps of a rewrite of a Paimon table: another one finishes it, no row is lost.

Real Postgres, Redis and tables; tasks run in threads of the worker's process, the core in a child JVM that ends too.
The record's clock is moved, so that leases end without waiting. Three steps are not deep, one of each kind of table.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from engine.domain.runs.run import RunState
from tests.interleaving.checks import check
from tests.interleaving.paimon_writers import append, upsert
from tests.support.killable_process import STEPS, killable, killed
from tests.support.moved_clock import MovedClock
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.worlds import KINDS, TwinLake, open_twins, served
from tests.support.processes import environment_of
from tests.support.world import World

PATIENCE_SECONDS = 90
SENT: Final = STEPS.index("commit_marked")
"""From this step on, the batch may have been sent: files of it stay until the table shows its outcome."""
FEW: Final = {("lookup", "group_written"), ("append", "commit_marked"), ("key", "after_commit")}
CASES: Final = [
    pytest.param(kind, step, marks=[] if (kind, step) in FEW else pytest.mark.deep)
    for kind in ("key", "append", "lookup", "foreign key", "foreign append")
    for step in STEPS
]

pytestmark = pytest.mark.usefixtures("core_child", "redis")


@pytest.fixture
async def world(
    request: pytest.FixtureRequest, paimon_core: PaimonCore, postgres_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[TwinLake]]:
    """Two partitions of four commits each."""
    kind = KINDS[request.param]
    foreign = request.getfixturevalue("pypaimon") if kind.is_foreign else None
    urls = {"database_url": postgres_url, "redis_url": redis_url}
    async with open_twins(tmp_path, paimon_core, kind, pypaimon=foreign, **urls) as opened:
        yield opened


@pytest.mark.parametrize(("world", "step"), CASES, indirect=["world"])
async def test_another_worker_finishes_the_run(world: World[TwinLake], step: str, tmp_path: Path) -> None:
    """Another writer commits between the death and the next attempt."""
    clock, run = await MovedClock.of(world.container.database), await world.submit()
    environment = environment_of(world.container.settings, worker_slots=1)
    with killable(environment, "worker", step, log=tmp_path / "log", formats=served) as process:
        await killed(process, within_seconds=PATIENCE_SECONDS, log=tmp_path / "log")
    has_landed = bool(world.lake.snapshots_of(run.id))
    assert has_landed == (STEPS.index(step) > SENT)
    (upsert if world.lake.kind.keys else append)(world)
    await clock.pass_by(seconds=31)
    await world.container.coordinator.reap()
    ended = await world.finish(run.id)
    assert (ended.state, ended.attempt) == (RunState.SUCCEEDED, 2), ended.detail
    check(world, ended, world.lake.twin_rows())
    properties = [each["properties"] for each in world.lake.ours.call("snapshots")]
    groups = [each["packhouse.groups"] for each in properties if each.get("packhouse.run-id") == run.id]
    committed = [group for batch in groups for group in batch.split(",")]
    assert len(committed) == len(set(committed)) == ended.result.groups_committed

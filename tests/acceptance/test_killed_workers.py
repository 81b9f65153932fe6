"""Real worker processes, ended by SIGKILL at a labelled step; another worker finishes the run.

There is one effective commit a group, no row is lost or doubled, and no data file or metadata file of the dead attempt
stays behind. Real Redis, database and table. Tasks run in threads of the worker's process, or on real Spark Connect,
where they outlive it.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import TableRef
from engine.factory.traces import exported_traces
from engine.formats.iceberg import IcebergFormat
from engine.settings.model import Settings
from tests.support.eventually import seen_when
from tests.support.iceberg_tables import edit_metadata
from tests.support.killable_process import STEPS, killable, killed
from tests.support.processes import environment_of
from tests.support.traces import collector
from tests.support.version_3 import lineage, touch
from tests.support.world import NAME, Lake, World, make_lake, open_on, open_world

PATIENCE_SECONDS = 90
COMMIT_STEPS = {"commit_made", "commit_marked"}
"""Where the manifests of a commit are written, and the commit may not have been sent."""
MARK = [("commit_made", RunState.CANCELLED), ("commit_marked", RunState.SUCCEEDED)]
"""Steps before and after the mark that a commit is sent; how a run ends that is cancelled after a death there."""


@pytest.fixture
async def world(postgres_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """One table of ten files in two partitions; tasks run in threads."""
    folder = tmp_path / "world"
    async with open_world(folder, database_url=postgres_url, redis_url=redis_url, days=2, files=5) as opened:
        yield opened


@pytest.fixture
async def world_on_spark(settings: Settings, tmp_path: Path) -> AsyncIterator[World]:
    """The same table; tasks run on Spark, leases end soon, and a coordinator is at work."""
    lake = await asyncio.to_thread(lambda: make_lake(tmp_path / "lake", days=2, files=5))
    async with open_on(lake, settings.model_copy(update={"lease_seconds": 3}), on_spark=True) as opened:
        coordinator = asyncio.create_task(opened.container.coordinator.run())
        yield opened
        opened.container.coordinator.stop()
        await coordinator


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """What the worker that is killed writes."""
    return tmp_path / "worker.log"


async def killed_at(world: World, step: str, log: Path, *, on_spark: bool = False, **more: str) -> RunId:
    """Submit a run, and wait until the worker process that advances it has killed itself at a step."""
    run = await world.submit()
    environment = environment_of(world.container.settings, worker_slots=1) | more
    with killable(environment, "worker", step, log=log, on_spark=on_spark) as process:
        await killed(process, within_seconds=PATIENCE_SECONDS, log=log)
    return run.id


def left_metadata_files(lake: Lake, run_id: RunId) -> set[str]:
    """Return the names of manifests of a run, and of lists of manifests, that no snapshot of the table refers to."""
    table = lake.table
    folder = Path("/" + table.location().removeprefix("file:").lstrip("/"), "metadata")
    stored = {path.name for path in folder.glob("*.avro") if run_id in path.name or path.name.startswith("snap-")}
    lists = {snapshot.manifest_list.rpartition("/")[2] for snapshot in table.snapshots()}
    return stored - lists - {path["path"].rpartition("/")[2] for path in table.inspect.all_manifests().to_pylist()}


def check(lake: Lake, run: Run, rows: list[object]) -> None:
    """Each group was committed once, and the table has the same rows in the files of the run only."""
    assert (run.state, run.attempt >= 2) == (RunState.SUCCEEDED, True), (run.reason, run.detail)
    assert (lake.rows(), len(lake.paths())) == (rows, 2)
    committed = [group for summary in lake.replaces() for group in summary["packhouse.groups"].split(",")]
    assert len(committed) == len(set(committed)) == 2
    live = {path.removeprefix("file://") for path in lake.paths()}
    assert {path for path in lake.stored_files() if run.id in path} == live
    assert left_metadata_files(lake, run.id) == set()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("step", STEPS)
async def test_another_worker_finishes_the_run_of_a_killed_one(
    world: World, step: str, version: int, log: Path
) -> None:
    connection, ref = IcebergFormat().connect("lake", world.lake.properties), TableRef("lake", NAME[:1], NAME[1])
    before: Mapping[int, tuple[int, int]] = {}
    if version > 2:
        edit_metadata(world.lake.table, lambda body: body.update({"format-version": 3, "next-row-id": 0}))
        touch(connection.open_table(ref))  # a commit gives every file row ids
        before = lineage(connection.open_table(ref))
    rows = world.lake.rows()
    run_id = await killed_at(world, step, log)
    left = left_metadata_files(world.lake, run_id)
    assert len(left) >= 2 if step in COMMIT_STEPS else not left  # a list and a manifest at least
    await world.expire_lease(run_id)
    check(world.lake, await world.finish(run_id), rows)
    assert version == 2 or lineage(connection.open_table(ref)) == before
    connection.close()


@pytest.mark.parametrize(
    "step", [step if step == "group_written" else pytest.param(step, marks=pytest.mark.deep) for step in STEPS]
)
async def test_another_worker_finishes_the_run_whose_tasks_are_still_on_spark(
    world_on_spark: World, step: str, log: Path
) -> None:
    rows = world_on_spark.lake.rows()
    run_id = await killed_at(world_on_spark, step, log, on_spark=True)
    worker = world_on_spark.container.worker
    survivor = asyncio.create_task(worker.run())
    run = await seen_when(
        lambda: world_on_spark.get(run_id), lambda run: run.is_terminal, within_seconds=PATIENCE_SECONDS
    )
    worker.stop()
    await survivor
    check(world_on_spark.lake, run, rows)


@pytest.mark.parametrize(("step", "state"), MARK)
async def test_a_cancel_after_a_death_around_the_mark_goes_by_what_may_have_been_sent(
    world: World, step: str, state: RunState, log: Path
) -> None:
    """Nothing is sent after a cancel before the mark; after the mark only a commit settles the question."""
    lake = world.lake
    rows, before, stored = lake.rows(), sorted(lake.paths()), lake.stored_files()
    run_id = await killed_at(world, step, log)
    asked = await world.container.runs.cancel(SYSTEM, run_id)
    await world.expire_lease(run_id)
    run = await world.finish(run_id)
    is_sent = state is RunState.SUCCEEDED
    assert (run.state, asked.unsettled) == (state, {0, 1} if is_sent else frozenset()), run.detail
    assert (lake.rows(), len(lake.replaces())) == (rows, int(is_sent))
    if not is_sent:
        assert (sorted(lake.paths()), lake.stored_files()) == (before, stored)


async def test_the_attempt_after_a_killed_worker_links_to_the_trace_of_that_worker(
    world: World, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The span of a killed attempt is never sent; those inside of it that had ended are."""
    with collector() as received:
        for name, value in received.environ.items():
            monkeypatch.setenv(name, value)
        with exported_traces("api"):
            run_id = await killed_at(world, "after_commit", log, **received.environ)
            await world.expire_lease(run_id)
            assert (await world.finish(run_id)).state is RunState.SUCCEEDED
    [submit] = [each for each in received.all if each.name == "run.submit"]
    [survivor] = [each for each in received.all if each.name == "run.attempt"]
    killed_trace = {each.parent for each in received.all if each.trace not in (submit.trace, survivor.trace)}
    assert len(survivor.links) == 2
    assert submit.key in survivor.links
    [of_the_killed] = {link for link in survivor.links if link != submit.key}
    assert of_the_killed[1] in killed_trace

"""Complete lists of the files that a run would delete, and of those that it deleted, as downloads."""

from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.errors import Forbidden, InvalidInput, NotFound, StateConflict
from engine.domain.ids import RunId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.formats.base import REMOVED_FILES
from engine.formats.iceberg.catalog.paths import normalised
from tests.support.expired_files import needed, stored
from tests.support.moved_clock import MovedClock
from tests.support.world import World

EXPIRE = Operation.EXPIRE_SNAPSHOTS
ON = {"older_than": "30m", "keep_last": 1, "interval": "1h", "delete_files": True}


@pytest.fixture(autouse=True)
async def old_files(world: World, clock: MovedClock) -> None:
    """A table that was rewritten an hour ago: all that it had before is needed by old snapshots only."""
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    await clock.pass_by(hours=1)


@pytest.fixture
async def is_on(world: World) -> None:
    """Expiry with its files is switched on."""
    await world.set_policy({"maintenance": {"expire_snapshots": ON}})


async def would_delete(world: World, operation: Operation = EXPIRE) -> list[dict[str, object]]:
    files = await world.container.upkeep.removable_files(SYSTEM, world.table_id, operation)
    return [row for batch in files for row in batch.to_pylist()]


async def deleted(world: World, run: Run) -> list[dict[str, object]]:
    files = await world.container.upkeep.deleted_files(SYSTEM, run.id)
    return [row for batch in files for row in batch.to_pylist()]


async def expired(world: World) -> Run:
    run = await world.finish((await world.submit(RunRequest(EXPIRE))).id)
    assert run.state is RunState.SUCCEEDED, run.detail
    return run


@pytest.mark.usefixtures("is_on")
async def test_the_list_before_a_run_is_what_the_run_deletes_and_its_list_is_the_same(world: World) -> None:
    before = stored(world.lake.table)
    foreseen = await would_delete(world)
    assert set(foreseen[0]) == set(REMOVED_FILES.names)
    assert stored(world.lake.table) == before, "nothing is changed"
    run = await expired(world)
    gone = before - stored(world.lake.table)
    assert {normalised(str(each["path"])) for each in foreseen} == gone
    assert len(foreseen) == len(gone) == run.result.document["deleted_files"]
    assert await deleted(world, run) == foreseen
    sizes = [int(str(each["file_bytes"])) for each in foreseen if each["kind"] == "data"]
    assert sum(sizes) == run.result.document["deleted"]["data"]["bytes"]
    assert all(each["snapshot_id"] is not None for each in foreseen if each["kind"] == "data")
    assert not gone & needed(world.lake.table)
    assert await would_delete(world) == [], "nothing is listed once it is deleted"


@pytest.mark.parametrize(
    ("maintenance", "words"),
    [({}, "is switched off for this table"), ({"expire_snapshots": {"older_than": "1h"}}, "no files to list")],
)
async def test_an_operation_that_deletes_no_files_is_refused_with_the_reason(
    world: World, maintenance: dict[str, object], words: str
) -> None:
    await world.set_policy({"maintenance": maintenance})
    with pytest.raises(InvalidInput, match=words) as caught:
        await would_delete(world)
    (problem,) = caught.value.problems
    assert problem.pointer == "/operation"
    assert problem.message.startswith("the table's policy has ")


@pytest.mark.usefixtures("is_on")
async def test_a_run_without_a_list_and_an_unknown_run_are_not_found(world: World) -> None:
    with pytest.raises(NotFound, match="no run"):
        await world.container.upkeep.deleted_files(SYSTEM, RunId("run_nothing"))
    run = await world.finish((await world.submit(RunRequest(Operation.REWRITE_MANIFESTS))).id)
    with pytest.raises(StateConflict, match="recorded no files"):
        await world.container.upkeep.deleted_files(SYSTEM, run.id)


@pytest.mark.usefixtures("is_on")
async def test_a_list_that_is_damaged_or_removed_is_not_found(world: World) -> None:
    run = await expired(world)
    path = Path("/" + run.result.document["deleted_files_list"].removeprefix("file:").lstrip("/"))
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(StateConflict, match="recorded no files"):
        await world.container.upkeep.deleted_files(SYSTEM, run.id)
    path.unlink()
    with pytest.raises(StateConflict, match="recorded no files"):
        await world.container.upkeep.deleted_files(SYSTEM, run.id)


async def test_only_admins_list_the_files_of_a_purge(world: World) -> None:
    operator = Caller("key:op", Role.OPERATOR, teams=None)
    with pytest.raises(Forbidden):
        await world.container.upkeep.removable_files(operator, world.table_id, Operation.PURGE)
    files = {str(each["path"]) for each in await would_delete(world, Operation.PURGE)}
    assert {normalised(each) for each in files} == stored(world.lake.table) - needed_by_head(world)


def needed_by_head(world: World) -> set[str]:
    """Return the files that stay if only the head stays; metadata files are the table's own to delete."""
    table = world.lake.table
    head = table.current_snapshot()
    assert head is not None
    manifests = head.manifests(table.io)
    entries = [each for manifest in manifests for each in manifest.fetch_manifest_entry(table.io)]
    named = {head.manifest_list, *(each.manifest_path for each in manifests)}
    named |= {each.data_file.file_path for each in entries}
    metadata = {each for each in stored(table) if each.endswith(".metadata.json")}
    return {normalised(each) for each in named} | metadata

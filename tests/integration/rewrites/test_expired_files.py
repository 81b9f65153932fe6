"""Expiry with `delete_files`: the files that only expired snapshots needed are recorded, deleted and proven."""

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.formats.deletion import removal as removals
from engine.formats.deletion.file_lists import FileKind, FileList, ListWriter, listed
from engine.formats.iceberg.catalog.paths import normalised
from engine.services.operations.metadata.requests import WorkerRequests
from tests.interleaving.writers import ACTIONS
from tests.support.expired_files import needed, stored
from tests.support.moved_clock import MovedClock
from tests.support.world import World

EXPIRE = RunRequest(Operation.EXPIRE_SNAPSHOTS)
NOW = {"older_than": "30m", "keep_last": 1, "interval": "1h", "delete_files": True}
STEPS = [
    "planned",
    "before_commit",
    "after_commit",
    "files_recorded",
    "deleting_files",
    "files_deleted",
    "before_end",
]


@pytest.fixture(autouse=True)
async def old_files(world: World) -> MovedClock:
    """A table that was rewritten an hour ago: all that it had before is needed by old snapshots only."""
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    table = world.lake.table
    for name in [each for each in table.refs() if each != "main"]:  # the protected parent
        table.manage_snapshots().remove_tag(name).commit()
    clock = await MovedClock.of(world.container.database)
    await clock.pass_by(hours=1)
    return clock


async def submit(world: World, **rule: Any) -> Run:
    await world.set_policy({"maintenance": {"expire_snapshots": NOW | rule}})
    return await world.submit(EXPIRE)


def ids(world: World) -> list[int]:
    return [each.snapshot_id for each in world.lake.table.snapshots()]


def leftovers(world: World) -> set[str]:
    """Files that no snapshot needs, without metadata files: their deletion is a setting of the table."""
    table = world.lake.table
    return {path for path in stored(table) - needed(table) if not path.endswith(".metadata.json")}


def folder_of(world: World) -> Path:
    return Path("/" + world.lake.table.location().removeprefix("file:").lstrip("/"))


def rows(world: World) -> pa.Table:
    return world.lake.table.scan().to_arrow().sort_by("id")


async def test_u11_files_of_old_copies_are_deleted_and_every_row_stays(world: World) -> None:
    before, was = rows(world), stored(world.lake.table)
    run = await world.finish((await submit(world)).id)
    table = world.lake.table
    assert (run.state, run.reason, len(ids(world))) == (RunState.SUCCEEDED, "committed", 1)
    assert needed(table) <= stored(table)
    assert leftovers(world) == set()
    assert rows(world) == before
    result = run.result.document
    assert result["deleted_files"] == len(was - stored(table)) > 18
    assert result["deleted"]["data"]["files"] == 18
    assert result["delete_failures"] == 0
    assert result["not_deleted"] == {"unread": {"counts": {}, "samples": []}, "refused": {"counts": {}, "samples": {}}}
    assert Path("/" + result["deleted_files_list"].removeprefix("file:").lstrip("/")).is_file()
    assert [each["ok"] for each in run.result.verifications] == [True, True]
    assert "deleted" in (run.detail or "")


def manifests_of_head(world: World) -> set[str]:
    table = world.lake.table
    head = table.current_snapshot()
    assert head is not None
    return {normalised(each.manifest_path) for each in head.manifests(table.io)}


async def test_l22_replaced_manifests_are_deleted_with_the_last_snapshots_that_had_them(
    world: World, old_files: MovedClock
) -> None:
    for _ in range(3):
        world.lake.append(day="2026-11-01")
    before = manifests_of_head(world)
    run = await world.finish((await world.submit(RunRequest(Operation.REWRITE_MANIFESTS))).id)
    assert run.state is RunState.SUCCEEDED
    replaced = before - manifests_of_head(world)
    assert len(replaced) == 3
    assert replaced <= stored(world.lake.table)
    await old_files.pass_by(hours=1)
    run = await world.finish((await submit(world)).id)
    assert run.state is RunState.SUCCEEDED
    assert not replaced & stored(world.lake.table)
    assert manifests_of_head(world) <= stored(world.lake.table)


async def test_a_dry_run_names_the_files_and_writes_nothing(world: World) -> None:
    await world.set_policy({"maintenance": {"expire_snapshots": NOW}})
    was = stored(world.lake.table)
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.EXPIRE_SNAPSHOTS)
    removal = plan["details"]["removal"]
    assert removal["files"]["data"]["files"] == 18
    assert removal["samples"][0]["kind"] == "data"
    assert stored(world.lake.table) == was
    run = await world.finish((await world.submit(EXPIRE)).id)
    assert run.result.document["deleted_files"] == removal["total"]["files"]
    assert run.result.document["deleted_bytes"] == removal["total"]["bytes"]


async def test_no_file_is_deleted_without_the_setting(world: World) -> None:
    was = stored(world.lake.table)
    run = await world.finish((await submit(world, delete_files=False)).id)
    assert run.state is RunState.SUCCEEDED
    assert {path for path in was - stored(world.lake.table) if not path.endswith(".metadata.json")} == set()
    assert "deleted" not in run.result.document


@pytest.mark.parametrize("step", STEPS)
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, step: str) -> None:
    before = rows(world)
    run = await submit(world)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED
    assert leftovers(world) == set()
    assert rows(world) == before
    assert run.result.document["deleted"]["data"]["files"] == 18


@pytest.mark.parametrize("step", ["files_deleted", "before_end"])
async def test_files_that_a_killed_attempt_deleted_are_in_the_outcome(world: World, step: str) -> None:
    was = stored(world.lake.table)
    run = await submit(world)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    count = len(was - stored(world.lake.table))
    assert run.result.document["deleted_files"] == count > 18
    assert f"; {count} files of " in (run.detail or "")


@pytest.mark.parametrize("step", STEPS)
async def test_a_writer_at_any_step_loses_nothing(world: World, step: str) -> None:
    run = await submit(world)

    def write() -> None:
        world.lake.append(day="2026-11-01")
        world.lake.table.delete("id < 10")

    world.at(step, write)
    run = await world.finish(run.id)
    table = world.lake.table
    assert run.state is RunState.SUCCEEDED
    assert needed(table) <= stored(table)
    assert min(world.lake.ids()) == 10


@pytest.mark.parametrize("step", ["files_recorded", "deleting_files"])
async def test_a_cancel_stops_the_deletion(world: World, step: str) -> None:
    was = stored(world.lake.table)
    run = await submit(world)
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert run.state is RunState.CANCELLED
    assert run.result.expired_snapshots > 0
    assert was <= stored(world.lake.table) | {each for each in was if each.endswith(".metadata.json")}
    assert run.result.document["deleted_files"] == 0


async def test_files_that_the_store_refuses_to_delete_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete = removals.Removal._delete_one
    refused: list[str] = []

    def some(self: removals.Removal, store: Any, path: str) -> str | None:
        if path.endswith(".parquet") and len(refused) < 3:
            refused.append(path)
            return "AccessDenied: object lock"
        return delete(self, store, path)

    monkeypatch.setattr(removals.Removal, "_delete_one", some)
    run = await world.finish((await submit(world)).id)
    result = run.result.document
    assert run.state is RunState.SUCCEEDED
    assert result["delete_failures"] == len(refused) == 3
    assert "object lock" in result["delete_failure_samples"][0]["reason"]
    assert "refused to delete 3 files" in (run.detail or "")


async def test_a_list_that_was_changed_by_a_stranger_deletes_nothing_that_is_needed(world: World) -> None:
    run = await submit(world)
    world.at("files_recorded", world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    folder = next(
        Path("/" + world.lake.table.location().removeprefix("file:").lstrip("/")).rglob("packhouse-deletions")
    )
    lists = sorted(folder.rglob("files-*.parquet"))
    assert len(lists) == 1
    stranger = ListWriter(FileList.read(lists[0].read_bytes()).origin)
    outside = folder.parent.parent.parent / "not of the table.parquet"
    outside.write_bytes(b"precious")
    stranger.add(listed([*world.lake.paths(), str(outside)], FileKind.DATA))
    lists[0].write_bytes(stranger.finish().body)
    before = rows(world)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED
    assert run.result.document["deleted_files"] == 0
    assert rows(world) == before
    assert outside.read_bytes() == b"precious"
    assert run.result.document["not_deleted"]["refused"]["counts"] == {"outside": 1}


async def test_a_table_that_forbids_the_deletion_of_files_keeps_all(world: World) -> None:
    was = stored(world.lake.table)
    run = await submit(world)

    def forbid() -> None:
        with world.lake.table.transaction() as change:
            change.set_properties({"gc.enabled": "false"})

    world.at("after_commit", forbid)
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "not_eligible")
    assert "gc.enabled" in (run.detail or "")
    assert {path for path in was - stored(world.lake.table) if not path.endswith(".metadata.json")} == set()


@pytest.mark.parametrize("step", ["files_recorded", "deleting_files", "files_deleted"])
async def test_a_table_that_is_dropped_and_created_again_ends_the_deletion(world: World, step: str) -> None:
    """The other table is in the same folder: the run breaks no invariant, and deletes no file of it."""
    run = await submit(world)
    world.at(step, lambda: ACTIONS["recreate"](world))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "table_replaced")
    assert needed(world.lake.table) <= stored(world.lake.table)


async def test_requests_of_a_deletion_wait_for_the_limit_of_the_table(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store on this machine takes no requests: each file counts as one here."""
    monkeypatch.setattr(removals._Batch, "requests", property(lambda batch: len(batch.paths)))
    await world.set_policy({"limits": {"requests": 10}, "maintenance": {"expire_snapshots": NOW}})
    run = await world.submit(EXPIRE)
    began = time.monotonic()
    run = await world.finish(run.id)
    result = run.result.document
    assert result["delete_requests"] == result["deleted_files"]
    before_the_last_stage = result["deleted_files"] - result["deleted"]["manifest_lists"]["files"]
    assert time.monotonic() - began >= before_the_last_stage / 10 - 1, "the burst is a quarter of a second"


async def test_a_deletion_that_is_cancelled_while_it_waits_for_its_budget_is_cancelled(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait ends with an error of the kernel, which is no damage of the table's metadata."""
    run = await submit(world)

    def take(self: WorkerRequests, _requests: int) -> None:
        world.cancel_soon(run.id)()
        self._bucket.stop()
        self._bucket.take(0, 1)

    monkeypatch.setattr(WorkerRequests, "take", take)
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled"), run.detail


async def test_a_deletion_ends_although_a_cancel_of_its_reports_was_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """redis-py swallows a cancel that comes while it connects."""
    report, is_deaf = WorkerRequests.report, asyncio.Event()

    async def deaf(self: WorkerRequests, *, finished: bool = False) -> None:
        if finished or is_deaf.is_set():
            return await report(self, finished=finished)
        is_deaf.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return None

    monkeypatch.setattr(WorkerRequests, "report", deaf)
    async with asyncio.timeout(30):
        run = await world.finish((await submit(world)).id)
    assert run.state is RunState.SUCCEEDED
    assert is_deaf.is_set()

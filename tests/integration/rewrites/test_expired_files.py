"""Expiry with `delete_files`: the files that only expired snapshots needed are recorded, deleted and proven.

Steps, writers and cancels are those of every deletion (`test_removals.py`).
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.removal.file_lists import FileKind, FileList, ListWriter, listed
from engine.services.operations.metadata.requests import WorkerRequests
from tests.support.attempts import append_files, content, die_at, set_properties, snapshot_ids, succeeded
from tests.support.expired_files import stored
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import EXPIRY, gone, leftovers, nothing_needed_is_missing, rewrite_and_untag, root_of
from tests.support.watching import DAY
from tests.support.world import World

EXPIRE = RunRequest(Operation.EXPIRE_SNAPSHOTS)


@pytest.fixture(autouse=True)
async def old_files(world: World, clock: MovedClock) -> MovedClock:
    """A table that was rewritten an hour ago: all that it had before is needed by old snapshots only."""
    await rewrite_and_untag(world)
    await clock.pass_by(hours=1)
    return clock


async def submit(world: World, **rule: Any) -> Run:
    await world.set_policy({"maintenance": {"expire_snapshots": EXPIRY | rule}})
    return await world.submit(EXPIRE)


async def test_u11_files_of_old_copies_are_deleted_and_every_row_stays(world: World) -> None:
    """A dry run before it counts the same files, names some, and writes nothing."""
    before, was, run = content(world), stored(world.lake.table), await submit(world)
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.EXPIRE_SNAPSHOTS)
    removal = plan["details"]["removal"]
    assert removal["files"]["data"]["files"] == 18
    assert removal["samples"][0]["kind"] == "data"
    assert stored(world.lake.table) == was
    run = await world.finish(run.id)
    assert (run.state, run.reason, len(snapshot_ids(world))) == (RunState.SUCCEEDED, "committed", 1)
    assert nothing_needed_is_missing(world)
    assert leftovers(world) == set()
    assert content(world) == before
    result = run.result.document
    assert result["deleted_files"] == len(was - stored(world.lake.table)) == removal["total"]["files"] > 18
    assert result["deleted_bytes"] == removal["total"]["bytes"]
    assert result["deleted"]["data"]["files"] == 18
    assert result["delete_failures"] == 0
    assert result["not_deleted"] == {"unread": {"counts": {}, "samples": []}, "refused": {"counts": {}, "samples": {}}}
    assert Path("/" + result["deleted_files_list"].removeprefix("file:").lstrip("/")).is_file()
    assert [each["ok"] for each in run.result.verifications] == [True, True]
    assert "deleted" in (run.detail or "")


async def test_f51_files_of_expired_snapshots_that_can_t_be_read_are_named(world: World) -> None:
    """What only they name stays in the store; a file that is missing is no error."""
    first, second, *_ = (each.manifest_list for each in world.lake.table.snapshots())
    Path(first.removeprefix("file:")).write_bytes(b"Obj\x01 and no more")
    Path(second.removeprefix("file:")).unlink()
    run = await world.finish((await submit(world)).id)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    left = run.result.document["left_out"]
    assert (left["count"], left["errors"], left["reasons"]) == (2, 1, {"damaged": 1, "missing": 1})
    assert {each["name"]: each["reason"] for each in left["items"]} == {first: "damaged", second: "missing"}
    assert any("Avro header is damaged" in each["detail"] for each in left["items"])
    assert nothing_needed_is_missing(world)


async def test_f53_deleted_bytes_are_those_of_all_deleted_files(world: World) -> None:
    """The metadata has no size of manifest lists: they are counted as they are read."""
    sizes = {path: Path(path.removeprefix("file:")).stat().st_size for path in stored(world.lake.table)}
    run = await succeeded(world, await submit(world))
    deleted = gone(world, set(sizes))
    lists = {path for path in deleted if Path(path).name.startswith("snap-")}
    counted = run.result.document["deleted"]["manifest_lists"]
    assert counted == {"files": len(lists), "bytes": sum(map(sizes.__getitem__, lists))}
    assert run.result.document["deleted_bytes"] == sum(map(sizes.__getitem__, deleted))


def manifests_of_head(world: World) -> set[str]:
    table = world.lake.table
    head = table.current_snapshot()
    assert head is not None
    return {normalised(each.manifest_path) for each in head.manifests(table.io)}


async def test_l22_replaced_manifests_are_deleted_with_the_last_snapshots_that_had_them(
    world: World, old_files: MovedClock
) -> None:
    for _ in range(2):
        append_files(world.lake, DAY, 1)
    before = manifests_of_head(world)
    await succeeded(world, await world.submit(RunRequest(Operation.REWRITE_MANIFESTS)))
    replaced = before - manifests_of_head(world)
    assert len(replaced) == 2
    assert replaced <= stored(world.lake.table)
    await old_files.pass_by(hours=1)
    await succeeded(world, await submit(world))
    assert not replaced & stored(world.lake.table)
    assert manifests_of_head(world) <= stored(world.lake.table)


async def test_no_file_is_deleted_without_the_setting(world: World) -> None:
    was = stored(world.lake.table)
    run = await succeeded(world, await submit(world, delete_files=False))
    assert gone(world, was) == set()
    assert "deleted" not in run.result.document


async def test_a_list_that_was_changed_by_a_stranger_deletes_nothing_that_is_needed(world: World) -> None:
    run = await submit(world)
    await die_at(world, run, "files_recorded")
    folder = next(root_of(world).rglob("packhouse-deletions"))
    (changed,) = folder.rglob("files-*.parquet")
    stranger = ListWriter(FileList.read(changed.read_bytes()).origin)
    outside = folder.parent.parent.parent / "not of the table.parquet"
    outside.write_bytes(b"precious")
    stranger.add(listed([*world.lake.paths(), str(outside)], FileKind.DATA))
    changed.write_bytes(stranger.finish().body)
    before = content(world)
    run = await succeeded(world, run)
    assert run.result.document["deleted_files"] == 0
    assert content(world) == before
    assert outside.read_bytes() == b"precious"
    assert run.result.document["not_deleted"]["refused"]["counts"] == {"outside": 1}


async def test_a_table_that_forbids_the_deletion_of_files_keeps_all(world: World) -> None:
    was = stored(world.lake.table)
    run = await submit(world)
    world.at("after_commit", lambda: set_properties(world, {"gc.enabled": "false"}))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "gc.enabled" in (run.detail or "")
    assert gone(world, was) == set()


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
        await succeeded(world, await submit(world))
    assert is_deaf.is_set()

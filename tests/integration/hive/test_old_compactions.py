"""Folders that rewrites replaced: what writers add there is copied, and their files are deleted after a grace."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.policies import PolicyDocument
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.formats.hive.removal import late_files
from engine.formats.hive.rewrite import copies
from engine.services.operations.metadata import old_compactions
from tests.integration.hive.conftest import Opened
from tests.support.acknowledging import acknowledged
from tests.support.hive.lakes import files_in, path_of
from tests.support.hive.second_readers import duckdb_rows
from tests.support.hive.worlds import DAYS, MANY_DAYS, WrittenTable
from tests.support.moved_clock import MovedClock
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")

DELETE = RunRequest(Operation.DELETE_OLD_COMPACTIONS)
DAY = DAYS[0]


@pytest.fixture
async def clock(world: World[WrittenTable]) -> MovedClock:
    return await MovedClock.of(world.container.database)


async def delete(world: World[WrittenTable]) -> Run:
    return await world.finish((await world.submit(DELETE)).id)


async def rewritten(world: World[WrittenTable]) -> list[Path]:
    """Rewrite both partitions, and return their old folders."""
    old = [path_of(each) for each in world.lake.locations()]
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    return old


def add_late(world: World[WrittenTable], folder: Path, day: str = DAY, name: str | None = None) -> Path:
    """Add a file to a folder that the partition no longer has, written two minutes ago."""
    made = world.lake.table.write_file(folder, world.lake._rows(day, 5))
    file = made if name is None else made.rename(folder / name)
    seconds = file.stat().st_mtime - 120
    os.utime(file, (seconds, seconds))
    return file


def late(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = run.plan["removal"]["copies"]["late"]
    return found


def same_rows(world: World[WrittenTable]) -> bool:
    found = sorted((row["day"], row["id"]) for row in duckdb_rows(world.lake.table))
    return world.lake.rows() == found == world.lake.wanted()


async def test_u11_u12_replaced_folders_are_deleted_after_their_grace(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """U12: `delete_old_compactions` is a run of its own. U11: a copy goes once a newer id is ready, after a grace."""
    old = await rewritten(world)
    run = await delete(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do"), run.detail
    assert "2 folders watched" in str(run.detail)
    assert [len(files_in(each)) for each in old] == [4, 4]
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert run.result.document["deleted"]["data"]["files"] == 8
    assert [files_in(each) for each in old] == [[], []]
    assert all(proof["ok"] for proof in run.result.verifications)
    assert same_rows(world)
    assert (await delete(world)).reason == "nothing_to_do"


async def test_each_replaced_folder_of_a_partition_has_its_own_grace(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    first = await rewritten(world)
    world.lake.append(DAY)
    second = await rewritten(world)
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [files_in(each) for each in (*first, second[0])] == [[], [], []]
    assert files_in(path_of(world.lake.locations()[1])), "the second partition was rewritten once"
    assert same_rows(world)


async def test_late_files_are_copied_once_however_often_the_partition_is_rewritten(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """U13: a writer keeps adding to the first folder; its rows are found after each look, never twice."""
    (old, _) = await rewritten(world)
    for turn in range(3):
        add_late(world, old)
        run = await delete(world)
        assert run.state is RunState.SUCCEEDED, run.detail
        assert late(run)["copied"] == 1
        assert same_rows(world), turn
        assert (await delete(world)).reason == "nothing_to_do"
        await rewritten(world)
        assert same_rows(world), turn
    await clock.pass_by(hours=2)
    assert (await delete(world)).state is RunState.SUCCEEDED
    assert files_in(old) == []
    assert same_rows(world)


async def test_files_of_one_name_in_two_folders_are_both_copied(world: World[WrittenTable]) -> None:
    (first, _) = await rewritten(world)
    world.lake.append(DAY)
    (second, _) = await rewritten(world)
    for folder in (first, second):
        add_late(world, folder, name="batch.parquet")
    assert late(await delete(world))["copied"] == 2
    assert same_rows(world)


async def test_a_late_file_that_can_not_be_copied_is_told_and_never_deleted(opened: Opened) -> None:
    """A partition for each reason."""
    reasons = ("just_written", "not_parquet", "in_a_folder", "partition_gone", "partition_moved")
    async with opened(MANY_DAYS[: len(reasons)]) as world:
        clock = await MovedClock.of(world.container.database)
        files = []
        for reason, day, old in zip(reasons, MANY_DAYS, await rewritten(world), strict=False):
            file = add_late(world, old, day)
            if reason == "just_written":
                os.utime(file)
            elif reason == "in_a_folder":
                (old / "HIVE_UNION_SUBDIR_1").mkdir()
                file = file.rename(old / "HIVE_UNION_SUBDIR_1" / file.name)
            elif reason == "not_parquet":
                file.write_bytes(b"no rows")
                os.utime(file, (0, 0))
            elif reason == "partition_gone":
                world.lake.drop(day)
            else:
                world.lake.move(day)
            files.append(file)
        before = world.lake.rows()
        await clock.pass_by(hours=2)
        run = await delete(world)
        assert late(run)["left"] == dict.fromkeys(reasons, 1), run.detail
        assert all(file.exists() for file in files)
        assert world.lake.rows() == before


async def test_a_late_file_is_not_copied_beside_rows_that_replaced_the_partition(world: World[WrittenTable]) -> None:
    """After `INSERT OVERWRITE` nobody knows whether the late rows belong to the partition."""
    (old, _) = await rewritten(world)
    file = add_late(world, old)
    world.lake.overwrite(DAY)
    run = await delete(world)
    assert late(run)["left"] == {"partition_overwritten": 1}
    assert file.exists()
    assert same_rows(world)


async def test_rows_that_a_job_overwrote_in_the_old_folder_are_not_added(world: World[WrittenTable]) -> None:
    """The job read the location before the rewrite: its rows replace those of the table, and a copy doubles them."""
    (old, _) = await rewritten(world)
    before = world.lake.rows()
    for each in files_in(old):
        each.unlink()
    file = add_late(world, old, name="dynamic.parquet")
    run = await delete(world)
    assert late(run)["left"] == {"partition_overwritten": 1}
    assert late(run)["overwritten"] == 4
    assert file.exists()
    assert world.lake.rows() == before


async def test_a_late_file_is_not_copied_if_a_folder_between_was_overwritten(world: World[WrittenTable]) -> None:
    (old, _) = await rewritten(world)
    file = add_late(world, old)
    world.lake.overwrite(DAY)
    world.lake.append(DAY)
    await rewritten(world)
    run = await delete(world)
    assert late(run)["left"] == {"partition_overwritten": 1}
    assert file.exists()
    assert same_rows(world)


async def test_a_writer_that_never_learns_of_the_new_folder_is_followed_for_long(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """The folders between are deleted, but what leads from the first one to the present one stays."""
    (old, _) = await rewritten(world)
    for _ in range(3):
        world.lake.append(DAY)
        await rewritten(world)
        add_late(world, old)
        assert late(await delete(world))["copied"] == 1
        await clock.pass_by(minutes=50)
        for each in world.lake.table.folder.rglob("_replaced-*.json"):
            if str(old) in each.read_text():
                os.utime(each, (clock.ahead.total_seconds() + time.time(),) * 2)  # by the store's clock
        await delete(world)
        assert same_rows(world)
    add_late(world, old)
    run = await delete(world)
    assert late(run)["copied"] == 1, run.detail
    assert same_rows(world)


async def test_a_swap_whose_proof_another_rewrite_overtook_is_watched_as_well(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """A worker ends between swap and proof; another run rewrites the partitions; then the first run goes on."""
    old = [path_of(each) for each in world.lake.locations()]
    first = (await world.submit()).id
    for _ in DAYS:
        world.at("after_commit", world.steal_lease(first))
        await world.container.worker.advance(first)
        await world.expire_lease(first)
    between = [path_of(each) for each in world.lake.locations()]
    for day in DAYS:
        world.lake.append(day)
    assert (await world.finish((await world.submit(allow_duplicate=True)).id)).state is RunState.SUCCEEDED
    assert (await world.finish(first)).is_terminal
    assert all(files_in(each) for each in between), "readers may still be at them"
    for folder in (old[0], between[0]):
        add_late(world, folder)
    assert late(await delete(world))["copied"] == 2
    assert same_rows(world)
    await clock.pass_by(hours=2)
    assert (await delete(world)).state is RunState.SUCCEEDED
    await delete(world)
    assert [files_in(each) for each in (*old, *between)] == [[]] * 4
    assert same_rows(world)


async def test_a_copy_that_was_not_written_completely_is_no_copy(world: World[WrittenTable]) -> None:
    (old, _) = await rewritten(world)
    file = add_late(world, old)
    state = file.stat()
    target = path_of(
        copies.copy_of(world.lake.locations()[0], f"file:{file}", (state.st_size, state.st_mtime_ns // 10**6))
    )
    target.write_bytes(file.read_bytes()[:9])
    assert late(await delete(world))["copied"] == 1
    assert target.stat().st_size == state.st_size
    assert same_rows(world)


async def test_a_folder_of_a_partition_is_known_in_any_spelling(world: World[WrittenTable], clock: MovedClock) -> None:
    old = await rewritten(world)
    spellings = (f"file:{old[0].parent}//{old[0].name}", f"file:{old[1].parent}/x/../{old[1].name}")
    for day, location in zip(DAYS, spellings, strict=True):
        with world.lake.table.metastore.client() as client:
            changed = client.get_partition(world.lake.table.database, world.lake.table.name, [day])
            changed.sd.location = location
            client.alter_partition(world.lake.table.database, world.lake.table.name, changed)
    await clock.pass_by(hours=2)
    await delete(world)
    assert [len(files_in(each)) for each in old] == [4, 4]


async def test_a_folder_that_a_partition_has_again_stays(world: World[WrittenTable], clock: MovedClock) -> None:
    """Going back to the old folder is a change of the location, as the Metastore's tools make it."""
    (old, _) = await rewritten(world)
    world.lake.table.set_location([DAY], old)
    world.lake.append(DAY)
    await clock.pass_by(hours=2)
    await delete(world)
    assert same_rows(world)
    (again, _) = await rewritten(world)
    assert again == old
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert late(run)["copied"] == 0
    assert files_in(old) == []
    assert same_rows(world)


async def test_a_partition_that_gets_a_folder_back_while_it_is_deleted_keeps_it(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    (old, _) = await rewritten(world)
    await clock.pass_by(hours=2)
    world.at("files_recorded", lambda: world.lake.table.set_location([DAY], old))
    run = await delete(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(files_in(old)) == 4
    assert same_rows(world)


async def test_files_that_were_overwritten_in_the_old_folder_stay_and_are_told(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    (old, _) = await rewritten(world)
    files_in(old)[0].write_bytes(files_in(old)[1].read_bytes())
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert late(run)["overwritten"] == 1
    assert len(files_in(old)) == 1, "the file that is another now"
    assert same_rows(world)


DEEP_STEPS = [pytest.param(step, marks=pytest.mark.deep) for step in ("planned", "files_deleted", "before_end")]


@pytest.mark.parametrize("step", ["files_recorded", "deleting_files", *DEEP_STEPS])
async def test_a_worker_that_ends_at_a_step_is_followed_by_another(
    world: World[WrittenTable], clock: MovedClock, step: str
) -> None:
    old = await rewritten(world)
    add_late(world, old[0])
    await delete(world)
    await clock.pass_by(hours=2)
    submitted = (await world.submit(DELETE)).id
    world.at(step, world.steal_lease(submitted))
    await world.container.worker.advance(submitted)
    await world.expire_lease(submitted)
    run = await world.finish(submitted)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert run.result.document["deleted"]["data"]["files"] == 9
    assert [files_in(each) for each in old] == [[], []]
    assert same_rows(world)


async def test_a_copy_whose_worker_ended_before_it_was_stored_is_not_made_again(
    world: World[WrittenTable], monkeypatch: pytest.MonkeyPatch, clock: MovedClock
) -> None:
    (old, _) = await rewritten(world)
    add_late(world, old)
    module = "engine.formats.hive.removal.late_files"

    def fail(*_: object) -> None:
        raise OSError("the worker ends")

    with monkeypatch.context() as ending:
        ending.setattr(f"{module}.write_list", fail)
        submitted = await world.submit(DELETE)
        with pytest.raises(AssertionError):
            await world.finish(submitted.id, attempts=1)
    assert same_rows(world)
    await world.finish(submitted.id)
    assert same_rows(world)
    await rewritten(world)
    await delete(world)
    assert same_rows(world)
    await clock.pass_by(hours=2)
    await delete(world)
    assert files_in(old) == []


CHANGES: dict[str, Callable[[str], str]] = {
    "the table": lambda text: text.replace("/day=2026-11-01", ""),
    "another table": lambda text: text.replace("events/day=2026-11-01", "elsewhere"),
    "a path": lambda text: text.replace("part-00000", "../part-00000"),
    "half of it": lambda text: text[: len(text) // 2],
    "deep": lambda text: "[" * len(text) * 100,
    "no text": lambda text: text.replace("day=", "\\\\ud800"),
    "no key": lambda text: text.replace("day", "other"),
    "no value": lambda text: re.sub(r'"partition":"[^,]*"', r'"partition":"{\\"day\\":\\"\\\\ud800\\"}"', text),
}


async def test_a_list_that_another_program_changed_deletes_no_file_of_others(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    await rewritten(world)
    folder, others = world.lake.table.folder, world.lake.table.folder.parent / "elsewhere"
    world.lake.table.write_file(others, [{"id": 1, "value": 1.0}])
    kept = {path: path.read_bytes() for path in (*files_in(others), *files_in(folder))}
    shutil.copytree(folder, folder.with_name("sound"))
    await clock.pass_by(hours=2)
    for name, change in CHANGES.items():
        shutil.rmtree(folder)
        shutil.copytree(folder.with_name("sound"), folder)
        for each in folder.rglob("_replaced-*.json"):
            each.write_text(change(each.read_text()))
        assert (await delete(world)).is_terminal
        assert {path: path.read_bytes() for path in kept} == kept, name
        assert same_rows(world), name


async def test_f30_a_list_that_names_a_folder_in_that_of_a_partition_deletes_no_file_of_it(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """Hive writes a UNION ALL to such folders, and reads them; whoever writes to the table can change a proven list."""
    await rewritten(world)
    table = world.lake.table
    table.add_partition(["live"], table.default_location(["live"]))
    file = table.write_file(table.default_location(["live"]) / "HIVE_UNION_SUBDIR_1", [{"id": 1, "value": 1.0}])
    state = file.stat()
    for each in table.folder.rglob("_replaced-*.json"):
        files = {file.name: [state.st_size, state.st_mtime_ns // 1_000_000]}
        each.write_text(json.dumps({**json.loads(each.read_text()), "location": str(file.parent), "files": files}))
    await clock.pass_by(hours=2)
    assert (await delete(world)).is_terminal
    assert file.exists()


async def test_f47_a_partition_elsewhere_keeps_replaced_folders_only_if_it_may_be_one(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """F47: here its location is a link to a replaced folder at first, and then a folder of its own."""
    lake = world.lake.table.folder.parent
    (lake / "link").symlink_to(world.lake.table.default_location([DAYS[0]]))
    world.lake.table.add_partition(["elsewhere"], lake / "link")
    old = (await rewritten(world))[: len(DAYS)]
    await clock.pass_by(hours=2)
    assert (await delete(world)).reason == "nothing_to_do"
    assert [len(files_in(each)) for each in old] == [4, 4]
    world.lake.table.set_location(["elsewhere"], lake / "elsewhere")
    assert (await delete(world)).state is RunState.SUCCEEDED
    assert [len(files_in(each)) for each in old] == [0, 0]


async def test_a_folder_whose_rewrite_has_no_proof_in_the_record_stays(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    old = await rewritten(world)
    for each in world.lake.table.folder.rglob("_replaced-*.json"):
        each.rename(each.with_name(each.name.replace("_replaced-", "_replaced-1", 1)))
    await clock.pass_by(hours=2)
    assert (await delete(world)).reason == "nothing_to_do"
    assert [len(files_in(each)) for each in old] == [4, 4]


async def test_files_of_a_rewrite_whose_proof_failed_stay_though_a_later_one_is_proven(
    world: World[WrittenTable], clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The later rewrite conserves what the wrong folder had: the old one may have the only copy of a row."""
    first, other = [path_of(each) for each in world.lake.locations()]
    wrong = {str(each["snapshot_id"]) for each in (await world.rewrite()).result.verifications}
    real = old_compactions._proofs
    for day in DAYS:
        world.lake.append(day)
    (second, _) = await rewritten(world)
    await clock.pass_by(hours=2)
    with monkeypatch.context() as patch:
        patch.setattr(old_compactions, "_proofs", lambda run: [(each, each not in wrong) for each, _ in real(run)])
        run = await delete(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [len(files_in(each)) for each in (first, other, second)] == [4, 4, 0]
    assert (await delete(world)).state is RunState.SUCCEEDED
    assert [len(files_in(each)) for each in (first, other)] == [0, 0]


async def test_a_list_never_grows_beyond_what_is_read_again(
    world: World[WrittenTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    (old, _) = await rewritten(world)
    add_late(world, old)
    (listed,) = [each for each in world.lake.table.folder.rglob("_replaced-*") if f"day={DAY}" in str(each)]
    with monkeypatch.context() as patch:
        patch.setattr(late_files, "LARGEST", listed.stat().st_size + 5)
        assert late(await delete(world))["left"] == {"list_full": 1}
    assert late(await delete(world))["copied"] == 1
    assert same_rows(world)


async def test_late_rows_are_copied_within_an_hour_by_the_coordinator(
    world: World[WrittenTable], clock: MovedClock
) -> None:
    """While a replaced folder is in its grace, a run looks at it every hour, whatever the interval."""
    policy = PolicyDocument.model_validate(
        {
            "rewrite": {"min_input_files": 2},
            "maintenance": {"delete_old_compactions": {"grace": "7d", "interval": "7d"}},
        }
    )
    await acknowledged(world.container.policies.replace, SYSTEM, world.table_id, policy, if_match=1)
    (old, _) = await rewritten(world)
    await delete(world)
    add_late(world, old)
    await clock.pass_by(minutes=61)
    overview = await world.container.upkeep.overview(SYSTEM, world.table_id)
    (line,) = [each for each in overview["operations"] if each["operation"] == Operation.DELETE_OLD_COMPACTIONS]
    assert line["due"], line


def test_a_copy_names_the_folder_and_the_state_of_its_file() -> None:
    path = copies.copy_of("s3://lake/t/_compacted/x", "s3a://lake/t//day=1/part-0", (10, 20))
    assert copies.copied_file(path) == (copies.mark_of("s3://lake/t/day=1/part-0"), (10, 20))
    assert copies.copied_file("s3://lake/t/day=1/part-0") is None

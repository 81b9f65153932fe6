"""Dual files in the folders that rewrites replaced: each is in the partition once, whoever put it where, and when."""

from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import RunState
from engine.formats.hive.removal import late_files
from tests.integration.hive.test_old_compactions import add_late, delete, late, rewritten, same_rows
from tests.support.acknowledging import acknowledged
from tests.support.hive.followers import Follower
from tests.support.hive.lakes import files_in, path_of
from tests.support.hive.worlds import DAYS, WrittenTable
from tests.support.moved_clock import MovedClock
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")

DAY = DAYS[0]


@pytest.fixture
def writer(world: World[WrittenTable]) -> Follower:
    return Follower.of(world)


@pytest.fixture
async def clock(world: World[WrittenTable]) -> MovedClock:
    return await MovedClock.of(world.container.database)


def present(world: World[WrittenTable]) -> Path:
    return path_of(world.lake.locations()[0])


async def test_a_file_that_came_to_both_folders_late_is_not_copied(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: the writer put it into the old folder, then into the new one: there is nothing to copy."""
    (old, _) = await rewritten(world)
    file = writer.file(DAY)
    file.put(old, age_seconds=120)
    file.finish()
    run = await delete(world)
    assert (late(run)["copied"], late(run)["present"], late(run)["left"]) == (0, 1, {})
    assert same_rows(world)
    assert late(await delete(world))["present"] == 0, "the list has it now"


async def test_a_writer_that_ended_with_the_old_folder_has_its_file_copied_under_its_name(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: it goes on later, after the copy, and puts the same file over it."""
    (old, _) = await rewritten(world)
    file = writer.file(DAY)
    file.put(old, age_seconds=120)
    assert late(await delete(world))["copied"] == 1
    assert (present(world) / file.name).exists()
    assert same_rows(world)
    file.put_missing()  # by the answer that it got before
    assert same_rows(world)
    assert file.ask().is_written
    run = await delete(world)
    assert (late(run)["copied"], late(run)["overwritten"]) == (0, 0)
    await rewritten(world)
    assert same_rows(world)


async def test_two_generations_of_folders_have_the_rows_once(
    world: World[WrittenTable], writer: Follower, clock: MovedClock
) -> None:
    """U13: the file came to the second folder, which was rewritten, and then to the first one."""
    (first, _) = await rewritten(world)
    file = writer.write(DAY)
    second = present(world)
    await rewritten(world)
    third = present(world)
    assert not (third / file.name).exists(), "it was merged"
    file.put(first, age_seconds=120)
    run = await delete(world)
    assert (late(run)["copied"], late(run)["present"], late(run)["left"]) == (0, 1, {})
    assert same_rows(world)
    assert file.ask().is_written
    world.lake.append(DAY)
    await rewritten(world)
    await clock.pass_by(hours=2)
    assert (await delete(world)).state is RunState.SUCCEEDED
    assert [files_in(each) for each in (first, second, third)] == [[], [], []]
    assert same_rows(world)


async def test_a_file_that_came_late_to_two_old_folders_is_copied_once(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: a slow writer puts it where the partition was when it asked, twice, and ends."""
    (first, _) = await rewritten(world)
    world.lake.append(DAY)
    (second, _) = await rewritten(world)
    file = writer.file(DAY)
    for folder in (first, second):
        file.put(folder, age_seconds=120)
    run = await delete(world)
    assert (late(run)["copied"], late(run)["present"]) == (1, 1)
    assert same_rows(world)
    world.lake.append(DAY)
    await rewritten(world)
    await delete(world)
    assert same_rows(world)
    assert file.ask().is_written


async def test_a_file_that_is_put_again_into_an_old_folder_holds_nothing_back(
    world: World[WrittenTable], writer: Follower, clock: MovedClock
) -> None:
    """U13: its name stands for its content, so that its folder does not count as overwritten."""
    file = writer.write(DAY)
    (old, _) = await rewritten(world)
    file.put(old)
    add_late(world, old)
    run = await delete(world)
    assert (late(run)["copied"], late(run)["overwritten"], late(run)["left"]) == (1, 0, {})
    assert same_rows(world)
    await clock.pass_by(hours=2)
    assert (await delete(world)).state is RunState.SUCCEEDED
    assert files_in(old) == []
    assert same_rows(world)


@pytest.mark.parametrize("generations", [1, 2])
async def test_a_file_of_another_size_under_the_same_name_is_left_and_told(
    world: World[WrittenTable], writer: Follower, clock: MovedClock, generations: int
) -> None:
    """U13: neither of two contents replaces the other, and the old folder stays."""
    (old, _) = await rewritten(world)
    file = writer.write(DAY)
    for _ in range(1, generations):
        await rewritten(world)
    other = file.put(old, rows=file.rows.slice(0, 1), age_seconds=120)
    bodies = {path: path.read_bytes() for path in (other, *files_in(present(world)))}
    await clock.pass_by(hours=2)
    run = await delete(world)
    assert late(run)["left"] == {late_files.ANOTHER_SIZE: 1}
    assert {path: path.read_bytes() for path in bodies} == bodies
    assert same_rows(world)


async def test_names_that_only_look_like_those_of_dual_files_are_copied_like_any_other(
    world: World[WrittenTable],
) -> None:
    names = ("dual-.parquet", "dual-1793523600000-x.parquet", "dual-..parquet")
    (old, _) = await rewritten(world)
    for name in names:
        add_late(world, old, name=name)
    assert late(await delete(world))["copied"] == len(names)
    assert not any((present(world) / name).exists() for name in names)
    assert same_rows(world)


async def test_a_copy_is_never_deleted_when_the_partition_gets_another_folder_meanwhile(
    world: World[WrittenTable], writer: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: the file in the folder between can be its writer's own, and an input of the next rewrite."""
    (old, _) = await rewritten(world)
    between = present(world)
    file = writer.file(DAY)
    file.put(old, age_seconds=120)
    real, moved = late_files.copy_file, list[str]()

    def copy(path: str, target: str, size: int, storage: object) -> None:
        real(path, target, size, storage)  # type: ignore[arg-type]
        if not moved:
            moved.append(target)
            beyond = between.with_name(f"{between.name}-moved")
            beyond.mkdir()
            for each in files_in(between):
                (beyond / each.name).write_bytes(each.read_bytes())
            world.lake.table.set_location([DAY], beyond)

    monkeypatch.setattr(late_files, "copy_file", copy)
    run = await delete(world)
    assert late(run)["left"] == {"partition_moved": 1}
    assert (between / file.name).exists()
    assert same_rows(world)


async def test_lists_outlast_a_short_grace_as_long_as_names_are_valid(
    world: World[WrittenTable], writer: Follower, clock: MovedClock
) -> None:
    """U13: a writer that is slower than the grace is still told that a rewrite has merged its file."""
    policy = PolicyDocument.model_validate(
        {
            "rewrite": {"min_input_files": 2},
            "maintenance": {"delete_old_compactions": {"grace": "1m", "interval": "1h"}},
        }
    )
    await acknowledged(world.container.policies.replace, SYSTEM, world.table_id, policy, if_match=1)
    file = writer.file(DAY)
    file.put_missing()
    (old, _) = await rewritten(world)
    await clock.pass_by(minutes=10)
    run = await delete(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert files_in(old) == []
    assert file.ask().is_written
    file.finish()
    assert same_rows(world)
    await clock.pass_by(hours=2)
    await delete(world)
    lists = world.lake.table.folder.rglob("_replaced-*.json")
    assert [each.name for each in lists] == []
    assert same_rows(world)

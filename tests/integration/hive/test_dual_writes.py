"""Writers that follow rewrites of Hive partitions: their files have unique names, and are put where answers say."""

from functools import partial
from itertools import product

import pytest
from hive_metastore.ttypes import Partition

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, NotFound
from engine.domain.runs.run import RunState
from engine.formats.hive.catalog.metastore import Metastore
from engine.formats.hive.catalog.roles import NotChanged, Unanswered
from engine.formats.hive.rewrite.swaps import MOST_LATE_FILES
from engine.formats.hive.writers.names import VALID_SECONDS, new_name
from engine.services.tables.write_locations import WriteAnswer
from tests.integration.hive.conftest import Opened
from tests.integration.hive.test_rewrites import Change, at_change
from tests.support.hive.followers import DualFile, Follower
from tests.support.hive.lakes import files_in, path_of
from tests.support.hive.second_readers import duckdb_rows
from tests.support.hive.worlds import DAYS, MANY_DAYS, STEPS, WrittenTable, at_steps, differences
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")

DAY = DAYS[0]
CURRENT, BOTH = ["current"], ["current", "next"]


@pytest.fixture
def writer(world: World[WrittenTable]) -> Follower:
    return Follower.of(world)


def wrong_rows(world: World[WrittenTable]) -> tuple[list[object], list[object]]:
    """Return the rows that a reader finds too often or at all, and those that it misses."""
    found = sorted((row["day"], row["id"]) for row in duckdb_rows(world.lake.table))
    assert found == world.lake.rows()
    return differences(found, world.lake.wanted())


async def test_writers_that_follow_at_each_step(opened: Opened) -> None:
    """U13: a reader finds the rows of a file that was written everywhere once, from then on at each later step.

    There is a partition for each step; its writer comes when the partition does.
    """
    async with opened(MANY_DAYS[: len(STEPS)]) as world:
        writer, written, seen = Follower.of(world), list[DualFile](), list[object]()

        def act(step: str, day: str) -> None:
            if step in STEPS and MANY_DAYS.index(day) == STEPS.index(step):
                written.append(writer.write(day))
            seen.append(wrong_rows(world))

        for step, day in product((*STEPS, "before_end"), MANY_DAYS):
            world.at(step, partial(act, step, day))
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert len(seen) > len(STEPS) * 5
        assert all(each == ([], []) for each in seen)
        assert wrong_rows(world) == ([], [])
        assert sorted(each.day for each in written) == list(MANY_DAYS)
        for each in written:
            assert each.ask().is_written
            assert each.name in [file.name for file in world.lake.files(each.day)]


async def test_the_folder_to_come_is_named_once_the_rewrite_has_written_to_it(opened: Opened) -> None:
    """U13: the answer names the old and the new folder, then the new one only, and whether a rewrite is under way."""
    steps = dict(zip(MANY_DAYS, ("before_commit", "commit_made", "commit_marked"), strict=False))
    async with opened(list(steps)) as world:
        writer, early, late = Follower.of(world), list[DualFile](), list[DualFile]()

        def ask(day: str) -> None:
            late.append(writer.file(day))

        world.at("rewriting", lambda: early.extend(writer.file(day) for day in steps))
        at_steps(world, [(step, partial(ask, day)) for day, step in steps.items()])
        old = world.lake.locations()
        submitted = (await world.submit()).id
        assert (await world.finish(submitted)).state is RunState.SUCCEEDED
        new = world.lake.locations()
        assert [each.day for each in late] == list(steps)
        for before, during, pair in zip(early, late, zip(old, new, strict=True), strict=True):
            assert (before.roles, during.roles) == (CURRENT, BOTH)
            assert tuple(each.location for each in during.answer.found.locations) == pair
            assert (before.answer.run_id, during.answer.run_id) == (submitted, submitted)
            assert during.answer.state == "rewriting"
            after = during.ask()
            assert (after.roles, after.answer.state, after.answer.run_id) == (CURRENT, "steady", None)
            assert after.answer.found.locations[0].location == pair[1]
            assert (during.is_written, after.answer.found.compaction_id) == (False, 1)
        for each in (*early, *late):
            each.disown()
        assert wrong_rows(world) == ([], [])


async def test_a_writer_that_ends_after_one_folder_leaves_its_rows_once_or_not_at_all(opened: Opened) -> None:
    """U13: nothing is doubled if a writer ends half way; the rows are there if it was in the current folder."""
    ends = dict(zip(MANY_DAYS, product(("before_commit", "commit_marked"), BOTH), strict=False))
    async with opened(list(ends)) as world:
        writer, files = Follower.of(world), dict[str, DualFile]()

        def write(day: str, role: str) -> None:
            files[day] = writer.file(day)
            (location,) = [each.location for each in files[day].answer.found.locations if each.role.value == role]
            files[day].put(location)

        at_steps(world, [(step, partial(write, day, role)) for day, (step, role) in ends.items()])
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert all("_compacted" in each for each in world.lake.locations()), "the file does not hold the rewrite back"
        extra, missing = wrong_rows(world)
        assert extra == []
        for day, (_, role) in ends.items():
            lost = [row for row in missing if row[0] == day]
            assert lost in ([], [(day, number) for number in files[day].ids])
            assert role == "next" or lost == []
            files[day].ask().finish()
        assert wrong_rows(world) == ([], [])


async def test_a_write_in_the_last_moment_before_and_after_the_change_of_the_location(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: what is put between the last look at the old folder and the change of the location is there once."""
    writes = dict(zip(MANY_DAYS, product(("before", "after"), ("everywhere", *BOTH)), strict=False))
    async with opened(list(writes)) as world:
        writer, files = Follower.of(world), dict[str, DualFile]()

        def act(change: Change, day: str) -> None:
            if day in files:
                change()
                return
            moment, puts = writes[day]
            files[day] = writer.file(day)
            places = {each.role.value: each.location for each in files[day].answer.found.locations}
            if moment == "after":
                change()
            for role in places if puts == "everywhere" else (puts,):
                files[day].put(places[role])
            if puts == "everywhere":
                files[day].ask().finish()
                assert wrong_rows(world) == ([], []) or moment == "before"
            if moment == "before":
                change()

        at_change(monkeypatch, act)
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert all("_compacted" in each for each in world.lake.locations())
        assert wrong_rows(world) == ([], [])
        assert [file.ask().is_written for file in files.values()] == [True] * len(writes)


async def test_rows_of_a_writer_that_follows_stay_when_others_were_overwritten_in_the_swap(
    world: World[WrittenTable], writer: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: the partition gets its old folder back, with the file that only the new one had."""
    files: list[DualFile] = []

    def act(change: Change, _day: str) -> None:
        if files:
            change()
            return
        world.lake.overwrite(DAY)
        change()
        files.append(writer.write(DAY))

    at_change(monkeypatch, act)
    assert (await world.rewrite()).is_terminal
    assert len(files[0].answer.found.locations) == 1
    assert "_compacted" not in world.lake.locations()[0]
    assert wrong_rows(world) == ([], [])


async def test_more_files_than_a_rewrite_copies_do_not_hold_it_back_if_their_writers_follow(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: a file that is in both folders is neither read nor counted as one to be copied."""

    def write() -> None:
        first = writer.write(DAY)
        old, new = (path_of(each.location) for each in first.answer.found.locations)
        for _ in range(MOST_LATE_FILES):
            name = new_name()
            for folder in (old, new):
                (folder / f".{name}").write_bytes((old / first.name).read_bytes())
                (folder / f".{name}").replace(folder / name)
            world.lake.expected[DAY] += first.ids

    world.at("before_commit", write)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert all("_compacted" in each for each in world.lake.locations())
    assert wrong_rows(world) == ([], [])


async def test_a_rewrite_that_fails_its_proof_gives_back_the_old_folder_with_every_file(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: files that were put into both folders, and into the new one once it was current, are in the old one."""
    files: list[DualFile] = []
    world.at("before_commit", lambda: files.append(writer.write(DAY)))

    def damage() -> None:
        files.append(writer.write(DAY))
        (output,) = [each for each in files_in(path_of(world.lake.locations()[0])) if each.name.startswith("run_")]
        output.write_bytes(bytes(output.stat().st_size))

    world.at("after_commit", damage)
    run = await world.rewrite()
    assert (run.state, "it was rolled back" in str(run.detail)) == (RunState.FAILED, True), run.detail
    assert "_compacted" not in world.lake.locations()[0]
    assert wrong_rows(world) == ([], [])
    assert all(each.ask().is_written for each in files)
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    assert wrong_rows(world) == ([], [])
    assert all(each.ask().is_written for each in files), "merged"


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_file_that_comes_to_the_new_folder_while_the_old_one_is_given_back_is_brought_along(
    world: World[WrittenTable], writer: Follower, monkeypatch: pytest.MonkeyPatch, *, is_answered: bool
) -> None:
    """U13: the writer was told that the new folder is current, just before the call that gives back the old one."""
    real, files = Metastore.change_partition, list[DualFile]()

    def damage() -> None:
        for file in files_in(path_of(world.lake.locations()[0])):
            file.write_bytes(bytes(file.stat().st_size))

    def change(self: Metastore, database: str, name: str, changed: Partition, before: Partition) -> None:
        goes_back = "_compacted" not in changed.sd.location
        if goes_back:
            files.append(writer.write(DAY))
        real(self, database, name, changed, before)
        if goes_back and not is_answered:
            raise Unanswered("timeout")

    world.at("after_commit", damage)
    monkeypatch.setattr(Metastore, "change_partition", change)
    assert (await world.rewrite()).state is RunState.FAILED
    assert len(files) == 1
    assert "_compacted" not in world.lake.locations()[0]
    assert wrong_rows(world) == ([], [])


async def test_a_rewrite_that_is_given_up_leaves_the_rows_of_a_double_write_once(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: the new folder never gets the partition; the next rewrite merges the file from the old one."""

    def write() -> None:
        file = writer.file(DAY)
        assert file.roles == BOTH
        file.finish()
        (old / "deeper").mkdir()
        (old / "deeper" / "rows.parquet").write_bytes(files_in(old)[0].read_bytes())

    old = path_of(world.lake.locations()[0])
    world.at("before_commit", write)
    assert (await world.rewrite()).is_terminal
    assert path_of(world.lake.locations()[0]) == old
    (old / "deeper" / "rows.parquet").unlink()
    assert wrong_rows(world) == ([], [])
    run = await world.finish((await world.submit(allow_duplicate=True)).id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert "_compacted" in world.lake.locations()[0]
    assert wrong_rows(world) == ([], [])


async def test_two_contents_under_one_name_are_never_made_one(world: World[WrittenTable], writer: Follower) -> None:
    """U13: the rewrite of the partition is given up, and no file is overwritten."""
    kept: dict[str, bytes] = {}

    def write() -> None:
        file = writer.file(DAY)
        old, new = (each.location for each in file.answer.found.locations)
        paths = [file.put(old), file.put(new, rows=file.rows.slice(0, 1))]
        kept.update({str(path): path.read_bytes() for path in paths})

    world.at("before_commit", write)
    run = await world.rewrite()
    events = await world.container.runs.events(SYSTEM, run.id, limit=100)
    (dropped,) = [event.details for event in events if event.kind == "group_dropped"]
    assert "stands for one content" in dropped["detail"]
    assert "_compacted" not in world.lake.locations()[0]
    old = next(iter(kept))
    assert path_of(old).read_bytes() == kept[old]
    assert wrong_rows(world) == ([], [])


async def test_the_next_folder_has_a_file_that_its_rewrite_merges(world: World[WrittenTable], writer: Follower) -> None:
    """U13: a writer that asks late is not sent to a folder whose files have its rows already."""
    file = writer.file(DAY)
    file.put_missing()
    answers: list[WriteAnswer] = []
    world.at("before_commit", lambda: answers.append(writer.ask(DAY, file.name)))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    found = [(each.role.value, each.has_file) for each in answers[0].found.locations]
    assert found == [("current", True), ("next", True)]
    assert file.ask().is_written
    assert wrong_rows(world) == ([], [])


async def test_a_writer_that_puts_a_merged_file_into_the_next_folder_holds_the_rewrite_back(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: no answer has sent it there; the partition stays where it was, rather than have the rows twice."""
    file = writer.file(DAY)
    file.put_missing()
    world.at("before_commit", lambda: file.put(file.ask().answer.found.locations[1].location))
    assert (await world.rewrite()).is_terminal
    assert "_compacted" not in world.lake.locations()[0]
    assert wrong_rows(world) == ([], [])


async def test_the_folder_of_a_rewrite_is_not_named_once_the_partition_was_moved(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: the rewrite will be given up, as its files are those of another folder."""
    answers: list[WriteAnswer] = []

    def act() -> None:
        world.lake.move(DAY)
        answers.append(writer.ask(DAY))

    world.at("before_commit", act)
    assert (await world.rewrite()).is_terminal
    assert [each.location for each in answers[0].found.locations] == world.lake.locations()[:1]
    assert wrong_rows(world) == ([], [])


async def test_a_file_that_was_merged_before_its_writer_asked_again_is_written(
    world: World[WrittenTable], writer: Follower
) -> None:
    """U13: two rewrites pass between a writer's put and its next question; another put would double its rows."""
    file = writer.file(DAY)
    file.put_missing()
    for _ in range(2):
        assert (await world.rewrite()).state is RunState.SUCCEEDED
        world.lake.append(DAY)
    file.ask()
    assert (file.is_written, file.roles) == (True, CURRENT)
    assert not (path_of(world.lake.locations()[0]) / file.name).exists()
    file.finish()
    assert wrong_rows(world) == ([], [])


async def test_the_list_of_a_rewrite_that_never_took_place_does_not_count(
    world: World[WrittenTable], writer: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: its list has the file, but no partition has its folder, and the rows were overwritten since."""
    real, refusals = Metastore.change_partition, [NotChanged("not now")] * 4

    def change(self: Metastore, database: str, name: str, changed: Partition, before: Partition) -> None:
        if refusals:
            raise refusals.pop()
        real(self, database, name, changed, before)

    file = writer.file(DAY)
    file.put_missing()
    monkeypatch.setattr(Metastore, "change_partition", change)
    assert (await world.rewrite()).is_terminal
    (listed,) = world.lake.table.folder.glob(f"_compacted/day={DAY}/*/_replaced-*.json")
    assert file.name in listed.read_text()
    assert file.ask().is_written, "it is in the folder"
    world.lake.overwrite(DAY)
    assert not file.ask().is_written
    world.lake.append(DAY)
    assert (await world.finish((await world.submit(allow_duplicate=True)).id)).state is RunState.SUCCEEDED
    assert path_of(world.lake.locations()[0]).parent == listed.parent, "the next rewrite has the same number"
    assert not file.ask().is_written
    world.lake.expected[DAY] += file.ids
    file.finish()
    assert wrong_rows(world) == ([], [])


def _named_at(seconds: float) -> str:
    _, at, rest = new_name().split("-")
    return f"dual-{int(at) + round(seconds * 1000):013}-{rest}"


async def test_names_that_no_answer_has_given_are_refused(world: World[WrittenTable], writer: Follower) -> None:
    hostile = {
        "another folder": f"dual-../../{new_name()}",
        "a part of another": new_name()[:-9],
        "other digits": new_name().replace("dual-1", "dual-\u0661"),
        "a line end": new_name() + "\n",
        "an hour ago": _named_at(-VALID_SECONDS - 60),
        "tomorrow": _named_at(86_400),
    }
    for name in hostile.values():
        with pytest.raises(InvalidInput, match="file_name can't be used"):
            writer.ask(DAY, name)
    assert world.lake.rows() == world.lake.wanted()


def test_partitions_that_the_table_can_not_have_or_lacks_are_refused(writer: Follower) -> None:
    """One that does not exist is to be added first."""
    wrong = ("{}", "[]", "{", "null", '{"day":["2026-11-01"]}', '{"day":"2026-11-01","hour":1}', '{"day":"\\ud800"}',
             '{"day":1.5}', '{"day":""}', "[" * 4000)  # fmt: skip
    for partition in wrong:
        with pytest.raises(InvalidInput, match="partition can't be read"):
            writer.ask(DAY, partition=partition)
    for day in ("2026-11-09", "../2026-11-01", "' OR 1=1", "2026-11-01\\u0000"):
        with pytest.raises(NotFound, match="add it in the Metastore"):
            writer.ask(day)

"""Writers that follow rewrites of Hive partitions: their files have unique names, and are put where answers say."""

from collections.abc import Callable

import pytest
from hive_metastore.ttypes import InvalidOperationException, Partition
from thrift.transport.TTransport import TTransportException

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, NotFound
from engine.domain.runs.run import RunState
from engine.formats.hive.catalog.metastore import Metastore
from engine.formats.hive.compaction.swaps import MOST_LATE_FILES
from engine.formats.hive.writers.names import VALID_SECONDS, new_name
from engine.services.tables.write_locations import WriteAnswer
from tests.integration.hive.test_rewrites import STEPS
from tests.support.hive.followers import DualFile, Follower
from tests.support.hive.lakes import files_in, path_of
from tests.support.hive.second_readers import duckdb_rows
from tests.support.hive.worlds import DAYS, WrittenTable, differences
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


@pytest.mark.parametrize("step", STEPS)
async def test_a_writer_that_follows_at_a_step(world: World[WrittenTable], writer: Follower, step: str) -> None:
    """U13: a reader finds the rows of a file that was written everywhere once, from then on at each later step."""
    written: list[DualFile] = []
    seen: list[object] = []

    def write() -> None:
        if not written:
            written.append(writer.write(DAY))
        seen.append(wrong_rows(world))

    for each in (*STEPS[STEPS.index(step) :], "before_end"):
        for _ in DAYS:
            world.at(each, write)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(seen) > 1
    assert all(each == ([], []) for each in seen)
    assert wrong_rows(world) == ([], [])
    assert written[0].ask().is_written
    assert [files_in(path_of(each)) != [] for each in world.lake.locations()] == [True, True]
    assert (path_of(world.lake.locations()[0]) / written[0].name).exists()


@pytest.mark.parametrize("step", ["before_commit", "commit_made", "commit_marked"])
async def test_the_folder_to_come_is_named_once_the_rewrite_has_written_to_it(
    world: World[WrittenTable], writer: Follower, step: str
) -> None:
    """U13: the answer names the old and the new folder, then the new one only, and whether a rewrite is under way."""
    during: list[DualFile] = []
    world.at("rewriting", lambda: during.append(writer.file(DAY)))
    world.at(step, lambda: during.append(writer.file(DAY)))
    old = world.lake.locations()[0]
    submitted = (await world.submit()).id
    assert (await world.finish(submitted)).state is RunState.SUCCEEDED
    early, late = during
    assert (early.roles, late.roles) == (CURRENT, BOTH)
    assert [each.location for each in late.answer.found.locations] == [old, world.lake.locations()[0]]
    assert (early.answer.run_id, late.answer.run_id, late.answer.state) == (submitted, submitted, "rewriting")
    after = late.ask()
    assert (after.roles, after.answer.state, after.answer.run_id) == (CURRENT, "steady", None)
    assert after.answer.found.locations[0].location == world.lake.locations()[0]
    assert (late.is_written, after.answer.found.compaction_id) == (False, 1)
    for each in during:
        each.disown()
    assert wrong_rows(world) == ([], [])


@pytest.mark.parametrize("at", ["current", "next"])
@pytest.mark.parametrize("step", ["before_commit", "commit_marked"])
async def test_a_writer_that_ends_after_one_folder_leaves_its_rows_once_or_not_at_all(
    world: World[WrittenTable], writer: Follower, step: str, at: str
) -> None:
    """U13: nothing is doubled if a writer ends half way; the rows are there if it was in the current folder."""
    files: list[DualFile] = []

    def write() -> None:
        files.append(writer.file(DAY))
        (location,) = [each.location for each in files[0].answer.found.locations if each.role.value == at]
        files[0].put(location)

    world.at(step, write)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert "_compacted" in world.lake.locations()[0], "the file does not hold the rewrite back"
    extra, missing = wrong_rows(world)
    assert extra == []
    assert missing in ([], [(DAY, number) for number in files[0].ids])
    assert at == "next" or missing == []
    files[0].ask().finish()
    assert wrong_rows(world) == ([], [])


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("puts", ["everywhere", "current", "next"])
async def test_a_write_in_the_last_moment_before_and_after_the_change_of_the_location(
    world: World[WrittenTable], writer: Follower, moment: str, puts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: what is put between the last look at the old folder and the change of the location is there once."""
    real, files = Metastore.change_partition, list[DualFile]()

    def change(self: Metastore, database: str, name: str, changed: Partition) -> None:
        if files:
            real(self, database, name, changed)
            return
        files.append(writer.file(DAY))
        places = {each.role.value: each.location for each in files[0].answer.found.locations}
        if moment == "after":
            real(self, database, name, changed)
        for role in places if puts == "everywhere" else (puts,):
            files[0].put(places[role])
        if puts == "everywhere":
            files[0].ask().finish()
            assert wrong_rows(world) == ([], []) or moment == "before"
        if moment == "before":
            real(self, database, name, changed)

    monkeypatch.setattr(Metastore, "change_partition", change)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert "_compacted" in world.lake.locations()[0]
    assert wrong_rows(world) == ([], [])
    assert files[0].ask().is_written


async def test_rows_of_a_writer_that_follows_stay_when_others_were_overwritten_in_the_swap(
    world: World[WrittenTable], writer: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: the partition gets its old folder back, with the file that only the new one had."""
    real, files = Metastore.change_partition, list[DualFile]()

    def change(self: Metastore, database: str, name: str, changed: Partition) -> None:
        if files:
            real(self, database, name, changed)
            return
        world.lake.overwrite(DAY)
        real(self, database, name, changed)
        files.append(writer.write(DAY))

    monkeypatch.setattr(Metastore, "change_partition", change)
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

    def change(self: Metastore, database: str, name: str, changed: Partition) -> None:
        goes_back = "_compacted" not in changed.sd.location
        if goes_back:
            files.append(writer.write(DAY))
        real(self, database, name, changed)
        if goes_back and not is_answered:
            raise TTransportException(TTransportException.TIMED_OUT, "timeout")

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
    run = await world.finish((await world.submit(force=True)).id)
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
    real, refused = Metastore.change_partition, list[Partition]()

    def change(self: Metastore, database: str, name: str, changed: Partition) -> None:
        if not refused:
            refused.append(changed)
            raise InvalidOperationException("not now")
        real(self, database, name, changed)

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
    assert (await world.finish((await world.submit(force=True)).id)).state is RunState.SUCCEEDED
    assert path_of(world.lake.locations()[0]).parent == listed.parent, "the next rewrite has the same number"
    assert not file.ask().is_written
    world.lake.expected[DAY] += file.ids
    file.finish()
    assert wrong_rows(world) == ([], [])


HOSTILE: dict[str, Callable[[], str]] = {
    "another folder": lambda: f"dual-../../{new_name()}",
    "a part of another": lambda: new_name()[:-9],
    "other digits": lambda: new_name().replace("dual-1", "dual-\u0661"),
    "a line end": lambda: new_name() + "\n",
    "an hour ago": lambda: _named_at(-VALID_SECONDS - 60),
    "tomorrow": lambda: _named_at(86_400),
}


def _named_at(seconds: float) -> str:
    _, at, rest = new_name().split("-")
    return f"dual-{int(at) + round(seconds * 1000):013}-{rest}"


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_name_that_no_answer_has_given_is_refused(
    world: World[WrittenTable], writer: Follower, name: str
) -> None:
    with pytest.raises(InvalidInput, match="file_name can't be used"):
        writer.ask(DAY, HOSTILE[name]())
    assert world.lake.rows() == world.lake.wanted()


@pytest.mark.parametrize(
    "partition",
    [
        "{}",
        "[]",
        "{",
        "null",
        '{"day":["2026-11-01"]}',
        '{"day":"2026-11-01","hour":1}',
        '{"day":"\\ud800"}',
        '{"day":1.5}',
        '{"day":""}',
        "[" * 4000,
    ],
)
def test_a_partition_that_the_table_can_not_have_is_refused(
    world: World[WrittenTable], writer: Follower, partition: str
) -> None:
    with pytest.raises(InvalidInput, match="partition can't be read"):
        writer.ask(DAY, partition=partition)


@pytest.mark.parametrize("day", ["2026-11-09", "../2026-11-01", "' OR 1=1", "2026-11-01\\u0000"])
async def test_a_partition_that_does_not_exist_is_to_be_added_first(
    world: World[WrittenTable], writer: Follower, day: str
) -> None:
    with pytest.raises(NotFound, match="add it in the Metastore"):
        writer.ask(day)

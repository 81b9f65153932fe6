"""Whole runs on tables of a Metastore: partitions move to new folders beside writers, readers and lost answers."""

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.formats.hive.catalog.glue import GlueCatalog
from engine.formats.hive.catalog.metastore import Metastore
from engine.formats.hive.catalog.roles import Unanswered
from engine.formats.hive.rewrite import folders, swaps
from tests.integration.hive.conftest import Opened
from tests.support.hive.lakes import HiveLake, HiveTable, files_in, path_of
from tests.support.hive.second_readers import HiveSpark, duckdb_rows
from tests.support.hive.worlds import DAYS, MANY_DAYS, STEPS, WrittenTable, differences, open_written
from tests.support.world import World

ACTIONS = (WrittenTable.append, WrittenTable.overwrite, WrittenTable.drop, WrittenTable.move)
"""What other writers do to a partition."""
Change = Callable[[], None]


pytestmark = pytest.mark.usefixtures("redis")


def at_change(monkeypatch: pytest.MonkeyPatch, act: Callable[[Change, str], None]) -> None:
    """Run an action instead of each change of a partition's location; it gets the change, and the day."""
    for catalog in (Metastore, GlueCatalog):
        real = catalog.change_partition

        def change(self: Any, *entries: Any, real: Callable[..., None] = real) -> None:
            act(lambda: real(self, *entries), str(entries[2].values[0]))

        monkeypatch.setattr(catalog, "change_partition", change)


async def test_partitions_move_to_folders_with_a_growing_compaction_id(world: World[WrittenTable]) -> None:
    """U10: the path has the compaction id, which grows with each rewrite of a partition."""
    for number in (1, 2):
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        locations = world.lake.locations()
        assert all(
            f"/_compacted/day={day}/compaction_id={number}/" in each for day, each in zip(DAYS, locations, strict=True)
        )
        assert world.lake.rows() == world.lake.wanted()
        assert sorted((row["day"], row["id"]) for row in duckdb_rows(world.lake.table)) == world.lake.wanted()
        assert [(each["removed_files"], each["added_files"]) for each in run.result.verifications] == [
            (4 if number == 1 else 2, 1)
        ] * 2
        if number == 1:
            for day in DAYS:
                world.lake.append(day)
    assert (await world.rewrite()).reason == "nothing_to_do"


async def test_spark_reads_the_same_rows_by_any_predicate(world: World[WrittenTable], hive_spark: HiveSpark) -> None:
    """The same session of Spark, which has listed the old folders, reads the new ones."""
    tests = ["true", "id >= 40", "id = 39", "value < 20.0", f"day = '{DAYS[0]}'", f"day > '{DAYS[0]}' AND id < 100"]
    before = [_spark_rows(hive_spark, each) for each in tests]
    assert before[0] == world.lake.wanted()
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    assert [_spark_rows(hive_spark, each) for each in tests] == before
    hive_spark.rows(f"INSERT INTO lake.events PARTITION (day = '{DAYS[0]}') VALUES (1000, 0.5)")
    assert world.lake.rows() == sorted([*world.lake.wanted(), (DAYS[0], 1000)])


def _spark_rows(spark: HiveSpark, where: str) -> list[Any]:
    found = spark.rows(f"SELECT day, id FROM lake.events WHERE {where}")
    return sorted((row["day"], row["id"]) for row in found)


@pytest.mark.parametrize("step", STEPS)
async def test_actions_of_other_writers_at_a_step(opened: Opened, step: str) -> None:
    """U13: no row is lost or seen twice, whatever writers do while their partition gets a new folder.

    There is a partition for each action; each comes to every step but the first by itself.
    """
    async with opened(MANY_DAYS[: len(ACTIONS)]) as world:
        acts = [partial(act, world.lake, day) for act, day in zip(ACTIONS, MANY_DAYS, strict=False)]
        for each in [lambda: [act() for act in acts]] if step == "planned" else acts:
            world.at(step, each)
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert world.actions[step] == []
        assert differences(world.lake.rows(), world.lake.wanted()) == ([], [])


async def test_actions_just_before_the_change_of_the_location(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Metastore has no conditional change: what came in the last moment is put right afterwards."""
    left = dict(zip(MANY_DAYS, ACTIONS[:3], strict=False))
    async with opened(list(left)) as world:

        def act(change: Change, day: str) -> None:
            if day in left:
                left.pop(day)(world.lake, day)
            change()

        at_change(monkeypatch, act)
        run = await world.rewrite()
        assert run.is_terminal
        assert left == {}
        assert differences(world.lake.rows(), world.lake.wanted()) == ([], [])


async def test_a_lost_answer_is_looked_up(hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path) -> None:
    with hive_lake.metastore.switched() as (behind, switch):
        async with open_written(
            hive_lake, tmp_path, database_url=sqlite_url, redis_url=redis_url, uri=behind.uri
        ) as world:

            def lose() -> None:
                switch.lost = "alter_partition_with_environment_context"

            def answer() -> None:
                switch.lost = ""

            world.at("commit_marked", lose)
            world.at("after_commit", answer)
            submitted = await world.submit()
            thread = threading.Timer(1.0, answer)
            thread.start()
            run = await world.finish(submitted.id)
            thread.join()
            assert run.state is RunState.SUCCEEDED, run.detail
            assert switch.faults
            assert world.lake.rows() == world.lake.wanted()


async def test_a_reader_in_a_loop_finds_every_row_once(world: World[WrittenTable]) -> None:
    """U2: data stays readable and fresh while it is compacted."""
    seen: list[Any] = []
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            seen.append(sorted((row["day"], row["id"]) for row in duckdb_rows(world.lake.table)))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        run = await world.rewrite()
    finally:
        ended.set()
        reader.join()
    assert run.state is RunState.SUCCEEDED
    assert seen
    assert all(rows == world.lake.wanted() for rows in seen)


async def test_files_that_are_not_parquet_hold_their_partition_back(world: World[WrittenTable]) -> None:
    (path_of(world.lake.locations()[0]) / "notes.txt").write_text("no rows")
    run = await world.rewrite()
    assert "is not a Parquet file" in str(run.detail)
    assert [("_compacted" in each) for each in world.lake.locations()] == [False, True]


def _begin_file(folder: Path) -> Path:
    """Write the first part of a Parquet file, as a writer does on HDFS or on disks."""
    file = folder / "unfinished.parquet"
    file.write_bytes(b"PAR1" + bytes(100))
    return file


@pytest.mark.parametrize("step", ["group_written", "before_commit"])
async def test_a_file_that_is_being_written_holds_its_partition_back(world: World[WrittenTable], step: str) -> None:
    """Its first part would be in the new folder for ever, and no reader could read the partition."""
    old = path_of(world.lake.locations()[0])
    world.at(step, lambda: _begin_file(old))
    await world.rewrite()
    assert [("_compacted" in each) for each in world.lake.locations()] == [False, True]
    assert list(world.lake.table.folder.rglob("late-*")) == []
    (old / "unfinished.parquet").unlink()
    assert world.lake.rows() == world.lake.wanted()


@pytest.mark.parametrize("kind", ["unfinished", "large"])
async def test_a_file_that_can_not_be_copied_after_the_change_is_left_to_the_watch(
    world: World[WrittenTable], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = path_of(world.lake.locations()[0])

    def act(change: Change, day: str) -> None:
        if day == DAYS[0]:
            _begin_file(old) if kind == "unfinished" else world.lake.append(DAYS[0])
            monkeypatch.setattr(swaps, "LARGEST_COPY", 2**28 if kind == "unfinished" else 10)
        change()

    at_change(monkeypatch, act)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert all("_compacted" in each for each in world.lake.locations())
    assert list(world.lake.table.folder.rglob("late-*")) == []
    (listed,) = [each for each in world.lake.table.folder.rglob("_replaced-*") if f"day={DAYS[0]}" in str(each)]
    assert len(json.loads(listed.read_bytes())["files"]) == 4
    watched = await world.finish((await world.submit(RunRequest(Operation.DELETE_OLD_COMPACTIONS))).id)
    late = watched.plan["removal"]["copies"]["late"]
    assert late["left"] == {"just_written": 1}


async def test_a_partition_whose_record_would_be_too_long_is_left_alone(
    world: World[WrittenTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MOST_OF_FOLDERS", 100)
    before = world.lake.locations()
    run = await world.rewrite()
    assert (run.state, run.reason, world.lake.locations()) == (RunState.REFUSED, "not_eligible", before)
    assert "more than the 100 that the Metastore can store" in str(run.detail)
    assert world.lake.rows() == world.lake.wanted()


async def test_a_call_that_is_executed_late_finds_the_files_of_its_folder(
    world: World[WrittenTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is lost, the partition is overwritten, the run gives the group up: then the call is executed."""
    late: list[Change] = []

    def act(change: Change, day: str) -> None:
        if late or day != DAYS[0]:
            change()
            return
        late.append(change)
        world.lake.overwrite(DAYS[0])
        raise Unanswered("timeout")

    at_change(monkeypatch, act)
    run = await world.rewrite()
    assert run.is_terminal
    assert differences(world.lake.rows(), world.lake.wanted()) == ([], [])
    late[0]()
    assert (
        sum(day == DAYS[0] for day, _ in world.lake.rows()) == 80
    )  # old rows: the Metastore's fault, not a lack of files


async def test_a_partition_whose_proof_fails_gets_its_old_folder_back(world: World[WrittenTable]) -> None:
    def damage() -> None:
        for location in world.lake.locations():
            for file in files_in(path_of(location)) if "_compacted" in location else ():
                file.write_bytes(bytes(file.stat().st_size))

    world.at("after_commit", damage)
    run = await world.rewrite()
    assert (run.state, "it was rolled back" in str(run.detail)) == (RunState.FAILED, True), run.detail
    assert world.lake.rows() == world.lake.wanted()
    again = await world.rewrite()
    assert again.state is RunState.SUCCEEDED, again.detail
    assert world.lake.rows() == world.lake.wanted()
    assert all("/compaction_id=2/" in each for each in world.lake.locations()[:1])


async def test_a_partition_whose_proof_fails_is_left_to_people_once_others_wrote_to_it(
    world: World[WrittenTable],
) -> None:
    def damage() -> None:
        for location in world.lake.locations():
            if "_compacted" in location:
                file = files_in(path_of(location))[0]
                file.write_bytes(bytes(file.stat().st_size))
                world.lake.append(DAYS[0])

    world.at("after_commit", damage)
    run = await world.rewrite()
    assert (run.state, "the table is frozen" in str(run.detail)) == (RunState.FAILED, True), run.detail


async def test_each_partition_is_a_commit_of_its_own(
    world: World[WrittenTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer for one partition is lost while its call is executed: the others are neither repeated nor given up."""
    calls: list[str] = []

    def act(change: Change, day: str) -> None:
        change()
        calls.append(day)
        if calls == [DAYS[0]]:
            raise Unanswered("timeout")

    at_change(monkeypatch, act)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert calls == list(DAYS)
    assert len(run.result.verifications) == 2
    assert world.lake.rows() == world.lake.wanted()


HIDDEN = ("a link", "a control character", "a deeper folder")


def hide_rows(table: HiveTable, folder: Path, hidden: str) -> None:
    """Add rows to a folder that readers don't see, or that only some see."""
    file = files_in(folder)[0]
    if hidden == "a deeper folder":
        table.write_file(folder / "deeper", [{"id": 1, "value": 1.0}])
    elif hidden == "a link":
        (folder / "link.parquet").symlink_to(file)
    else:
        (folder / "a\nb.parquet").write_bytes(file.read_bytes())


async def test_rows_that_no_listing_shows_hold_their_partition_back(opened: Opened) -> None:
    """An engine made them after the plan; they would be unseen in the new folder."""
    async with opened(MANY_DAYS[:4]) as world:
        for hidden, location in zip(HIDDEN, world.lake.locations(), strict=False):
            world.at("before_commit", partial(hide_rows, world.lake.table, path_of(location), hidden))
        run = await world.rewrite()
        assert run.is_terminal
        assert [("_compacted" in each) for each in world.lake.locations()] == [False, False, False, True]


async def test_a_partition_with_rows_that_no_listing_shows_is_not_rewritten_at_all(opened: Opened) -> None:
    async with opened(MANY_DAYS[:3]) as world:
        for hidden, location in zip(HIDDEN[:2], world.lake.locations(), strict=False):
            hide_rows(world.lake.table, path_of(location), hidden)
        run = await world.rewrite()
        assert "is left alone" in str(run.detail)
        assert [("_compacted" in each) for each in world.lake.locations()] == [False, False, True]
        for day in MANY_DAYS[:2]:
            assert list(world.lake.table.folder.rglob(f"_compacted/day={day}/**/*.parquet")) == []


async def test_what_another_client_replaces_before_the_proof_is_no_failed_proof(opened: Opened) -> None:
    """Neither is the table frozen, nor do rows come back, and the other partition is rewritten."""
    actions = (*ACTIONS[1:], WrittenTable.truncate, WrittenTable.rewrite_file)
    async with opened(MANY_DAYS[:6]) as world:
        for act, day in zip(actions, MANY_DAYS, strict=False):
            world.at("after_commit", partial(act, world.lake, day))
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert world.actions["after_commit"] == []
        assert differences(world.lake.rows(), world.lake.wanted()) == ([], [])
        assert "_compacted" in world.lake.locations()[-1]


async def test_a_partition_without_rows_is_left_alone(world: World[WrittenTable]) -> None:
    for number in range(3):
        world.lake.table.append(["2026-11-03"], [])
        assert len(world.lake.table.partitions()) == 3, number
    run = await world.rewrite()
    assert "have no rows" in str(run.detail)
    assert [("_compacted" in each) for each in world.lake.locations()] == [True, True, False]
    assert world.lake.rows() == world.lake.wanted()


async def test_files_of_others_in_a_folder_of_a_run_stay(
    world: World[WrittenTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The partition has had the folder for a moment: a writer that saw it there puts its file into it."""
    left: list[Path] = []

    def act(change: Change, _day: str) -> None:
        change()
        if not left:
            left.append(world.lake.table.append([DAYS[0]], [{"id": 5000, "value": 0.5}]))
            world.lake.move(DAYS[0])

    at_change(monkeypatch, act)
    run = await world.rewrite()
    assert run.is_terminal
    assert left[0].exists()
    assert differences(world.lake.rows(), world.lake.wanted()) == ([], [])


async def test_a_table_whose_dropped_files_the_metastore_deletes_is_left_alone(world: World[WrittenTable]) -> None:
    set_property(world, "external.table.purge", "true")
    run = await world.rewrite()
    assert "whose rows would return" in str(run.detail)
    assert not any("_compacted" in each for each in world.lake.locations())


def set_property(world: World[WrittenTable], name: str, value: str) -> None:
    """Set a property of the table."""
    table = world.lake.table
    with table.metastore.client() as client:
        changed = client.get_table(table.database, table.name)
        changed.parameters[name] = value
        client.alter_table(table.database, table.name, changed)


async def test_outputs_have_the_codec_of_the_table(world: World[WrittenTable]) -> None:
    """A codec that outputs can't have is ignored, as is any other property."""
    codecs = {"SNAPPY": "SNAPPY", "gzip": "GZIP", "LZO": "ZSTD", "uncompressed": "UNCOMPRESSED"}
    for written, codec in codecs.items():
        set_property(world, "parquet.compression", written)
        for day in DAYS:
            world.lake.append(day)
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        found = [pq.read_metadata(each) for day in DAYS for each in world.lake.files(day)]
        assert [each.row_group(0).column(0).compression for each in found] == [codec] * len(DAYS), written

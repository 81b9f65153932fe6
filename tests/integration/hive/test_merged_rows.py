"""Rewrites that keep the newest row of each key (`rewrite.key`): readers who merge find the same rows all the time."""

import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import RunState
from tests.support.hive.lakes import HiveLake, HiveTable, files_in, path_of
from tests.support.hive.second_readers import HiveSpark
from tests.support.hive.worlds import DAYS, MANY_DAYS, STEPS, WrittenTable, at_steps, open_table
from tests.support.world import World

COLUMNS = [("id", "bigint"), ("region", "string"), ("updated", "int"), ("gone", "boolean"), ("text", "string")]
KEY: dict[str, Any] = {"columns": ["Id", "region"], "version": "UPDATED", "deleted": "gone"}

pytestmark = pytest.mark.usefixtures("redis")


@dataclass
class Upserts(WrittenTable):
    """A table whose writers add a row to change or delete an earlier one."""

    chance: Random = field(default_factory=lambda: Random(7))
    version: int = 0

    def upsert(self, day: str, rows: int = 30) -> None:
        """Add a file with rows that are newer than all before."""
        self.version += 1
        made = [
            {
                "id": None if self.chance.random() < 0.05 else self.chance.randrange(25),
                "region": self.chance.choice(("eu", "us")),
                "updated": self.version,
                "gone": self.chance.choice((None, False, False, True)),
                "text": f"{day} {self.version}.{number}",
            }
            for number in range(rows)
        ]
        # of equal versions, the last row counts here, and none is defined for readers: each key is once in a file
        once = {(row["id"], row["region"], row["id"] is None and row["text"]): row for row in made}
        self.table.append([day], list(once.values()))

    def merged(self) -> list[str]:
        """Return the texts of the rows that readers find who merge while they read."""
        return merged_on_read(self.table)

    def stored(self) -> list[str]:
        """Return the texts of all rows."""
        return sorted(row["text"] for row in self.table.rows())


def merged_on_read(table: HiveTable) -> list[str]:
    """Merge the rows of a table by DuckDB, in each partition."""
    query = """
        SELECT text FROM (
            SELECT *, row_number() OVER (PARTITION BY id, region ORDER BY updated DESC NULLS LAST) AS place
            FROM read_parquet($1, union_by_name = true) WHERE id IS NOT NULL
        ) WHERE place = 1 AND gone IS NOT TRUE
        UNION ALL SELECT text FROM read_parquet($1, union_by_name = true) WHERE id IS NULL
    """
    found: list[str] = []
    with duckdb.connect() as connection:
        for partition in table.partitions():
            files = [str(each) for each in files_in(path_of(partition.sd.location))]
            found += [text for (text,) in connection.execute(query, [files]).fetchall()]
    return sorted(found)


def made_table(lake: HiveLake, days: Sequence[str] = DAYS) -> Upserts:
    """Return a table of these partitions with four files each."""
    made = Upserts(lake.create_table(columns=COLUMNS, keys=[("day", "string")]), lake.metastore.uri)
    for day in [*days] * 4:
        made.upsert(day)
    return made


Opened = Callable[..., AbstractAsyncContextManager[World[Upserts]]]


@pytest.fixture
def opened(hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path) -> Opened:
    """Start a container in which the rows of a table of these partitions are merged by a key."""

    def opened(key: Mapping[str, Any] = KEY, days: Sequence[str] = DAYS) -> AbstractAsyncContextManager[World[Upserts]]:
        written = made_table(hive_lake, days)
        return open_table(written, tmp_path, database_url=sqlite_url, redis_url=redis_url, key=key)

    return opened


@pytest.fixture
async def world(opened: Opened) -> AsyncIterator[World[Upserts]]:
    async with opened() as made:
        yield made


async def test_only_the_newest_row_of_each_key_is_left(world: World[Upserts]) -> None:
    """U17: older rows of a key and deleted keys are gone; rows of another partition, and without a key, stay."""
    wanted, before = world.lake.merged(), world.lake.stored()
    assert len(wanted) < len(before)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert world.lake.stored() == world.lake.merged() == wanted
    assert run.result.document["deleted_rows"] == len(before) - len(wanted)
    assert all(each["ok"] for each in run.result.verifications)
    assert "left out by key" in str(run.result.verifications)


async def test_rows_that_come_during_the_rewrite_count_as_well(opened: Opened) -> None:
    """A file of a writer is copied as it is; the next rewrite merges it. There is a partition for each step."""
    *days, other = MANY_DAYS
    steps = [step for step in STEPS if step != "commit_marked"]
    async with opened(days=MANY_DAYS) as world:
        at_steps(world, [(step, partial(world.lake.upsert, day)) for day, step in zip(days, steps, strict=True)])
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert world.lake.version == 4 * len(MANY_DAYS) + len(steps)
        wanted = world.lake.merged()
        world.lake.upsert(other)
        assert world.lake.stored() != world.lake.merged()
        assert (await world.rewrite()).state is RunState.SUCCEEDED
        merged = world.lake.merged()
        assert world.lake.stored() == merged
        assert [text for text in merged if not text.startswith(other)] == [
            text for text in wanted if not text.startswith(other)
        ]


async def test_readers_that_merge_find_the_same_rows_all_the_time(world: World[Upserts]) -> None:
    """U17: before, during and after the rewrite."""
    wanted, seen, ended = world.lake.merged(), list[Any](), threading.Event()

    def read() -> None:
        while not ended.is_set():
            seen.append(world.lake.merged())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        run = await world.rewrite()
    finally:
        ended.set()
        reader.join()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert seen
    assert all(rows == wanted for rows in seen)


async def test_a_key_that_the_table_can_t_have_is_refused(world: World[Upserts]) -> None:
    """U17: without a key that tells rows apart nothing is rewritten, and the reason names the column."""
    for key, named in (
        ({"columns": ["id"], "version": "text"}, "'text' of type string; it has to be a whole number"),
        ({"columns": ["id"], "version": "updated", "deleted": "text"}, "'text' of type string; it has to be a boolean"),
        ({"columns": ["day"], "version": "updated"}, "partition keys only"),
        ({"columns": ["id"], "version": "day"}, "'day', a partition key"),
    ):
        policy = PolicyDocument.model_validate({"rewrite": {"min_input_files": 2, "key": key}})
        with pytest.raises(InvalidInput) as refused:
            await world.container.policies.replace(SYSTEM, world.table_id, policy, if_match=1, if_none_match=False)
        (problem,) = refused.value.problems
        assert (problem.pointer, problem.value) == ("/rewrite/key", key)
        assert named in problem.message


async def test_partition_keys_can_be_part_of_the_key(opened: Opened) -> None:
    """Their values are equal in a partition, so that they are left out."""
    async with opened({**KEY, "columns": ["day", *KEY["columns"]]}) as world:
        wanted = world.lake.merged()
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        assert world.lake.stored() == wanted


async def test_a_partition_whose_keys_are_all_deleted_has_no_rows_left(world: World[Upserts]) -> None:
    """Rows that come later are merged as in other partitions."""
    for number in range(2):
        rows = [{"id": 1, "region": "eu", "updated": number, "gone": True, "text": f"gone {number}"}]
        world.lake.table.append(["2026-11-03"], rows)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [text for text in world.lake.stored() if text.startswith("gone")] == []
    rows = [{"id": 1, "region": "eu", "updated": 5, "gone": False, "text": "back"}]
    world.lake.table.append(["2026-11-03"], rows)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert "back" in world.lake.stored()
    assert len(files_in(path_of(world.lake.locations()[2]))) == 1


async def test_rows_of_spark_are_merged_by_a_timestamp(
    hive_lake: HiveLake, hive_spark: HiveSpark, sqlite_url: str, redis_url: str, tmp_path: Path
) -> None:
    """Spark stores timestamps as INT96, which are versions and stay as they are, far beyond 2262."""
    columns = [("id", "bigint"), ("at", "timestamp"), ("gone", "boolean")]
    table = hive_lake.create_table("events", columns, [("day", "string")])
    insert = "INSERT INTO lake.events PARTITION (day = '2026-11-01') SELECT /*+ COALESCE(1) */"
    for number, years in enumerate((1600, 2026, 9000)):
        rows = f"id, make_timestamp({years} + id % 7, 1, 1, {number}, 0, 0.000001D), id % 5 = {number} FROM range(60)"
        hive_spark.rows(f"{insert} {rows}")
    merge = (
        "SELECT id, CAST(at AS string) AS at FROM "
        "(SELECT *, row_number() OVER (PARTITION BY id ORDER BY at DESC) AS place FROM lake.events) "
        "WHERE place = 1 AND NOT gone ORDER BY id"
    )
    wanted = hive_spark.rows(merge)
    assert 0 < len(wanted) < 60
    written = WrittenTable(table, hive_lake.metastore.uri)
    key = {"columns": ["id"], "version": "at", "deleted": "gone"}
    async with open_table(written, tmp_path, database_url=sqlite_url, redis_url=redis_url, key=key) as world:
        run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert hive_spark.rows(merge) == wanted
    every = "SELECT id, CAST(at AS string) AS at FROM lake.events ORDER BY id"
    assert hive_spark.rows(every) == wanted


async def test_statistics_that_count_rows_are_removed_with_rows(world: World[Upserts]) -> None:
    """Hive answers `count(*)` by them, and Spark estimates the size of a join."""
    of_rows = {"numRows": "999", "rawDataSize": "9999", "COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}'}
    of_rows |= {"spark.sql.statistics.numRows": "999", "impala_intermediate_stats_num_chunks": "1"}
    table = world.lake.table
    for each in table.partitions():
        each.parameters = {**(each.parameters or {}), **of_rows, "numFiles": "4", "comment": "kept"}
        with table.metastore.client() as client:
            client.alter_partition(table.database, table.name, each)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    for each in table.partitions():
        assert each.parameters.keys() & of_rows.keys() == set()
        assert (each.parameters["numFiles"], each.parameters["comment"]) == ("1", "kept")

"""Delete files that a rewrite dropped: the engine reads the same rows, and its own procedure drops the same ones."""

from typing import Any

import pytest
from pydantic import TypeAdapter
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.predicates import PartitionPredicate
from tests.support.peer import both_readers, one
from tests.support.world import World

FIRST: PartitionPredicate = TypeAdapter(PartitionPredicate).validate_python({"column": "part", "op": "eq", "value": 0})


def make(spark: SparkSession, name: str, *, granularity: str) -> str:
    """Return a table of three partitions of four files, with deletes of two statements, and a file that came after."""
    table = f"lake.lake.{name}"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, part INT, note STRING) USING iceberg PARTITIONED BY (part) TBLPROPERTIES ("
        "'format-version'='2', 'write.delete.mode'='merge-on-read', 'write.distribution-mode'='none', "
        f"'write.delete.granularity'='{granularity}')"
    )
    for first in range(0, 400, 100):
        insert(spark, table, first, 100)
    for condition in ("id % 7 = 0", "id % 11 = 5"):
        spark.sql(f"DELETE FROM {table} WHERE {condition}")
    return table


def insert(spark: SparkSession, table: str, first: int, rows: int) -> None:
    spark.sql(
        f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ id, CAST(id % 3 AS INT), concat('note ', id % 5) "
        f"FROM range({first}, {first + rows}, 1, 1)"
    )


def deletes_by_partition(spark: SparkSession, table: str) -> dict[int, tuple[int, int]]:
    """Return files and rows of the live delete files of each partition."""
    query = f"SELECT partition.part, count(*), sum(record_count) FROM {table}.delete_files GROUP BY 1 ORDER BY 1"
    return {row[0]: (row[1], row[2]) for row in spark.sql(query).collect()}


async def rewritten(world: World, name: str, *, policy: dict[str, Any] | None = None) -> Run:
    """Rewrite the first partition of a table."""
    run = await world.rewrite_other(name, RunRequest(partitions=FIRST), policy=policy)
    assert run.state is RunState.SUCCEEDED, run.detail
    return run


@pytest.mark.parametrize("granularity", [pytest.param("file", marks=pytest.mark.deep), "partition"])
async def test_f19_deletes_of_the_rewritten_partition_are_gone_and_all_rows_are_there(
    world: World, spark: SparkSession, granularity: str
) -> None:
    """Planned on the snapshot of the last delete itself; the others' entries stand in the same manifests."""
    table = make(spark, "dangling", granularity=granularity)
    before, deletes = both_readers(spark, table), deletes_by_partition(spark, table)
    targets = f"SELECT referenced_data_file FROM {table}.delete_files WHERE partition.part > 0 ORDER BY 1"
    named = [row[0] for row in spark.sql(targets).collect()]
    run = await rewritten(world, "dangling")
    assert both_readers(spark, table) == before
    assert deletes_by_partition(spark, table) == {part: deletes[part] for part in (1, 2)}
    assert run.result.document["removed_delete_files"] == deletes[0][0] > 0
    assert [row[0] for row in spark.sql(targets).collect()] == named
    head = f"SELECT summary['total-delete-files'] FROM {table}.snapshots ORDER BY committed_at DESC LIMIT 1"
    assert int(one(spark, head)) == deletes[1][0] + deletes[2][0]


@pytest.mark.deep
@pytest.mark.parametrize("granularity", ["file", "partition"])
async def test_the_procedure_drops_the_same_ones(world: World, spark: SparkSession, granularity: str) -> None:
    """A file came since the last delete, so that by sequence numbers alone all of the partition's deletes are old."""
    ours, theirs = (make(spark, name, granularity=granularity) for name in ("ours", "theirs"))
    for table in (ours, theirs):
        insert(spark, table, 400, 6)
    before = both_readers(spark, ours)
    assert deletes_by_partition(spark, ours) == deletes_by_partition(spark, theirs)
    await rewritten(world, "ours")
    options = "map('remove-dangling-deletes', 'true', 'rewrite-all', 'true', 'use-starting-sequence-number', 'true')"
    call = f"CALL lake.system.rewrite_data_files(table => '{theirs}', where => 'part = 0', options => {options})"
    spark.sql(call).collect()
    assert both_readers(spark, theirs) == before
    assert deletes_by_partition(spark, ours) == deletes_by_partition(spark, theirs)
    assert set(deletes_by_partition(spark, ours)) == {1, 2}


@pytest.mark.deep
async def test_the_procedure_finds_nothing_left_to_drop_and_upkeep_goes_on(world: World, spark: SparkSession) -> None:
    table = make(spark, "upkeep", granularity="partition")
    before = both_readers(spark, table)
    await rewritten(world, "upkeep")
    deletes = deletes_by_partition(spark, table)
    options = "map('remove-dangling-deletes', 'true', 'rewrite-all', 'true')"
    call = f"CALL lake.system.rewrite_data_files(table => '{table}', where => 'part = 0', options => {options})"
    assert one(spark, call) > 0
    assert deletes_by_partition(spark, table) == deletes
    for call in (
        f"CALL lake.system.rewrite_position_delete_files(table => '{table}', options => map('rewrite-all', 'true'))",
        f"CALL lake.system.rewrite_manifests('{table}')",
        f"CALL lake.system.expire_snapshots(table => '{table}', older_than => TIMESTAMP'2100-01-01', retain_last => 1)",
    ):
        spark.sql(call).collect()
        assert both_readers(spark, table) == before
    assert deletes_by_partition(spark, table).keys() == {1, 2}


@pytest.mark.deep
async def test_a_policy_that_keeps_them_keeps_them(world: World, spark: SparkSession) -> None:
    table = make(spark, "kept", granularity="partition")
    before, deletes = both_readers(spark, table), deletes_by_partition(spark, table)
    run = await rewritten(world, "kept", policy={"rewrite": {"deletes": {"remove_dangling": False}}})
    assert (run.result.document["removed_delete_files"], deletes_by_partition(spark, table)) == (0, deletes)
    assert both_readers(spark, table) == before

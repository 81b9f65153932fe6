"""L6: files whose sort order Spark recorded really are in it, and no others are left out when an order is requested."""

import asyncio
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.support.peer import both_readers, one
from tests.support.world import NAME, World

TABLE = "lake." + ".".join(NAME)
ROWS = "SELECT id, 'd', hash(id) / 7.0D, md5(CAST(id AS STRING)) FROM range({first}, {last}, 1, 1)"
ORDER: dict[str, Any] = {"strategy": "sort", "columns": [{"name": "note", "direction": "desc", "nulls": "last"}, "id"]}
WRITE_ORDERED = "note DESC NULLS LAST, id ASC NULLS FIRST"


def insert(spark: SparkSession, number: int) -> None:
    first = 1000 * number
    spark.sql(f"INSERT INTO {TABLE} {ROWS.format(first=first, last=first + 1000)}")


def write(spark: SparkSession) -> None:
    """Write files in no order, in others, in the requested one (also by the fanout writer), and again in none."""
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('write.distribution-mode'='none')")
    insert(spark, 0)
    spark.sql(f"ALTER TABLE {TABLE} WRITE LOCALLY ORDERED BY value")
    insert(spark, 1)
    spark.sql(f"ALTER TABLE {TABLE} WRITE LOCALLY ORDERED BY truncate(4, note)")
    insert(spark, 2)
    spark.sql(f"ALTER TABLE {TABLE} WRITE LOCALLY ORDERED BY {WRITE_ORDERED}")
    insert(spark, 3)
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('write.spark.fanout.enabled'='true')")
    insert(spark, 4)
    spark.sql(f"ALTER TABLE {TABLE} WRITE UNORDERED")
    insert(spark, 5)


def is_sorted(path: str) -> bool:
    """Return whether the rows of a file are in the order."""
    rows = pq.read_table(path.removeprefix("file:"), columns=["note", "id"])
    keys = [("note", "descending"), ("id", "ascending")]
    return bool(rows.equals(rows.take(pc.sort_indices(rows, sort_keys=keys))))


async def unordered_files(world: World) -> int:
    found: int = (await world.container.observations.health(SYSTEM, world.table_id))["order"]["unordered_file_count"]
    return found


@pytest.mark.deep
async def test_l6_a_sort_order_that_spark_recorded_is_evidence_and_the_other_files_are_rewritten(
    world: World, spark: SparkSession
) -> None:
    await asyncio.to_thread(write, spark)
    files = [task.file for task in world.lake.table.scan().plan_files()]
    kept = {file.file_path: file.sort_order_id for file in files if is_sorted(file.file_path)}
    (order_id,) = set(kept.values())
    assert (len(files), len(kept), order_id not in {None, 0}) == (6, 2, True)
    before = await asyncio.to_thread(both_readers, spark, TABLE)
    await world.set_policy({"rewrite": {**ORDER, "small_file_bytes": 1}})
    assert await unordered_files(world) == 4
    run = await world.rewrite()
    assert (run.state, run.result.rewritten_files) == (RunState.SUCCEEDED, 4), run.detail
    paths = world.lake.paths()
    assert kept.keys() < set(paths)
    assert all(map(is_sorted, paths))
    await asyncio.to_thread(spark.sql, f"REFRESH TABLE {TABLE}")
    assert await asyncio.to_thread(both_readers, spark, TABLE) == before
    recorded = f"SELECT count(*) FROM {TABLE}.files WHERE sort_order_id = {order_id}"
    assert await asyncio.to_thread(one, spark, recorded) == len(paths)
    assert (await unordered_files(world), (await world.rewrite()).state) == (0, RunState.SKIPPED)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("options", "is_evidence"),
    [
        (f"strategy => 'sort', sort_order => '{WRITE_ORDERED}'", True),
        ("strategy => 'sort', sort_order => 'zorder(note, id)'", False),
        ("strategy => 'binpack'", True),  # it sorts by the table's order
    ],
)
async def test_l6_an_order_that_icebergs_own_procedure_recorded_is_evidence_and_its_curves_are_none(
    world: World, spark: SparkSession, options: str, is_evidence: bool
) -> None:
    def write_and_rewrite() -> None:
        write(spark)
        spark.sql(f"ALTER TABLE {TABLE} WRITE LOCALLY ORDERED BY {WRITE_ORDERED}")
        spark.sql(
            f"CALL lake.system.rewrite_data_files(table => '{TABLE}', {options}, options => map('rewrite-all', 'true'))"
        )

    await asyncio.to_thread(write_and_rewrite)
    await world.set_policy({"rewrite": {**ORDER, "small_file_bytes": 1}})
    paths = world.lake.paths()
    assert [await unordered_files(world), all(map(is_sorted, paths))] == ([0, True] if is_evidence else [1, False])
    run = await world.rewrite()
    assert run.state is (RunState.SKIPPED if is_evidence else RunState.SUCCEEDED), run.detail
    assert all(map(is_sorted, world.lake.paths()))

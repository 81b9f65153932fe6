"""Manifests rewritten by Packhouse as Spark reads them, beside Iceberg's own `rewrite_manifests` on a copy."""

import asyncio

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.differential.readers import history_by_spark
from tests.spark.test_iceberg_peer import create, fill
from tests.support.peer import both_readers, one
from tests.support.world import World

pytestmark = pytest.mark.deep


async def rewritten(world: World, name: str) -> Run:
    run = await world.rewrite_other(name, RunRequest(Operation.REWRITE_MANIFESTS))
    assert run.state is RunState.SUCCEEDED, run.detail
    assert all(each["ok"] for each in run.result.verifications)
    return run


def entries(spark: SparkSession, table: str) -> list[str]:
    """Return the live entries of a table as Spark reads them, with statistics; without their status."""
    columns = "snapshot_id, sequence_number, file_sequence_number, data_file"
    return sorted(map(str, spark.sql(f"SELECT {columns} FROM {table}.entries WHERE status < 2").collect()))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("partition", ["", "PARTITIONED BY (small)", "PARTITIONED BY (days(at), bucket(2, id))"])
async def test_spark_reads_the_same_entries_rows_and_history(
    world: World, spark: SparkSession, partition: str, version: int
) -> None:
    table = create(spark, "manifests", partition=partition, version=version)
    await asyncio.to_thread(fill, spark, table, files=4)
    if version == 2:
        for number in (3, 50, 120):
            spark.sql(f"DELETE FROM {table} WHERE id = {number}").collect()
    snapshots = [str(row[0]) for row in spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").collect()]
    rows, found = both_readers(spark, table), entries(spark, table)
    history = history_by_spark(spark, table, snapshots)
    copy = world.lake.catalog.register_table(
        ("lake", "theirs"), world.lake.catalog.load_table(("lake", "manifests")).metadata_location
    )
    run = await rewritten(world, "manifests")
    assert both_readers(spark, table) == rows
    assert entries(spark, table) == found
    assert history_by_spark(spark, table, snapshots) == history
    kinds = one(spark, f"SELECT count(distinct content) FROM {table}.manifests")
    assert one(spark, f"SELECT count(*) FROM {table}.manifests") == kinds
    assert run.result.document["manifests"]["after"] == kinds

    theirs = f"lake.lake.{copy.name()[1]}"
    spark.sql(f"CALL lake.system.rewrite_manifests(table => '{theirs}', use_caching => false)").collect()
    assert both_readers(spark, theirs) == rows
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode'='copy-on-write')").collect()
    spark.sql(f"DELETE FROM {table} WHERE id < 10").collect()
    call = f"table => '{table}', options => map('rewrite-all', 'true')"
    spark.sql(f"CALL lake.system.rewrite_data_files({call})").collect()
    spark.sql(f"CALL lake.system.rewrite_manifests(table => '{table}')").collect()
    kept = one(spark, f"SELECT count(*) FROM {table}")
    assert kept == one(spark, f"SELECT count(*) FROM {theirs} WHERE id >= 10")


async def test_a_table_that_was_upgraded_is_read_by_spark(world: World, spark: SparkSession) -> None:
    table = create(spark, "upgraded", partition="PARTITIONED BY (small)", version=1)
    await asyncio.to_thread(fill, spark, table, files=3)
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version'='2')").collect()
    await asyncio.to_thread(fill, spark, table, files=3)
    spark.sql(f"DELETE FROM {table} WHERE id % 17 = 0").collect()
    rows = both_readers(spark, table)
    await rewritten(world, "upgraded")
    assert both_readers(spark, table) == rows
    spark.sql(f"DELETE FROM {table} WHERE id % 13 = 0").collect()
    left = one(spark, f"SELECT count(*) FROM {table}")
    assert left == len([each for each in range(240) if each % 17 and each % 13])
    spark.sql(f"CALL lake.system.rewrite_manifests(table => '{table}')").collect()
    assert one(spark, f"SELECT count(*) FROM {table}") == left

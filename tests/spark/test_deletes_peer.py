"""Delete files rewritten by Packhouse as Spark, PyIceberg and DuckDB read them, beside Iceberg's own procedure."""

import asyncio
from collections.abc import Mapping

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from tests.differential.readers import history_by_spark
from tests.spark.test_iceberg_peer import create, fill
from tests.support.peer import both_readers, one
from tests.support.world import World

pytestmark = pytest.mark.deep

ON = {"maintenance": {"rewrite_deletes": {"interval": "1d"}}}
PREDICATES = ("id = 3", "id BETWEEN 40 AND 130", "small = 1", "id > 1000000")


def by_predicate(spark: SparkSession, table: str) -> Mapping[str, list[str]]:
    return {each: sorted(map(str, spark.sql(f"SELECT * FROM {table} WHERE {each}").collect())) for each in PREDICATES}


async def test_u17_rows_of_every_snapshot_stay_as_beside_the_procedure(world: World, spark: SparkSession) -> None:
    table = create(spark, "deletes", partition="PARTITIONED BY (small)", version=2)
    await asyncio.to_thread(fill, spark, table, files=6)
    options = "'write.delete.mode'='merge-on-read', 'write.delete.granularity'='partition'"
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({options})").collect()
    for number in (3, 50, 120, 4, 51):
        spark.sql(f"DELETE FROM {table} WHERE id = {number}").collect()
    snapshots = [str(row[0]) for row in spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").collect()]
    rows, found = both_readers(spark, table), by_predicate(spark, table)
    history = history_by_spark(spark, table, snapshots)
    before = one(spark, f"SELECT count(*) FROM {table}.delete_files")
    copy = world.lake.catalog.register_table(
        ("lake", "theirs"), world.lake.catalog.load_table(("lake", "deletes")).metadata_location
    )
    run = await world.rewrite_other("deletes", RunRequest(Operation.REWRITE_DELETES), policy=ON)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert all(each["ok"] for each in run.result.verifications)
    assert both_readers(spark, table) == rows
    assert by_predicate(spark, table) == found
    assert history_by_spark(spark, table, snapshots) == history

    theirs = f"lake.lake.{copy.name()[1]}"
    call = f"table => '{theirs}', options => map('rewrite-all', 'true')"
    spark.sql(f"CALL lake.system.rewrite_position_delete_files({call})").collect()
    assert both_readers(spark, theirs) == rows
    ours, peer = (one(spark, f"SELECT count(*) FROM {each}.delete_files") for each in (table, theirs))
    assert ours <= peer <= before
    for each in (table, theirs):
        spark.sql(f"DELETE FROM {each} WHERE id < 60").collect()
    rows = both_readers(spark, table)
    assert rows == both_readers(spark, theirs)
    for procedure in ("rewrite_position_delete_files", "rewrite_data_files"):  # accept merged deletes
        options = "options => map('rewrite-all', 'true')"
        spark.sql(f"CALL lake.system.{procedure}(table => '{table}', {options})").collect()
        assert both_readers(spark, table) == rows

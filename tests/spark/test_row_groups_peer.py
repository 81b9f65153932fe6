"""F26: small row groups that Spark wrote are counted right, joined, and read the same by both readers of Iceberg."""

import asyncio

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.support.peer import both_readers
from tests.support.world import NAME, World

TABLE = "lake." + ".".join(NAME)
SMALL = {
    "write.parquet.row-group-size-bytes": "65536",
    "write.parquet.row-group-check-min-record-count": "100",
    "write.parquet.row-group-check-max-record-count": "100",
}


def write_chopped(spark: SparkSession) -> None:
    """Let Spark write one file of 2 to 3 MiB while the table asks for small row groups, which it then does no more."""
    wanted = ", ".join(f"'{name}' = '{value}'" for name, value in SMALL.items())
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ({wanted})")
    spark.sql(
        f"INSERT INTO {TABLE} SELECT id, 'd', hash(id) / 7.0D, md5(CAST(id AS STRING)) FROM range(0, 60000, 1, 1)"
    )
    spark.sql(f"ALTER TABLE {TABLE} UNSET TBLPROPERTIES ({', '.join(repr(name) for name in SMALL)})")


def row_groups(world: World) -> list[int]:
    return [pq.ParquetFile(path.removeprefix("file:")).metadata.num_row_groups for path in world.lake.paths()]


@pytest.mark.deep
async def test_row_groups_that_spark_wrote_are_counted_by_its_manifests_and_joined(
    world: World, spark: SparkSession
) -> None:
    await asyncio.to_thread(write_chopped, spark)
    (many,) = row_groups(world)
    assert many > 8
    seen = await world.container.observations.observe(SYSTEM, world.table_id)
    assert seen.opened.digest()["row_groups"].to_pylist() == [many]
    before = await asyncio.to_thread(both_readers, spark, TABLE)
    await world.set_policy({"rewrite": {"target_file_bytes": "2MiB"}})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, (run.reason, run.detail)
    assert row_groups(world) == [1]
    await asyncio.to_thread(spark.sql, f"REFRESH TABLE {TABLE}")
    assert await asyncio.to_thread(both_readers, spark, TABLE) == before

"""Spark finds zeros after a rewrite, and deletes no row by metadata that it would keep by value.

Iceberg orders -0.0 below +0.0: an upper bound of -0.0 over zeros hides every row with `d = 0` from Spark. Where -0.0 is
all that a file has, Iceberg hides it from `d = 0` in files of its own, so such tables are no measure.
"""

import asyncio

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.run import RunState
from tests.spark.test_iceberg_peer import create, fill
from tests.support.peer import counts, one
from tests.support.world import World

_CONDITIONS = ("d = 0", "d >= 0", "d <= 0", "d < 0", "d > 0", "d IN (0)", "d != 0")
_ZEROS = {
    "plus": "double('0.0')",
    "below": "IF(id % 3 = 0, -1.5D, double('0.0'))",
    "both": "CAST(concat(IF(id % 2 = 0, '-', ''), '0.0') AS DOUBLE)",  # Spark takes the two for one constant otherwise
}


@pytest.mark.deep
@pytest.mark.parametrize("kind", _ZEROS)
@pytest.mark.parametrize("strategy", ["binpack", "sort"])
async def test_zeros_are_found_after_a_rewrite_and_outlive_a_delete_of_what_is_below(
    world: World, spark: SparkSession, kind: str, strategy: str
) -> None:
    table = create(spark, "zeros", columns="id BIGINT, d DOUBLE")
    values = f"SELECT id, {_ZEROS[kind]} FROM range({{first}}, {{last}}, 1, 1)"
    await asyncio.to_thread(fill, spark, table, rows=100, values=values)
    before = counts(spark, table, _CONDITIONS)
    settings = {"strategy": strategy} | ({"columns": ["d"]} if strategy == "sort" else {})
    run = await world.rewrite_other("zeros", policy={"rewrite": settings})
    assert run.state is RunState.SUCCEEDED, run.detail
    assert counts(spark, table, _CONDITIONS) == before
    spark.sql(f"DELETE FROM {table} WHERE d < 0").collect()
    assert one(spark, f"SELECT count(*) FROM {table}") == before["d >= 0"]

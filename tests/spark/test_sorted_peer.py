"""L6: the order of rows in files that Packhouse sorted is the order that Iceberg's own procedure makes."""

from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from tests.support.peer import rows_by_spark
from tests.support.world import World

COLUMNS = """id BIGINT, flag BOOLEAN, number INT, single FLOAT, double DOUBLE, money DECIMAL(9,2), huge DECIMAL(38,10),
    day DATE, at TIMESTAMP, text STRING, bytes BINARY"""
VALUES = """
    SELECT id, IF(id % 5 = 0, NULL, id % 2 = 0), CAST(pmod(hash(id), 7) AS INT) - 3,
      CASE WHEN id % 6 = 0 THEN float('NaN') WHEN id % 6 = 1 THEN NULL ELSE float(pmod(hash(id), 9)) / -3 + 9 END,
      CASE WHEN id % 7 = 0 THEN double('NaN') WHEN id % 7 = 1 THEN double('-Infinity') WHEN id % 7 = 2 THEN NULL
        ELSE double('Infinity') END,
      CAST(pmod(hash(id), 11) AS DECIMAL(9,2)) / 4 - 1, CAST(pmod(hash(id), 5) AS DECIMAL(38,10)) / -3,
      IF(id % 4 = 0, NULL, DATE'1970-01-03' - CAST(pmod(hash(id), 6) AS INT)),
      TIMESTAMP'1969-12-31 23:59:59.5' + make_interval(0, 0, 0, 0, 0, 0, pmod(hash(id), 3)),
      element_at(array('', 'a', 'Z', 'z', 'ä', 'ab', NULL, '\U0001f600', '￿'), CAST(pmod(hash(id), 9) + 1 AS INT)),
      IF(id % 3 = 0, NULL, unhex(hex(pmod(hash(id), 256))))
    FROM range({first}, {last}, 1, 1)
"""
ORDERS = [
    "flag ASC NULLS FIRST, number DESC NULLS LAST",
    "single ASC NULLS LAST, text DESC NULLS FIRST",
    "double DESC NULLS FIRST, money ASC NULLS FIRST, huge DESC NULLS LAST",
    "text ASC NULLS FIRST, at DESC NULLS LAST, day ASC NULLS LAST",
    "bytes DESC NULLS LAST, day DESC NULLS FIRST",
]


def policy_of(order: str) -> dict[str, Any]:
    columns = [part.split() for part in order.split(", ")]
    return {
        "rewrite": {
            "strategy": "sort",
            "columns": [
                {"name": name, "direction": way.lower(), "nulls": nulls.lower()} for name, way, _, nulls in columns
            ],
        }
    }


def ids_in_files(world: World, name: str) -> list[int]:
    """Return the ids in the order of files and rows; the files in the order of their names, which count up."""
    table = world.lake.catalog.load_table(("lake", name))
    paths = sorted(task.file.file_path for task in table.scan().plan_files())
    return [row for path in paths for row in pq.read_table(path.removeprefix("file:"))["id"].to_pylist()]


@pytest.mark.deep
@pytest.mark.parametrize("order", ORDERS)
async def test_l6_rows_lie_as_the_procedure_lays_them(world: World, spark: SparkSession, order: str) -> None:
    order += ", id ASC NULLS FIRST"
    for name in ("ours", "theirs"):
        spark.sql(f"CREATE TABLE lake.lake.{name} ({COLUMNS}) USING iceberg TBLPROPERTIES ('format-version'='2')")
        for number in range(5):
            spark.sql(f"INSERT INTO lake.lake.{name} {VALUES.format(first=number * 60, last=number * 60 + 60)}")
    rows = rows_by_spark(spark, "lake.lake.ours")
    run = await world.rewrite_other("ours", RunRequest(force_full=True), policy=policy_of(order))
    assert run.state is RunState.SUCCEEDED, run.detail
    spark.sql(
        f"CALL lake.system.rewrite_data_files(table => 'lake.lake.theirs', strategy => 'sort', "
        f"sort_order => '{order}', options => map('rewrite-all', 'true'))"
    )
    assert ids_in_files(world, "ours") == ids_in_files(world, "theirs")
    assert rows_by_spark(spark, "lake.lake.ours") == rows

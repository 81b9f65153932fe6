"""Answers that Spark gives from statistics instead of rows: which they are, and that they are right after a rewrite.

The other engines of the table in `docs/reference/statistics.md` are in `integration/iceberg/test_answers.py`.
"""

import asyncio
import math
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, FixedType, FloatType, LongType, NestedField, StringType
from pyspark.sql import SparkSession

from engine.domain.runs.run import RunState
from tests.support.false_statistics import (
    FALSE_ROWS,
    KINDS,
    ROWS,
    SCHEMA,
    documented,
    false_file,
    false_table,
    is_false,
)
from tests.support.peer import one
from tests.support.world import World

_PUSH_DOWN: Final = "spark.sql.iceberg.aggregate-push-down.enabled"
_COLUMNS: Final[dict[str, tuple[Any, list[Any]]]] = {
    "plus": (DoubleType(), [0.0, 1.5]),
    "single": (FloatType(), [0.0, 1.5]),
    "below": (DoubleType(), [-1.5, 0.0]),
    "zero": (DoubleType(), [0.0, 0.0]),
    "minus": (DoubleType(), [-0.0, -0.0]),
    "nan": (DoubleType(), [math.nan, 1.0]),
    "big": (LongType(), [-7, 7]),
    "key": (FixedType(20), [b"k" * 20, b"l" * 20]),
    "text": (StringType(), ["x" * 30, "y" * 30]),
}


def extremes(spark: SparkSession, source: str) -> set[str]:
    """Return the types of which Spark takes the least and the greatest value from statistics."""
    found = set()
    for name in KINDS:
        answers = spark.sql(f"SELECT min({name}_), max({name}_) FROM {source}").collect()[0]
        if all(is_false(name, each, at) for at, each in enumerate(answers)):
            found.add(name)
    return found


async def test_f40_spark_answers_from_manifests_what_the_documentation_says(world: World, spark: SparkSession) -> None:
    false_table(world.lake.catalog.create_table(("lake", "false"), SCHEMA))
    counts = "statistics", "statistics", extremes(spark, "lake.lake.false")
    assert documented()["Spark 4.1, Iceberg 1.12"] == counts
    assert one(spark, "SELECT count(*) FROM lake.lake.false") == FALSE_ROWS
    assert one(spark, "SELECT count(string_) FROM lake.lake.false") == FALSE_ROWS


def test_f40_spark_reads_rows_of_parquet_files(spark: SparkSession, tmp_path: Path) -> None:
    false_file(tmp_path / "false.parquet", is_exact=True)
    source = f"parquet.`file://{tmp_path}/false.parquet`"
    assert documented()["Spark 4.1, Parquet files"] == ("statistics", "rows", extremes(spark, source))
    assert one(spark, f"SELECT count(int_) FROM {source}") == ROWS


async def test_f40_answers_from_statistics_are_those_from_rows_after_a_rewrite(
    world: World, spark: SparkSession
) -> None:
    schema = Schema(*(NestedField(at, name, of) for at, (name, (of, _)) in enumerate(_COLUMNS.items(), 1)))
    table = world.lake.catalog.create_table(("lake", "answers"), schema)
    for _ in range(3):
        table.append(pa.table({name: values for name, (_, values) in _COLUMNS.items()}, schema_to_pyarrow(schema)))
    run = await world.rewrite_other("answers")
    assert run.state is RunState.SUCCEEDED, run.detail
    found = {}
    for pushed in ("true", "false"):
        spark.conf.set(_PUSH_DOWN, pushed)
        asked = {name: f"SELECT min({name}), max({name}), count({name}) FROM lake.lake.answers" for name in _COLUMNS}
        found[pushed] = {
            name: repr(tuple((await asyncio.to_thread(spark.sql(each).collect))[0])) for name, each in asked.items()
        }
    assert found["true"] == found["false"]
    assert found["true"]["plus"] == "(0.0, 1.5, 6)"

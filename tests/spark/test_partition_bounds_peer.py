"""Spark finds the rows of every partition after a rewrite, by filters on the partition column; PyIceberg as before.

Readers skip manifests by the bounds in their partition summaries; see `engine.formats.iceberg.manifests.summaries`.
"""

import asyncio
from collections import Counter
from uuid import UUID

import pytest
from pyiceberg.expressions import EqualTo
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    UUIDType,
)
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from tests.support.peer import counts
from tests.support.world import World


def zeros(name: str) -> list[str]:
    """Return SQL expressions of floats; those of zeros are cast from text, as Spark merges equal constants."""
    numbers = ("-0.0", "0.0", "-1.5", "1.5", "NaN", "Infinity", "-Infinity")
    return [f"CAST(concat('{each}', IF(id < 0, '1', '')) AS {name})" for each in numbers]


ROWS = 5
UUIDS = [UUID(int=each) for each in (0, 5, 1 << 63, 1 << 127, (1 << 127) + (1 << 63) + 5, (1 << 128) - 1)]
KINDS: dict[str, tuple[IcebergType, list[str]]] = {
    "float": (FloatType(), zeros("FLOAT")),
    "double": (DoubleType(), zeros("DOUBLE")),
    "uuid": (UUIDType(), [f"'{each}'" for each in UUIDS]),
    "string": (StringType(), ["''", "'a'", "'\uff5e'", "'\U0001f600'", "'\u00e9'", "'z'"]),
    "binary": (BinaryType(), ["X''", "X'00'", "X'7F'", "X'80'", "X'FF'", "X'FF00'"]),
    "decimal": (
        DecimalType(20, 2),
        ["-100000000000000000.01BD", "-0.01BD", "0.00BD", "0.01BD", "255.00BD", "256.00BD"],
    ),
    "date": (DateType(), ["DATE '0001-01-01'", "DATE '1969-12-31'", "DATE '1970-01-01'", "DATE '9999-12-31'"]),
    "timestamp": (
        TimestampType(),
        ["TIMESTAMP_NTZ '1900-01-01 00:00:00'", "TIMESTAMP_NTZ '1969-12-31 23:59:59.999999'"],
    ),
    "long": (LongType(), ["-9223372036854775807", "-1", "0", "1", "9223372036854775807"]),
    "boolean": (BooleanType(), ["true", "false"]),
}


@pytest.mark.parametrize(
    ("kind", "operation"),
    [
        pytest.param(kind, operation, marks=[] if (kind, operation) == ("uuid", "rewrite") else [pytest.mark.deep])
        for kind in KINDS
        for operation in (Operation.REWRITE, Operation.REWRITE_MANIFESTS)
    ],
)
async def test_rows_of_every_partition_are_found_after_a_rewrite(
    world: World, spark: SparkSession, kind: str, operation: Operation
) -> None:
    of, values = KINDS[kind]
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "p", of))
    by_p = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "p"))
    table = f"lake.lake.by_{kind}"
    properties = {"write.distribution-mode": "none", "write.spark.fanout.enabled": "true"}
    world.lake.catalog.create_table(("lake", f"by_{kind}"), schema, partition_spec=by_p, properties=properties)

    def fill() -> None:
        rows = " UNION ALL ".join(f"SELECT id, {value} FROM range(0, {ROWS}, 1, 1)" for value in (*values, "NULL"))
        for _ in range(2):
            spark.sql(f"INSERT INTO {table} {rows}").collect()

    def answers() -> dict[str, int]:
        points = [value.replace("id < 0", "false") for value in values]
        asked = [*(f"p = {point}" for point in points), f"p <= {points[0]}", f"p >= {points[-1]}", "p IS NULL"]
        return counts(spark, table, asked)

    def rows_by_pyiceberg() -> Counter[str]:
        """Return how many rows PyIceberg plans to read for each value of a partition, by the value's text."""
        loaded = world.lake.catalog.load_table(("lake", f"by_{kind}"))
        points = {repr(task.file.partition[0]): task.file.partition[0] for task in loaded.scan().plan_files()}
        found = Counter[str]()
        for text, point in points.items():
            if point is not None and point == point:  # noqa: PLR0124 - PyIceberg takes no NaN here
                planned = loaded.scan(row_filter=EqualTo("p", point)).plan_files()
                found[text] = sum(task.file.record_count for task in planned)
        return found

    await asyncio.to_thread(fill)
    before = await asyncio.to_thread(answers)
    found = await asyncio.to_thread(rows_by_pyiceberg)
    run = await world.rewrite_other(f"by_{kind}", RunRequest(operation))
    if operation is Operation.REWRITE or kind != "uuid":  # which need more manifests than the two that Spark wrote
        assert run.state is RunState.SUCCEEDED, run.detail
    if operation is Operation.REWRITE:
        assert run.result.groups_committed == len(values) + 1
    assert await asyncio.to_thread(answers) == before
    assert await asyncio.to_thread(rows_by_pyiceberg) == found  # it finds none by uuids and infinities in any table
    gone = f"p = {values[-1].replace('id < 0', 'false')}"
    await asyncio.to_thread(lambda: spark.sql(f"DELETE FROM {table} WHERE {gone}").collect())
    left = await asyncio.to_thread(answers)
    assert {each: left[each] for each in left if " = " in each} == {
        each: 0 if each == gone else count for each, count in before.items() if " = " in each
    }

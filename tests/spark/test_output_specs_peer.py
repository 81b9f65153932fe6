"""Rows that move to the current partition spec, beside Iceberg's procedure on a table of the same rows."""

import asyncio
from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.run import RunState
from tests.support.duckdb_tables import rows_by_duckdb
from tests.support.peer import both_readers, counts, one
from tests.support.world import World

pytestmark = pytest.mark.deep

COLUMNS = (
    "id BIGINT, small INT, name STRING, amount DECIMAL(9,2), huge DECIMAL(38,3), day DATE, at TIMESTAMP, "
    "local TIMESTAMP_NTZ, blob BINARY, flag BOOLEAN, place STRUCT<city: STRING, number: INT>"
)
ROWS = """
SELECT nullif(id % 50, 7), CAST(id * 7 - 300 AS INT), nullif(concat('n€', id % 5, 'x'), 'n€3x'),
    CAST(id / 3 - 20 AS DECIMAL(9,2)), CAST(-id * 10000000000 AS DECIMAL(38,3)),
    date_add(DATE '1969-12-20', CAST(id % 40 AS INT)),
    TIMESTAMP '1969-12-31 20:00:00' + make_dt_interval(0, CAST(id % 9 AS INT), 17, 0.000001),
    TIMESTAMP_NTZ '2026-11-01 00:00:00' + make_dt_interval(CAST(id % 3 AS INT)),
    encode(md5(CAST(id % 4 AS STRING)), 'UTF-8'),
    id % 2 = 0, IF(id % 6 = 0, NULL, named_struct('city', concat('c', id % 3), 'number', CAST(id AS INT)))
FROM range({first}, {last}, 1, 1)
"""
SPECS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "from none to days, names and buckets": ((), ("days(at)", "name", "bucket(4, id)")),
    "from none to every kind of bucket": (
        (),
        (
            "bucket(3, name)",
            "bucket(3, huge)",
            "bucket(3, day)",
            "bucket(3, at)",
            "bucket(3, blob)",
            "bucket(3, small)",
        ),
    ),
    "from none to ranges": (
        (),
        ("truncate(10, small)", "truncate(2, name)", "truncate(50, amount)", "truncate(3, blob)"),
    ),
    "from days and names to months, hours and a nested column": (
        ("days(day)", "name"),
        ("months(day)", "years(at)", "hours(local)", "flag", "place.city"),
    ),
}
PREDICATES = (
    "name = 'n€1x'",
    "name > 'n€1x'",
    "name IS NULL",
    "id = 12 OR id IS NULL",
    "small BETWEEN -10 AND 0",
    "amount <= -20.00",
    "day < DATE '1970-01-01'",
    "day = DATE '1970-01-01'",
    "at < TIMESTAMP '1970-01-01 00:00:00'",
    "at >= TIMESTAMP '1970-01-01 00:17:00.000001'",
    "local = TIMESTAMP_NTZ '2026-11-02 00:00:00'",
    "flag AND place.city = 'c1'",
    "place IS NULL",
)


def write(spark: SparkSession, name: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Write four files under one spec and evolve to another; return the table's name in Spark."""
    table = f"lake.lake.{name}"
    spark.sql(f"CREATE TABLE {table} ({COLUMNS}) USING iceberg TBLPROPERTIES ('write.distribution-mode'='none')")
    for field in old:
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD {field}")
    spark.conf.set("spark.sql.iceberg.distribution-mode", "none")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.spark.fanout.enabled'='true')")
    for number in range(4):
        spark.sql(f"INSERT INTO {table} {ROWS.format(first=60 * number, last=60 * number + 60)}")
    for field in old:
        spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD {field}")
    for field in new:
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD {field}")
    return table


def partitions(spark: SparkSession, table: str) -> list[str]:
    """Return the rows of each partition, as the table's metadata has them."""
    found = spark.sql(f"SELECT * FROM {table}.files LIMIT 1").columns
    keys = "partition" if "partition" in found else "'{}'"
    rows = spark.sql(f"SELECT spec_id, {keys}, sum(record_count) FROM {table}.files GROUP BY 1, 2").collect()
    return sorted(str(tuple(row)) for row in rows)


@pytest.mark.parametrize(("old", "new"), SPECS.values(), ids=SPECS.keys())
async def test_moved_rows_are_in_the_partitions_of_the_procedure_and_found_by_every_predicate(
    world: World, spark: SparkSession, old: Sequence[str], new: Sequence[str]
) -> None:
    ours, theirs = [await asyncio.to_thread(write, spark, name, old, new) for name in ("ours", "theirs")]
    before = await asyncio.to_thread(both_readers, spark, ours)
    found = await asyncio.to_thread(counts, spark, ours, PREDICATES)
    table = world.lake.catalog.load_table(("lake", "ours"))
    by_duckdb = await asyncio.to_thread(rows_by_duckdb, table)
    ended = await world.rewrite_other("ours", policy={"rewrite": {"output_spec": "current"}})
    assert ended.state is RunState.SUCCEEDED, ended.detail
    await asyncio.to_thread(
        one, spark, f"CALL lake.system.rewrite_data_files('{theirs}', options => map('rewrite-all', 'true'))"
    )

    await asyncio.to_thread(spark.sql, f"REFRESH TABLE {ours}")
    assert await asyncio.to_thread(partitions, spark, ours) == await asyncio.to_thread(partitions, spark, theirs)
    assert await asyncio.to_thread(both_readers, spark, ours) == before
    assert await asyncio.to_thread(counts, spark, ours, PREDICATES) == found
    assert await asyncio.to_thread(rows_by_duckdb, table.refresh()) == by_duckdb
    for each in PREDICATES[::3]:
        for name in (ours, theirs):
            await asyncio.to_thread(spark.sql, f"DELETE FROM {name} WHERE {each}")
        left = await asyncio.to_thread(both_readers, spark, ours)
        assert left == await asyncio.to_thread(both_readers, spark, theirs), each
    assert len(left[0]) < len(before[0])

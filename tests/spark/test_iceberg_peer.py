"""Iceberg's own engine writes tables, Packhouse rewrites them, and the engine has to agree with what it finds.

Types, nulls, NaN, nested values, evolved schemas and specs, partition transforms, both format versions, and position
deletes as Spark writes them.
"""

import asyncio
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.support.peer import both_readers, one
from tests.support.world import World

EVERY_TYPE = """
    id BIGINT NOT NULL, flag BOOLEAN, small INT, big BIGINT, single FLOAT, double DOUBLE, short DECIMAL(9,2),
    long DECIMAL(38,10), day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, text STRING, bytes BINARY,
    tags ARRAY<STRING>, `odd name` INT, attributes MAP<STRING, DOUBLE>,
    nested STRUCT<a: INT, b: STRUCT<c: STRING, d: ARRAY<INT>>>
"""
VALUES = """
    SELECT id, id % 2 = 0, CAST(id % 5 AS INT), id * 1000003,
      CASE WHEN id % 6 = 0 THEN float('NaN') WHEN id % 6 = 1 THEN float('-0.0') ELSE float(id) / 3 END,
      CASE WHEN id % 7 = 0 THEN double('NaN') WHEN id % 7 = 1 THEN double('Infinity') ELSE id / 7.0D END,
      CAST(id AS DECIMAL(9,2)) / 4, CAST(id AS DECIMAL(38,10)) / -3, DATE'2026-11-01' + CAST(id % 4 AS INT),
      TIMESTAMP'2026-11-01 00:00:00' + make_interval(0, 0, 0, 0, CAST(id AS INT), 1, 0.123456),
      TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', IF(id % 3 = 0, NULL, concat('text ', id % 10)),
      IF(id % 4 = 0, NULL, CAST(concat('b', id) AS BINARY)),
      CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN array() WHEN 2 THEN array(NULL, 'x') ELSE array('a', 'b') END,
      CAST(id % 3 AS INT),
      CASE id % 3 WHEN 0 THEN NULL WHEN 1 THEN map() ELSE map('k', double('NaN'), concat('k', id), 1.5D) END,
      CASE id % 3 WHEN 0 THEN NULL
        ELSE named_struct('a', IF(id % 2 = 0, NULL, 1), 'b',
          IF(id % 5 = 0, NULL, named_struct('c', 'deep', 'd', array(1, NULL, CAST(id AS INT))))) END
    FROM range({first}, {last}, 1, 1)
"""


DEEP = [pytest.mark.deep]


def create(spark: SparkSession, name: str, *, columns: str = EVERY_TYPE, partition: str = "", version: int = 2) -> str:
    """Create a table whose deletes are position deletes; return its name."""
    table = f"lake.lake.{name}"
    spark.sql(
        f"CREATE TABLE {table} ({columns}) USING iceberg {partition} TBLPROPERTIES ('format-version'='{version}', "
        "'write.delete.mode'='merge-on-read', 'write.distribution-mode'='none')"
    )
    return table


def fill(spark: SparkSession, table: str, *, files: int = 6, rows: int = 40, values: str = VALUES) -> None:
    """Write small files, one insert each."""
    start = one(spark, f"SELECT count(*) FROM {table}")
    for number in range(files):
        first = start + number * rows
        spark.sql(f"INSERT INTO {table} {values.format(first=first, last=first + rows)}")


PARTITIONS = {
    "unpartitioned": "",
    "identity": "PARTITIONED BY (small)",
    "bucket": "PARTITIONED BY (bucket(2, id))",
    "truncate": "PARTITIONED BY (truncate(6, text))",
    "day": "PARTITIONED BY (days(at))",
}


@pytest.mark.parametrize(
    ("partition", "version"),
    [
        pytest.param(sql, version, id=f"{name}-{version}", marks=[] if (name, version) == ("identity", 2) else DEEP)
        for name, sql in PARTITIONS.items()
        for version in (1, 2)
    ],
)
async def test_every_type_reads_the_same_before_and_after(
    world: World, spark: SparkSession, partition: str, version: int
) -> None:
    table = create(spark, "types", partition=partition, version=version)
    rows = 240 if "days" in partition else 40  # one id an hour: each insert fills ten days
    await asyncio.to_thread(fill, spark, table, rows=rows)
    before, files = both_readers(spark, table), one(spark, f"SELECT count(*) FROM {table}.files")
    run = await world.rewrite_other("types")
    assert run.state is (RunState.SKIPPED if "days" in partition else RunState.SUCCEEDED), run.detail
    assert both_readers(spark, table) == before
    after = one(spark, f"SELECT count(*) FROM {table}.files")
    assert after == files if run.state is RunState.SKIPPED else after < files


@pytest.mark.deep
async def test_a_day_partition_that_several_inserts_wrote_is_rewritten(world: World, spark: SparkSession) -> None:
    table = create(spark, "days", columns="id BIGINT, at TIMESTAMP", partition="PARTITIONED BY (days(at))")
    values = "SELECT id, TIMESTAMP'2026-11-01 00:00:00' + make_interval(0, 0, 0, id % 2) FROM range({first}, {last})"
    await asyncio.to_thread(fill, spark, table, values=values)
    before = both_readers(spark, table)
    run = await world.rewrite_other("days")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert both_readers(spark, table) == before
    assert one(spark, f"SELECT count(*) FROM {table}.files") == 2


@pytest.mark.deep
async def test_renamed_added_dropped_and_promoted_columns_keep_their_values(world: World, spark: SparkSession) -> None:
    columns = "id BIGINT, small INT, single FLOAT, gone STRING, price DECIMAL(5,2), nested STRUCT<a: INT, x: INT>"
    table = create(spark, "evolved", columns=columns)
    old = (
        "SELECT id, CAST(id AS INT), float(id) / 3, 'gone', CAST(id AS DECIMAL(5,2)), "
        "IF(id % 4 = 0, NULL, named_struct('a', CAST(id AS INT), 'x', 1)) FROM range({first}, {last})"
    )
    await asyncio.to_thread(fill, spark, table, files=3, values=old)
    for change in (
        "RENAME COLUMN small TO renamed",
        "DROP COLUMN gone",
        "ADD COLUMN gone INT",  # another column under the old name
        "ADD COLUMN nested.b ARRAY<STRING>",
        "ALTER COLUMN single TYPE DOUBLE",
        "ALTER COLUMN renamed TYPE BIGINT",
        "ALTER COLUMN price TYPE DECIMAL(12,2)",
        "ALTER COLUMN id AFTER single",
    ):
        spark.sql(f"ALTER TABLE {table} {change}")
    new = (
        "SELECT id, double(id), id, CAST(id AS DECIMAL(12,2)), "
        "named_struct('a', CAST(id AS INT), 'x', 2, 'b', array('new')), CAST(id AS INT) FROM range({first}, {last})"
    )
    order = [column.name for column in spark.table(table).schema.fields]
    assert order == ["renamed", "single", "id", "price", "nested", "gone"]
    await asyncio.to_thread(fill, spark, table, files=3, values=new)
    before = both_readers(spark, table)
    run = await world.rewrite_other("evolved")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert both_readers(spark, table) == before
    assert one(spark, f"SELECT count(*) FROM {table}.files") == 1


@pytest.mark.deep
async def test_files_of_an_evolved_spec_keep_their_own_partitions(world: World, spark: SparkSession) -> None:
    table = create(spark, "respec", columns="id BIGINT, part INT", partition="PARTITIONED BY (part)")
    values = "SELECT id, CAST(id % 2 AS INT) FROM range({first}, {last}, 1, 1)"
    await asyncio.to_thread(fill, spark, table, values=values)
    spark.sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD part WITH bucket(2, id)")
    await asyncio.to_thread(fill, spark, table, values=values)
    before = both_readers(spark, table)
    run = await world.rewrite_other("respec")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert both_readers(spark, table) == before
    specs = spark.sql(f"SELECT spec_id, count(*) FROM {table}.files GROUP BY spec_id ORDER BY spec_id").collect()
    assert [tuple(row) for row in specs] == [(0, 2), (1, 2)]


@pytest.mark.deep
async def test_position_deletes_are_applied_and_deleted_rows_stay_away(world: World, spark: SparkSession) -> None:
    table = create(spark, "deletes")
    await asyncio.to_thread(fill, spark, table)
    spark.sql(f"DELETE FROM {table} WHERE id % 9 = 0")
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 1")
    assert one(spark, f"SELECT count(*) FROM {table}.files WHERE content = 1") > 0
    before = both_readers(spark, table)
    run = await world.rewrite_other("deletes")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert run.result.document["deleted_rows"] == 240 - len(before[0])
    assert both_readers(spark, table) == before


async def test_rows_deleted_while_the_rewrite_ran_do_not_come_back(world: World, spark: SparkSession) -> None:
    """F7: a position delete committed after the plan drops the group; the next attempt applies it."""
    table = create(spark, "racing", columns="id BIGINT, text STRING")
    await asyncio.to_thread(fill, spark, table, values="SELECT id, 'x' FROM range({first}, {last}, 1, 1)")
    world.at("before_commit", lambda: spark.sql(f"DELETE FROM {table} WHERE id % 9 = 0"))
    run = await world.rewrite_other("racing")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert one(spark, f"SELECT count(*) FROM {table} WHERE id % 9 = 0") == 0
    assert one(spark, f"SELECT count(*) FROM {table}") == 240 - 27


@pytest.mark.deep
async def test_icebergs_own_upkeep_runs_on_a_rewritten_table(world: World, spark: SparkSession) -> None:
    table = create(spark, "upkeep", partition="PARTITIONED BY (small)")
    await asyncio.to_thread(fill, spark, table)
    before = both_readers(spark, table)
    assert (await world.rewrite_other("upkeep")).state is RunState.SUCCEEDED
    spark.sql("CALL lake.system.rewrite_manifests('lake.lake.upkeep')").collect()
    assert both_readers(spark, table) == before
    expire = "table => 'lake.lake.upkeep', older_than => TIMESTAMP'2100-01-01', retain_last => 1"
    spark.sql(f"CALL lake.system.expire_snapshots({expire})").collect()
    assert both_readers(spark, table) == before
    assert one(spark, f"SELECT count(*) FROM {table}.snapshots") == 1
    location = Path(world.lake.catalog.load_table(("lake", "upkeep")).location().removeprefix("file:"))
    live = {row[0].rpartition("/")[2] for row in spark.sql(f"SELECT file_path FROM {table}.files").collect()}
    assert {path.name for path in (location / "data").rglob("*.parquet")} == live


async def test_the_engine_finds_metadata_as_it_would_write_it_and_the_rows_of_every_snapshot_before(
    world: World, spark: SparkSession
) -> None:
    """L23, M2: Iceberg's own engine reads the statistics, and a rewrite removes no historical state."""
    table = create(spark, "metadata", columns="id BIGINT, text STRING, value DOUBLE")
    values = "SELECT id, concat('a long text of number ', id), double(id) FROM range({first}, {last}, 1, 1)"
    await asyncio.to_thread(fill, spark, table, values=values)
    history = spark.sql(f"SELECT snapshot_id FROM {table}.history ORDER BY made_current_at").collect()
    counts = [one(spark, f"SELECT count(*) FROM {table} VERSION AS OF {row.snapshot_id}") for row in history]
    run = await world.rewrite_other("metadata")
    again = [one(spark, f"SELECT count(*) FROM {table} VERSION AS OF {row.snapshot_id}") for row in history]
    assert again == counts == [40 * n for n in range(1, 7)]
    latest = spark.sql(
        f"SELECT snapshot_id, operation, summary FROM {table}.snapshots ORDER BY committed_at DESC LIMIT 1"
    ).collect()[0]
    assert (latest.operation, latest.summary["packhouse.run-id"]) == ("replace", run.id)
    assert (latest.summary["total-records"], latest.summary["total-data-files"]) == ("240", "1")
    (file,) = spark.sql(f"SELECT record_count, readable_metrics FROM {table}.files").collect()
    assert file.record_count == 240
    metrics = file.readable_metrics
    assert (metrics.id.lower_bound, metrics.id.upper_bound, metrics.id.value_count) == (0, 239, 240)
    assert (metrics.text.lower_bound, metrics.text.null_value_count) == ("a long text of n", 0)
    assert metrics.value.upper_bound == 239.0
    assert one(spark, f"SELECT count(*) FROM {table} WHERE id = 77") == 1


@pytest.mark.deep
async def test_a_rewrite_by_the_engine_wins_the_race_and_is_named(world: World, spark: SparkSession) -> None:
    for number in range(6):
        await asyncio.to_thread(world.lake.append_to, ["2026-11-01"], rows=50 + number)
    options = "map('rewrite-all', 'true', 'partial-progress.enabled', 'false')"
    rewrite = f"CALL lake.system.rewrite_data_files(table => 'lake.lake.events', options => {options})"
    world.at("before_commit", lambda: one(spark, rewrite))
    rows = world.lake.rows()
    run = await world.rewrite()
    assert (run.state, run.result.races.groups_lost) == (RunState.SKIPPED, 1), run.detail
    assert world.lake.rows() == rows
    one(spark, "CALL lake.system.rewrite_manifests(table => 'lake.lake.events')")  # replaces no data file
    found = await world.container.explain.explain(SYSTEM, world.table_id)
    (other,) = found["conflicts"]["other_compactors"]
    assert other["engine"].startswith("spark ")
    assert (other["count"], other["application"] is not None) == (1, True)
    assert [hot["losses"] for hot in found["conflicts"]["hot_partitions"]] == [1]

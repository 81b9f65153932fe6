"""Snapshots expired by Packhouse as Spark sees them, beside Iceberg's own `expire_snapshots` on a copy of the table."""

import asyncio
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from tests.spark.test_iceberg_peer import create, fill
from tests.support.moved_clock import MovedClock
from tests.support.peer import one, rows_by_spark
from tests.support.world import World

OLDER = timedelta(minutes=30)


def snapshots(spark: SparkSession, table: str) -> list[int]:
    found = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").collect()
    return [row["snapshot_id"] for row in found]


async def test_spark_reads_every_kept_snapshot_and_iceberg_would_have_kept_the_same(
    world: World, spark: SparkSession
) -> None:
    """Branches and tags hold, `keep_last` counts on each branch, and no kept snapshot loses a row."""
    table = create(spark, "history", columns="id BIGINT, day STRING", partition="PARTITIONED BY (day)")
    values = "SELECT id, concat('2026-11-0', 1 + id % 2) FROM range({first}, {last})"
    await asyncio.to_thread(fill, spark, table, files=8, values=values)
    every = snapshots(spark, table)
    spark.sql(f"ALTER TABLE {table} CREATE TAG audit AS OF VERSION {every[1]}").collect()
    spark.sql(
        f"ALTER TABLE {table} CREATE BRANCH work AS OF VERSION {every[4]} WITH SNAPSHOT RETENTION 2 SNAPSHOTS"
    ).collect()
    spark.sql(f"DELETE FROM {table} WHERE id < 10").collect()
    every = snapshots(spark, table)
    copy = world.lake.catalog.register_table(
        ("lake", "theirs"), world.lake.catalog.load_table(("lake", "history")).metadata_location
    )
    rows = {each: rows_by_spark(spark, f"{table} VERSION AS OF {each}") for each in every}
    clock = await MovedClock.of(world.container.database)
    await clock.pass_by(hours=1)
    rule = {"older_than": "30m", "keep_last": 3}
    run = await world.rewrite_other(
        "history",
        RunRequest(Operation.EXPIRE_SNAPSHOTS),
        policy={"maintenance": {"expire_snapshots": rule}},
    )
    assert run.state is RunState.SUCCEEDED, run.detail
    kept = snapshots(spark, table)
    assert kept == [*every[1:5], *every[-3:]]
    assert {each: rows_by_spark(spark, f"{table} VERSION AS OF {each}") for each in kept} == {
        each: rows[each] for each in kept
    }
    assert rows_by_spark(spark, table) == rows[every[-1]]
    assert one(spark, f"SELECT count(*) FROM {table}.refs") == 3

    theirs = f"lake.lake.{copy.name()[1]}"
    before = (datetime.now(UTC) + OLDER).strftime("%Y-%m-%d %H:%M:%S")
    call = f"table => '{theirs}', older_than => TIMESTAMP '{before}', retain_last => 3"
    spark.sql(f"CALL lake.system.expire_snapshots({call}, clean_expired_metadata => false)").collect()
    assert set(snapshots(spark, theirs)) <= set(kept)

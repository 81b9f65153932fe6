"""Rewrites by Iceberg's own procedure on real Spark: tables that the kernel must not touch, faults, and the proofs.

F1, F2, F3: what the procedure answers is never looked at; every outcome here is read from the table.
"""

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField
from pyspark.errors.exceptions.connect import SparkConnectException
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import FormatName, TableRef
from tests.support.iceberg_tables import commit_deletes, delete_file, edit_metadata
from tests.support.native import checks, rewrite
from tests.support.peer import attach, confs_of, one, rows_by_spark
from tests.support.statements import texts_of
from tests.support.world import World, make_lake

TABLE = "lake.lake.events"


@pytest.fixture
def world(native_world: World) -> World:
    return native_world


@pytest.fixture
def spark(native_spark: SparkSession) -> SparkSession:
    return native_spark


def with_vectors(spark: SparkSession, *, files: int = 4) -> str:
    """Write a table with bloom filters and deletion vectors; return its name."""
    table = "lake.lake.vectors"
    properties = (
        "'format-version'='3', 'write.parquet.bloom-filter-enabled.column.id'='true', "
        "'write.delete.mode'='merge-on-read', 'write.distribution-mode'='none'"
    )
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day) TBLPROPERTIES ({properties})"
    )
    for number in range(files):
        first = number * 40
        days = "IF(id % 3 = 0, NULL, concat('it''s ', id % 3))"
        spark.sql(f"INSERT INTO {table} SELECT id, {days} FROM range({first}, {first + 40}, 1, 1)")
    spark.sql(f"DELETE FROM {table} WHERE id % 7 = 3")
    return table


async def test_u17_deletion_vectors_are_applied_natively_and_proven(world: World, spark: SparkSession) -> None:
    """Row lineage stays, every partition is a snapshot of its own, null partitions too; explain says why native."""
    name = await asyncio.to_thread(with_vectors, spark)
    table = await world.register("vectors")
    lineage = f"SELECT id, _row_id FROM {name} ORDER BY id"
    before = [await asyncio.to_thread(rows_by_spark, spark, name), spark.sql(lineage).collect()]
    said = " ".join(texts_of(await world.container.explain.explain(SYSTEM, table.id)))
    assert "It is rewritten by the table format's own procedure, because Packhouse's kernel does not support it" in said
    assert "known_features: write.parquet.bloom-filter-enabled.column.id is 'true'" in said
    run = await rewrite(world, table.id)
    assert (run.state, run.intent.engine) == (RunState.SUCCEEDED, "native"), run.detail
    assert [await asyncio.to_thread(rows_by_spark, spark, name), spark.sql(lineage).collect()] == before
    assert len(run.result.document["snapshot_ids"]) == run.result.groups_committed == run.result.added_files == 3
    assert run.result.document["deleted_rows"] == 160 - len(before[0])
    assert "deleted by deletes" in checks(run)["rows_conserved"]
    assert one(spark, f"SELECT count(*) FROM {name}.files") == 3
    again = await rewrite(world, table.id)
    assert again.state is RunState.SKIPPED, again.detail


@pytest.mark.parametrize("version", [2, pytest.param(3, marks=pytest.mark.deep)])
async def test_m10_f6_equality_deletes_are_applied_and_rows_that_came_after_them_stay(
    world: World, spark: SparkSession, version: int
) -> None:
    """In version 3 the rows keep their ids too."""
    lake, ids = world.lake, f"SELECT id{', _row_id' if version > 2 else ''} FROM {TABLE} ORDER BY ALL"
    days = ["2026-11-01", "2026-11-02"]

    def write() -> None:
        for _ in range(3):
            lake.append_to(days, rows=20)
        gone = [("", number) for number in (1, 2, 45)]  # of the first day
        commit_deletes(lake.table, delete_file(lake.table, gone, equality_id=1, partition=Record(days[0])))
        lake.next_id = 0
        lake.append(day=days[0], rows=3)  # the same ids again, newer than the delete: they live

    await asyncio.to_thread(write)
    if version > 2:
        spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('format-version'='3')").collect()
        spark.sql(f"INSERT INTO {TABLE} SELECT id + 1000, day, value, note FROM {TABLE} WHERE id = 19").collect()
    before = [await asyncio.to_thread(rows_by_spark, spark, TABLE), spark.sql(ids).collect()]
    assert len(before[0]) == 3 * 40 - 3 + 3 + (version > 2)
    await world.set_policy({"rewrite": {"min_input_files": 4}})  # the first day only
    run = await rewrite(world, world.table_id)
    assert (run.state, run.intent.engine) == (RunState.SUCCEEDED, "native"), run.detail
    assert [await asyncio.to_thread(rows_by_spark, spark, TABLE), spark.sql(ids).collect()] == before
    assert run.result.document["deleted_rows"] == 3
    assert "rows read before" in checks(run)["rows_conserved"]


async def test_f15_a_call_that_committed_before_its_worker_was_lost_is_adopted_and_not_called_again(
    world: World, spark: SparkSession
) -> None:
    name = await asyncio.to_thread(with_vectors, spark)
    table = await world.register("vectors")
    before = await asyncio.to_thread(rows_by_spark, spark, name)

    def lose() -> None:
        message = "the worker is gone"
        raise RuntimeError(message)

    world.at("after_call", lose)
    run, _ = await world.container.runs.submit(SYSTEM, table.id, RunRequest())
    await world.container.worker.advance(run.id)
    parked = await world.get(run.id)
    assert (parked.state, len(parked.unsettled)) == (RunState.QUEUED, 1)
    assert "verifications" not in parked.result.document
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert await asyncio.to_thread(rows_by_spark, spark, name) == before
    assert len(run.result.document["snapshot_ids"]) == 3
    assert one(spark, f"SELECT count(*) FROM {name}.snapshots WHERE operation = 'replace'") == 3
    checks(run)


async def test_rows_that_come_between_plan_and_call_stay(world: World, spark: SparkSession) -> None:
    name = await asyncio.to_thread(with_vectors, spark)
    table = await world.register("vectors")
    before = await asyncio.to_thread(rows_by_spark, spark, name)
    writer = f"INSERT INTO {name} SELECT id, 'it''s 1' FROM range(1000, 1010, 1, 1)"
    world.at("before_call", lambda: spark.sql(writer))
    run = await rewrite(world, table.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    after = await asyncio.to_thread(rows_by_spark, spark, name)
    assert len(after) == len(before) + 10
    assert set(before) < set(after)
    checks(run)


async def test_f49_a_plan_names_the_types_of_columns_that_spark_does_not_read(
    world: World, spark: SparkSession
) -> None:
    """F49: such a table was eligible for the procedure, and each of its runs failed."""
    named, read = set(), set()
    kinds = ("time", "timestamp_ns", "timestamptz_ns", "geometry", "unknown", "fixed[4]", "uuid")
    for number, of in enumerate(kinds):
        table = world.lake.catalog.create_table(("lake", f"odd{number}"), Schema(NestedField(1, "id", LongType())))

        def later(body: dict[str, Any], of: str = of) -> None:
            body["schemas"][0]["fields"].append({"id": 2, "name": "odd", "type": of, "required": False})
            body.update({"format-version": 3, "next-row-id": 0, "last-column-id": 2})

        edit_metadata(table, later)
        registered = await world.register(f"odd{number}", policy={"rewrite": {"engine": "native"}})
        planned = await world.container.tables.plan(SYSTEM, registered.id, policy=None)
        named |= {of for each in planned["conditions"] if not each["holds"] and each["detail"].startswith(f"odd {of}")}
        with suppress(SparkConnectException):
            spark.sql(f"SELECT * FROM lake.lake.odd{number}").collect()
            read.add(of)
    assert (named, read) == (set(kinds[:4]), set(kinds[4:]))


async def rewrite_under_another_name(world: World, spark_catalog: str) -> Run:
    """Rewrite the table with vectors through a catalog that says it has another name in Spark than it has."""
    properties = world.lake.properties | {"catalog-name": "lake", "packhouse.spark-catalog": spark_catalog}
    await world.container.catalogs.create(SYSTEM, catalog := f"as_{spark_catalog}", FormatName.ICEBERG, properties)
    ref = TableRef(catalog, ("lake",), "vectors")
    table = await world.container.tables.register(SYSTEM, ref, owner_team=None, labels={})
    run = await rewrite(world, table.id)
    await world.container.tables.delete(SYSTEM, table.id)
    return run


async def test_a_catalog_that_spark_does_not_know_fails_the_run_and_a_table_of_another_one_is_left_alone(
    world: World, spark: SparkSession, tmp_path: Path
) -> None:
    """A call in another catalog of that name would rewrite a table for which no run was requested."""
    name = await asyncio.to_thread(with_vectors, spark)
    run = await rewrite_under_another_name(world, "nowhere")
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "Spark endpoint default can't read the table as nowhere.lake.vectors" in (run.detail or "")
    assert one(spark, f"SELECT count(*) FROM {name}.snapshots WHERE operation = 'replace'") == 0
    other = await asyncio.to_thread(make_lake, tmp_path / "other", days=0)
    attach(spark, {key.replace(".lake", ".elsewhere"): value for key, value in confs_of(other).items()})
    spark.sql("CREATE NAMESPACE elsewhere.lake")
    spark.sql("CREATE TABLE elsewhere.lake.vectors (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day)")
    for first in range(0, 60, 10):
        spark.sql(f"INSERT INTO elsewhere.lake.vectors SELECT id, 'a' FROM range({first}, {first + 10}, 1, 1)")
    run = await rewrite_under_another_name(world, "elsewhere")
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "it is another table, or an old copy; check the name that the catalog has in Spark" in (run.detail or "")
    for each in (name, "elsewhere.lake.vectors"):
        assert one(spark, f"SELECT count(*) FROM {each}.snapshots WHERE operation = 'replace'") == 0


@pytest.mark.deep
async def test_cancels_end_calls_within_five_seconds_and_the_table_tells_the_outcome(
    world: World, spark: SparkSession
) -> None:
    """Early and late in a call; what was interrupted commits nothing later. `bench.native_cancel` has more of it."""
    name = "lake.lake.large"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, text STRING) USING iceberg TBLPROPERTIES ('format-version'='3')")
    values = "SELECT id, sha2(CAST(id AS STRING), 512) FROM range({first}, {last}, 1, 2)"
    for number in range(3):
        spark.sql(f"INSERT INTO {name} {values.format(first=number * 10**6, last=(number + 1) * 10**6)}")
    before = one(spark, f"SELECT bit_xor(xxhash64(id, text)) FROM {name}")
    table = await world.register("large", policy={"rewrite": {"engine": "native"}})
    took: list[float] = []
    for delay in (0.0, 0.7, 1.4):
        run, seconds = await cancelled(world, table.id, delay)
        assert run.state is RunState.CANCELLED, run.detail
        took.append(round(seconds, 2))
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # how many wait for each core
    assert max(took) < 5.0 * busy, f"seconds from each request to its end: {took}"
    assert one(spark, f"SELECT bit_xor(xxhash64(id, text)) FROM {name}") == before
    assert one(spark, f"SELECT count(*) FROM {name}.snapshots WHERE operation = 'replace'") == 0


async def cancelled(world: World, table_id: Any, delay: float) -> tuple[Run, float]:
    """Let a run be cancelled so many seconds after its call was sent; return how long its end took from there."""
    run, _ = await world.container.runs.submit(SYSTEM, table_id, RunRequest())
    asked: list[float] = []

    async def cancel() -> None:
        await asyncio.sleep(delay)
        asked.append(time.monotonic())
        await world.container.runs.cancel(SYSTEM, run.id)

    sent: list[asyncio.Task[None]] = []
    world.at("before_call", lambda: sent.append(asyncio.create_task(cancel())))
    await world.container.worker.advance(run.id)
    ended = time.monotonic()
    await sent[0]
    return await world.get(run.id), ended - asked[0]

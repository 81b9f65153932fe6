"""Iceberg's engine writes tables of format version 3; a rewrite keeps row ids and sequence numbers as it reads them."""

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.plans import FileGroup
from engine.domain.runs.run import RunState
from engine.domain.tables.orders import OrderField, RowOrdering
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine, GroupSettings
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.task import GroupRewrite
from tests.support.duckdb_tables import connected
from tests.support.iceberg_tables import RUN_ID, groups_by_partition
from tests.support.kernel_tasks import received
from tests.support.peer import one
from tests.support.world import World

Lineage = dict[int, tuple[int | None, int | None]]
COLUMNS = "id BIGINT, part INT, text STRING"
LINEAGE = ("_row_id", "_last_updated_sequence_number")


def create(spark: SparkSession, name: str, *, version: int = 3, deletes: str = "copy-on-write") -> str:
    table = f"lake.lake.{name}"
    modes = "".join(f", 'write.{each}.mode'='{deletes}'" for each in ("delete", "update", "merge"))
    spark.sql(
        f"CREATE TABLE {table} ({COLUMNS}) USING iceberg PARTITIONED BY (part) "
        f"TBLPROPERTIES ('format-version'='{version}'{modes}, 'write.distribution-mode'='none')"
    )
    return table


def fill(spark: SparkSession, table: str, *, files: int = 3, rows: int = 40) -> None:
    first = one(spark, f"SELECT coalesce(max(id) + 1, 0) FROM {table}")
    for start in range(first, first + files * rows, rows):
        spark.sql(
            f"INSERT INTO {table} SELECT id, CAST(id % 2 AS INT), concat('text ', id) "
            f"FROM range({start}, {start + rows}, 1, 1)"
        )


def by_spark(spark: SparkSession, table: str) -> Lineage:
    """Return the lineage of each row, which both of Iceberg's readers have to read alike."""
    found = []
    for vectorised in ("true", "false"):
        spark.conf.set("spark.sql.iceberg.vectorization.enabled", vectorised)
        rows = spark.sql(f"SELECT id, {', '.join(LINEAGE)} FROM {table}").collect()
        found.append({row[0]: (row[1], row[2]) for row in rows})
    assert found[0] == found[1]
    return found[0]


def by_duckdb(table: IcebergTable) -> Lineage:
    with connected() as connection:
        place = [table._view.table.metadata_location]
        rows = connection.execute(f"SELECT id, {', '.join(LINEAGE)} FROM iceberg_scan(?)", place).fetchall()
    return {row[0]: (row[1], row[2]) for row in rows}


def opened(world: World, name: str) -> IcebergTable:
    connection = IcebergFormat().connect("lake", {"type": "sql", **world.lake.properties})
    return connection.open_table(TableRef("lake", ("lake",), name))


ATTEMPTS = count(1)


def outputs(table: IcebergTable, group: FileGroup, order: RowOrdering | None) -> Iterator[pa.Table]:
    kernel = table.engines[Engine.ARROW]
    settings = GroupSettings(WriteSettings(target_file_bytes=2**27), order=order)
    sent = received(kernel.task(group, run_id=RUN_ID, attempt=next(ATTEMPTS), settings=settings), kernel.task_storage())
    result = GroupRewrite(sent=sent).run()
    assert result.outcome == "written", result.reason
    assert result.row_digest
    yield from (pq.read_table(each.path.removeprefix("file:")) for each in result.outputs)


def rewritten(world: World, name: str, order: RowOrdering | None = None) -> Lineage:
    """Run the kernel on every partition; return the lineage that its outputs store."""
    table = opened(world, name)
    found = Lineage()
    for group in groups_by_partition(table):
        for rows in outputs(table, group, order):
            columns = [rows[each] if each in rows.column_names else pa.nulls(rows.num_rows) for each in LINEAGE]
            pairs = zip(*(column.to_pylist() for column in columns), strict=True)
            found |= dict(zip(rows["id"].to_pylist(), pairs, strict=True))
    return found


BY_TEXT = RowOrdering("sort", (OrderField("text", 3, descending=True, nulls_first=True),))


@pytest.mark.parametrize("order", [None, BY_TEXT], ids=["in order", "sorted"])
async def test_updated_and_merged_rows_keep_what_the_engine_reads(
    world: World, spark: SparkSession, order: RowOrdering | None
) -> None:
    table = create(spark, "changed")
    await asyncio.to_thread(fill, spark, table)
    spark.sql(f"UPDATE {table} SET text = 'updated' WHERE id % 7 = 0")
    spark.sql(f"DELETE FROM {table} WHERE id IN (0, 1, 40, 119)")
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT id * 3 AS id FROM range(60)) s ON t.id = s.id "
        "WHEN MATCHED AND t.id < 60 THEN UPDATE SET text = 'merged' "
        "WHEN NOT MATCHED THEN INSERT (id, part, text) VALUES (s.id, 0, 'new')"
    )
    await asyncio.to_thread(fill, spark, table, files=1)
    before = by_spark(spark, table)
    assert len({number for _, number in before.values()}) > 3
    assert rewritten(world, "changed", order) == before


async def test_an_upgraded_table_gets_ids_from_its_first_commit(world: World, spark: SparkSession) -> None:
    table = create(spark, "upgraded", version=2)
    await asyncio.to_thread(fill, spark, table)
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version'='3')")
    assert set(by_spark(spark, table).values()) == {(None, None)}
    assert set(rewritten(world, "upgraded").values()) == {(None, None)}
    await asyncio.to_thread(fill, spark, table, files=1)
    before: dict[int, Any] = by_spark(spark, table)
    assert len({row_id for row_id, _ in before.values()}) == len(before)
    assert rewritten(world, "upgraded") == before


async def test_what_the_engines_own_rewrite_stores_is_kept(world: World, spark: SparkSession) -> None:
    table = create(spark, "twice")
    await asyncio.to_thread(fill, spark, table)
    before = by_spark(spark, table)
    spark.sql("CALL lake.system.rewrite_data_files(table => 'lake.lake.twice', options => map('rewrite-all', 'true'))")
    assert by_spark(spark, table) == before
    assert rewritten(world, "twice") == before


@pytest.mark.parametrize("deletes", ["copy-on-write", "merge-on-read"])
async def test_a_run_keeps_lineage_and_later_commits_give_other_ids(
    world: World, spark: SparkSession, deletes: str
) -> None:
    """Trap 3: ids are those of positions before deletes."""
    table = create(spark, "run", deletes=deletes)
    await asyncio.to_thread(fill, spark, table, files=6)
    spark.sql(f"UPDATE {table} SET text = 'updated' WHERE id % 5 = 0")
    spark.sql(f"DELETE FROM {table} WHERE id % 9 = 1")
    await asyncio.to_thread(fill, spark, table, files=3)
    before = by_spark(spark, table)
    run = await world.rewrite_other("run")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert one(spark, f"SELECT count(*) FROM {table}.files") == 2
    assert by_spark(spark, table) == by_duckdb(opened(world, "run")) == before
    checked = {each["name"]: each for each in run.result.document["verifications"][0]["checks"]}
    assert checked["row_ids_kept"]["holds"]
    assert run.result.document["checked"]["groups"] == 2
    spark.sql(f"UPDATE {table} SET text = 'again' WHERE id % 7 = 0")
    await asyncio.to_thread(fill, spark, table, files=1)
    kept, after = {key: row_id for key, (row_id, _) in before.items()}, by_spark(spark, table)
    assert {key: row_id for key, (row_id, _) in after.items() if key in kept} == kept
    assert len({row_id for row_id, _ in after.values()}) == len(after)

"""Deletion vectors that Iceberg's own runtime wrote: tasks delete the same rows, and readers agree after each commit.

Trap 1: vectors of several data files share a Puffin file. Rows are compared by predicates too, in both readers.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import SparkSession

from engine.domain.runs.drops import Loss
from engine.domain.tables.table import TableRef
from engine.formats.base import CommitOutcome, WrittenGroup
from engine.formats.iceberg import IcebergFormat, IcebergTable
from tests.support.duckdb_tables import rows_by_duckdb
from tests.support.iceberg_tables import RUN_ID, group_of, nothing, request_of
from tests.support.kernel_groups import written_by_kernel
from tests.support.peer import both_readers, counts, one
from tests.support.world import World

TABLE = "lake.lake.vectors"
MERGE_ON_READ = ", ".join(f"'write.{each}.mode'='merge-on-read'" for each in ("delete", "update", "merge"))
V3 = f"'format-version'='3', {MERGE_ON_READ}, 'write.distribution-mode'='none'"
PREDICATES = [
    *("id < 40", "id BETWEEN 35 AND 165", "id % 2 = 0", "note = 'note 3'", "part = 1", "part = 0 AND id > 100"),
    *("id = 17", "id IN (3, 38, 190)", "note IS NULL", "part IS NOT NULL AND id >= 120"),
]


def insert(spark: SparkSession, first: int, rows: int = 40) -> None:
    spark.sql(
        f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ id, CAST(id % 2 AS INT), concat('note ', id % 5) "
        f"FROM range({first}, {first + rows}, 1, 1)"
    )


def make(spark: SparkSession, *, properties: str = V3, partitioned: bool = False) -> None:
    """Write a table of five files of 40 rows, or of ten of 20 in two partitions, with deletes and an update."""
    spec = "PARTITIONED BY (part)" if partitioned else ""
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, part INT, note STRING) USING iceberg {spec} TBLPROPERTIES ({properties})"
    )
    for first in range(0, 200, 40):
        insert(spark, first)


def seen(spark: SparkSession) -> Any:
    lineage = f"SELECT id, _row_id, _last_updated_sequence_number FROM {TABLE} ORDER BY id"
    return both_readers(spark, TABLE), counts(spark, TABLE, PREDICATES), spark.sql(lineage).collect()


def vectors(spark: SparkSession) -> list[Any]:
    """Return the live delete entries as Spark lists them."""
    columns = "referenced_data_file, file_path, file_format, content_offset, content_size_in_bytes, record_count"
    return [tuple(row) for row in spark.sql(f"SELECT {columns} FROM {TABLE}.delete_files ORDER BY 1").collect()]


def opened(world: World) -> Callable[[], IcebergTable]:
    connection = IcebergFormat().connect("lake", dict(world.lake.properties))
    return lambda: connection.open_table(TableRef("lake", ("lake",), "vectors"))


def written(table: IcebergTable, paths: Sequence[str], *, ordinal: int = 0) -> WrittenGroup:
    """Rewrite a group by the kernel, without Spark."""
    attempt = table._view.metadata.next_sequence_number()  # names of files of their own
    return written_by_kernel(table, group_of(table, paths, ordinal=ordinal), attempt=attempt)


def commit(table: IcebergTable, *groups: WrittenGroup) -> CommitOutcome:
    return table.commits.commit(request_of(table, *groups), before_try=nothing)


def proven(table: IcebergTable, outcome: CommitOutcome, *groups: WrittenGroup) -> None:
    found = table.commits.prove(outcome.snapshot_id or 0, groups)
    assert found.ok, [each for each in found.checks if not each.holds]


async def test_each_data_file_is_rewritten_with_its_vector_and_the_others_keep_theirs(
    world: World, spark: SparkSession
) -> None:
    make(spark)
    spark.sql(f"DELETE FROM {TABLE} WHERE id % 7 = 3 OR id BETWEEN 80 AND 99")
    spark.sql(f"UPDATE {TABLE} SET note = NULL WHERE id IN (5, 120, 121)")
    load, before = opened(world), seen(spark)
    live = vectors(spark)
    assert len({path for _, path, *_ in live}) < len(live), "vectors share a Puffin file"
    table = load()
    deleted = {path: sum(ref.rows or 0 for ref in each.deletes) for path, each in inputs_of(table).items()}
    assert deleted == dict.fromkeys(deleted, 0) | {target: rows for target, *_, rows in live}
    for path in sorted(deleted)[:3]:
        group = written(load(), [path])
        assert group.rows_deleted == deleted[path]
        proven(load(), commit(load(), group), group)
        assert seen(spark) == before
        assert {each[0] for each in vectors(spark)}.isdisjoint({path})
    assert vectors(spark) == [each for each in live if each[0] not in sorted(deleted)[:3]]
    assert rows_by_duckdb(load()._view.table).total() == len(before[0][0])
    spark.sql(
        f"CALL lake.system.expire_snapshots(table => '{TABLE}', older_than => TIMESTAMP'2100-01-01', retain_last => 1)"
    )
    assert seen(spark) == before


def inputs_of(table: IcebergTable) -> Any:
    return table.group_inputs(table.digest()["path"].to_pylist())


async def test_the_summary_has_the_counts_that_the_procedure_states(world: World, spark: SparkSession) -> None:
    make(spark)
    spark.sql(f"DELETE FROM {TABLE} WHERE id % 7 = 3")
    load = opened(world)
    table = load()
    head = table._view.head
    assert head is not None
    group = written(table, table.digest()["path"].to_pylist())
    commit(table, group)
    words = "'removed-dvs', 'removed-delete-files', 'removed-position-deletes', 'removed-position-delete-files'"
    summary = f"SELECT map_filter(summary, (k, v) -> k IN ({words})) FROM {TABLE}.snapshots ORDER BY committed_at DESC"
    ours = one(spark, summary)
    spark.sql(f"CALL lake.system.rollback_to_snapshot('{TABLE}', {head.snapshot_id})")
    spark.sql(f"CALL lake.system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    assert (
        one(spark, summary)
        == ours
        == {"removed-dvs": "5", "removed-delete-files": "5", "removed-position-deletes": "29"}
    )


async def test_a_vector_that_arrives_or_grows_after_the_plan_drops_the_group(world: World, spark: SparkSession) -> None:
    make(spark)
    spark.sql(f"DELETE FROM {TABLE} WHERE id IN (1, 41)")
    load = opened(world)
    table = load()
    by_first = sorted(inputs_of(table).values(), key=lambda each: each.sequence_number)
    groups = [written(table, [each.path], ordinal=at) for at, each in enumerate(by_first)]
    spark.sql(f"DELETE FROM {TABLE} WHERE id IN (42, 82)")
    before = seen(spark)
    outcome = commit(table, *groups)
    assert (outcome.committed, outcome.dropped) == ((0, 3, 4), {1: Loss.NEW_DELETES, 2: Loss.NEW_DELETES})
    assert seen(spark) == before


async def test_position_deletes_from_before_an_upgrade_apply_where_no_vector_does(
    world: World, spark: SparkSession
) -> None:
    """Trap 14: partition-scoped delete files with several targets, of which some get vectors."""
    make(spark, properties=f"{V3}, 'write.delete.granularity'='partition'".replace("'3'", "'2'"), partitioned=True)
    spark.sql(f"DELETE FROM {TABLE} WHERE id % 9 = 4")
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('format-version'='3')")
    spark.sql(f"DELETE FROM {TABLE} WHERE id IN (2, 6, 10, 45)")
    load, before = opened(world), seen(spark)
    assert {each[2] for each in vectors(spark)} == {"PARQUET", "PUFFIN"}
    table = load()
    kinds = [[ref.offset is None for ref in each.deletes] for each in inputs_of(table).values()]
    assert sorted(map(str, kinds)).count("[False]") == 2
    assert [True] in kinds
    rows = table.digest().to_pylist()
    for at, partition in enumerate(sorted({row["partition"] for row in rows})):
        paths = [row["path"] for row in load().digest().to_pylist() if row["partition"] == partition]
        group = written(load(), sorted(paths)[: 2 + 3 * at])
        proven(load(), commit(load(), group), group)
        assert seen(spark) == before
    assert rows_by_duckdb(load()._view.table).total() == len(before[0][0])


async def test_random_vectors_delete_the_rows_that_spark_deletes(world: World, spark: SparkSession) -> None:
    """Array, bitmap and run containers, in files of 200,000 rows."""
    make(spark)
    spark.sql(f"DELETE FROM {TABLE}")
    insert(spark, 1_000_000, 200_000)
    for condition in ("id % 3 = 1", "id BETWEEN 1070000 AND 1160000", "id > 1199000 AND id % 10 = 0"):
        await asyncio.to_thread(lambda text: spark.sql(f"DELETE FROM {TABLE} WHERE {text}").collect(), condition)
        load = opened(world)
        group = written(load(), load().digest()["path"].to_pylist())
        left = one(spark, f"SELECT count(*) FROM {TABLE}")
        total = f"SELECT sum(id) FROM {TABLE}"
        before = one(spark, total)
        assert sum(each.record_count for each in group.outputs) == left
        proven(load(), commit(load(), group), group)
        assert (one(spark, total), vectors(spark)) == (before, [])


def entries(spark: SparkSession) -> list[Any]:
    """Return target, data sequence number and rows of each live deletion vector."""
    columns = "data_file.referenced_data_file, sequence_number, data_file.record_count"
    query = f"SELECT {columns} FROM {TABLE}.entries WHERE status < 2 AND data_file.content = 1 ORDER BY 1"
    return [tuple(row) for row in spark.sql(query).collect()]


def rewrite_deletes(load: Callable[[], IcebergTable]) -> None:
    attempt = load()._view.metadata.next_sequence_number()
    done = load().delete_rewrite.commit(RUN_ID, attempt, before_try=nothing)
    assert done.snapshot_id is not None, done.left_out
    proof = load().delete_rewrite.prove(done.snapshot_id)
    assert all(each.holds for each in proof.checks), proof.checks
    assert load().delete_rewrite.plan().rewritten == 0


async def test_position_deletes_become_the_vectors_that_the_procedure_makes(world: World, spark: SparkSession) -> None:
    make(spark, properties=f"{V3}, 'write.delete.granularity'='partition'".replace("'3'", "'2'"), partitioned=True)
    for condition in ("id % 9 = 4", "id % 11 = 2"):
        spark.sql(f"DELETE FROM {TABLE} WHERE {condition}")
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('format-version'='3')")
    spark.sql(f"DELETE FROM {TABLE} WHERE id IN (3, 6, 10, 45)")
    load, before = opened(world), seen(spark)
    head = load().head_snapshot_id
    rewrite_deletes(load)
    assert seen(spark) == before
    assert {each[2] for each in vectors(spark)} == {"PUFFIN"}
    assert rows_by_duckdb(load()._view.table).total() == len(before[0][0])
    ours = entries(spark)
    spark.sql(f"CALL lake.system.rollback_to_snapshot('{TABLE}', {head})")
    options = "map('rewrite-all', 'true')"
    spark.sql(f"CALL lake.system.rewrite_position_delete_files(table => '{TABLE}', options => {options})")
    theirs = entries(spark)
    assert [(target, rows) for target, _, rows in theirs] == [(target, rows) for target, _, rows in ours]
    assert all(own <= other for (_, own, _), (_, other, _) in zip(ours, theirs, strict=True)), "theirs: by partition"


async def test_copied_vectors_are_read_and_extended_by_spark(world: World, spark: SparkSession) -> None:
    make(spark)
    spark.sql(f"DELETE FROM {TABLE} WHERE id % 7 = 3")
    load = opened(world)
    paths = sorted(load().digest()["path"].to_pylist())
    group = written(load(), paths[:4])
    commit(load(), group)
    before, numbers, old = seen(spark), entries(spark), vectors(spark)
    rewrite_deletes(load)
    assert (seen(spark), entries(spark)) == (before, numbers)
    assert {each[1] for each in vectors(spark)}.isdisjoint({each[1] for each in old})
    spark.sql(f"DELETE FROM {TABLE} WHERE id % 5 = 1")
    left = [row for row in before[0][0] if int(row.split("'id': ")[1].split(",")[0]) % 5 != 1]
    assert both_readers(spark, TABLE) == [left, left]
    assert rows_by_duckdb(load()._view.table).total() == len(left)

"""Files that Packhouse deletes after an expiry, beside those that Iceberg's `expire_snapshots` deletes, on one table.

The table's folder is copied before, and put back for the procedure, so that both work on the very same files.
"""

import asyncio
import shutil
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyiceberg.table import Table
from pyspark.sql import SparkSession

from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.commits.expiry import plan_expiry
from engine.formats.iceberg.removal.expired_files import IcebergExpired
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.file_lists import FileKind
from engine.formats.removal.scopes import Scope
from tests.spark.test_iceberg_peer import create, fill
from tests.support.expired_files import RunFiles, drop_snapshots, needed, stored
from tests.support.iceberg_tables import RUN_ID, edit_metadata
from tests.support.peer import rows_by_spark
from tests.support.world import World

pytestmark = pytest.mark.deep

VALUES = "SELECT id, concat('2026-11-0', 1 + id % 2) FROM range({first}, {last})"


def snapshots(spark: SparkSession, table: str) -> list[int]:
    found = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").collect()
    return [row["snapshot_id"] for row in found]


def write(spark: SparkSession, *, version: int, mode: str) -> str:
    """A history of appends, deletes, updates, a rewrite of files and of manifests, with a branch and a tag."""
    table = create(spark, "history", columns="id BIGINT, day STRING", partition="PARTITIONED BY (day)", version=version)
    modes = ", ".join(f"'write.{each}.mode'='{mode}'" for each in ("delete", "update", "merge"))
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({modes})").collect()
    fill(spark, table, files=4, values=VALUES)
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 3").collect()
    spark.sql(f"ALTER TABLE {table} CREATE TAG audit AS OF VERSION {snapshots(spark, table)[1]}").collect()
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH work").collect()
    spark.sql(f"INSERT INTO {table}.branch_work VALUES (7000, '2026-11-01')").collect()
    spark.sql(f"UPDATE {table} SET id = id + 1000 WHERE id < 20").collect()
    options = "options => map('rewrite-all', 'true')"
    spark.sql(f"CALL lake.system.rewrite_data_files(table => 'lake.lake.history', {options})").collect()
    spark.sql(f"CALL lake.system.rewrite_position_delete_files(table => 'lake.lake.history', {options})").collect()
    spark.sql("CALL lake.system.rewrite_manifests('lake.lake.history')").collect()
    fill(spark, table, files=1, values=VALUES)
    spark.sql(f"DELETE FROM {table} WHERE id > 1000 AND id < 1010").collect()
    return table


def folder(table: Table) -> Path:
    return Path("/" + table.location().removeprefix("file:").lstrip("/"))


def beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-copy")


def delete(world: World, keep_last: int) -> Any:
    """Expire snapshots as Packhouse does and delete their files; return what was recorded and counted."""
    connection = IcebergFormat().connect("lake", dict(world.lake.properties))
    opened = connection.open_table(TableRef("lake", ("lake",), "history"))
    rule = ExpiryRule(timedelta(0), keep_last)
    plan = plan_expiry(opened._view.metadata, Expiry(rule, datetime.now(UTC) + timedelta(hours=1)))
    files = RunFiles(IcebergExpired(load=opened._fresh, run_id=RUN_ID, scope=Scope.of(opened.location)))
    files.announce(opened._fresh(), list(plan.expired))
    drop(world.lake.catalog.load_table(("lake", "history")), plan.expired.keys())
    recorded = files.find()
    tally = files.delete(BulkDelete(opened.engines[Engine.ARROW].task_storage(), before_batch=lambda _: None))
    assert all(each.holds for each in files.prove())
    files.close()
    connection.close()
    return recorded, tally


def drop(table: Table, snapshot_ids: AbstractSet[int]) -> None:
    """Remove snapshots from the metadata, of which PyIceberg can't write version 3."""
    if table.metadata.format_version < 3:
        drop_snapshots(table, list(snapshot_ids))
        return

    def without(body: dict[str, Any]) -> None:
        for name in ("snapshots", "snapshot-log"):
            body[name] = [each for each in body[name] if each["snapshot-id"] not in snapshot_ids]

    edit_metadata(table, without)


def read_by_others(table: Table, snapshot_id: int) -> int:
    """Return the rows of a snapshot by PyIceberg; DuckDB has to read its files."""
    scan = table.scan(snapshot_id=snapshot_id)
    paths = ["/" + task.file.file_path.removeprefix("file:").lstrip("/") for task in scan.plan_files()]
    duckdb.sql(f"SELECT count(*) FROM read_parquet({paths})").fetchall()
    return scan.to_arrow().num_rows


@pytest.mark.parametrize(
    ("version", "mode", "keep_last"),
    [(1, "copy-on-write", 1), (2, "copy-on-write", 3), (2, "merge-on-read", 1), (3, "merge-on-read", 3)],
)
async def test_what_is_deleted_is_what_iceberg_deletes_and_every_kept_snapshot_is_readable(
    world: World, spark: SparkSession, version: int, mode: str, keep_last: int
) -> None:
    name = await asyncio.to_thread(write, spark, version=version, mode=mode)
    load: Callable[[], Table] = lambda: world.lake.catalog.load_table(("lake", "history"))  # noqa: E731
    rows = {each: rows_by_spark(spark, f"{name} VERSION AS OF {each}") for each in snapshots(spark, name)}
    original, before, table = load().metadata_location, stored(load()), load()
    shutil.copytree(folder(table), beside(folder(table)))

    recorded, tally = await asyncio.to_thread(delete, world, keep_last)
    kept, ours = snapshots(spark, name), before - stored(load())
    assert len(kept) < len(rows)
    assert {each: rows_by_spark(spark, f"{name} VERSION AS OF {each}") for each in kept} == {e: rows[e] for e in kept}
    assert {each: read_by_others(load(), each) for each in kept} == {each: len(rows[each]) for each in kept}
    assert stored(load()) >= needed(load())
    assert (recorded.unread.counts, recorded.refused.counts, tally.failed) == ({}, {}, {})
    deletes = {2: FileKind.POSITION_DELETES, 3: FileKind.DELETION_VECTORS}
    expected = {FileKind.DATA, FileKind.MANIFEST, FileKind.MANIFEST_LIST}
    assert set(tally.deleted) == expected | ({deletes[version]} if mode == "merge-on-read" else set())

    shutil.rmtree(folder(table))
    shutil.move(beside(folder(table)), folder(table))
    world.lake.catalog.register_table(("lake", "theirs"), original)
    later = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%d %H:%M:%S")
    call = f"table => 'lake.lake.theirs', older_than => TIMESTAMP '{later}', retain_last => {keep_last}"
    spark.sql(f"CALL lake.system.expire_snapshots({call}, clean_expired_metadata => false)").collect()
    assert snapshots(spark, "lake.lake.theirs") == kept
    theirs = before - stored(world.lake.catalog.load_table(("lake", "theirs")))
    assert ours <= theirs
    assert {path for path in theirs - ours if not path.endswith(".crc")} == set()  # Hadoop's, on local disks only

"""Orphans that Packhouse finds and deletes, beside those of Iceberg's `remove_orphan_files`, on one table."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.removals import OrphanRule
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.catalog.paths import normalised
from tests.spark.test_expired_files_peer import drop, folder, read_by_others, write
from tests.spark.test_expiry_peer import snapshots
from tests.support.expired_files import needed, stored
from tests.support.iceberg_tables import RUN_ID
from tests.support.peer import rows_by_spark
from tests.support.world import World

LONG_AGO = 1_600_000_000
RULE = OrphanRule(timedelta(days=1), timedelta(0))
MADE = ["data/day=2026-11-01/a.parquet", "data/day=2026-11-02/b c.parquet", "metadata/lost-m0.avro", "metadata/x.stats"]


def grow_old(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file() and "packhouse-deletions" not in str(path):
            os.utime(path, (LONG_AGO, LONG_AGO))


def search(world: World, *, deletes: bool) -> int:
    """Look for orphans as a run does; return the number of files that were deleted."""
    connection = IcebergFormat().connect("lake", dict(world.lake.properties))
    opened = connection.open_table(TableRef("lake", ("lake",), "history"))
    deletion = opened.orphans(RUN_ID, RULE, (), ())
    while deletion.look(lambda _: None, 60):
        pass
    deletion.record()
    while deletes and deletion.advance(lambda _: None, 60):
        pass
    assert all(each.holds for each in deletion.prove())
    connection.close()
    return deletion.figures().total.files


def found_by_iceberg(spark: SparkSession) -> set[str]:
    before = (datetime.now(UTC) - timedelta(days=2)).strftime("%Y-%m-%d %H:%M:%S")
    call = f"table => 'lake.lake.history', older_than => TIMESTAMP '{before}', dry_run => true"
    rows = spark.sql(f"CALL lake.system.remove_orphan_files({call})").collect()
    return {normalised(row[0]) for row in rows}


@pytest.mark.parametrize(("version", "mode"), [(1, "copy-on-write"), (2, "merge-on-read"), (3, "merge-on-read")])
async def test_orphans_are_those_of_iceberg_and_every_snapshot_stays_readable(
    world: World, spark: SparkSession, version: int, mode: str
) -> None:
    name = await asyncio.to_thread(write, spark, version=version, mode=mode)
    history = world.lake.catalog.load_table(("lake", "history"))
    expired = frozenset(each.snapshot_id for each in history.snapshots()[1:2])  # its files stay, as orphans
    drop(history, expired - {ref.snapshot_id for ref in history.refs().values()})
    history.refresh()
    root, kept = folder(history), snapshots(spark, name)
    rows = {each: rows_by_spark(spark, f"{name} VERSION AS OF {each}") for each in kept}
    for each in MADE:
        (root / each).parent.mkdir(parents=True, exist_ok=True)
        (root / each).write_bytes(b"orphan")
    grow_old(root)
    theirs = found_by_iceberg(spark)
    before = stored(history)

    assert await asyncio.to_thread(search, world, deletes=False) == 0
    count = await asyncio.to_thread(search, world, deletes=True)
    ours = {normalised(path) for path in before - stored(history)}
    assert count == len(ours) >= len(MADE)
    assert {normalised(f"{history.location()}/{each}") for each in MADE} <= ours <= theirs
    assert {path for path in theirs - ours if not path.endswith(".metadata.json")} == set()
    assert needed(history) <= stored(history)
    assert {each: rows_by_spark(spark, f"{name} VERSION AS OF {each}") for each in kept} == rows
    assert {each: read_by_others(history, each) for each in kept} == {each: len(rows[each]) for each in kept}

"""Compactors of others are named from the table's own history: real tables."""

import asyncio
import time
from typing import Any

from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate

from engine.domain.access.callers import SYSTEM
from tests.support.statements import texts_of
from tests.support.watching import Watching, set_policy
from tests.support.world import World

SPARK = {"engine-name": "spark", "engine-version": "3.5.1", "app-id": "local-17", "spark.app.id": "local-17"}
FILES = {"added-data-files": "1", "deleted-data-files": "6"}


def replace_files(world: World, **summary: str) -> None:
    """Commit a snapshot as another engine's rewrite does; the files stay as they are."""
    table = world.lake.table
    head = table.current_snapshot()
    assert head is not None
    made = Snapshot(
        snapshot_id=head.snapshot_id % 2**40 + table.metadata.last_sequence_number,
        parent_snapshot_id=head.snapshot_id,
        sequence_number=table.metadata.last_sequence_number + 1,
        timestamp_ms=round(time.time() * 1000),
        manifest_list=head.manifest_list,
        summary=Summary(Operation.REPLACE, **summary),
        schema_id=head.schema_id,
    )
    ref = SetSnapshotRefUpdate(ref_name=MAIN_BRANCH, type=SnapshotRefType.BRANCH, snapshot_id=made.snapshot_id)
    requirement = AssertRefSnapshotId(ref=MAIN_BRANCH, snapshot_id=head.snapshot_id)
    world.lake.catalog.commit_table(table, (requirement,), (AddSnapshotUpdate(snapshot=made), ref))


async def explained(world: World) -> Any:
    return await world.container.explain.explain(SYSTEM, world.table_id)


async def test_another_engine_that_replaces_files_is_named_and_counted(world: World) -> None:
    for _ in range(2):
        await asyncio.to_thread(replace_files, world, **SPARK, **FILES)
    await asyncio.to_thread(replace_files, world, trino_query_id="20261121_x", **FILES)
    found = await explained(world)
    named = [(each["engine"], each["application"], each["count"]) for each in found["conflicts"]["other_compactors"]]
    assert named == [("spark 3.5.1", "local-17", 2), ("trino", "20261121_x", 1)]
    assert "Another compactor (spark 3.5.1, application local-17) replaced files 2 times" in " ".join(texts_of(found))


async def test_our_own_rewrites_appends_and_rewrites_of_manifests_name_nobody(world: World) -> None:
    await world.rewrite()
    await asyncio.to_thread(world.lake.append, day="2026-11-01")
    await asyncio.to_thread(replace_files, world, **SPARK)
    assert world.lake.replaces()
    assert (await explained(world))["conflicts"]["other_compactors"] == []


async def test_what_a_summary_says_is_cut_and_kept_to_one_line(world: World) -> None:
    garbage = {"engine-name": "evil\n\x1b[2J" + "x" * 10_000, "added-data-files": "9" * 30}
    await asyncio.to_thread(replace_files, world, **FILES | garbage)  # a count that is none names nobody
    await asyncio.to_thread(replace_files, world, **garbage | FILES)
    (other,) = (await explained(world))["conflicts"]["other_compactors"]
    assert (len(other["engine"]), other["engine"].isprintable(), other["count"]) == (80, True, 1)


async def test_looks_that_find_new_work_of_others_are_counted(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[])
    counter = watching.service._metrics.other_compactions
    await asyncio.to_thread(replace_files, world, **SPARK, **FILES)
    await watching.look()  # the first look: nobody knows what is new
    await asyncio.to_thread(world.lake.append, day="2026-11-01")
    await watching.look()
    assert counter._value.get() == 0
    await asyncio.to_thread(replace_files, world, **SPARK, **FILES)
    await watching.look()
    assert counter._value.get() == 1

"""What other writers do to the table of a world, each in one commit or two, as another program would.

Every action leaves the table readable; what rows it should hold is read right after it, since a rewrite changes none.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pyarrow.compute as pc
from pyiceberg.manifest import DataFile
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import IntegerType

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.factory.container import open_container
from engine.settings.values import reveal
from engine.stores.migrations.upgrade import upgrade
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.local_dispatch import LocalDispatcher
from tests.support.settings import settings_of
from tests.support.world import NAME, SCHEMA, World, register_lake

DAY: Final = "2026-11-02"


def append(world: World) -> None:
    """Add a file to a partition that is being rewritten."""
    world.lake.append(day=DAY)


def delete_copy_on_write(world: World) -> None:
    """Delete some rows of two partitions: their files are replaced."""
    world.lake.table.delete("id > 20 and id < 90")


def delete_merge_on_read(world: World) -> None:
    """Delete rows of one file by a delete file that is aimed at it."""
    file = _file_of(world)
    commit_deletes(world.lake.table, _deletes(world, [file], aimed=True))


def delete_merge_on_read_widely(world: World) -> None:
    """Delete rows of several files by one delete file over the partition."""
    files = [task.file for task in world.lake.table.scan(f"day = '{DAY}'").plan_files()]
    commit_deletes(world.lake.table, _deletes(world, files, aimed=False))


def overwrite(world: World) -> None:
    """Replace a partition by one row of it, twice."""
    table = world.lake.table
    kept = table.scan(f"day = '{DAY}'").to_arrow().slice(0, 1)
    for _ in range(2):
        world.lake.table.overwrite(kept, overwrite_filter=f"day = '{DAY}'")


def merge(world: World) -> None:
    """Update some rows by key and insert others."""
    found = world.lake.table.scan(f"day = '{DAY}'").to_arrow().slice(0, 5)
    changed = found.set_column(2, found.schema.field("value"), pc.multiply(found["value"], 2.0))
    fresh = found.slice(0, 2).set_column(0, found.schema.field("id"), pc.add(found["id"].slice(0, 2), 10**6))
    for rows in (changed, fresh):
        world.lake.table.upsert(rows, join_cols=["id"])


def add_column(world: World) -> None:
    """Add a column."""
    with world.lake.table.update_schema() as update:
        update.add_column(f"late_{uuid4().hex[:6]}", IntegerType())


def rename_column(world: World) -> None:
    """Rename a column."""
    with world.lake.table.update_schema() as update:
        update.rename_column("note", "remark")


def change_spec(world: World) -> None:
    """Partition new files otherwise and add one."""
    with world.lake.table.update_spec() as update:
        update.add_field("id", BucketTransform(2), "id_bucket")
    world.lake.append(day=DAY)


def expire(world: World) -> None:
    """Expire all snapshots but the head, and remove every file that no snapshot reaches any more, as Java does."""
    table = world.lake.table
    before = world.lake.reached()
    head = table.metadata.current_snapshot_id
    old = [each.snapshot_id for each in table.snapshots() if each.snapshot_id != head]
    table.maintenance.expire_snapshots().by_ids(old).commit()
    for path in before - world.lake.reached():
        os.unlink(path)  # noqa: PTH108 - a path as manifests say it


def append_and_expire(world: World) -> None:
    """Move the head first, so that the snapshot that a plan was made on is expired."""
    append(world)
    expire(world)


def roll_back(world: World) -> None:
    """Make the first snapshot with files the head again."""
    first = min(world.lake.table.snapshots(), key=lambda each: each.sequence_number or 0)
    world.lake.table.manage_snapshots().rollback_to_snapshot(first.snapshot_id).commit()


def recreate(world: World) -> None:
    """Drop the table and make another one under its name."""
    world.lake.catalog.drop_table(NAME)
    world.lake.catalog.create_table(NAME, SCHEMA, partition_spec=PartitionSpec())
    world.lake.append(day=DAY)


def rewrite_too(world: World) -> None:
    """Let another installation of Packhouse rewrite the table, from plan to proof."""

    async def whole() -> None:
        folder = Path(world.lake.table.location().removeprefix("file://")).parent / f"other-{uuid4().hex}"
        folder.mkdir()
        url = f"sqlite+aiosqlite:///{folder}/packhouse.sqlite3"
        await asyncio.to_thread(upgrade, url)
        redis_url = reveal(world.container.settings.redis_url)
        settings = settings_of(folder / "state", database_url=url, redis_url=redis_url, watch=False)
        async with open_container(settings, dispatcher=LocalDispatcher()) as container:
            table = await register_lake(container, world.lake)
            run, _ = await container.runs.submit(SYSTEM, table.id, RunRequest())
            await container.worker.advance(run.id)

    _in_a_thread(whole)


ACTIONS: Final[dict[str, Callable[[World], None]]] = {
    action.__name__: action
    for action in (
        append,
        delete_copy_on_write,
        delete_merge_on_read,
        delete_merge_on_read_widely,
        overwrite,
        merge,
        add_column,
        rename_column,
        change_spec,
        expire,
        append_and_expire,
        roll_back,
        recreate,
        rewrite_too,
    )
}


def _in_a_thread(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run to the end on an event loop of its own, while ours stands at its step."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work())
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def _file_of(world: World) -> DataFile:
    return next(iter(world.lake.table.scan(f"day = '{DAY}'").plan_files())).file


def _deletes(world: World, files: list[DataFile], *, aimed: bool) -> DataFile:
    pairs = sorted((file.file_path, at) for file in files for at in range(0, file.record_count, 3))
    first = files[0]
    return delete_file(world.lake.table, pairs, spec_id=first.spec_id, partition=first.partition, aimed=aimed)

"""What many tests of whole runs do: let an attempt die at a step, write many files at once, look into the record."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import pyarrow as pa
from pyiceberg.io.pyarrow import _dataframe_to_data_files

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Transient
from engine.domain.ids import RunId
from engine.domain.runs.run import Run, RunState, StoredGroup
from tests.support.eventually import seen_when
from tests.support.world import SCHEMA, Lake, World


async def die_at(world: World, run: Run, step: str) -> None:
    """Let an attempt lose its lease at a step, as when its worker dies there, and let the lease expire."""
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)


async def resumed_from(world: World, run: Run, step: str) -> Run:
    """Let an attempt die at a step; return the run after the attempts that follow."""
    await die_at(world, run, step)
    return await world.finish(run.id)


async def advanced(world: World, run: Run) -> Run:
    """Return the run after one attempt."""
    await world.container.worker.advance(run.id)
    return await world.get(run.id)


async def succeeded(world: World, run: Run) -> Run:
    """Advance a run to its end, which is a success, and return it."""
    ended = await world.finish(run.id)
    assert ended.state is RunState.SUCCEEDED, (ended.reason, ended.detail)
    return ended


async def worked_off(world: World, run_id: RunId) -> Run:
    """Let coordinator and worker work until a run has ended, also while the record does not answer; return it."""
    parts = (world.container.coordinator, world.container.worker)
    duties = [asyncio.create_task(part.run()) for part in parts]

    async def has_ended() -> bool:
        with suppress(Transient):
            return (await world.get(run_id)).is_terminal
        return False

    try:
        await seen_when(has_ended)
    finally:
        for part in parts:
            part.stop()
        await asyncio.gather(*duties)
    return await world.get(run_id)


async def groups_of(world: World, run_id: RunId) -> Sequence[StoredGroup]:
    """Return the stored file groups of a run."""
    async with world.container.database.read() as unit:
        return await unit.groups.list(run_id, limit=1000)


async def events_of(world: World, run_id: RunId) -> Sequence[Any]:
    """Return the events of a run, oldest first."""
    async with world.container.database.read() as unit:
        return await unit.events.list(run_id, limit=1000)


async def explained(world: World) -> Any:
    """Return the explanation of the world's table."""
    return await world.container.explain.explain(SYSTEM, world.table_id)


def raising(error: Exception) -> Callable[..., Any]:
    """Return a function that takes anything and raises an error."""

    def act(*_: Any, **__: Any) -> NoReturn:
        raise error

    return act


def snapshot_ids(world: World) -> list[int]:
    """Return the ids of all snapshots, oldest first."""
    return [each.snapshot_id for each in world.lake.table.snapshots()]


def content(world: World, snapshot_id: int | None = None) -> pa.Table:
    """Return the rows of a snapshot (default: the head), in the order of their ids, to be compared.

    Which type of Arrow a string has depends on the writer of its file.
    """
    table = world.lake.table.scan(snapshot_id=snapshot_id).to_arrow()
    fields = [each.with_type(pa.string()) if pa.types.is_large_string(each.type) else each for each in table.schema]
    return table.cast(pa.schema(fields)).sort_by("id")


def set_properties(world: World, properties: dict[str, str]) -> None:
    """Set properties of the table, as another program does."""
    with world.lake.table.transaction() as change:
        change.set_properties(properties)


def append_files(lake: Lake, day: str, files: int = 6, *, rows: int = 50) -> None:
    """Append files to a partition in one commit; no other row has their ids."""
    made = []
    for _ in range(files):
        ids = range(lake.next_id, lake.next_id + rows)
        lake.next_id += rows
        values: dict[str, Any] = {
            "id": ids,
            "day": [day] * rows,
            "value": [None if i % 7 == 0 else i / 3 for i in ids],
            "note": [f"note {i % 11}" for i in ids],
        }
        made.append(pa.table(values, schema=SCHEMA.as_arrow()))
    append_tables(lake, made)


def append_tables(lake: Lake, tables: Sequence[pa.Table]) -> None:
    """Append a file for each partition of each of these tables, in one commit."""
    table = lake.table
    made = [file for each in tables for file in _dataframe_to_data_files(table.metadata, each, table.io)]
    with table.transaction() as change, change.update_snapshot().fast_append() as append:
        for file in made:
            append.append_data_file(file)


def replaced_by_another(world: World, *days: str) -> Callable[[], None]:
    """Return an action of another writer: it replaces all files of partitions, then adds six small ones to each."""

    def act() -> None:
        for day in days:
            world.lake.table.delete(f"day = '{day}'")
            append_files(world.lake, day)

    return act

"""Sizes of the documents, really written: outputs of 500 MB and of 128 MB, and a file above 1 GB that is split.

Deep: two gigabytes are written and rewritten; other tests of presets have entries of such sizes, without files.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.table import Table

from engine.domain.runs.run import RunState
from tests.support.duckdb_tables import connected
from tests.support.file_copies import add_copies, add_file, live_files, remove
from tests.support.world import World, open_world

pytestmark = pytest.mark.deep

MB: Final = 10**6
SMALL, LARGE = "2026-11-01", "2026-11-02"
ROW_BYTES: Final = 10_000
PART_ROWS: Final = 1250
PARTS: Final = 116


@pytest.fixture
async def world(sqlite_url: str, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A table with 110 files of 9.5 MB in a partition, and one of 1.1 GB in another."""
    opening = open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, days=0)
    async with opening as opened:
        await asyncio.to_thread(fill, opened)
        yield opened


def fill(world: World) -> None:
    """Write texts that no codec makes smaller than three quarters, a part at a time."""
    table = world.lake.table
    schema = schema_to_pyarrow(table.schema())
    for day in (SMALL, LARGE):
        table.append(part_of(table, day, 0))
    small, first = sorted(live_files(table), key=lambda file: file.file_path)
    add_copies(table, small, 109)
    path = f"{first.file_path}-large.parquet"
    with pq.ParquetWriter(local(path), schema, compression="zstd") as writer:
        for number in range(PARTS):
            writer.write_table(part_of(table, LARGE, number).cast(schema))
    add_file(table, first, path, rows=PARTS * PART_ROWS)
    remove(table, [first])


def part_of(table: Table, day: str, number: int) -> pa.Table:
    """Return rows of about 9.5 MB."""
    noise = np.random.default_rng(number).integers(33, 97, size=PART_ROWS * ROW_BYTES, dtype=np.uint8)
    offsets = pa.py_buffer(np.arange(0, (PART_ROWS + 1) * ROW_BYTES, ROW_BYTES, dtype=np.int64))
    notes = pa.LargeStringArray.from_buffers(PART_ROWS, offsets, pa.py_buffer(noise))
    ids = pa.array(range(number * PART_ROWS, (number + 1) * PART_ROWS), pa.int64())
    columns: dict[str, Any] = {"id": ids, "day": pa.repeat(day, PART_ROWS)}
    columns |= {"value": pa.nulls(PART_ROWS, pa.float64()), "note": notes}
    return pa.table(columns).cast(table.schema().as_arrow())


def local(path: str) -> str:
    return path.removeprefix("file://")


def sizes(world: World, day: str) -> list[int]:
    """Return the sizes of the live files of a partition in MB, that of their metadata and of the disk being equal."""
    files = live_files(world.lake.table, lambda file: day in file.file_path)
    for each in files:
        assert Path(local(each.file_path)).stat().st_size == each.file_size_in_bytes
    return sorted(round(each.file_size_in_bytes / MB) for each in files)


def rows_by_another_engine(world: World) -> list[tuple[Any, ...]]:
    with connected() as connection:
        query = "SELECT day, count(*), sum(id), sum(hash(note)) FROM iceberg_scan(?) GROUP BY day ORDER BY day"
        return connection.execute(query, [world.lake.table.metadata_location]).fetchall()


@pytest.mark.parametrize(("preset", "target"), [("upsolver", 500), ("artemis", 128)])
async def test_u4_u7_l2_outputs_of_the_target_are_written_and_a_file_above_1_gb_is_split(
    world: World, preset: str, target: int
) -> None:
    """U4, U7, L2: about 500 MB and 128 MB, whatever the inputs are; a second engine reads the same rows."""
    assert sizes(world, LARGE)[0] > 1000
    assert (len(sizes(world, SMALL)), max(sizes(world, SMALL)) < 32) == (110, True)
    rows = rows_by_another_engine(world)
    await world.set_policy({"preset": preset, "quiet_hours": [], "limits": {"available_bandwidth": "10GB/s"}})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    for day in (SMALL, LARGE):
        found = sizes(world, day)
        assert all(target * 0.8 < each < target * 1.15 for each in found), found
    assert rows_by_another_engine(world) == rows

"""A full rewrite compresses a table anew when its codec has changed, also what could be copied as it is."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from redis.asyncio import Redis

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run
from tests.support.attempts import append_tables, content, die_at, set_properties, succeeded
from tests.support.databases import FreshDatabase
from tests.support.world import SCHEMA, World, open_world

CODEC = "write.parquet.compression-codec"
FULL = RunRequest(force_full=True)
EVERY = RunRequest(force_full=True, every_file=True)
ROWS = 75_000
TARGET = {"target_file_bytes": "1MiB"}


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three well-sized snappy files in one partition, one in another."""
    async with open_world(
        tmp_path / "world",
        database_url=fresh_database.url,
        redis_url=redis_url,
        days=0,
        files=0,
        properties={CODEC: "snappy"},
    ) as opened:
        days = ("several", "several", "several", "one")
        append_tables(opened.lake, [rows_of(day, number * ROWS) for number, day in enumerate(days)])
        yield opened


def rows_of(day: str, first: int) -> pa.Table:
    columns = {
        "id": pa.array(np.arange(first, first + ROWS)),
        "day": pa.repeat(day, ROWS),
        "value": pa.array(np.random.default_rng(first).random(ROWS)),
        "note": pa.repeat("note", ROWS),
    }
    return pa.table(columns, schema=SCHEMA.as_arrow().set(3, pa.field("note", pa.string())))


def set_codec(world: World, codec: str) -> None:
    set_properties(world, {CODEC: codec})


def codecs(world: World, day: str) -> list[set[str]]:
    """The codecs of all column chunks of each live file of a partition, from its footer."""
    found = []
    for path in world.lake.paths():
        if f"day={day}" in path:
            footer = pq.ParquetFile(path.removeprefix("file://")).metadata
            row_groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
            found.append({group.column(at).compression for group in row_groups for at in range(group.num_columns)})
    return found


async def in_full(world: World, request: RunRequest = FULL) -> Run:
    return await succeeded(world, await world.submit(request))


async def test_a_full_rewrite_writes_the_codec_that_the_table_has_now(world: World) -> None:
    await world.set_policy({"rewrite": TARGET})
    rows = content(world)
    assert codecs(world, "several") == [{"SNAPPY"}] * 3
    for codec in ("zstd", "gzip", "uncompressed"):
        set_codec(world, codec)
        run = await in_full(world)
        assert run.result.rewritten_files >= 2
        found = codecs(world, "several")
        assert len(found) > 1
        assert all(each == {codec.upper()} for each in found)
        assert content(world) == rows


async def test_the_codec_of_a_policy_wins_over_the_tables(world: World) -> None:
    await world.set_policy({"rewrite": {**TARGET, "compression": "gzip:9"}})
    await in_full(world)
    assert all(each == {"GZIP"} for each in codecs(world, "several"))


async def test_files_that_nothing_is_merged_with_are_compressed_anew_when_every_file_is_asked_for(world: World) -> None:
    """P10: `every_file` rewrites all files unconditionally."""
    await world.set_policy({"rewrite": TARGET})
    rows = content(world)
    set_codec(world, "zstd")
    await in_full(world)
    assert codecs(world, "one") == [{"SNAPPY"}]
    run = await in_full(world, EVERY)
    assert codecs(world, "one") == [{"ZSTD"}]
    assert all(each == {"ZSTD"} for each in codecs(world, "several"))
    assert content(world) == rows
    assert run.request == {"force_full": True, "every_file": True}


async def test_an_attempt_does_not_write_anew_what_an_earlier_one_did(world: World) -> None:
    await world.set_policy({"rewrite": TARGET})
    set_codec(world, "zstd")
    run = await world.submit(EVERY)
    await die_at(world, run, "verified")
    written = set(world.lake.paths())
    await succeeded(world, run)
    assert set(world.lake.paths()) == written
    assert len(world.lake.replaces()) == 1

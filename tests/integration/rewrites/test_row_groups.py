"""F26: a file of the right size whose row groups are too small is rewritten, once, and others are not."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.iceberg.metadata.table_properties import read_properties
from engine.planning.measures.health import TableHealth
from tests.support.databases import FreshDatabase
from tests.support.statements import texts_of
from tests.support.watching import AT_ONCE, Watching, finish_live
from tests.support.world import SCHEMA, World, open_world

ROWS, GROUPS = 10_000, 16
LIMIT = "write.parquet.row-group-limit"
"""PyIceberg's property: rows of a row group."""
TARGET = {"target_file_bytes": "4MiB"}
RULE = {"name": "chopped", "all": [{"metric": "small_row_group_file_count", "at_least": 1}]}


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Two files of about 3 MB, each alone in its partition: one of 16 row groups, one of a single one."""
    async with open_world(
        tmp_path / "world", database_url=fresh_database.url, redis_url=redis_url, days=0, files=0
    ) as opened:
        for day, limit in (("chopped", ROWS // GROUPS), ("whole", ROWS)):
            with opened.lake.table.transaction() as transaction:
                transaction.set_properties({LIMIT: str(limit)})
            opened.lake.table.append(rows_of(day))
        yield opened


def rows_of(day: str) -> pa.Table:
    """Rows of 400 bytes that no codec makes much smaller."""
    noise = pa.py_buffer(np.random.default_rng(7).integers(33, 127, 370 * ROWS, dtype=np.uint8).tobytes())
    offsets = pa.py_buffer(np.arange(0, 370 * (ROWS + 1), 370, dtype=np.int32).tobytes())
    columns = {
        "id": pa.array(range(ROWS), pa.int64()),
        "day": pa.repeat(day, ROWS),
        "value": pa.array(np.arange(ROWS) / 3),
        "note": pa.Array.from_buffers(pa.string(), ROWS, [None, offsets, noise]),
    }
    return pa.table(columns, schema=SCHEMA.as_arrow().set(3, pa.field("note", pa.string())))


def row_groups(world: World) -> dict[str, int]:
    """Row groups of each live file, from its footer."""
    return {path: pq.ParquetFile(path.removeprefix("file://")).metadata.num_row_groups for path in world.lake.paths()}


async def measured(world: World) -> TableHealth:
    container = world.container
    return await container.observations.measure(await container.observations.observe(SYSTEM, world.table_id))


async def rewritten(world: World, policy: dict[str, Any], request: RunRequest | None = None) -> Run:
    await world.set_policy(policy)
    return await world.finish((await world.submit(request or RunRequest())).id)


async def test_a_chopped_file_becomes_one_of_one_row_group_and_then_nothing_is_left_to_do(world: World) -> None:
    before = row_groups(world)
    assert sorted(before.values()) == [1, GROUPS]
    assert all(3 * 2**20 < Path(path.removeprefix("file://")).stat().st_size < 5 * 2**20 for path in before)
    ids = world.lake.ids()
    run = await rewritten(world, {"rewrite": TARGET})
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (run.result.rewritten_files, run.result.added_files) == (1, 1)
    after = row_groups(world)
    assert list(after.values()) == [1, 1]
    assert [path for path in before if path in after] == [path for path, count in before.items() if count == 1]
    assert world.lake.ids() == ids
    again = await world.rewrite()
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do")


async def test_off_leaves_it_alone_and_so_does_a_table_that_asks_for_small_ones(world: World) -> None:
    run = await rewritten(world, {"rewrite": {**TARGET, "small_row_group_bytes": "off"}})
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    name = "write.parquet.row-group-size-bytes"
    assert read_properties({name: str(2**26)}).policy == {}
    assert read_properties({name: str(2**20)}).policy == {"rewrite.small_row_group_bytes": "off"}


async def test_a_rule_on_them_starts_a_run_by_itself_and_is_not_due_after_it(world: World, watching: Watching) -> None:
    await world.set_policy({"rewrite": TARGET, "triggers": [RULE], "schedule": AT_ONCE})
    assert (await measured(world)).small_row_group_file_count == 1
    explained = await world.container.explain.explain(SYSTEM, world.table_id)
    assert any("1 file of many row groups below 1 MiB" in line for line in texts_of(explained))
    await watching.look()
    run = await finish_live(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert list(row_groups(world).values()) == [1, 1]
    assert (await measured(world)).small_row_group_file_count == 0
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE

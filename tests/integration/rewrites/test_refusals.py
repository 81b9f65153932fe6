"""A group that the kernel refuses says what to do where the table format's own procedure could do it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from redis.asyncio import Redis

from engine.domain.runs.run import GroupState, RunState
from tests.support.world import World, open_world

REMEDY = "rewrite.engine: native makes the table format's own procedure rewrite it"
LZO, ZSTD = b"\x06", b"\x0c"
"""Codecs as a footer has them; Arrow has no LZO."""


@pytest.fixture
async def world(
    sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    """A table of two days; the catalog has the name in Spark that the test wants."""
    folder = tmp_path / "world"
    reached = {
        "type": "sql",
        "uri": f"sqlite:///{folder / 'catalog.db'}",
        "warehouse": f"file://{folder / 'warehouse'}",
    }
    async with open_world(
        folder, database_url=sqlite_url, redis_url=redis_url, days=2, registered=reached | request.param
    ) as opened:
        yield opened


def claim_another_codec(path: Path) -> None:
    """Let a file's footer say that column `id` is compressed by LZO: path (a list of one text), then codec."""
    data = path.read_bytes()
    said = b"\x18\x02id\x15"
    assert data.count(said + ZSTD) == 1
    path.write_bytes(data.replace(said + ZSTD, said + LZO))
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "LZO"


@pytest.mark.parametrize(
    ("world", "engine", "is_named"),
    [
        ({"packhouse.spark-catalog": "lake"}, "auto", True),
        ({"packhouse.spark-catalog": "lake"}, "arrow", True),
        ({}, "auto", False),
    ],
    indirect=["world"],
)
async def test_what_arrow_can_not_decode_names_the_procedure_where_it_can_be_called(
    world: World, engine: str, is_named: bool
) -> None:
    await world.set_policy({"rewrite": {"engine": engine}})
    victim = next(path for path in world.lake.paths() if "2026-11-02" in path)
    claim_another_codec(Path(victim.removeprefix("file://")))
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert "left out: 1 unreadable layout" in (run.detail or "")
    assert (REMEDY in (run.detail or "")) == is_named
    async with world.container.database.read() as unit:
        groups = {group.partition: group for group in await unit.groups.list(run.id)}
    assert groups['{"day":"2026-11-01"}'].state is GroupState.COMMITTED
    assert victim in world.lake.paths()
    assert victim.removeprefix("file://") in str(groups['{"day":"2026-11-02"}'].reason)


@pytest.mark.parametrize("world", [{"packhouse.spark-catalog": "lake"}], indirect=True)
async def test_f47_damage_is_no_matter_of_another_engine(world: World) -> None:
    """F47: the damaged file is named, and the partition of the other day is rewritten."""
    victim = next(path for path in world.lake.paths() if "2026-11-02" in path)
    file = Path(victim.removeprefix("file://"))
    data = file.read_bytes()
    file.write_bytes(data[:4] + bytes(len(data) // 4) + data[4 + len(data) // 4 :])
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert run.result.document["left_out"]["reasons"] == {"unreadable": 1}
    assert REMEDY not in (run.detail or "")


@pytest.mark.parametrize("world", [{}], indirect=True)
async def test_f49_a_run_of_which_every_group_is_refused_keeps_that_and_one_that_commits_a_group_does_not(
    world: World,
) -> None:
    """F49: another run of the unchanged table would be refused as well, so none starts automatically."""
    victim = next(path for path in world.lake.paths() if "2026-11-01" in path)
    claim_another_codec(Path(victim.removeprefix("file://")))
    first = await world.rewrite()
    assert first.state is RunState.SUCCEEDED
    second = await world.rewrite()
    assert (second.state, second.reason) == (RunState.REFUSED, "groups_refused")

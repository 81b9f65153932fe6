"""Delete files that a rewrite drops, while other writers do something to the table before its commit or after it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pyiceberg.manifest import DataFileContent, ManifestContent
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from tests.interleaving.checks import cells, check, check_rewrite_while
from tests.interleaving.writers import ACTIONS, append, delete_merge_on_read, delete_merge_on_read_widely
from tests.support.world import World, open_world


@pytest.fixture
async def world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Three partitions of five small files, deletes on one of them: about one file, and about the whole partition."""
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, files=5) as opened:
        delete_merge_on_read(opened)
        delete_merge_on_read_widely(opened)
        yield opened


def live_deletes(world: World) -> list[str]:
    table = world.lake.table
    return sorted(
        entry.data_file.file_path
        for manifest in table.current_snapshot().manifests(table.io)  # type: ignore[union-attr]
        if manifest.content == ManifestContent.DELETES
        for entry in manifest.fetch_manifest_entry(table.io)
        if entry.data_file.content == DataFileContent.POSITION_DELETES
    )


@pytest.mark.parametrize(("action", "step"), cells(ACTIONS, ("planned", "before_commit", "after_commit")))
async def test_no_row_comes_back_with_the_deletes_that_go(world: World, action: str, step: str) -> None:
    """F19, I1: whatever another writer does, deletes that a live file needs stay, and what we drop is proven."""
    await check_rewrite_while(world, step, ACTIONS[action])


async def test_f19_all_go_with_the_commit_when_nobody_interferes(world: World) -> None:
    rows, deletes = world.lake.rows(), live_deletes(world)
    run = await world.rewrite()
    assert (run.state, run.result.document["removed_delete_files"]) == (RunState.SUCCEEDED, len(deletes)), run.detail
    assert live_deletes(world) == []
    check(world, run, rows)


async def test_a_file_that_comes_meanwhile_does_not_keep_them(world: World) -> None:
    world.at("before_commit", lambda: append(world))
    run = await world.rewrite()
    assert (run.state, run.result.document["removed_delete_files"], live_deletes(world)) == (RunState.SUCCEEDED, 2, [])
    check(world, run, world.lake.rows())


async def test_a_run_that_is_told_to_keep_them_keeps_them(world: World) -> None:
    await world.set_policy({"rewrite": {"deletes": {"remove_dangling": False}}})
    rows, deletes = world.lake.rows(), live_deletes(world)
    run = await world.rewrite()
    assert (run.state, run.result.document["removed_delete_files"], live_deletes(world)) == (
        RunState.SUCCEEDED,
        0,
        deletes,
    )
    check(world, run, rows)

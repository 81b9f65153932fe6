"""Whole rewrites of tables in Google Cloud Storage, Azure and HDFS: proven, cancelled, and with an attempt that died.

The writer is PyIceberg with Arrow's own clients: that of Azure, and that of S3 for the server that stands for Google;
in HDFS with fsspec.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.runs.output_names import attempt_of
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.formats.iceberg.catalog.file_systems import SharedFileIO
from tests.integration.rewrites.test_snapshot_rewrites import delete_rows
from tests.support.azure_server import AzureServer
from tests.support.store_server import BUCKET, StoreServer, store_server
from tests.support.world import World, open_world

GOOGLE_BY_S3 = {"py-io-impl": "tests.support.other_clients.GoogleByS3"}
HDFS_BY_FSSPEC = {"py-io-impl": "tests.support.other_clients.HdfsByFsspec"}
BY_ARROW = {"py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"}


@pytest.fixture
def google() -> Iterator[StoreServer]:
    with store_server() as running:
        yield running


Settings = tuple[dict[str, str], dict[str, str]]
"""Properties of the writers' catalog and of ours."""


@pytest.fixture(params=["gs", "abfs", "hdfs"])
def lake_settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """Our secrets are in the environment."""
    if request.param == "gs":
        server: StoreServer = request.getfixturevalue("google")
        monkeypatch.setenv("TEST_TOKEN", "ours")
        warehouse = {"warehouse": f"gs://{BUCKET}/wh"}
        writers = warehouse | server.google_properties("writer") | GOOGLE_BY_S3
        return writers, warehouse | server.google_properties("env:TEST_TOKEN")
    if request.param == "hdfs":
        warehouse = {"warehouse": f"{request.getfixturevalue('hdfs')}/{tmp_path.name}"}
        return warehouse | HDFS_BY_FSSPEC, warehouse
    azure: AzureServer = request.getfixturevalue("azure")
    writers = {"warehouse": f"abfs://{azure.container}/wh"} | azure.properties()
    monkeypatch.setenv("TEST_KEY", writers["adls.account-key"])
    return writers | BY_ARROW, writers | {"adls.account-key": "env:TEST_KEY"}


@pytest.fixture
async def world(
    lake_settings: Settings, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    common = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db"}
    writers, ours = lake_settings
    async with open_world(
        tmp_path / "world",
        database_url=sqlite_url,
        redis_url=redis_url,
        settings=common | {"init_catalog_tables": "true"} | writers,
        registered=common | ours,
    ) as opened:
        yield opened


def orphans(world: World, run_id: str) -> set[str]:
    """Return the run's data files in the store that the table does not have."""
    stored = SharedFileIO(world.lake.catalog.properties).files(world.lake.table.location(), is_recursive=True)
    return {path for path in stored if attempt_of(path.rpartition("/")[2], run_id)} - set(world.lake.paths())


async def test_a_table_is_rewritten_and_proven(world: World) -> None:
    rows = world.lake.rows()
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)


@pytest.mark.parametrize(
    "lake_settings", ["gs", *(pytest.param(each, marks=pytest.mark.deep) for each in ("abfs", "hdfs"))], indirect=True
)
async def test_f51_delete_files_become_fewer_and_rows_stay(world: World) -> None:
    await world.set_policy({"maintenance": {"rewrite_deletes": {"interval": "1h", "at_least_files": 2}}})
    delete_rows(world.lake.table, times=2)
    rows = world.lake.rows()
    run = await world.submit(RunRequest(Operation.REWRITE_DELETES))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert run.result.document["delete_files"] == {"before": 8, "after": 1}
    assert "left_out" not in run.result.document
    assert world.lake.rows() == rows


@pytest.mark.parametrize("lake_settings", ["gs", "abfs"], indirect=True)
async def test_files_of_a_dead_attempt_are_removed(world: World) -> None:
    rows, run = world.lake.rows(), await world.submit()
    world.at("group_written", world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    assert orphans(world, run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert world.lake.rows() == rows
    assert orphans(world, run.id) == set()


@pytest.mark.parametrize("lake_settings", ["gs", pytest.param("abfs", marks=pytest.mark.deep)], indirect=True)
async def test_a_cancel_leaves_no_file(world: World) -> None:
    rows, run = world.lake.rows(), await world.submit()
    world.at("group_written", world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert world.lake.rows() == rows
    assert orphans(world, run.id) == set()

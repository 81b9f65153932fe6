"""Two real Spark Connect servers: one in a JVM, and a cluster with executors of their own, of which one is killed."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import Caller, Role
from engine.domain.fleet.endpoints import EndpointRequest, EndpointState
from engine.domain.runs.run import RunState
from engine.embedded.java import find_spark_home
from engine.embedded.spark import EmbeddedSpark
from engine.services.outages.endpoints import EndpointProbes
from tests.support.eventually import eventually
from tests.support.expired_files import needed, stored
from tests.support.settings import settings_of
from tests.support.world import Lake, World, make_lake, open_on

ADMIN = Caller("key:root", Role.ADMIN)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[EmbeddedSpark]:
    """A server whose tasks run in two executors, which are processes of a standalone cluster inside of it."""
    confs = {
        "spark.master": "local-cluster[2,1,1024]",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": f"-Dpackhouse.test={tmp_path}",
    }
    server = EmbeddedSpark(data_dir=tmp_path / "cluster", cores=2, confs=confs)
    yield server
    server.stop()
    shutil.rmtree(find_spark_home() / "work", ignore_errors=True)  # of its executors


def executors(folder: Path) -> list[int]:
    """Return the process ids of the executors of the cluster in a folder."""
    listed = subprocess.run(["ps", "-wweo", "pid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line for line in listed if "CoarseGrainedExecutorBackend" in line and f"packhouse.test={folder} " in line]
    return [int(line.split()[0]) for line in found if "bin/java" in line]


@pytest.fixture
async def world(
    sqlite_url: str, redis: Redis, redis_url: str, spark_url: str, tmp_path: Path
) -> AsyncIterator[World[Lake]]:
    settings = settings_of(
        tmp_path / "state",
        database_url=sqlite_url,
        redis_url=redis_url,
        spark_url=spark_url,
        lease_seconds=30,
        watch=False,
    )
    async with open_on(make_lake(tmp_path / "lake", days=6), settings, on_spark=True) as opened:
        yield opened


async def test_a_run_on_the_required_cluster_survives_the_loss_of_an_executor(
    world: World[Lake], cluster: EmbeddedSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a wrong token is found by the probe, before a run is sent there."""
    rows = world.lake.rows()
    url, _, token = (await asyncio.to_thread(cluster.start)).partition("/;token=")
    container = world.container
    probes = EndpointProbes(database=container.database, servers=container.servers)

    async def probed() -> EndpointState:
        async with container.database.begin() as unit:
            while (claimed := await unit.endpoints.claim_probe()) is not None and claimed.name != "cluster":
                continue
        assert claimed is not None
        return await probes.probe(claimed)

    monkeypatch.setenv("CLUSTER_TOKEN", "wrong")
    request = EndpointRequest(url, "env:CLUSTER_TOKEN", {"site": "cluster"})
    await container.endpoints.create(ADMIN, "cluster", request)
    assert await probed() is EndpointState.AWAY
    assert "Spark refuses the token" in (await container.endpoints.get(ADMIN, "cluster")).detail
    monkeypatch.setenv("CLUSTER_TOKEN", token)
    await container.endpoints.replace(ADMIN, "cluster", request, 1)
    assert await probed() is EndpointState.OK

    await world.set_policy({"spark": {"require": {"site": "cluster"}}, "limits": {"parallel_groups": 2}})
    killed: list[int] = []

    def kill_one() -> None:
        eventually(lambda: bool(executors(tmp_path)), within_seconds=20)
        killed.append(executors(tmp_path)[0])
        os.kill(killed[0], signal.SIGKILL)

    world.at("group_written", kill_one)
    run = await world.finish((await world.submit()).id)
    assert (run.state, run.spark_endpoint) == (RunState.SUCCEEDED, "cluster"), run.detail
    assert killed
    assert run.result.document["groups_committed"] == 6
    assert world.lake.rows() == rows
    assert {path for path in stored(world.lake.table) - needed(world.lake.table) if path.endswith(".parquet")} == set()

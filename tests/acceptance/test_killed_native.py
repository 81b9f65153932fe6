"""Real worker processes, ended by SIGKILL around and within a call of Iceberg's procedure; another one takes over.

The table tells what the call came to: it is adopted if it had committed, interrupted if it still ran, and made again
only if it did nothing. F15: nothing is called twice.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import FormatName, TableRef
from engine.embedded.iceberg import SQL_EXTENSIONS
from engine.embedded.spark import EmbeddedSpark
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.settings.model import Settings
from engine.spark.sessions import SparkSessions
from tests.support.eventually import seen_when
from tests.support.killable_process import killable, killed
from tests.support.peer import confs_of, one
from tests.support.processes import environment_of
from tests.support.world import Lake, make_lake

PATIENCE_SECONDS = 150
ROWS = {"before_call": 1_000, "within_the_call": 80_000, "after_call": 1_000}
"""Rows of each of five files: a kill within the call needs a call of seconds."""
SUM = "SELECT count(*), bit_xor(xxhash64(id, text)) FROM {table}"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A catalog that the server knows from its start, so that every worker's session does."""
    return make_lake(tmp_path_factory.mktemp("lake"), days=0)


@pytest.fixture(scope="module")
def server(lake: Lake, spark_jars: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Spark with the lake as a static catalog."""
    confs = {**SQL_EXTENSIONS, **confs_of(lake)}
    spark = EmbeddedSpark(data_dir=tmp_path_factory.mktemp("spark"), cores=2, jars=spark_jars, confs=confs)
    yield spark.start()
    spark.stop()


@pytest.fixture
def spark(server: str) -> Iterator[SparkSession]:
    sessions = SparkSessions(url=server, user_id="tests")
    yield sessions.get()
    sessions.close()


@pytest.fixture
def settings(settings: Settings, server: str) -> Settings:
    """Leases that end soon."""
    return settings.model_copy(update={"lease_seconds": 3, "spark_url": SecretStr(server)})


def write(spark: SparkSession, name: str) -> str:
    rows = ROWS[name]
    table = f"lake.lake.{name}"
    properties = "'format-version'='3', 'write.parquet.bloom-filter-enabled.column.id'='true'"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, text STRING) USING iceberg TBLPROPERTIES ({properties})")
    for first in range(0, 5 * rows, rows):
        values = f"SELECT id, sha2(CAST(id AS STRING), 512) FROM range({first}, {first + rows}, 1, 1)"
        spark.sql(f"INSERT INTO {table} {values}")
    return table


@asynccontextmanager
async def control_plane(settings: Settings, lake: Lake, name: str) -> AsyncIterator[tuple[Container, Run]]:
    """A coordinator at work and one submitted run; the workers are processes of their own."""
    async with open_container(settings) as container:
        properties = lake.properties | {"packhouse.spark-catalog": "lake"}
        await container.catalogs.create(SYSTEM, "lake", FormatName.ICEBERG, properties)
        ref = TableRef("lake", ("lake",), name)
        table = await container.tables.register(SYSTEM, ref, owner_team=None, labels={})
        coordinator = asyncio.create_task(container.coordinator.run())
        run, _ = await container.runs.submit(SYSTEM, table.id, RunRequest())
        try:
            yield container, run
        finally:
            container.coordinator.stop()
            await coordinator


@pytest.mark.parametrize("step", ROWS)
async def test_f15_another_worker_settles_the_call_of_a_killed_one(
    step: str, tmp_path: Path, settings: Settings, lake: Lake, spark: SparkSession
) -> None:
    table = await asyncio.to_thread(write, spark, step)
    before = spark.sql(SUM.format(table=table)).collect()
    log = tmp_path / "workers.log"
    folder = Path(lake.properties["warehouse"].removeprefix("file://"), "lake", step)
    written = set(folder.rglob("*.parquet"))
    assert written
    environment = environment_of(settings, worker_slots=1)
    async with control_plane(settings, lake, step) as (container, run):

        async def is_writing() -> bool:
            is_called = bool((await container.runs.get(SYSTEM, run.id)).unsettled)
            return is_called and set(folder.rglob("*.parquet")) > written

        async def is_over() -> bool:
            return (await container.runs.get(SYSTEM, run.id)).is_terminal

        with killable(environment, "worker", step, log=log, on_spark=True) as doomed:
            if step == "within_the_call":
                await seen_when(is_writing, within_seconds=PATIENCE_SECONDS)
                doomed.kill()
            await killed(doomed, within_seconds=PATIENCE_SECONDS, log=log)
        survivor = asyncio.create_task(container.worker.run())
        await seen_when(is_over, within_seconds=PATIENCE_SECONDS)
        container.worker.stop()
        await survivor
        ended = await container.runs.get(SYSTEM, run.id)
    assert ended.state is RunState.SUCCEEDED, (ended.reason, ended.detail, log.read_text())
    assert ended.attempt >= 2
    assert spark.sql(SUM.format(table=table)).collect() == before
    assert one(spark, f"SELECT count(*) FROM {table}.snapshots WHERE operation = 'replace'") == 1
    assert one(spark, f"SELECT count(*) FROM {table}.files") == ended.result.added_files == 1

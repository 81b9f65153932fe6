"""Hive tables in HDFS: partitions are listed, rewritten, and their late files copied; read by Spark."""

import io
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import hdfs_native
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hive_metastore.ttypes import Partition

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.places import AllowedFolders
from tests.support.hive.lakes import HiveLake
from tests.support.hive.second_readers import HiveSpark
from tests.support.hive.worlds import DAYS, WrittenTable, open_table
from tests.support.moved_clock import MovedClock
from tests.support.world import World

pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("redis")]


class TableOnHdfs(WrittenTable):
    """A table of a Metastore whose files are in HDFS."""

    @property
    def root(self) -> str:
        return str(self.table.read().sd.location)

    @property
    def storage(self) -> TableStorage:
        return TableStorage({}, places=AllowedFolders([self.root]))

    def put(self, folder: str, name: str, day: str, rows: int = 20) -> str:
        """Write a file of new rows to a folder."""
        schema = pa.schema([("id", pa.int64()), ("value", pa.float64())])
        body = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(self._rows(day, rows), schema), body)
        self.storage.write(f"{folder}/{name}", body.getvalue())
        return f"{folder}/{name}"

    def files(self, folder: str) -> Sequence[str]:
        return sorted(path.rpartition("/")[2] for path in self.storage.files_below(folder))


@pytest.fixture
async def world(
    hdfs: str, hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[TableOnHdfs]]:
    table = hive_lake.create_table()
    with table.metastore.client() as client:
        changed = client.get_table(table.database, table.name)
        changed.sd.location = f"{hdfs}/{tmp_path.name}/events"
        client.alter_table(table.database, table.name, changed)
    written = TableOnHdfs(table, hive_lake.metastore.uri)
    for day in DAYS:
        for number in range(3):
            written.put(f"{written.root}/day={day}", f"part {number}%.parquet", day)
        with table.metastore.client() as client:
            descriptor = client.get_table(table.database, table.name).sd
            descriptor.location = f"{written.root}/day={day}"
            client.add_partition(Partition([day], table.database, table.name, sd=descriptor, parameters={}))
    written.storage.write(f"{written.root}/day={DAYS[0]}/_SUCCESS", b"")
    async with open_table(written, tmp_path, database_url=sqlite_url, redis_url=redis_url) as opened:
        yield opened


@pytest.fixture
async def clock(world: World[TableOnHdfs]) -> MovedClock:
    return await MovedClock.of(world.container.database)


async def test_partitions_move_late_files_follow_and_old_folders_are_deleted(
    world: World[TableOnHdfs], clock: MovedClock, hive_spark: HiveSpark, hdfs: str
) -> None:
    def rows() -> list[tuple[str, int]]:
        hive_spark.rows("REFRESH TABLE lake.events")
        found = hive_spark.rows("SELECT day, id FROM lake.events")
        return sorted((str(row["day"]), row["id"]) for row in found)

    assert rows() == world.lake.wanted()
    old = world.lake.locations()
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    new = world.lake.locations()
    assert [each.startswith(f"{world.lake.root}/_compacted/day=") for each in new] == [True, True]
    assert [sum(name.endswith(".parquet") for name in world.lake.files(each)) for each in new] == [1, 1]
    assert rows() == world.lake.wanted()

    await _write_twice(world, old[0], new[0])
    assert rows() == world.lake.wanted()

    late = world.lake.put(old[0], "late.parquet", DAYS[0], 5)
    milliseconds = round((time.time() - 120) * 1000)
    hdfs_native.Client(hdfs).set_times(late.removeprefix(hdfs), milliseconds, milliseconds)
    run = await world.finish((await world.submit(RunRequest(Operation.DELETE_OLD_COMPACTIONS))).id)
    assert run.plan["removal"]["copies"]["late"]["copied"] == 1, run.detail
    assert rows() == world.lake.wanted()
    await clock.pass_by(hours=2)
    run = await world.finish((await world.submit(RunRequest(Operation.DELETE_OLD_COMPACTIONS))).id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [[name for name in world.lake.files(each) if name.endswith(".parquet")] for each in old] == [[], []]
    assert rows() == world.lake.wanted()


async def _write_twice(world: World[TableOnHdfs], old: str, new: str) -> None:
    """Put a file into the old and the new folder, as a writer does whose first answer named the old one."""
    locate, asked = world.container.write_locations.locate, '{"day":"2026-11-01"}'
    name = (await locate(SYSTEM, world.table_id, asked, None)).file.name
    file = world.lake.put(old, name, DAYS[0], 3)
    found = (await locate(SYSTEM, world.table_id, asked, name)).found.locations
    assert [(each.location, each.has_file) for each in found] == [(new, False)]
    body = world.lake.storage.read(file, 2**20)
    world.lake.storage.write(f"{new}/{name}", body)
    assert (await locate(SYSTEM, world.table_id, asked, name)).found.locations[0].has_file

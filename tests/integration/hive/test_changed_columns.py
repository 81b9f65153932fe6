"""Columns that were changed after files were written: widened numbers, and columns that a table has no more."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hive_metastore.ttypes import FieldSchema

from engine.domain.runs.run import RunState
from tests.support.hive.lakes import HiveLake, HiveTable, files_in, path_of
from tests.support.hive.second_readers import HiveSpark, duckdb_rows
from tests.support.hive.worlds import WrittenTable, open_table

pytestmark = pytest.mark.usefixtures("redis")

NARROW = (("id", "bigint"), ("small", "tinyint"), ("n", "int"), ("x", "float"))
WIDE = (("id", "bigint"), ("small", "int"), ("n", "bigint"), ("x", "double"))
NUMBERS = {"small": (pa.int8(), pa.int32()), "n": (pa.int32(), pa.int64()), "x": (pa.float32(), pa.float64())}
READERS = ("spark.sql.parquet.enableVectorizedReader=true", "spark.sql.hive.convertMetastoreParquet=false")


def write(folder: Path, start: int, at: int) -> None:
    """Write a file as before (0) or after (1) the change of the columns, with one that the table has no more."""
    least = {name: -(2 ** (types[at].bit_width - 1)) for name, types in NUMBERS.items() if name != "x"}
    columns = {"id": pa.array([start, start + 1, start + 2], pa.int64()), "gone": pa.array([1, None, 3], pa.int16())}
    columns |= {name: pa.array([low, 7, None], NUMBERS[name][at]) for name, low in least.items()}
    columns["x"] = pa.array([0.1, -2.5, None], pa.float64()).cast(NUMBERS["x"][at])
    pq.write_table(pa.table(columns), folder / f"part-{start:05}.parquet", store_schema=False)


def declare(table: HiveTable, columns: Sequence[tuple[str, str]], days: Sequence[str]) -> None:
    """Change the columns of the table, and of these partitions: `ALTER TABLE … CHANGE COLUMN … CASCADE`."""
    fields = [FieldSchema(name, kind, "") for name, kind in columns]
    with table.metastore.client() as client:
        changed = client.get_table(table.database, table.name)
        changed.sd.cols = fields
        client.alter_table(table.database, table.name, changed)
        for day in days:
            partition = client.get_partition(table.database, table.name, [day])
            partition.sd.cols = fields
            client.alter_partition(table.database, table.name, partition)


async def test_widened_numbers_and_columns_without_an_entry_are_merged(
    hive_lake: HiveLake, hive_spark: HiveSpark, sqlite_url: str, redis_url: str, tmp_path: Path
) -> None:
    """Unless the entry of the partition still has the narrow type, by which Hive reads it."""
    table = hive_lake.create_table("events", NARROW, [("day", "string")])
    for day in "abc":
        folder = table.default_location([day])
        folder.mkdir(parents=True)
        table.add_partition([day], folder)
        write(folder, 0, 0)
        write(folder, 10, 0 if day == "c" else 1)
    declare(table, WIDE, "ac")
    before = [_rows(hive_spark, reader) for reader in READERS]
    by_duckdb = sorted(duckdb_rows(table), key=str)
    async with open_table(
        WrittenTable(table, hive_lake.metastore.uri), tmp_path, database_url=sqlite_url, redis_url=redis_url
    ) as world:
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        left = run.result.document["left_out"]
    assert left["reasons"] == {"not_eligible": 1}, left
    files = {day: files_in(path_of(table.partition([day]).sd.location)) for day in "abc"}
    assert [len(files[day]) for day in "abc"] == [1, 2, 1]
    for day, at in (("a", 1), ("c", 0)):
        schema = pq.read_schema(files[day][0])
        assert {name: schema.field(name).type for name in NUMBERS} == {name: of[at] for name, of in NUMBERS.items()}
        assert pq.read_table(files[day][0])["gone"].to_pylist() == [1, None, 3, 1, None, 3]
    assert [_rows(hive_spark, reader) for reader in READERS] == before
    assert sorted(duckdb_rows(table), key=str) == by_duckdb


def _rows(spark: HiveSpark, setting: str) -> list[str]:
    name = setting.partition("=")[0]
    spark.rows(f"SET {setting}")
    try:
        return sorted(map(str, spark.rows("SELECT * FROM lake.events WHERE day IN ('a', 'c')")))
    finally:
        spark.rows(f"RESET {name}")

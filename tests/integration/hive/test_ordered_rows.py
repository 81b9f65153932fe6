"""Rewrites of Hive tables that put the rows of each partition into an order."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.domain.errors import InvalidInput
from engine.domain.runs.run import RunState
from tests.support.hive.lakes import HiveLake, files_in, path_of
from tests.support.hive.second_readers import HiveSpark, duckdb_rows
from tests.support.hive.worlds import DAYS, WrittenTable, open_table
from tests.support.world import World

COLUMNS = [("id", "bigint"), ("city", "string"), ("seen", "timestamp"), ("tags", "array<string>")]

pytestmark = pytest.mark.usefixtures("redis")
Opened = Callable[[WrittenTable, Mapping[str, Any]], AbstractAsyncContextManager[World[WrittenTable]]]


@pytest.fixture
def opened(sqlite_url: str, redis_url: str, tmp_path: Path) -> Opened:
    """Start a container with a table and settings of rewrites."""
    return lambda written, rewrite: open_table(
        written, tmp_path, database_url=sqlite_url, redis_url=redis_url, **rewrite
    )


@pytest.mark.parametrize("strategy", ["sort", "zorder", pytest.param("hilbert", marks=pytest.mark.deep)])
async def test_rows_of_each_partition_are_put_into_an_order_once(
    opened: Opened, hive_lake: HiveLake, hive_spark: HiveSpark, strategy: str
) -> None:
    """Files are in the order by their names: a second run has nothing to do, and one after a late file has."""
    table = hive_lake.create_table("events", COLUMNS[:2], [("day", "string")])
    chance, expected = Random(strategy), []
    for day in DAYS:
        for _ in range(3):
            rows = [{"id": chance.randrange(99), "city": chance.choice("abc")} for _ in range(40)]
            table.append([day], rows)
            expected += [(day, row["city"], row["id"]) for row in rows]
    written = WrittenTable(table, hive_lake.metastore.uri)
    async with opened(written, {"strategy": strategy, "columns": ["CITY", "id"]}) as world:
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        for day in DAYS:
            (output,) = _outputs(written, day)
            found = [(row["city"], row["id"]) for row in pq.ParquetFile(output).read().to_pylist()]
            assert (found == sorted(found)) is (strategy == "sort")
        assert sorted((row["day"], row["city"], row["id"]) for row in duckdb_rows(table)) == sorted(expected)
        where = "city >= 'b' AND id < 50"
        spark = hive_spark.rows(f"SELECT day, city, id FROM lake.events WHERE {where}")
        assert sorted((each["day"], each["city"], each["id"]) for each in spark) == sorted(
            each for each in expected if each[1] >= "b" and each[2] < 50
        )
        assert (await world.rewrite()).reason == "nothing_to_do"
        table.append([DAYS[0]], [{"id": 5, "city": "b"}])
        assert (await world.rewrite()).state is RunState.SUCCEEDED
        assert [len(_outputs(written, day)) for day in DAYS] == [1, 1]


def _outputs(written: WrittenTable, day: str) -> list[Path]:
    found = written.table.partition([day])
    assert found is not None
    return files_in(path_of(found.sd.location))


async def test_rows_of_spark_are_ordered_by_their_timestamps(
    opened: Opened, hive_lake: HiveLake, hive_spark: HiveSpark
) -> None:
    """Spark stores timestamps as INT96: they decide the order, stay as they are, and have no bounds."""
    table = hive_lake.create_table("events", COLUMNS, [("day", "string")])
    for number in range(3):
        hive_spark.rows(
            f"INSERT INTO lake.events PARTITION (day = '{DAYS[0]}') SELECT /*+ COALESCE(1) */ id, 'x', "
            f"make_timestamp(1500 + (id * 7919 + {number}) % 900, 1, 1, id % 24, 0, 0.000001D), array('t') "
            "FROM range(50)"
        )
    every = "SELECT id, CAST(seen AS string) AS seen FROM lake.events ORDER BY id, seen"
    before = hive_spark.rows(every)
    written = WrittenTable(table, hive_lake.metastore.uri)
    async with opened(written, {"strategy": "sort", "columns": [{"name": "seen", "direction": "desc"}]}) as world:
        run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert hive_spark.rows(every) == before
    (output,) = _outputs(written, DAYS[0])
    assert pq.read_metadata(output).schema.column(2).physical_type == "INT96"
    seen = [row["seen"] for row in hive_spark.rows(f"SELECT CAST(seen AS string) AS seen FROM parquet.`{output}`")]
    assert seen == sorted(seen, reverse=True)


async def test_an_order_that_a_table_can_t_have_is_a_condition(opened: Opened, hive_lake: HiveLake) -> None:
    written = WrittenTable(hive_lake.create_table("events", COLUMNS[:2], [("day", "string")]), hive_lake.metastore.uri)
    written.table.append([DAYS[0]], [{"id": 1}])
    async with opened(written, {"strategy": "sort"}) as world:
        run = await world.rewrite()
    assert run.reason == "not_eligible"
    assert "name columns" in (run.detail or "")


async def test_an_order_by_a_partition_key_is_refused(opened: Opened, hive_lake: HiveLake) -> None:
    written = WrittenTable(hive_lake.create_table("events", COLUMNS[:2], [("day", "string")]), hive_lake.metastore.uri)
    with pytest.raises(InvalidInput) as refused:
        async with opened(written, {"strategy": "sort", "columns": ["id", "day"]}):
            pass
    (problem,) = refused.value.problems
    assert problem.pointer == "/rewrite/columns"
    assert "'day' is a partition key" in problem.message

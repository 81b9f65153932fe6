"""Rows with NaN in Hive tables, which readers order above all numbers: they are found after a rewrite as before."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from engine.domain.runs.run import RunState
from tests.support.hive.lakes import HiveLake
from tests.support.hive.second_readers import HiveSpark, duckdb_rows
from tests.support.hive.worlds import WrittenTable, open_table
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")

WHERE = ("d > 5", "d >= 2", "d = double('NaN')", "d > 5 AND id < 3", "isnan(d)", "d < 2")


Opened = Callable[..., AbstractAsyncContextManager[World[WrittenTable]]]


@pytest.fixture
def opened(sqlite_url: str, redis_url: str, tmp_path: Path) -> Opened:
    """Start a container with a table and settings of rewrites."""

    def open_one(written: WrittenTable, **rewrite: Any) -> AbstractAsyncContextManager[World[WrittenTable]]:
        return open_table(written, tmp_path, database_url=sqlite_url, redis_url=redis_url, **rewrite)

    return open_one


def counts(spark: HiveSpark) -> list[int]:
    """Return how many rows each condition selects."""
    asked = (f"SELECT {at} AS at, count(*) AS n FROM lake.events WHERE {each}" for at, each in enumerate(WHERE))
    return [row["n"] for row in sorted(spark.rows(" UNION ALL ".join(asked)), key=lambda row: row["at"])]


@pytest.mark.parametrize("strategy", ["binpack", pytest.param("sort", marks=pytest.mark.deep)])
async def test_f40_rows_with_nan_are_found_after_a_rewrite(
    opened: Opened, hive_lake: HiveLake, hive_spark: HiveSpark, strategy: str
) -> None:
    """F40: Spark writes no bounds beside NaN; bounds that leave NaN out hid these rows from it and from DuckDB."""
    table = hive_lake.create_table("events", [("id", "bigint"), ("d", "double")], [("day", "string")])
    for start in (0, 10, 20):
        hive_spark.rows(
            f"INSERT INTO lake.events PARTITION (day = 'a') VALUES ({start}, double('NaN')), ({start + 1}, 1.0D), "
            f"({start + 2}, 2.0D), ({start + 3}, null)"
        )
    before = counts(hive_spark)
    assert before == [3, 6, 3, 1, 3, 3]
    written = WrittenTable(table, hive_lake.metastore.uri)
    rewrite = {"strategy": strategy} | ({"columns": ["id"]} if strategy == "sort" else {})
    async with opened(written, **rewrite) as world:
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
    assert counts(hive_spark) == before
    assert len(duckdb_rows(table)) == 12

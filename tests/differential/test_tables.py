"""Iceberg's own semantics hold on random tables: rows are the same at every point in time, by every reader.

In `make test` one seed, whose table every reader can read, and in `make test-deep` six;
`make fuzz-tables TABLES=500 SEED=1` plays many, from a first seed. A failure prints the story of its table;
`TABLES=1 SEED=<it>` plays it again. `make fuzz-v3` does so with tables of format version 3 only, and lets the other
operations follow on each.
"""

import os

import pytest

from tests.differential.arena import Arena, Tally
from tests.differential.stories import NAMESPACE
from tests.support.sittings import MARKS, Sitting, sittings

IS_DEEP = bool(os.environ.get("PACKHOUSE_DEEP"))
IS_REPLAYED = "PACKHOUSE_FUZZ_TABLES" in os.environ
FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1" if IS_DEEP else "4"))
TABLES = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "6" if IS_DEEP else "1"))
FIRST_OF_V3 = FIRST if IS_REPLAYED else FIRST + 1000
LEAST_SITTING = 6
"""Of this number of tables, whatever their seeds, some must be of each kind; the own seeds are chosen so."""

pytestmark = MARKS


@pytest.mark.parametrize("seeds", sittings(FIRST, TABLES))
async def test_rows_are_the_same_for_every_reader(
    sitting: Sitting, capsys: pytest.CaptureFixture[str], seeds: range
) -> None:
    arena = Arena(sitting.world, sitting.spark, Tally())
    await sitting.judge(arena, seeds, capsys)
    if len(seeds) >= LEAST_SITTING or not IS_REPLAYED:
        arena.tally.check()


@pytest.mark.parametrize("seeds", sittings(FIRST_OF_V3, TABLES))
async def test_rows_and_their_lineage_are_the_same_in_version_three(
    sitting: Sitting, capsys: pytest.CaptureFixture[str], seeds: range
) -> None:
    arena = Arena(sitting.world, sitting.spark, Tally(), is_of_version_three=True)
    await sitting.judge(arena, seeds, capsys)
    if len(seeds) >= LEAST_SITTING or not IS_REPLAYED:
        assert arena.tally.counts["sequels"] > 0.5 * len(seeds), str(arena)


async def test_iceberg_takes_a_null_partition_for_smaller_than_any_value(sitting: Sitting) -> None:
    """A fault of the peer that `Questions.nulls_in_partitions_of` allows for: once this fails, remove that."""
    name, spark = f"lake.{NAMESPACE}.nulls", sitting.spark
    sitting.world.lake.catalog.create_namespace_if_not_exists(NAMESPACE)
    spark.sql(f"CREATE TABLE {name} (id BIGINT, flag BOOLEAN) USING iceberg PARTITIONED BY (flag)").collect()
    spark.sql(f"INSERT INTO {name} VALUES (1, false), (2, true), (3, null)").collect()
    spark.sql(f"DELETE FROM {name} WHERE flag <= false").collect()
    assert [row["id"] for row in spark.sql(f"SELECT id FROM {name} ORDER BY id").collect()] == [2]  # SQL: 2 and 3

"""Iceberg's own engine as the other writer at the steps of upkeep: rewrites, expiries, replaced and dropped tables."""

import asyncio
from random import Random

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from tests.interleaving.test_spark_writers import ROWS, STATEMENTS, TABLE
from tests.interleaving.writers import DAY
from tests.support.moved_clock import MovedClock
from tests.support.peer import both_readers
from tests.support.world import World
from tests.upkeep.checks import check_left_alone, check_upkeep
from tests.upkeep.test_interleavings import FIRST, MAINTENANCE, RUNS, STEPS, prepare
from tests.upkeep.writers import rows_of_snapshots

OTHER = {
    "replace_table": f"CREATE OR REPLACE TABLE {TABLE} USING iceberg AS {ROWS}",
    "create_tag": f"ALTER TABLE {TABLE} CREATE TAG at_a_step",
    "create_branch": f"ALTER TABLE {TABLE} CREATE BRANCH at_a_step",
    "rewrite_position_deletes": "CALL lake.system.rewrite_position_delete_files(table => 'lake.lake.events', "
    "options => map('rewrite-all', 'true'))",
}
EVERY = {name: each for name, each in STATEMENTS.items() if name != "add_a_column"} | OTHER


@pytest.fixture
async def world(world: World) -> World:
    """Three commits that were rewritten, and one after them, an hour ago."""
    await world.set_policy({"rewrite": {"min_input_files": 2}, "maintenance": MAINTENANCE})
    for _ in range(3):
        await asyncio.to_thread(world.lake.append_to, ["2026-11-01", DAY], rows=40)
    await world.rewrite()
    await asyncio.to_thread(world.lake.append_to, ["2026-11-01", DAY], rows=40)
    await (await MovedClock.of(world.container.database)).pass_by(hours=1)
    return world


@pytest.mark.parametrize("seed", range(FIRST, FIRST + max(1, RUNS // 10)))
async def test_spark_commits_at_a_random_step_of_upkeep(world: World, spark: SparkSession, seed: int) -> None:
    """L21, U11, U12: both of Spark's readers find the rows afterwards."""
    random = Random(f"{seed}/spark")
    operation = random.choice(list(STEPS))
    step, name = random.choice(STEPS[operation]), random.choice(list(EVERY))
    mode = random.choice(("copy-on-write", "merge-on-read"))
    modes = ", ".join(f"'write.{each}.mode' = '{mode}'" for each in ("delete", "update", "merge"))
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ({modes})").collect()
    planted = await prepare(world, operation, random)
    known, rows = rows_of_snapshots(world.lake.table), world.lake.rows()

    def act() -> None:
        nonlocal known, rows
        spark.sql(EVERY[name]).collect()
        known, rows = known | rows_of_snapshots(world.lake.table), world.lake.rows()

    run = await world.submit(RunRequest(operation))
    world.at(step, act)
    try:
        await world.container.worker.advance(run.id)
        if (await world.get(run.id)).lease_holder is not None:
            await world.expire_lease(run.id)
        check_upkeep(world, await world.finish(run.id), known, rows)
        check_left_alone(planted)
        read = await asyncio.to_thread(both_readers, spark, TABLE)
        assert read[0] == read[1]
        assert len(read[0]) == len(rows)
    except BaseException as error:
        error.add_note(f"seed {seed}: {operation.value}, {name} at {step}, {mode}")
        raise

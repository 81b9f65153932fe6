"""Iceberg's own engine as the other writer: what it commits while a rewrite stands at a step, in both delete modes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.run import Run
from tests.interleaving.checks import check, check_outcome
from tests.interleaving.writers import DAY
from tests.support.peer import both_readers
from tests.support.world import World

TABLE = "lake.lake.events"
STEPS = ("planned", "group_written", "before_commit", "after_commit")
MORE = (
    f"INSERT INTO {TABLE} SELECT id, IF(id % 2 = 0, '2026-11-01', '{DAY}'), id / 3, 'note' FROM range({{}}, {{}}, 1, 1)"
)
ROWS = f"SELECT id + 5000000 AS id, day, value, note FROM {TABLE} WHERE day = '{DAY}' AND id % 9 = 0"
STATEMENTS = {
    "append": f"INSERT INTO {TABLE} {ROWS}",
    "delete": f"DELETE FROM {TABLE} WHERE id % 7 = 3",
    "delete_of_a_partition": f"DELETE FROM {TABLE} WHERE day = '{DAY}'",
    "update": f"UPDATE {TABLE} SET value = -1 WHERE id % 8 = 1",
    "merge": f"MERGE INTO {TABLE} t USING (SELECT id, day FROM {TABLE} WHERE id % 5 = 2) s ON t.id = s.id "
    "WHEN MATCHED AND t.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.note = 'merged'",
    "overwrite": f"INSERT OVERWRITE {TABLE} {ROWS}",
    "add_a_column": f"ALTER TABLE {TABLE} ADD COLUMN added_by_spark INT",
    "rewrite_data_files": "CALL lake.system.rewrite_data_files(table => 'lake.lake.events', "
    "options => map('rewrite-all', 'true'))",
    "rewrite_manifests": "CALL lake.system.rewrite_manifests('lake.lake.events')",
    "expire_snapshots": "CALL lake.system.expire_snapshots(table => 'lake.lake.events', "
    "older_than => TIMESTAMP'2100-01-01', retain_last => 1)",
}

FEW = (
    ("planned", "merge"),
    ("group_written", "delete"),
    ("before_commit", "rewrite_data_files"),
    ("after_commit", "expire_snapshots"),
    ("before_commit", "add_a_column"),
)
"""Rounds of `make test`: one statement of each kind, and each step."""


@pytest.fixture
async def world(world: World) -> World:
    """An empty table: each round adds its files."""
    await world.set_policy({"rewrite": {"min_input_files": 2, "deletes": {"files": 1}}})
    return world


@pytest.fixture
def spark(spark: SparkSession) -> SparkSession:
    """A session whose overwrites replace the partitions that they write to."""
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    return spark


@pytest.mark.parametrize(
    ("rounds", "mode"),
    [
        pytest.param(FEW, "merge-on-read", id="few"),
        *(
            pytest.param([(step, action) for step in STEPS], mode, id=f"{action}-{mode}", marks=pytest.mark.deep)
            for mode, actions in {"merge-on-read": STATEMENTS, "copy-on-write": ("delete", "update", "merge")}.items()
            for action in actions
            if action != "add_a_column"
        ),
    ],
)
async def test_spark_commits_at_each_step(
    world: World, spark: SparkSession, rounds: Sequence[tuple[str, str]], mode: str
) -> None:
    modes = ", ".join(f"'write.{each}.mode' = '{mode}'" for each in ("delete", "update", "merge"))
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ({modes})").collect()
    for step, action in rounds:
        for _ in range(2):
            await asyncio.to_thread(world.lake.append_to, ["2026-11-01", DAY], rows=40)
        rows: list[list[str]] = []

        def act(action: str = action, rows: list[list[str]] = rows) -> None:
            spark.sql(STATEMENTS[action]).collect()
            rows.append(world.lake.rows())

        world.at(step, act)
        run = await rewritten(world)
        assert len(rows) == 1, f"{step} was not reached"
        check(world, run, rows[0])
        read = both_readers(spark, TABLE)
        assert read[0] == read[1]
        assert len(read[0]) == len(rows[0]), step


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param((("group_written", "update"), ("before_commit", "rewrite_data_files")), id="few"),
        *(
            pytest.param([(step, action) for step in STEPS], id=action, marks=pytest.mark.deep)
            for action in STATEMENTS
            if action != "add_a_column"
        ),
    ],
)
async def test_spark_commits_at_each_step_of_a_table_of_version_three(
    world: World, spark: SparkSession, rounds: Sequence[tuple[str, str]]
) -> None:
    modes = ", ".join(f"'write.{each}.mode' = 'merge-on-read'" for each in ("delete", "update", "merge"))
    spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('format-version' = '3', {modes})").collect()
    for number, (step, action) in enumerate(rounds):
        for at in range(2):
            first = 1_000 * (2 * number + at)
            spark.sql(MORE.format(first, first + 80)).collect()
        spark.sql(f"DELETE FROM {TABLE} WHERE id % 11 = 4").collect()
        rows: list[list[tuple[Any, ...]]] = []

        def act(action: str = action, rows: list[list[tuple[Any, ...]]] = rows) -> None:
            spark.sql(STATEMENTS[action]).collect()
            rows.append(with_lineage(spark))

        world.at(step, act)
        run = await rewritten(world)
        assert len(rows) == 1, f"{step} was not reached"
        assert run.is_terminal, run
        check_outcome(world, run)
        gone = [path for path in world.lake.reached() if not Path(path).exists()]
        assert not gone, f"files of retained snapshots were deleted: {gone}"
        for vectorised in ("true", "false"):
            spark.conf.set("spark.sql.iceberg.vectorization.enabled", vectorised)
            assert with_lineage(spark) == rows[0], (step, action, run.state, run.detail)


def with_lineage(spark: SparkSession) -> list[tuple[Any, ...]]:
    """Return all rows with their ids, which must be distinct, and sequence numbers."""
    statement = f"SELECT *, _row_id, _last_updated_sequence_number FROM {TABLE} ORDER BY _row_id"
    found = [tuple(row) for row in spark.sql(statement).collect()]
    assert len({row[-2] for row in found}) == len(found)
    return found


async def rewritten(world: World) -> Run:
    """Rewrite all, also partitions that lost the last race; a statement that outlasts the lease costs an attempt."""
    run = await world.submit(allow_duplicate=True)
    await world.container.worker.advance(run.id)
    if (await world.get(run.id)).lease_holder is not None:
        await world.expire_lease(run.id)
    return await world.finish(run.id)

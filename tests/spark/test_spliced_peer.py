"""Spliced files as Spark reads them: its own Parquet readers and Iceberg's, vectorised and row by row."""

import asyncio
import uuid
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from engine.domain.runs.run import RunState
from engine.rewriting.kernel.splicing import copy_plans
from engine.spark.sessions import SparkSessions
from tests.support.world import World
from tests.unit.kernel.building import make_task, rewrite
from tests.unit.kernel.spliced import NESTED, WRITERS, table, write_as

READABLE = pa.schema([one for one in NESTED if one.name != "time"])
"""Spark has no reader for a time of day by default."""

REQUIRED = pa.schema([one if pa.types.is_nested(one.type) else one.with_nullable(False) for one in READABLE])
OPTIONAL = pa.schema([one.with_nullable(True) for one in READABLE])

VALUES = """
    SELECT id, hash(id) AS number, hash(id) / 7.0D AS double, CAST(hash(id) AS DECIMAL(15,2)) AS money,
      IF(id % 9 = 0, NULL, concat('text ', hash(id))) AS text, concat('w', id % 5) AS word,
      IF(id % 7 = 0, NULL, array(hash(id), id)) AS list, named_struct('a', id, 'b', concat('b', hash(id))) AS nested
    FROM range({first}, {last}, 1, 1)
"""


def digest(rows: DataFrame) -> tuple[object, ...]:
    """Return how many rows there are, and the sum of their hashes."""
    found = rows.selectExpr("to_json(struct(*)) AS row").selectExpr(
        "count(*)", "count(DISTINCT row)", "sum(CAST(xxhash64(row) AS DECIMAL(38,0)))"
    )
    return tuple(found.collect()[0])


def read_by_spark(session: SparkSession, paths: Sequence[str], *, vectorised: bool) -> tuple[object, ...]:
    for name in ("enableVectorizedReader", "enableNestedColumnVectorizedReader"):
        session.conf.set(f"spark.sql.parquet.{name}", str(vectorised).lower())
    return digest(session.read.parquet(*(f"file:{path}" for path in paths)))


@pytest.mark.deep
def test_files_of_every_writer_read_the_same_by_both_readers_of_spark(
    spark_sessions: SparkSessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    inputs, outputs = [], []
    groups = [[name, name] for name in WRITERS] + [list(WRITERS), list(reversed(WRITERS))]
    cases = [(writers, (READABLE,), READABLE) for writers in groups]
    cases += [
        ([name] * 4, kinds, OPTIONAL)
        for name in ("plain, small pages", "dictionaries", "dictionaries given up half-way")
        for kinds in ((REQUIRED,), (REQUIRED, OPTIONAL))
    ]
    for number, (writers, kinds, target) in enumerate(cases):
        folder = tmp_path / str(number)
        given = [
            write_as(name, folder / f"{at}.parquet", table(number * 20 + at, 80, kinds[at % len(kinds)]))
            for at, name in enumerate(writers)
        ]
        result = rewrite(make_task(folder, given, target))
        assert result.outcome == "written", result.reason
        inputs += [one.path for one in given]
        outputs += [one.path for one in result.outputs]
    session = spark_sessions.get(str(uuid.uuid4()))
    sound = read_by_spark(session, inputs, vectorised=False)
    assert sound[0] == 80 * len(inputs)
    assert read_by_spark(session, outputs, vectorised=False) == sound
    assert read_by_spark(session, outputs, vectorised=True) == sound


@pytest.mark.deep
@pytest.mark.parametrize("with_another_writer", [False, True])
async def test_tables_that_spark_wrote_are_spliced_and_read_the_same_by_both_readers_of_iceberg(
    world: World, spark: SparkSession, with_another_writer: bool
) -> None:
    name = "lake.lake.spliced"
    await asyncio.to_thread(spark.sql, f"CREATE TABLE {name} USING iceberg AS {VALUES.format(first=0, last=4000)}")
    for first in range(4000, 20_000, 4000):
        await asyncio.to_thread(spark.sql, f"INSERT INTO {name} {VALUES.format(first=first, last=first + 4000)}")
    if with_another_writer:
        opened = world.lake.catalog.load_table(("lake", "spliced"))
        await asyncio.to_thread(lambda: opened.append(opened.scan(limit=3000).to_arrow()))

    def both() -> list[tuple[object, ...]]:
        found = []
        for vectorised in ("true", "false"):
            spark.conf.set("spark.sql.iceberg.vectorization.enabled", vectorised)
            found.append(digest(spark.table(name)))
        return found

    before = await asyncio.to_thread(both)
    run = await world.rewrite_other("spliced")
    assert run.state is RunState.SUCCEEDED, run.detail
    assert await asyncio.to_thread(both) == before
    after = world.lake.catalog.load_table(("lake", "spliced"))
    paths = after.inspect.files()["file_path"].to_pylist()
    assert [pq.read_metadata(path.removeprefix("file://")).created_by for path in paths] == ["packhouse version 1.0.0"]
    assert after.scan().to_arrow().num_rows == before[0][0]

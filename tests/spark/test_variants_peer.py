"""Iceberg's engine writes variants, shredded or not; a rewrite keeps them, and the engine reads the same values."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.run import RunState
from tests.support.peer import counts, one, rows_by_spark
from tests.support.world import World
from tests.unit.kernel.verbatim import VARIANT, by_names, elements_of

NAME = "variants"
TABLE = f"lake.lake.{NAME}"
VARIANTS = (2, 6)
"""The field ids of the columns `v` and `inside.w`."""

VALUE = """IF(id % 5 = 0, NULL, parse_json(concat('{"a": ', id, ', "b": "text ', id % 7, '", "c": {"d": [1, ', id,
    ']}, "m": ', IF(id % 2 = 0, CAST(id AS STRING), '"odd"'), ', "e": 1.5}')))"""
"""Integers are shredded to 8 bits in the first files and to 16 bits in the others; `m` has values of two types."""

CONDITIONS = (
    "variant_get(v, '$.a', 'int') > 1500",
    "variant_get(v, '$.b', 'string') = 'text 3' AND id < 2000",
    "variant_get(v, '$.c.d[1]', 'int') = 42",
    "v IS NULL",
    "inside.w IS NOT NULL",
)


def fill(spark: SparkSession, shredded: Sequence[bool], *, rows: int = 1000) -> None:
    """Write a file for each of these, with shredded variants or without."""
    properties = {"format-version": "3"} | {f"write.{each}.mode": "merge-on-read" for each in ("delete", "update")}
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
    columns = "id BIGINT, v VARIANT, inside STRUCT<n: INT, w: VARIANT>, name STRING"
    spark.sql(f"CREATE TABLE {TABLE} ({columns}) USING iceberg TBLPROPERTIES ({listed})")
    inside = "named_struct('n', CAST(id AS INT), 'w', parse_json(concat('\"w', id, '\"')))"
    for at, is_shredded in enumerate(shredded):
        wanted = str(is_shredded).lower()
        spark.sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('write.parquet.shred-variants' = '{wanted}')")
        chosen = f"id, {VALUE} AS v, IF(id % 3 = 0, NULL, {inside}) AS inside, concat('name ', id % 11) AS name"
        spark.sql(f"INSERT INTO {TABLE} SELECT {chosen} FROM range({at * rows}, {at * rows + rows}, 1, 1)")


def files(spark: SparkSession) -> dict[str, Any]:
    """Return the table's data files: path and row of the metadata table."""
    rows = spark.sql(f"SELECT * FROM {TABLE}.files WHERE content = 0").collect()
    return {row["file_path"].removeprefix("file:"): row for row in rows}


def counted(found: dict[str, Any], name: str) -> dict[int, int]:
    """Return the sum of a count of each variant."""
    return {number: sum(row[name][number] for row in found.values()) for number in VARIANTS}


def seen(spark: SparkSession, *, is_shredded: bool) -> dict[str, Any]:
    """Return the rows; Iceberg's vectorised reader (1.12) has no shredded variants."""
    rows = "id, to_json(v) AS v, schema_of_variant(v) AS s, to_json(inside.w) AS w, inside.n AS n, name, _row_id"
    spark.sql(f"CREATE OR REPLACE TEMP VIEW seen AS SELECT {rows} FROM {TABLE}")
    kinds = (False,) if is_shredded else (True, False)
    first, *others = (rows_by_spark(spark, "seen", vectorised=each) for each in kinds)
    assert all(each == first for each in others)
    return {"rows": first, **counts(spark, TABLE, CONDITIONS)}


FILES = {"unshredded": (False,) * 4, "shredded": (True,) * 4, "both": (True, False, True, False)}


def names_inside(path: str) -> list[list[bytes]]:
    """Return the names of the schema elements of each variant."""
    return [[each[4][1] for each in elements_of(path, number)] for number in VARIANTS]


@pytest.mark.parametrize("strategy", ["binpack", "sort"])
@pytest.mark.parametrize("kind", FILES)
async def test_a_rewrite_keeps_variants(world: World, spark: SparkSession, kind: str, strategy: str) -> None:
    is_shredded = any(FILES[kind])
    await asyncio.to_thread(fill, spark, FILES[kind])
    spark.conf.set("spark.sql.iceberg.vectorization.enabled", str(not is_shredded).lower())
    await asyncio.to_thread(spark.sql, f"DELETE FROM {TABLE} WHERE id % 10 = 3")
    before, inputs = await asyncio.to_thread(seen, spark, is_shredded=is_shredded), files(spark)
    layouts = [names_inside(path) for path in inputs]
    assert any(b"typed_value" in first for first, _ in layouts) is is_shredded
    rewrite: dict[str, Any] = {"strategy": strategy} | ({"columns": [{"name": "name"}]} if strategy == "sort" else {})
    run = await world.rewrite_other(NAME, policy={"rewrite": rewrite, "verification": "content"})
    assert run.state is RunState.SUCCEEDED, run.detail
    outputs = await asyncio.to_thread(files, spark)
    assert len(outputs) == len(set(FILES[kind])), "one for each layout"
    for path in outputs:
        assert names_inside(path) in layouts
        assert all(elements_of(path, number)[0][10][1] == VARIANT for number in VARIANTS)
    assert await asyncio.to_thread(seen, spark, is_shredded=is_shredded) == before
    live = [row for row in by_names(list(inputs)) if row[0] % 10 != 3]
    assert by_names(list(outputs)) == live
    for output in outputs.values():
        assert not {*VARIANTS} & {*output["lower_bounds"], *output["upper_bounds"]}
    assert counted(outputs, "value_counts") == dict.fromkeys(VARIANTS, len(live))
    assert counted(outputs, "null_value_counts")[2] == before["v IS NULL"]
    assert one(spark, f"SELECT count(*) FROM {TABLE}.delete_files") == 0

"""Statements of `spark.sql` as Spark itself reads them: hostile names and values come back as they went in."""

import os
import uuid
from pathlib import Path
from random import Random

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.sql import SparkSession

from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.embedded.iceberg import catalog_confs
from engine.spark import sql
from engine.spark.sessions import SparkSessions
from tests.support.peer import attach

TEXTS = [
    "it's \"quoted\" \\ here", "${env:HOME}", "${spark.app.id}", "a -- b", "/* c */", "`", "``;", "\x00", "\n\t",
    "'); DROP TABLE x; --", "é \N{PILE OF POO}", "%_", 'r"x"', "", " ", "X'41'", "$${", "\\u0041",
]  # fmt: skip


@pytest.fixture
def spark(spark_sessions: SparkSessions, tmp_path: Path) -> SparkSession:
    """A session that knows a catalog `lake` of its own."""
    session = spark_sessions.get(str(uuid.uuid4()))
    database = tmp_path / "catalog.db"
    SqlCatalog("lake", uri=f"sqlite:///{database}", warehouse=tmp_path.as_uri()).close()
    attach(session, catalog_confs("lake", database, warehouse=tmp_path.as_uri()))
    return session


def more(count: int) -> list[str]:
    """Return random texts of the characters that have a meaning somewhere."""
    random = Random(count)
    return ["".join(random.choices("'\"`\\;${}()ax \n-*/", k=random.randint(1, 12))) for _ in range(count)]


@pytest.mark.filterwarnings("ignore:The SQL config .* has been deprecated")
@pytest.mark.parametrize("escaped", ["false", pytest.param("true", marks=pytest.mark.deep)])
def test_literals_and_names_come_back_as_they_went_in(spark: SparkSession, escaped: str) -> None:
    spark.conf.set("spark.sql.parser.escapedStringLiterals", escaped)
    texts = [*TEXTS, *more(200 if os.environ.get("PACKHOUSE_DEEP") else 60)]
    statement = "SELECT " + ", ".join(sql.literal(text, "string") for text in texts)
    assert list(spark.sql(statement).collect()[0]) == texts
    names = [text for text in texts if text and "${" not in text and min(text) >= " "]
    columns = spark.sql("SELECT " + ", ".join(f"1 AS {sql.name(text)}" for text in names)).columns
    assert columns == names


def test_values_of_every_type_are_the_columns_values(spark: SparkSession) -> None:
    values = {
        "boolean": "true", "int": "-3", "bigint": str(2**62), "float": "0.10000000149011612", "double": "-0.1",
        "date": "2026-11-01", "timestamp": "2026-11-01T05:00:00.000001+00:00", "binary": "00ff",
        "timestamp_ntz": "1969-12-31T23:59:59.999999", "decimal(9,2)": "-1.50",
    }  # fmt: skip
    found = spark.sql("SELECT " + ", ".join(f"typeof({sql.literal(v, t)})" for t, v in values.items())).collect()[0]
    assert list(found) == list(values)


def test_only_the_named_partition_is_rewritten(spark: SparkSession) -> None:
    table = SparkTable("lake", ("n`s",), 'we"ird; `name')
    named = f"lake.{sql.name('n`s')}.{sql.name(table.name)}"
    spark.sql(f"CREATE NAMESPACE lake.{sql.name('n`s')}")
    spark.sql(f"CREATE TABLE {named} (id BIGINT, s STRING, day TIMESTAMP) USING iceberg PARTITIONED BY (s, days(day))")
    text = 'it\'s "x" \\ ${env:HOME}'
    for number in range(3):
        values = ", ".join(
            f"({number}, {value}, TIMESTAMP'2026-11-0{day} 23:30:00Z')"
            for value in (sql.literal(text, "string"), "'other'", "NULL")
            for day in (1, 2)
        )
        spark.sql(f"INSERT INTO {named} VALUES {values}")
    for value in (text, None):
        where = (PartitionTest(("s",), "string", value), PartitionTest(("day",), "date", "2026-11-02", "days"))
        call = ProcedureCall("rewrite_data_files", table, where, {"min-input-files": 2})
        assert spark.sql(sql.call(call)).collect()[0]["rewritten_data_files_count"] == 3
        head = spark.sql(f"SELECT snapshot_id FROM {named}.snapshots ORDER BY committed_at DESC LIMIT 1").collect()[0][
            0
        ]
        assert spark.sql(sql.has_snapshot(table, head)).count() == 1
        assert spark.sql(sql.has_snapshot(table, head - 1)).count() == 0
        assert spark.sql(sql.metadata_files(table, 1)).count() == 1
        assert spark.sql(sql.count_rows(table, head, where)).collect()[0]["rows"] == 3
    files = spark.sql(f"SELECT count(*) FROM {named}.files").collect()[0][0]
    assert files == 18 - 2 * 2

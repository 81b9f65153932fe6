"""Other readers of tables of a Metastore: Spark with its Hive catalog, and DuckDB on the partitions' locations.

The session's Spark server can't have the Hive catalog: `spark.sql.catalogImplementation` is fixed at its start.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import pytest
from pyspark.sql.connect.session import SparkSession

from engine.embedded.spark import EmbeddedSpark
from engine.spark.sessions import SparkSessions
from tests.support.hive.lakes import NULL, HiveTable, files_in, path_of
from tests.support.hive.metastore import Metastore


@dataclass(frozen=True)
class HiveSpark:
    """A Spark session whose catalog is the Metastore."""

    session: SparkSession

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Execute a statement and return its rows."""
        return [row.asDict() for row in self.session.sql(sql).collect()]


@pytest.fixture(scope="session")
def hive_spark(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Iterator[HiveSpark]:
    """A Spark Connect server of its own on the session's Metastore."""
    settings = {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": metastore.uri,
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
        "spark.sql.shuffle.partitions": "2",
    }
    server = EmbeddedSpark(data_dir=tmp_path_factory.mktemp("hive-spark"), cores=2, confs=settings)
    sessions = SparkSessions(url=server.start(), user_id="tests")
    try:
        yield HiveSpark(sessions.get())
    finally:
        sessions.close()
        server.stop()


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def duckdb_rows(table: HiveTable) -> list[dict[str, Any]]:
    """Return the rows of a table as DuckDB reads them, by the names of the columns."""
    read = table.read()
    found: list[dict[str, Any]] = []
    with _duckdb().cursor() as connection:
        for partition in table.partitions():
            if not (files := [str(each) for each in files_in(path_of(partition.sd.location))]):
                continue
            source = connection.read_parquet(files, union_by_name=True, hive_partitioning=False)
            columns = {each.lower() for each in source.columns}
            shown = [f"{each.name if each.name in columns else 'NULL'} AS {each.name}" for each in read.sd.cols]
            for key, value in zip(read.partitionKeys, partition.values, strict=True):
                text = "NULL" if value == NULL else "'" + value.replace("'", "''") + "'"
                shown.append(f"{text}::{key.type} AS {key.name}")
            answer = source.project(", ".join(shown))
            found += [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    return found

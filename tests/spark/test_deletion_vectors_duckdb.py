"""Deletion vectors that DuckDB wrote through the REST server of the Iceberg project: tasks delete the same rows."""

import uuid
from collections.abc import Callable, Iterator

import duckdb
import pytest
from pyspark.sql import SparkSession

from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.spark.sessions import SparkSessions
from tests.spark.test_deletion_vectors_peer import commit, proven, written
from tests.support.duckdb_tables import connected
from tests.support.peer import attach, both_readers, one

Site = tuple[SparkSession, duckdb.DuckDBPyConnection, Callable[[], IcebergTable]]
TABLE = "lake.{}.vectors"


@pytest.fixture
def site(spark_sessions: SparkSessions, iceberg_rest_url: str) -> Iterator[tuple[str, Site]]:
    """A table of version 3 that Spark, DuckDB and Packhouse share, of four files of 100 rows."""
    namespace = f"n{uuid.uuid4().hex[:8]}"
    name = TABLE.format(namespace)
    spark = spark_sessions.get(str(uuid.uuid4()))
    at = "spark.sql.catalog.lake"
    confs = {at: "org.apache.iceberg.spark.SparkCatalog", f"{at}.type": "rest", f"{at}.uri": iceberg_rest_url}
    attach(spark, {**confs, f"{at}.cache-enabled": "false"})
    spark.sql(f"CREATE NAMESPACE lake.{namespace}").collect()
    spark.sql(f"CREATE TABLE {name} (id BIGINT, note STRING) USING iceberg TBLPROPERTIES ('format-version'='3')")
    for first in range(0, 400, 100):
        spark.sql(f"INSERT INTO {name} SELECT id, concat('note ', id % 5) FROM range({first}, {first + 100}, 1, 1)")
    connection = IcebergFormat().connect("lake", {"type": "rest", "uri": iceberg_rest_url})
    with connected("httpfs") as duck:
        options = f"TYPE iceberg, ENDPOINT '{iceberg_rest_url}', AUTHORIZATION_TYPE 'none'"
        duck.execute(f"ATTACH 'lake' AS lake ({options})")
        yield name, (spark, duck, lambda: connection.open_table(TableRef("lake", (namespace,), "vectors")))
    spark.sql(f"DROP TABLE {name}").collect()
    connection.close()


def test_vectors_of_duckdb_delete_the_same_rows(site: tuple[str, Site]) -> None:
    name, (spark, duck, load) = site
    duck.execute(f"DELETE FROM {name} WHERE id % 7 = 3 OR id BETWEEN 120 AND 160")
    duck.execute(f"DELETE FROM {name} WHERE id IN (0, 399)")
    before = both_readers(spark, name)
    live = load()._view.live_files().deletes.to_pylist()
    assert {each["file_format"] for each in live} == {"puffin"}
    paths = sorted(load().digest()["path"].to_pylist())
    group = written(load(), paths[:2])
    proven(load(), commit(load(), group), group)
    assert both_readers(spark, name) == before
    assert duck.execute(f"SELECT count(*) FROM {name}").fetchone() == (one(spark, f"SELECT count(*) FROM {name}"),)
    duck.execute(f"DELETE FROM {name} WHERE id % 11 = 5")
    left = len([row for row in before[0] if int(row.split("'id': ")[1].split(",")[0]) % 11 != 5])
    assert one(spark, f"SELECT count(*) FROM {name}") == left

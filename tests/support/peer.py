"""Spark with Iceberg's own runtime as the peer that is not ours: it shares a SQLite catalog with the test's lake.

The catalog's name is the file's name space in Spark; both sides commit to the same tables (Iceberg's JDBC catalog and
PyIceberg's SQL catalog read the same rows when name and schema version agree).
"""

from typing import Any

from pyspark.sql import SparkSession

from tests.support.world import Lake


def attach(session: SparkSession, lake: Lake) -> None:
    """Make the lake's catalog known to a Spark session under its own name, `lake`."""
    database = lake.properties["uri"].removeprefix("sqlite:///")
    catalog = "spark.sql.catalog.lake"
    for name, value in {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{database}?busy_timeout=30000",
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.warehouse": lake.properties["warehouse"],
        f"{catalog}.cache-enabled": "false",
    }.items():
        session.conf.set(name, value)


def rows_by_spark(session: SparkSession, table: str, *, vectorised: bool = True) -> list[str]:
    """The table's multiset of rows as Spark reads them, in a canonical order; NaN and nested values included."""
    session.conf.set("spark.sql.iceberg.vectorization.enabled", str(vectorised).lower())
    return sorted(str(row.asDict(recursive=True)) for row in session.sql(f"SELECT * FROM {table}").collect())


def one(session: SparkSession, statement: str) -> Any:
    """The first value of a statement's first row."""
    return session.sql(statement).collect()[0][0]

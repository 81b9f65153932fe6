"""Spark settings for Iceberg: its SQL extensions, and a SQLite catalog shared with PyIceberg.

Iceberg's JDBC catalog and PyIceberg's SQL catalog read the same rows when name and schema version agree, so both can
commit to the same tables. Needs the jars `ICEBERG_RUNTIME` and `SQLITE_JDBC` of `engine.embedded.jars`.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

SQL_EXTENSIONS: Final[Mapping[str, str]] = MappingProxyType(
    {"spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"}
)
"""Server settings that enable Iceberg's SQL; sessions can't add extensions."""


def catalog_confs(name: str, database: Path, *, warehouse: str) -> dict[str, str]:
    """Return the Spark settings that define a catalog, for a server or a session.

    Args:
        name: name of the catalog, in Spark and in PyIceberg.
        database: the SQLite file that PyIceberg's SQL catalog created.
        warehouse: base URI of new tables.
    """
    catalog = f"spark.sql.catalog.{name}"
    return {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{database}?busy_timeout=30000",
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.warehouse": warehouse,
        f"{catalog}.cache-enabled": "false",  # other clients commit too
    }

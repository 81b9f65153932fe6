"""What Spark is told so that it knows Iceberg: its SQL, and a catalog in SQLite that PyIceberg shares.

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
"""A setting of the server: sessions can't add extensions."""


def catalog_confs(name: str, database: Path, *, warehouse: str) -> dict[str, str]:
    """Return the settings, of a server or of a session, by which Spark knows a catalog.

    Args:
        name: of the catalog, in Spark and in PyIceberg.
        database: the SQLite file that PyIceberg's SQL catalog made.
        warehouse: URI below which new tables are put.
    """
    catalog = f"spark.sql.catalog.{name}"
    return {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{database}?busy_timeout=30000",
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.warehouse": warehouse,
        f"{catalog}.cache-enabled": "false",  # others commit too
    }

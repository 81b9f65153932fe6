"""Apache Iceberg. Only this package imports pyiceberg."""

from engine.formats.iceberg.connection import IcebergConnection, IcebergFormat
from engine.formats.iceberg.table import IcebergTable
from engine.formats.intake.caches import ManifestCache

__all__ = ["IcebergConnection", "IcebergFormat", "IcebergTable", "ManifestCache"]

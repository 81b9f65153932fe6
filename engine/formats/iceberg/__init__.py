"""Apache Iceberg. Only this package imports pyiceberg."""

from engine.formats.iceberg.connection import IcebergConnection, IcebergFormat
from engine.formats.iceberg.manifests.reading import ManifestCache
from engine.formats.iceberg.table import IcebergTable

__all__ = ["IcebergConnection", "IcebergFormat", "IcebergTable", "ManifestCache"]

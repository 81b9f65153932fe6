"""Apache Paimon tables, read from their files: schemas, snapshots and manifests; without a JVM in this process."""

from engine.formats.paimon.connection import PaimonConnection, PaimonFormat
from engine.formats.paimon.table import PaimonTable

__all__ = ["PaimonConnection", "PaimonFormat", "PaimonTable"]

"""The Hive format: Parquet files in the partition folders of a table that a Hive Metastore lists.

Entered by the wiring and by catalogs through `HiveFormat`. Nothing here writes: this version only reads such tables.
"""

from engine.formats.hive.connection import HiveFormat
from engine.formats.hive.table import HiveTable

__all__ = ["HiveFormat", "HiveTable"]

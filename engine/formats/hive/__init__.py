"""The Hive format: Parquet files in the partition folders of a table that a Hive Metastore or AWS Glue lists.

Entered by the wiring and by catalogs through `HiveFormat`. A rewrite makes a new folder for
a partition; `rewrite` writes, proves and puts it in place, `removal` deletes the folders that it replaced.
"""

from engine.formats.hive.connection import HiveFormat
from engine.formats.hive.table import HiveTable

__all__ = ["HiveFormat", "HiveTable"]

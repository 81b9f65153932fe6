"""A Metastore and a Spark server on it; declared here because the import of its client takes 0.3 s."""

from tests.support.hive.metastore import metastore
from tests.support.hive.second_readers import hive_spark

__all__ = ["hive_spark", "metastore"]

"""The services that Packhouse needs and that may stop answering."""

from enum import StrEnum
from typing import Final


class DependencyKind(StrEnum):
    """A kind of service outside this process."""

    SPARK = "spark"
    CATALOG = "catalog"
    STORAGE = "storage"
    DATABASE = "database"
    REDIS = "redis"


DEFAULT_ENDPOINT: Final = "default"
"""Name of the Spark endpoint of `PACKHOUSE_SPARK_URL`."""

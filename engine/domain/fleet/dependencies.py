"""The services that Packhouse needs and that may stop answering."""

from enum import StrEnum


class DependencyKind(StrEnum):
    """A kind of service outside this process."""

    SPARK = "spark"
    CATALOG = "catalog"
    STORAGE = "storage"
    DATABASE = "database"
    REDIS = "redis"

"""Releases of the Hive Metastore that tests start, each as a class path and the names of its classes.

2 is the one of Spark's own jars. The others come from Maven, with what Spark lacks or has in another version.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyspark

from engine.embedded.jars import CACHE_FOLDER, fetch_all
from tests.support.hdfs_server import minicluster

SPARK: Final = Path(pyspark.__file__).parent / "jars"
HIVE: Final = "org.apache.hadoop.hive.metastore"
_JETTY: Final = "9.4.45.v20220203"
_SPRING: Final = "5.3.21"


@dataclass(frozen=True)
class Release:
    """A release: its jars by coordinate, which of Spark's it can't have, its classes, the package of its transports,
    its own settings."""

    coordinates: tuple[str, ...] = ()
    without: tuple[str, ...] = ("hive-", "spark-")
    handler: str = f"{HIVE}.HMSHandler"
    proxies: str = f"{HIVE}.HMSHandlerProxyFactory"
    security: str = f"{HIVE}.security"
    settings: dict[str, str] = field(default_factory=dict)

    def class_path(self) -> list[str]:
        """Return the paths of all jars; those from Maven first."""
        own = [str(each.absolute()) for each in fetch_all(self.coordinates, CACHE_FOLDER)]
        return own + sorted(str(each) for each in SPARK.glob("*.jar") if not each.name.startswith(self.without))


RELEASES: Final = {
    "2": Release(
        without=("spark-",),
        handler=f"{HIVE}.HiveMetaStore$HMSHandler",
        proxies=f"{HIVE}.RetryingHMSHandler",
        security="org.apache.hadoop.hive.thrift",
    ),
    "3": Release(
        (
            "org.apache.hive:hive-standalone-metastore:3.1.3",
            "org.apache.hive:hive-storage-api:2.7.0",
            "org.apache.thrift:libthrift:0.9.3",
            "commons-collections:commons-collections:3.2.2",
        ),
        without=("hive-", "spark-", "libthrift-"),
        handler=f"{HIVE}.HiveMetaStore$HMSHandler",
        proxies=f"{HIVE}.RetryingHMSHandler",
        settings={
            "metastore.expression.proxy": f"{HIVE}.DefaultPartitionExpressionProxy",
            "metastore.task.threads.always": f"{HIVE}.events.EventCleanerTask",
        },
    ),
    "4": Release(
        (
            "org.apache.hive:hive-standalone-metastore-server:4.0.1",
            "org.apache.hive:hive-standalone-metastore-common:4.0.1",
            "org.apache.hive:hive-storage-api:4.0.1",
            *(f"org.datanucleus:datanucleus-{each}" for each in ("core:5.2.10", "rdbms:5.2.10", "api-jdo:5.2.8")),
            "com.github.ben-manes.caffeine:caffeine:2.9.3",
            "commons-collections:commons-collections:3.2.2",
            "org.apache.commons:commons-dbcp2:2.9.0",
            "org.apache.commons:commons-pool2:2.10.0",
            *(f"org.eclipse.jetty:jetty-{each}:{_JETTY}" for each in ("http", "io", "security", "server", "servlet")),
            f"org.eclipse.jetty:jetty-util:{_JETTY}",
            *(f"org.springframework:spring-{each}:{_SPRING}" for each in ("beans", "core", "jdbc", "tx")),
            minicluster(),
        ),
        without=("hive-", "spark-", "datanucleus-"),
    ),
}

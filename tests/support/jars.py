"""Fetch every jar that tests start servers with, before the first test waits for it: `python -m tests.support.jars`."""

from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, fetch_all
from tests.support import hdfs_server, iceberg_rest_server
from tests.support.hive.releases import RELEASES
from tests.support.paimon import core

if __name__ == "__main__":
    hive = {each for release in RELEASES.values() for each in release.coordinates}
    others = {ICEBERG_RUNTIME, hdfs_server.minicluster(), *iceberg_rest_server.JARS, *core.JARS}
    fetch_all(sorted(hive | others), CACHE_FOLDER)

"""Fixtures of `tests/support`, one module a line, and what holds for every test."""

import gc
import os
import sys
from pathlib import Path

import pytest

pytest_plugins = [
    "tests.support.azure_server",
    "tests.support.databases",
    "tests.support.durations",
    "tests.support.folders",
    "tests.support.hdfs_server",
    "tests.support.hive.metastore",
    "tests.support.hive.lakes",
    "tests.support.hive.second_readers",
    "tests.support.hypothesis_profile",
    "tests.support.iceberg_rest_server",
    "tests.support.logs",
    "tests.support.paimon.core",
    "tests.support.paimon.compactions",
    "tests.support.paimon.jdbc_lakes",
    "tests.support.paimon.kept",
    "tests.support.paimon.rest_lakes",
    "tests.support.paimon.second_reader",
    "tests.support.peer",
    "tests.support.native",
    "tests.support.progress",
    "tests.support.redis_server",
    "tests.support.s3_server",
    "tests.support.sittings",
    "tests.support.spark_server",
    "tests.support.stack",
    "tests.support.tarpit",
    "tests.support.workers",
]


def pytest_configure() -> None:
    """Use the programs of the environment, Node and npm among them, also when its Python was started by path."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep modules and collected tests out of garbage collections, and have fewer: they took a tenth of CPU time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)

"""Fixtures of `tests/support`, one module a line, and what holds for every test."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

gc.disable()  # imports and collection make objects that stay: looking for garbage among them took a fifth of the time

pytest_plugins = [
    "tests.support.avro_schemas",
    "tests.support.azure_server",
    "tests.support.databases",
    "tests.support.durations",
    "tests.support.folders",
    "tests.support.hdfs_server",
    "tests.support.s3_server",
    "tests.support.glue_server",
    "tests.support.hive.metastore",
    "tests.support.hive.lakes",
    "tests.support.hive.second_readers",
    "tests.support.hypothesis_profile",
    "tests.support.iceberg_rest_server",
    "tests.support.logs",
    "tests.support.paimon.core",
    "tests.support.paimon.compactions",
    "tests.support.paimon.second_reader",
    "tests.support.mariadb_server",
    "tests.support.paimon.metastore_lakes",
    "tests.support.paimon.jdbc_lakes",
    "tests.support.paimon.kept",
    "tests.support.paimon.rest_lakes",
    "tests.support.peer",
    "tests.support.native",
    "tests.support.progress",
    "tests.support.redis_server",
    "tests.support.nessie_server",
    "tests.support.sittings",
    "tests.support.spark_server",
    "tests.support.stack",
    "tests.support.tarpit",
    "tests.support.workers",
]


def pytest_configure() -> None:
    """Use the programs of the environment, Node and npm among them, also when its Python was started by path."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Keep modules and collected tests out of garbage collections, and have fewer: they took a tenth of CPU time."""
    if [Path(each).resolve() for each in session.config.args] == [Path(__file__).parent]:
        _compile_share()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def _compile_share() -> None:
    """Import a part of all tests in each process first: after a clone, each would compile all of them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    number, processes = int(os.environ["PYTEST_XDIST_WORKER"][2:]), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for file in sorted(Path(__file__).parent.rglob("test_*.py"))[number::processes]:
        with suppress(Exception):  # collection tells what is wrong with it
            import_module(".".join(file.relative_to(Path(__file__).parents[1]).with_suffix("").parts))

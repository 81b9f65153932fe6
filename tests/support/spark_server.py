"""A real Spark Connect server for tests: one for the session, with Iceberg on its class path, and one to kill.

The first use needs the jars of `make jars`; they are fetched if they are not in `.cache/jars` yet.
"""

import os
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from engine.embedded.iceberg import SQL_EXTENSIONS
from engine.embedded.jars import ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.spark import EmbeddedSpark
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions

JAR_FOLDER = Path(__file__).parents[2] / ".cache" / "jars"
USER = "tests"
_READ_BYTES: Final = 100_000
_SHOWN_LINES: Final = 40
_log: list[Path] = []


@pytest.fixture(scope="session")
def spark_jars() -> list[Path]:
    """The Iceberg runtime and the SQLite driver."""
    return fetch_all([ICEBERG_RUNTIME, SQLITE_JDBC], JAR_FOLDER)


@pytest.fixture(scope="session")
def spark_url(tmp_path_factory: pytest.TempPathFactory, spark_jars: list[Path]) -> Iterator[str]:
    """URL of the session's server; it knows Iceberg's SQL extensions, catalogs are set by each session."""
    server = EmbeddedSpark(
        data_dir=tmp_path_factory.mktemp("spark"),
        cores=2,
        jars=spark_jars,
        confs=SQL_EXTENSIONS,
    )
    try:
        url = server.start()
        _log.append(server.log_path)
        yield url
    finally:
        _log.clear()
        server.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the end of the server's log with a failed test: an answer of Spark Connect does not name every cause."""
    report = yield
    if report.failed and _log and "spark_url" in getattr(item, "fixturenames", ()):
        with _log[0].open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _READ_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
        told = [line for line in lines if not line.startswith("\tat ")][-_SHOWN_LINES:]
        report.sections.append(("the end of Spark's log, without stack frames", "\n".join(told)))
    return report


@pytest.fixture(scope="session")
def spark_sessions(spark_url: str) -> Iterator[SparkSessions]:
    """Sessions on the session's server, warm; `get()` is a Spark session to read and write with."""
    sessions = SparkSessions(url=spark_url, user_id=USER)
    sessions.warm_up(2)
    yield sessions
    sessions.close()


@pytest.fixture
def spark_dispatcher(spark_sessions: SparkSessions) -> SparkDispatcher:
    """A dispatcher that remembers nothing of other tests."""
    return SparkDispatcher(sessions=spark_sessions)


@pytest.fixture(scope="module")
def mortal_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedSpark]:
    """A server of the module's own, to kill and start again, which tries a task twice; a test begins with `start()`."""
    confs = {"spark.master": "local[2,2]"}
    server = EmbeddedSpark(data_dir=tmp_path_factory.mktemp("mortal"), cores=2, confs=confs)
    yield server
    server.stop()


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    """Threads for calls that block."""
    with ThreadPoolExecutor() as pool:
        yield pool

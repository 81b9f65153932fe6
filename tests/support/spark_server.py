"""A real Spark Connect server for tests: one for the session, with Iceberg on its class path, and one to kill.

The first use needs the jars of `make jars`; they are fetched if they are not in `.cache/jars` yet.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.embedded.iceberg import SQL_EXTENSIONS
from engine.embedded.jars import ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.spark import EmbeddedSpark
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions

JAR_FOLDER = Path(__file__).parents[2] / ".cache" / "jars"
USER = "tests"


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
        yield server.start()
    finally:
        server.stop()


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

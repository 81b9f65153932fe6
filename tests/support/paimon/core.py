"""Paimon's Java core for tests: started once a session, at its first use."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pyspark
import pytest

from engine.embedded.jars import CACHE_FOLDER, MYSQL_JDBC, PAIMON, PAIMON_S3, POSTGRES_JDBC, SQLITE_JDBC, fetch_all

_SPARK: Final = Path(pyspark.__file__).parent / "jars"
JARS: Final = (
    PAIMON,
    PAIMON_S3,
    SQLITE_JDBC,
    POSTGRES_JDBC,
    MYSQL_JDBC,
    "org.apache.paimon:paimon-core:1.4.2:tests",
    "com.squareup.okhttp3:mockwebserver:4.12.0",
    "com.squareup.okhttp3:okhttp:4.12.0",
    "com.squareup.okio:okio-jvm:3.6.0",
    "org.jetbrains.kotlin:kotlin-stdlib:1.9.10",
    "junit:junit:4.13.2",
)
"""The core with its connections, and the server of REST catalogs that it has for its own tests."""

HIVE_JARS: Final = ("org.apache.paimon:paimon-bundle:1.2.0", "org.apache.paimon:paimon-hive-catalog:1.2.0")
"""The core with its client of a Metastore, of the newest version that could be had."""

_PATTERNS: Final = (
    "hadoop-client-api-*",
    "hadoop-client-runtime-*",
    "slf4j-api-*",
    "jcl-over-slf4j-*",
    "snappy-java-*",
    "lz4-java-*",
)
_OF_HIVE: Final = (
    *("hive-common-*", "hive-exec-*", "hive-metastore-*", "hive-serde-*", "hive-shims-*", "hive-storage-api-*"),
    *("libfb303-*", "libthrift-*", "commons-lang-*", "commons-lang3-*", "commons-io-*", "guava-*", "failureaccess-*"),
    *("datanucleus-core-*", "jdo-api-*", "log4j-*", "commons-codec-*", "commons-cli-*"),
)
ROOT: Final = Path(__file__).parents[3]


class PaimonCore:
    """Calls of the core's process (`core_process.Core`), one at a time. `folder`: of tables that are made once."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process = process
        self.folder = folder

    @property
    def pid(self) -> int:
        """The process id of the core."""
        return self._process.pid

    def call(self, name: str, /, **arguments: Any) -> Any:
        asked, answers = self._pipes()
        asked.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
        asked.flush()
        answer = json.loads(answers.readline() or '{"error": "the process of the core has ended"}')
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout


@contextmanager
def open_core(log: Path, jars: Sequence[str] = JARS, patterns: Sequence[str] = _PATTERNS) -> Iterator[PaimonCore]:
    """Start the core of some jars, and of jars of Spark, in a process of its own, its errors in a file."""
    own = [jar.absolute() for jar in fetch_all(jars, CACHE_FOLDER)]
    path = [*own, *(jar for each in patterns for jar in _SPARK.glob(f"{each}.jar"))]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.paimon.core_process", *map(str, path)],
            cwd=ROOT,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:  # it ends at the end of its input, and removes its files
        yield PaimonCore(process, log.parent / "made")


@pytest.fixture(scope="session")
def paimon_core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaimonCore]:
    """The core, in a process of its own."""
    with open_core(tmp_path_factory.mktemp("paimon") / "log") as core:
        yield core


@pytest.fixture(scope="session")
def hive_core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaimonCore]:
    """A core with a client of a Metastore, in a process of its own."""
    log = tmp_path_factory.mktemp("paimon-hive") / "log"
    with open_core(log, HIVE_JARS, (*_PATTERNS, *_OF_HIVE)) as core:
        yield core

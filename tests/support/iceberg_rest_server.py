"""The REST catalog server of the Iceberg project, on SQLite: what a catalog does that is not written by us.

Its jars are fetched by coordinate at the first use; what else it needs, Spark's own jars have.
"""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from engine.embedded.jars import CACHE_FOLDER, SQLITE_JDBC, fetch_all
from engine.embedded.java import find_java, find_spark_home
from engine.embedded.processes import ChildProcess, free_loopback_port

_JAR_FOLDER = Path(__file__).parents[2] / CACHE_FOLDER
_ICEBERG = "1.11.0"
_JETTY = "12.1.5"
JARS = (
    f"org.apache.iceberg:iceberg-open-api:{_ICEBERG}:test-fixtures",
    f"org.apache.iceberg:iceberg-core:{_ICEBERG}",
    f"org.apache.iceberg:iceberg-core:{_ICEBERG}:tests",
    f"org.apache.iceberg:iceberg-api:{_ICEBERG}",
    f"org.apache.iceberg:iceberg-common:{_ICEBERG}",
    f"org.apache.iceberg:iceberg-bundled-guava:{_ICEBERG}",
    f"org.eclipse.jetty.ee10:jetty-ee10-servlet:{_JETTY}",
    *(f"org.eclipse.jetty:jetty-{part}:{_JETTY}" for part in ("server", "http", "io", "util", "session", "security")),
    *(f"org.eclipse.jetty.compression:jetty-compression-{part}:{_JETTY}" for part in ("server", "common", "gzip")),
    "jakarta.servlet:jakarta.servlet-api:6.0.0",
    "org.apache.httpcomponents.core5:httpcore5:5.3.4",
    "com.github.ben-manes.caffeine:caffeine:2.9.3",
    SQLITE_JDBC,
)
_START_SECONDS = 60.0


@pytest.fixture(scope="session")
def iceberg_rest_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the session's server; its warehouse is a local folder. Tests make namespaces of their own."""
    folder, port = tmp_path_factory.mktemp("rest"), free_loopback_port()
    jars = [str(jar.absolute()) for jar in fetch_all(JARS, _JAR_FOLDER)]
    url = f"http://127.0.0.1:{port}"
    server = ChildProcess(
        name="the REST catalog",
        command=[
            str(find_java()),
            "-cp",
            ":".join([*jars, f"{find_spark_home()}/jars/*"]),
            "org.apache.iceberg.rest.RESTCatalogServer",
        ],
        log_path=folder / "server.log",
        environment=_settings(folder, port),
    )
    server.start()
    try:
        server.wait_until(lambda: _answers(url), timeout_seconds=_START_SECONDS)
        yield url
    finally:
        server.stop()


def _settings(folder: Path, port: int) -> dict[str, str]:
    return {
        "CATALOG_URI": f"jdbc:sqlite:{folder}/catalog.db",
        "CATALOG_JDBC_SCHEMA__VERSION": "V1",
        "CATALOG_WAREHOUSE": f"file://{folder}/warehouse",
        "CATALOG_REST_PORT": str(port),
    }


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/v1/config").is_success
    except httpx.TransportError:
        return False

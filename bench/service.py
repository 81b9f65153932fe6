"""Packhouse itself as a contender: `packhouse-server up` in a child process, driven over HTTP only."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import httpx

from bench.servers import admin_key, process
from engine.embedded.processes import free_loopback_port

_START_SECONDS = 60.0
_RUN_SECONDS = 900.0


class Service:
    """Use as a context manager. It shares the benchmark's Spark server and registers its catalog."""

    def __init__(self, *, folder: Path, spark_url: str, catalog: str, properties: dict[str, str], cores: int) -> None:
        self._folder = folder
        self._spark_url = spark_url
        self._catalog = catalog
        self._properties = properties
        self._cores = cores
        self._tables: dict[str, str] = {}

    def __enter__(self) -> Self:
        """Start the server, wait until it is ready, register the catalog."""
        self._folder.mkdir(parents=True)
        port = free_loopback_port()
        environment = {
            "PACKHOUSE_DATA_DIR": str(self._folder),
            "PACKHOUSE_PORT": str(port),
            "PACKHOUSE_SPARK_URL": self._spark_url,
            "PACKHOUSE_SPARK_CORES": str(self._cores),
            "PACKHOUSE_WATCH": "off",
        }
        log = self._folder / "server.log"
        with ExitStack() as stack:
            stack.enter_context(process(["api", "up"], environment, log, port=port))
            headers = {"Authorization": f"Bearer {admin_key(self._folder)}"}
            address = f"http://127.0.0.1:{port}"
            self._http = stack.enter_context(httpx.Client(base_url=address, headers=headers, timeout=60))
            self._wait_until_ready(log)
            body = {"name": self._catalog, "format": "iceberg", "properties": self._properties}
            if "warehouse" in self._properties:  # copies of one table share its files
                locations = [self._properties["warehouse"]]
                body |= {"outside_files": "allowed_locations", "allowed_locations": locations}
            self._http.post("/v1/catalogs", json=body).raise_for_status()
            self._started = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server."""
        self._started.close()

    def register(self, namespace: str, name: str) -> None:
        """Register a table; not part of what is timed."""
        body = {"catalog": self._catalog, "namespace": [namespace], "name": name}
        self._tables[name] = _answer(self._http.post("/v1/tables", json=body))["id"]

    def set_policy(self, name: str, policy: dict[str, Any], *, replaces: int = 0) -> None:
        """Give a table its first policy, or one in place of the version that it has."""
        match = {"If-Match": f'"{replaces}"'} if replaces else {"If-None-Match": "*"}
        _answer(self._http.put(f"/v1/tables/{self._tables[name]}/policy", json=policy, headers=match))

    def submit(self, name: str, operation: str = "rewrite") -> str:
        """Trigger a run; return its id."""
        body = {"table_id": self._tables[name], "operation": operation}
        return str(_answer(self._http.post("/v1/runs", json=body))["id"])

    def run(self, run_id: str) -> dict[str, Any]:
        """Return a run as it stands."""
        return _answer(self._http.get(f"/v1/runs/{run_id}"))

    def cancel(self, run_id: str) -> None:
        """Ask for a run's end."""
        _answer(self._http.post(f"/v1/runs/{run_id}/cancel"))

    def rewrite(self, name: str, operation: str = "rewrite") -> dict[str, Any]:
        """Trigger a run and follow its events to the end; return the run, committed and verified."""
        run_id = self.submit(name, operation)
        events = f"/v1/runs/{run_id}/events"
        accept = {"Accept": "text/event-stream"}
        with self._http.stream("GET", events, headers=accept, timeout=_RUN_SECONDS) as stream:
            for _ in stream.iter_bytes():
                pass
        run = self.run(run_id)
        if run["state"] != "succeeded":
            raise SystemExit(f"the run {run['state']}: {run['reason']}: {run['detail']}")
        return run

    def _wait_until_ready(self, log: Path) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._http.get("/readyz").json()["status"] == "ready":
                return
            time.sleep(0.2)
        raise SystemExit(f"the server is not ready:\n{log.read_text()[-3000:]}")


def _answer(response: httpx.Response) -> dict[str, Any]:
    if response.is_error:
        raise SystemExit(f"{response.request.method} {response.request.url}: {response.text}")
    answer: dict[str, Any] = response.json()
    return answer

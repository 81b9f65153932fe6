"""The services of deploy/compose.yaml's quickstart on this machine, with their commands, settings and health checks.

Addresses are those of loopback in the place of names of containers. Postgres is that of the tests; Redis and Spark are
started by the scripts of their containers.
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import httpx

from engine.embedded.processes import free_loopback_port
from tests.support.compose import services
from tests.support.eventually import eventually
from tests.support.postgres_server import PostgresServer

SCRIPTS: Final = Path("deploy/compose").absolute()
PAGE: Final = Path("docs/how-to/containers.md").absolute()
_START_SECONDS: Final = 120
_RUN_SECONDS: Final = 240
_ON_LOOPBACK: Final = ("spark.connect.grpc.binding.address", "spark.driver.host", "spark.driver.bindAddress")


@dataclass(frozen=True)
class Service:
    """A service that is to be started: its name, command line, health check and variables, as in the container."""

    name: str
    command: list[str]
    check: list[str]
    environment: Mapping[str, str]


class Quickstart:
    """Services as processes of this machine, whose files are in an empty folder."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder, self.secrets, self.lake = folder, folder / "secrets", folder / "lake"
        self._ports = {name: free_loopback_port() for name in ("redis", "spark", "api", "tasks")}
        self.lake.mkdir()
        subprocess.run([SCRIPTS / "make-secrets.sh", self.secrets], check=True, timeout=60)
        password = (self.secrets / "redis_password").read_text().strip()
        for name, url in {
            "database_url": database_url,
            "redis_url": f"redis://:{password}@127.0.0.1:{self._ports['redis']}",
            "spark_url": f"sc://127.0.0.1:{self._ports['spark']}",
        }.items():
            (self.secrets / name).unlink()
            (self.secrets / name).write_text(url)

    def service(self, name: str) -> Service:
        """Return a service with addresses and free ports of this machine."""
        declared = services("quickstart")[name]
        command = [*(declared.get("entrypoint") or ["packhouse-server"]), *(declared.get("command") or ())]
        if name == "spark":
            command += [word for setting in _ON_LOOPBACK for word in ("--conf", f"{setting}=127.0.0.1")]
        given = {key: value or "" for key, value in (declared.get("environment") or {}).items()}
        moved = {
            "PACKHOUSE_METRICS_PORT": str(free_loopback_port()),
            "PACKHOUSE_TASKS_HOST": "127.0.0.1",
            "PACKHOUSE_TASKS_PORT": str(self._ports["tasks"]),
            "PACKHOUSE_PACE_URL": f"http://127.0.0.1:{self._ports['tasks']}/internal/pace",
        }
        given |= {key: value for key, value in moved.items() if key in given}
        given |= {"PACKHOUSE_HOST": "127.0.0.1", "PACKHOUSE_URL": f"http://127.0.0.1:{self._ports['api']}"}
        given["PACKHOUSE_PORT"] = str(self._ports["api"] if name == "api" else free_loopback_port())
        given["PORT"] = str(self._ports.get(name, 0))
        return Service(name, command, declared["healthcheck"].get("test", [])[1:], given)

    def run(self, name: str) -> str:
        """Run a service that ends with status 0; return what it printed."""
        service = self.service(name)
        done = subprocess.run(
            self.started(service), capture_output=True, text=True, check=False, timeout=_RUN_SECONDS, **self.at(service)
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def running(self, service: Service) -> Iterator["subprocess.Popen[bytes]"]:
        """Start a service, wait until its health check succeeds, and kill it at the end."""
        log = self.folder / f"{service.name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(self.started(service), stdout=output, stderr=output, **self.at(service))
        try:
            eventually(lambda: process.poll() is not None or self._is_healthy(service), within_seconds=_START_SECONDS)
            assert process.poll() is None, log.read_text()
            yield process
        finally:
            process.kill()
            process.wait()
            self.ended(service)

    def compact(self) -> str:
        """Start everything, compact the table of the demo, and stop; return what the demo printed."""
        assert "the database is at schema" in self.run("migrate")
        with ExitStack() as stack:
            for name in ("redis", "spark"):
                stack.enter_context(self.running(self.service(name)))
            started = [self.service(name) for name in ("api", "coordinator", "worker")]
            ours = [stack.enter_context(self.running(service)) for service in started]
            told = self.run("demo") + self.run("demo")
            assert 'packhouse_files{catalog="demo"' in self._scrape(started[0])
            for process in ours:
                process.send_signal(signal.SIGTERM)
            assert [process.wait(60) for process in ours] == [0, 0, 0]
        return told

    def key_of_prometheus(self, api: Service) -> str:
        """Return the key that the command of docs/how-to/containers.md makes in the container."""
        (command,) = re.findall(r"exec -T api sh -c \\\n +'(.+)' \| tail -n 1", PAGE.read_text())
        there = self.checked(replace(api, check=["sh", "-c", command]))
        done = subprocess.run(there, capture_output=True, text=True, check=False, **self.at(api))
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[-1]

    def _scrape(self, api: Service) -> str:
        """Return the metrics that the key of Prometheus shows."""
        headers = {"Authorization": f"Bearer {self.key_of_prometheus(api)}"}
        return httpx.get(f"{api.environment['PACKHOUSE_URL']}/metrics", headers=headers, timeout=30).text

    def _is_healthy(self, service: Service) -> bool:
        command = self.checked(service)
        return subprocess.run(command, capture_output=True, check=False, **self.at(service)).returncode == 0

    def started(self, service: Service) -> list[str]:
        """Return the command that starts a service."""
        return self._here(service.command)

    def checked(self, service: Service) -> list[str]:
        """Return the command that checks a running service."""
        return self._here(service.check)

    def _here(self, words: Sequence[str]) -> list[str]:
        return [
            each.replace("/etc/packhouse", str(SCRIPTS)).replace("/run/secrets", str(self.secrets)) for each in words
        ]

    def ended(self, service: Service) -> None:
        """Remove what a killed process leaves."""

    def at(self, service: Service) -> dict[str, Any]:
        """Return variables and folder of a service's processes."""
        folder = self.folder / service.name
        folder.mkdir(exist_ok=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PACKHOUSE_")}
        here = {"PACKHOUSE_DATA_DIR": str(folder), "SECRETS": str(self.secrets), "LAKE": str(self.lake)}
        given = dict(zip(service.environment, self._here(list(service.environment.values())), strict=True))
        return {"env": kept | here | given, "cwd": folder}


@contextmanager
def database_for_containers() -> Iterator[str]:
    """Run a Postgres on loopback with an empty database; yield its URL."""
    port = free_loopback_port()
    postgres = PostgresServer({"listen_addresses": "127.0.0.1", "port": str(port)})
    postgres.start()
    try:
        postgres.execute("CREATE DATABASE packhouse")
        yield f"postgresql+psycopg://packhouse@127.0.0.1:{port}/packhouse"
    finally:
        postgres.stop()

"""Processes of two versions of Packhouse on one database, one Redis and one Spark server."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx

from engine.embedded.processes import free_loopback_port
from engine.settings.model import Settings
from engine.stores.migrations.compatibility import known_schema
from tests.support.eventually import eventually
from tests.support.processes import environment_of

START_SECONDS: Final = 300
STOP_SECONDS: Final = 300
LEASE_SECONDS: Final = 5
KEY: Final = "pkh_" + "aB3-_" * 10
_numbers = count()
_RELEASED: Final = Path(__file__).parents[2] / ".cache" / "last-release"


@dataclass(frozen=True)
class Version:
    """An installed version: the interpreter of its environment, its schema, and whether its api has a task listener."""

    name: str
    python: Path
    schema: str
    has_task_listener: bool


LAST: Final = Version("last release", _RELEASED / "venv/bin/python", "0025", False)
THIS: Final = Version("this version", Path(sys.executable), known_schema(), True)


@dataclass
class Process:
    """A started process; `url` is the address of an api."""

    version: Version
    log: Path
    child: "subprocess.Popen[bytes]"
    url: str

    def stop(self) -> None:
        """End it as a rollout does; it has to end in good order."""
        self.child.send_signal(signal.SIGTERM)
        status = self.child.wait(STOP_SECONDS)
        assert status == 0, f"{self.log.name} ended with {status}: {self.log.read_text()[-3000:]}"


@dataclass
class Deployment:
    """What all processes share, and those that run. `settings` are those of every process; it has no other ones."""

    folder: Path
    settings: Settings
    running: list[Process] = field(default_factory=list)

    def start(self, version: Version, command: str) -> Process:
        """Start one process and wait until it answers."""
        port, tasks_port = free_loopback_port(), free_loopback_port()
        own = {"PACKHOUSE_METRICS_PORT": str(port)}
        if command == "api":
            own = {"PACKHOUSE_PORT": str(port)}
            if version.has_task_listener:
                pace = f"http://127.0.0.1:{tasks_port}/internal/pace"
                own |= {"PACKHOUSE_TASKS_PORT": str(tasks_port), "PACKHOUSE_PACE_URL": pace}
        log = self.folder / f"{next(_numbers):02}-{command}.log"
        child = self._popen(version, command, own, log)
        process = Process(version, log, child, f"http://127.0.0.1:{port}")
        self.running.append(process)
        eventually(lambda: child.poll() is not None or _answers(process), within_seconds=START_SECONDS)
        assert child.poll() is None, log.read_text()
        return process

    def run(self, version: Version, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        arguments = [version.python, "-m", "api", *words]
        environment = self._environment({"PACKHOUSE_PORT": "0"})
        return subprocess.run(
            arguments,
            check=False,
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
        )

    def last_client(self, table: str) -> Any:
        """Run a program with the SDK of the last release against an api; return what it found."""
        url = next(each.url for each in self.running if each.log.name.endswith("-api.log"))
        done = subprocess.run(
            [LAST.python, Path(__file__).with_name("last_client.py"), url, KEY, table],
            check=True,
            env=os.environ | {"PYTHONPATH": str(_RELEASED / "source" / "clients" / "python")},
            stdout=subprocess.PIPE,
            timeout=START_SECONDS,
        )
        return json.loads(done.stdout)

    def replace(self, old: Process, version: Version, command: str) -> Process:
        """Start a process of another version, then stop the one that it replaces: so both work for a moment."""
        new = self.start(version, command)
        self.running.remove(old)
        old.stop()
        return new

    def kill(self) -> None:
        """End all processes at once."""
        for process in self.running:
            process.child.kill()
            process.child.wait()

    def _popen(self, version: Version, command: str, own: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
        assert version.python.exists(), f"the {version.name} is not installed: run `scripts/setup upgrade`"
        with log.open("wb") as output:
            return subprocess.Popen(
                [version.python, "-m", "api", command],
                env=self._environment(own),
                cwd=self.folder,  # not the checkout, whose packages would hide those of the environment
                stdout=output,
                stderr=output,
            )

    def _environment(self, own: Mapping[str, str]) -> dict[str, str]:
        shared = environment_of(self.settings, lease_seconds=LEASE_SECONDS, admin_key=KEY, log_format="json")
        return shared | own


def _answers(process: Process) -> bool:
    try:
        return httpx.get(f"{process.url}/healthz", timeout=5).is_success or _has_metrics(process)
    except httpx.TransportError:
        return False


def _has_metrics(process: Process) -> bool:
    return httpx.get(f"{process.url}/metrics", timeout=5).is_success

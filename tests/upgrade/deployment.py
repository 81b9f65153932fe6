"""Processes of two versions of Packhouse on one database, one Redis and one Spark server."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import httpx

from engine.embedded.processes import free_loopback_port
from tests.support.eventually import eventually

START_SECONDS: Final = 90
STOP_SECONDS: Final = 90
KEY: Final = "pkh_" + "aB3-_" * 10
_numbers = count()
_RELEASED: Final = Path(__file__).parents[2] / ".cache" / "last-release" / "venv" / "bin" / "python"


@dataclass(frozen=True)
class Version:
    """An installed version: the interpreter of its environment, and whether its api has a listener for tasks."""

    name: str
    python: Path
    has_task_listener: bool


LAST: Final = Version("last release", _RELEASED, False)
THIS: Final = Version("this version", Path(sys.executable), True)


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
    """What all processes share, and those that run. `settings` are those of every process."""

    folder: Path
    settings: Mapping[str, str]
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
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PACKHOUSE_", "PYTHONPATH"))}
        return kept | {"PACKHOUSE_ADMIN_KEY": KEY, "PACKHOUSE_LOG_FORMAT": "json"} | self.settings | own


def _answers(process: Process) -> bool:
    try:
        return httpx.get(f"{process.url}/healthz", timeout=5).is_success or _has_metrics(process)
    except httpx.TransportError:
        return False


def _has_metrics(process: Process) -> bool:
    return httpx.get(f"{process.url}/metrics", timeout=5).is_success

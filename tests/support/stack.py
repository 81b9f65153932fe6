"""All of Packhouse as `packhouse-server up` starts it, once for the session, for tests that come from outside."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.support.eventually import eventually

STOP_SECONDS = 60

PRODUCTION = {
    "PACKHOUSE_MODE": "production",
    "PACKHOUSE_LOOPBACK_HOSTS": "127.0.0.1",
    "PACKHOUSE_SECRET_KEY": "a key of a test, which is no secret",
}
"""Settings of a stack in production mode whose catalog and store listen on this machine."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: address, admin key, and a folder with an empty PyIceberg catalog for tables."""

    url: str
    key: str
    lake: Path
    pid: int

    def child(self, *words: str) -> int | None:
        """Return the process id of the server's child whose command line has all these words, None without one."""
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(status.read_text().rpartition(")")[2].split()[1])
                command = (status.parent / "cmdline").read_bytes().decode(errors="replace")
            except OSError:  # it ended while it was read
                continue
            if parent == self.pid and all(word in command for word in words):
                return int(status.parent.name)
        return None

    @property
    def catalog_properties(self) -> Mapping[str, str]:
        """PyIceberg's properties of the catalog."""
        return {"type": "sql", "uri": f"sqlite:///{self.lake}/catalog.db", "warehouse": f"file://{self.lake}"}


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack that tests share; runs that start by themselves would be in their way."""
    with started(tmp_path_factory.mktemp("stack"), PACKHOUSE_WATCH="off") as running:
        yield running


@contextmanager
def started(folder: Path, python: str | Path = sys.executable, **settings: str) -> Iterator[Stack]:
    """Start a stack with embedded parts on a free port; it has to end in good order on SIGTERM.

    `python` is the interpreter of an environment that has the server.
    """
    (folder / "lake").mkdir()
    log = folder / "server.log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PACKHOUSE_")}
    environment |= {"PACKHOUSE_DATA_DIR": str(folder / "data"), "PACKHOUSE_PORT": "0"} | settings
    environment["PYTHONFAULTHANDLER"] = "1"  # SIGABRT writes the stack of every thread to the log
    with log.open("wb") as output:
        server = subprocess.Popen([python, "-m", "api", "up"], env=environment, stdout=output, stderr=output)
    try:
        eventually(lambda: server.poll() is not None or is_ready(log), within_seconds=120)
        assert server.poll() is None, log.read_text()
        yield Stack(
            str(printed(log, r"Packhouse is at (\S+)")), first_key(folder / "data"), folder / "lake", server.pid
        )
        server.send_signal(signal.SIGTERM)
        assert _status(server) == 0, log.read_text()
    finally:
        server.kill()
        server.wait()


def _status(server: subprocess.Popen[bytes]) -> int:
    """Return the exit status of a server that was told to stop; one that does not stop writes where it hangs."""
    try:
        return server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGABRT)
        return server.wait(STOP_SECONDS)


def is_ready(log: Path) -> bool:
    """Tell whether the server that writes this log says that it is ready."""
    url = printed(log, r"Packhouse is at (\S+)")
    if url is None:
        return False
    try:
        return bool(httpx.get(f"{url}/readyz").json()["status"] == "ready")
    except httpx.TransportError:
        return False


def first_key(data_dir: Path) -> str:
    """Return the admin key that the first start of a server wrote."""
    return (data_dir / "admin-key").read_text(encoding="ascii").strip()


def printed(log: Path, pattern: str) -> str | None:
    """Return what the server printed, by a pattern with one group."""
    found = re.search(pattern, log.read_text())
    return None if found is None else found[1]

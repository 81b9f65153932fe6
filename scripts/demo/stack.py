"""The whole of Packhouse as `make up` starts it, in a child process with a data directory of its own."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, Self

import httpx

_START_SECONDS: Final = 120.0
_STOP_SECONDS: Final = 30.0
_KEY: Final = re.compile(r"pkh_[A-Za-z0-9_-]+")


class StackFailed(RuntimeError):
    """The server ended or did not become ready; the message has the tail of its log."""


class Stack:
    """Starts on entering and is gone after leaving. Starting takes a while: do something else, then `wait`."""

    def __init__(self, *, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._log_path = data_dir / "server.log"
        self._server: subprocess.Popen[bytes]
        self.url = f"http://127.0.0.1:{_free_port()}"

    def __enter__(self) -> Self:
        """Start the server."""
        environment = os.environ | {
            "PACKHOUSE_DATA_DIR": str(self._data_dir),
            "PACKHOUSE_PORT": self.url.rpartition(":")[2],
        }
        self._data_dir.mkdir(parents=True)
        with self._log_path.open("wb") as log:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "api", "up"], env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server and all that it started."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGTERM)
        try:
            self._server.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def wait(self) -> str:
        """Wait until database, Redis and Spark are ready, and return the admin key.

        Raises:
            StackFailed: the server ended, or was not ready in two minutes.
        """
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._server.poll() is not None:
                raise StackFailed(f"the server ended with status {self._server.returncode}:\n{self._tail()}")
            if self._is_ready():
                return self._admin_key()
            time.sleep(0.2)
        raise StackFailed(f"the server was not ready after {_START_SECONDS:.0f} s:\n{self._tail()}")

    def _is_ready(self) -> bool:
        try:
            return bool(httpx.get(f"{self.url}/readyz", timeout=5).json()["status"] == "ready")
        except httpx.TransportError:
            return False

    def _admin_key(self) -> str:
        found = _KEY.search(self._log_path.read_text(errors="replace"))
        if found is None:
            raise StackFailed(f"the server printed no admin key:\n{self._tail()}")
        return found[0]

    def _tail(self) -> str:
        return "\n".join(self._log_path.read_text(errors="replace").splitlines()[-30:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

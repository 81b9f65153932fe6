"""The whole of Packhouse as `make up` starts it, in a child process with a data directory of its own."""

import sys
from pathlib import Path
from typing import Final, Self

import httpx

from engine.embedded.processes import ChildProcess, free_loopback_port

_START_SECONDS: Final = 120.0
_STOP_SECONDS: Final = 30.0


class Stack:
    """Starts on entering and is gone after leaving. Starting takes a while: do something else, then `wait`."""

    def __init__(self, *, data_dir: Path, **more: str) -> None:
        """Take the folder for everything that it writes, and more environment variables."""
        self._data_dir = data_dir
        port = str(free_loopback_port())
        self.url = f"http://127.0.0.1:{port}"
        self._server = ChildProcess(
            name="packhouse-server",
            command=[sys.executable, "-m", "api", "up"],
            log_path=data_dir / "server.log",
            # the story starts its runs itself
            environment={"PACKHOUSE_DATA_DIR": str(data_dir), "PACKHOUSE_PORT": port, "PACKHOUSE_WATCH": "off"} | more,
        )

    def __enter__(self) -> Self:
        """Start the server."""
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server and all that it started."""
        self._server.stop(patience_seconds=_STOP_SECONDS)

    def wait(self) -> str:
        """Wait until database, Redis and Spark are ready, and return the admin key.

        Raises:
            Transient: the server ended, or was not ready in two minutes; has the end of its log.
        """
        self._server.wait_until(self._is_ready, timeout_seconds=_START_SECONDS)
        return (self._data_dir / "admin-key").read_text(encoding="ascii").strip()

    def _is_ready(self) -> bool:
        try:
            return bool(httpx.get(f"{self.url}/readyz", timeout=5).json()["status"] == "ready")
        except httpx.TransportError:
            return False

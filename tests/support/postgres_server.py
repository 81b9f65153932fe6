"""A throw-away Postgres on a Unix socket, from the binaries that Debian installs below /usr/lib/postgresql.

Postgres refuses to run as root: then the server runs as `postgres` or `nobody`. Nothing is written durably (fsync off),
unless asked. Its files are in memory: ext4 does not use the inode of a deleted file again for some seconds and searches
for another one, which makes `CREATE DATABASE` ten times slower after thousands of `DROP DATABASE`.
"""

import getpass
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import psycopg

from tests.support.memory import memory_folder
from tests.support.supervised import halt, supervised

_INSTALL: Final = "apt-get install -y postgresql"
_USER: Final = "packhouse"
_SETTINGS: Final = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "100",
    "timezone": "Asia/Kolkata",  # nothing may depend on the server's zone
}


class PostgresServer:
    """One server in a temporary folder; `start` once, `stop` once. `settings` are set beside and above our own."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self._settings = _SETTINGS | dict(settings or {})
        self.binaries = _find_binaries()
        self._account = _account()
        # A socket's path has at most 107 characters, and the account must be able to enter.
        self._folder = Path(tempfile.mkdtemp(prefix="phpg-", dir=memory_folder() or "/tmp"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = self._settings.get("port", "5432")

    def start(self) -> None:
        """Make the cluster, start the server and wait until it answers."""
        data = self._folder / "data"
        if self._account is not None:
            shutil.chown(self._folder, self._account)
        arguments = ["-D", data, "-U", _USER, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"]
        initdb = [self.binaries / "initdb", *arguments]
        done = subprocess.run(initdb, check=False, capture_output=True, text=True, **self._as_account())
        if done.returncode != 0:
            raise RuntimeError(f"initdb failed: {done.stderr}")
        self.resume()

    def halt(self) -> None:
        """End the server as an immediate shutdown does; its data stays."""
        halt(self._process)
        self._process = None

    def resume(self) -> None:
        """Start the server on its data and wait until it answers."""
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        server = [self.binaries / "postgres", "-D", self._folder / "data", "-k", self._folder, *settings]
        self._process = supervised(server, self._folder, signal="QUIT", **self._as_account())
        self._wait_until_it_answers()

    def stop(self) -> None:
        """End the server and remove its files."""
        self.halt()
        shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, database: str) -> str:
        """Return the URL of one of its databases, for `engine.stores.database.Database`."""
        return f"postgresql+psycopg://{_USER}@/{database}?host={self._folder}&port={self.port}"

    def execute(self, statement: str) -> None:
        """Run a statement on the maintenance database, outside any transaction."""
        with self._connect() as connection:
            connection.execute(statement)

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(f"user={_USER} dbname=postgres host={self._folder} port={self.port}", autocommit=True)

    def _as_account(self) -> dict[str, Any]:
        return {} if self._account is None else {"user": self._account, "group": _group(self._account), "cwd": "/"}

    def _wait_until_it_answers(self) -> None:
        give_up_at = time.monotonic() + 60
        while True:
            try:
                self._connect().close()
            except psycopg.OperationalError as error:
                if time.monotonic() > give_up_at:
                    raise RuntimeError((self._folder / "log").read_text()) from error
                time.sleep(0.02)
            else:
                return


def _find_binaries() -> Path:
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if not found:
        raise RuntimeError(f"these tests need Postgres: {_INSTALL}")
    return max(found, key=lambda path: [int(number) for number in re.findall(r"\d+", path.parent.name)])


def _account() -> str | None:
    """Return the account to run as, None for our own."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), getpass.getuser())


def _group(account: str) -> int:
    return pwd.getpwnam(account).pw_gid

"""Backups of the record as docs/backup.md describes them: `pg_dump` and `pg_restore`, or SQLite's own backup."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url

from tests.support.postgres_server import PostgresServer

_SIDE_FILES: Final = ("-wal", "-shm")


class Backup:
    """One backup of one database: `take` it at any time, `restore` it while no process is connected."""

    def __init__(self, url: str, file: Path, server: PostgresServer | None) -> None:
        self._url, self._file, self._server = make_url(url), file, server

    def take(self) -> None:
        """Back up the database as it is now; processes stay at work."""
        if self._server is not None:
            self._run("pg_dump", "--format=custom", f"--file={self._file}", _address(self._url))
            return
        with closing(sqlite3.connect(self._source)) as source, closing(sqlite3.connect(self._file)) as copy:
            source.backup(copy)

    def restore(self) -> None:
        """Put the backup in the place of the database."""
        if self._server is not None:
            name = self._url.database
            self._server.execute(f"DROP DATABASE {name}")
            self._server.execute(f"CREATE DATABASE {name}")
            self._run("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={_address(self._url)}", str(self._file))
            return
        for suffix in _SIDE_FILES:
            Path(f"{self._source}{suffix}").unlink(missing_ok=True)
        self._source.write_bytes(self._file.read_bytes())

    @property
    def _source(self) -> Path:
        return Path(self._url.database or "")

    def _run(self, program: str, *arguments: str) -> None:
        assert self._server is not None
        subprocess.run([self._server.binaries / program, *arguments], check=True)


def _address(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)

"""Backups of the record by the commands of docs/how-to/backup.md, as they are there."""

import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent
from typing import Final

from sqlalchemy import make_url

from tests.support.postgres_server import PostgresServer

_PAGE: Final = Path(__file__).parents[2] / "docs/how-to/backup.md"
_BLOCK: Final = re.compile(r"^ *```sh\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    """Return the page's commands, in its order: back up Postgres, SQLite; restore Postgres, SQLite; prepare."""
    return [dedent(block) for block in _BLOCK.findall(_PAGE.read_text())]


class Backup:
    """One backup of one database: `take` it at any time, `restore` it while no process is connected.

    It is in `folder`, which has to be that of the database with SQLite. `server` has the database, None: it is a file.
    """

    def __init__(self, url: str, folder: Path, server: PostgresServer | None) -> None:
        self._url, self._folder, self._server = make_url(url), folder, server

    def take(self) -> None:
        """Back up the database as it is now; processes stay at work."""
        self._run(commands()[1 if self._server is None else 0])

    def restore(self) -> None:
        """Put the backup in the place of the database."""
        if self._server is not None:
            self._server.execute(f"DROP DATABASE {self._url.database}")
        self._run(commands()[3 if self._server is None else 2])

    def _run(self, block: str) -> None:
        found = dict(os.environ)
        if self._server is not None:
            query = self._url.query
            address = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
            found |= {"DATABASE": address, "NAME": self._url.database or "", "PGUSER": self._url.username or ""}
            found |= {"PGHOST": str(query["host"]), "PGPORT": str(query["port"])}
            found["PATH"] = f"{self._server.binaries}{os.pathsep}{found['PATH']}"
        subprocess.run(["bash", "-euc", block], cwd=self._folder, env=found, check=True)

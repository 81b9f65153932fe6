"""A throw-away MariaDB on loopback, from the binaries that Debian's mariadb-server-core installs.

It refuses to run as root: then it runs as `nobody`. Nothing is written durably.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pymysql
import pytest

from tests.support.memory import memory_folder
from tests.support.supervised import halt, supervised

USER: Final = "packhouse"
PASSWORD: Final = "p@ss/w:rd"
TRUSTED: Final = "trusted"
"""A user without a password."""

_BEGIN: Final = f"""\
CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';
GRANT ALL PRIVILEGES ON *.* TO {USER}@'127.0.0.1';
CREATE USER {TRUSTED}@'127.0.0.1';
GRANT ALL PRIVILEGES ON *.* TO {TRUSTED}@'127.0.0.1';
"""


class MariaDb:
    """One server in a temporary folder; `start` once, `stop` once."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="phmy-", dir=memory_folder() or "/tmp"))
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def start(self) -> None:
        """Make the databases of the server, start it and wait until it answers."""
        self._folder.chmod(0o755)
        first = self._folder / "first.sql"
        first.write_text(_BEGIN)
        data = self._folder / "data"
        data.mkdir()
        account = "nobody" if os.geteuid() == 0 else None
        if account is not None:
            shutil.chown(data, account)
            shutil.chown(self._folder, account)
        as_account: dict[str, Any] = {} if account is None else {"user": account, "cwd": "/"}
        own = ["--no-defaults", f"--datadir={data}", "--innodb-buffer-pool-size=8M", "--innodb-log-file-size=4M"]
        tables = Path("/usr/share/mysql")
        script = "CREATE DATABASE mysql;\nUSE mysql;\n"
        script += "".join((tables / f"mysql_system_tables{each}.sql").read_text() for each in ("", "_data"))
        server = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin")
        assert server is not None, "these tests need MariaDB: apt-get install -y mariadb-server-core"
        subprocess.run(
            [server, *own, "--bootstrap", "--innodb-flush-log-at-trx-commit=0"],
            input=script.encode(), check=True, capture_output=True, **as_account,
        )  # fmt: skip
        flags = [f"--port={self.port}", "--bind-address=127.0.0.1", f"--socket={data}/socket", f"--init-file={first}"]
        flags += ["--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve", "--default-time-zone=+05:30"]
        self._process = supervised([server, *own, *flags], self._folder, signal="KILL", **as_account)
        self._wait()

    def stop(self) -> None:
        """End the server and remove its files."""
        halt(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def execute(self, statement: str) -> None:
        """Run a statement."""
        with self._connected() as connection, connection.cursor() as cursor:
            cursor.execute(statement)

    def _connected(self) -> Any:
        return pymysql.connect(host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, autocommit=True)

    def _wait(self) -> None:
        give_up_at = time.monotonic() + 60
        while True:
            try:
                self._connected().close()
            except pymysql.err.OperationalError as error:
                if time.monotonic() > give_up_at:
                    raise RuntimeError((self._folder / "log").read_text()) from error
                time.sleep(0.05)
            else:
                return


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDb]:
    """The session's server."""
    server = MariaDb()
    server.start()
    try:
        yield server
    finally:
        server.stop()

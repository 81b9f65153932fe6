"""Tables of JDBC catalogs, created and written by Paimon's own `JdbcCatalog`, on SQLite, on Postgres and on MariaDB."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self
from uuid import uuid4

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from engine.formats.paimon.catalog.database import CatalogDatabase, LockRow
from tests.support.mariadb_server import TRUSTED, MariaDb
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import LockingLake
from tests.support.postgres_server import PostgresServer

KEY = "jdbc.lake.events"
"""The lock of the table."""


@dataclass(frozen=True)
class CatalogHome:
    """An empty database. `uri` is Packhouse's address of it, and `jdbc` that of Paimon."""

    uri: str
    jdbc: Mapping[str, str]

    def execute(self, statement: str, **values: Any) -> list[Any]:
        """Run a statement in a transaction and return its rows."""
        with create_engine(
            make_url(self.uri.replace("mysql:", "mysql+pymysql:")), poolclass=NullPool
        ).begin() as connection:
            found = connection.execute(text(statement), values)
            return list(found) if found.returns_rows else []

    def age_lock(self, seconds: int) -> None:
        """Make the row of every lock older."""
        forms = {"sqlite": "datetime(acquired_at, '-{} seconds')", "mysql": "acquired_at - interval {} second"}
        older = forms.get(self.uri[: self.uri.index(":")], "acquired_at - interval '{} seconds'").format(seconds)
        self.execute(f"UPDATE paimon_distributed_locks SET acquired_at = {older}")


@dataclass(frozen=True)
class JdbcLake(LockingLake):
    """One table of the database `lake`, in a JDBC catalog. `with_lock`: its writers take the lock."""

    home: CatalogHome = field(default_factory=lambda: CatalogHome("", {}))
    with_lock: bool = True
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "jdbc", "warehouse": str(self.root), "uri": self.home.uri, **self.more}

    @property
    def database(self) -> CatalogDatabase:
        return CatalogDatabase(self.properties)

    def connect(self, **options: str) -> Self:
        """Let the core open the catalog."""
        given = {"metastore": "jdbc", **self.home.jdbc, "lock.enabled": str(self.with_lock).lower(), **options}
        self.core.call("use_store", warehouse=str(self.root), options=given)
        return self

    def lock(self, expire_seconds: int = 480) -> bool:
        """Try once to take the table's lock as a writer."""
        return bool(self.core.call("lock", warehouse=str(self.root), key=KEY, expire_seconds=expire_seconds))

    def unlock(self) -> None:
        """Release the table's lock as a writer."""
        self.core.call("unlock", warehouse=str(self.root), key=KEY)

    def lock_row(self) -> LockRow | None:
        """Return the row of the table's lock."""
        return self.database.held(KEY)

    def held_lock(self) -> LockRow | None:
        return self.lock_row()


@contextmanager
def _running(**settings: str) -> Iterator[PostgresServer]:
    """Run a Postgres server that Java's driver can reach."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = PostgresServer({"listen_addresses": "127.0.0.1", "port": str(port), "max_connections": "400", **settings})
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def tcp_postgres() -> Iterator[PostgresServer]:
    """The session's server."""
    with _running() as server:
        yield server


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A server that a test may end, without loss of what was committed."""
    with _running(synchronous_commit="on", fsync="on", full_page_writes="on") as server:
        yield server


def postgres_home(server: PostgresServer) -> CatalogHome:
    """Return a new database of a server."""
    name = f"catalog_{uuid4().hex}"
    server.execute(f"CREATE DATABASE {name}")
    address = f"127.0.0.1:{server.port}/{name}"
    return CatalogHome(
        f"postgresql+psycopg://packhouse@{address}",
        {"uri": f"jdbc:postgresql://{address}", "jdbc.user": "packhouse", "jdbc.password": "unused"},
    )


def sqlite_home(folder: Path) -> CatalogHome:
    """Return a database in a folder."""
    path = folder / f"catalog-{uuid4().hex}.db"
    path.touch()
    # Java's driver does not wait for a lock of SQLite by default
    return CatalogHome(f"sqlite:///{path}", {"uri": f"jdbc:sqlite:{path}", "jdbc.busy_timeout": "10000"})


def mariadb_home(server: MariaDb) -> CatalogHome:
    """Return a new database of a server."""
    name = f"catalog_{uuid4().hex}"
    server.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb3")  # a key of Paimon's is too long with 4
    address = f"127.0.0.1:{server.port}/{name}"
    return CatalogHome(
        f"mysql://{TRUSTED}@{address}",
        {"uri": f"jdbc:mysql://{address}?nullDatabaseMeansCurrent=true", "jdbc.user": TRUSTED, "jdbc.password": ""},
    )


ON_ALL: Final = pytest.mark.parametrize("home", ["sqlite", "postgres", "mariadb"], indirect=True)
"""Mark of tests of the statements that a catalog's database gets; other tests use the servers in deep runs only."""


@pytest.fixture(params=["sqlite", *(pytest.param(each, marks=pytest.mark.deep) for each in ("postgres", "mariadb"))])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> CatalogHome:
    """An empty database."""
    if request.param == "sqlite":
        return sqlite_home(tmp_path)
    if request.param == "mariadb":
        return mariadb_home(request.getfixturevalue("mariadb"))
    return postgres_home(request.getfixturevalue("tcp_postgres"))


@pytest.fixture
def jdbc_lake(paimon_core: PaimonCore, tmp_path: Path, home: CatalogHome) -> Iterator[JdbcLake]:
    """A table that is not created yet."""
    lake = JdbcLake(paimon_core, tmp_path / "warehouse", home=home)
    yield lake
    paimon_core.call("close", warehouse=str(lake.root))

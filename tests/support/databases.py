"""Databases of the record for tests: fresh and migrated for each test, on SQLite and on Postgres.

fresh_database     parametrised over both dialects; raw SQL, URL of its own for a second connection
database           a `Database` on it
sqlite_database    a `Database` on SQLite only, for tests of other layers
TWO_DATABASES      mark of tests of whole runs that are about claims, leases and leaders: both dialects in `make test`
"""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import URL, Dialect, create_engine, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import NullPool
from sqlalchemy.util import LRUCache

from engine.stores import database as stores_database
from engine.stores.database import Database
from engine.stores.migrations.upgrade import upgrade
from tests.support.postgres_server import PostgresServer

_DATABASES: Final = ("sqlite", "postgres")
TWO_DATABASES: Final = pytest.mark.parametrize("fresh_database", _DATABASES, indirect=True)
_TEMPLATE = "packhouse_template"
_numbers = count()


def pytest_configure() -> None:
    """Let the engines of all tests share one dialect of SQLite and its compiled statements.

    An engine compiles each statement once, and each test has an engine of its own: a fifth of the CPU time of a test of
    a whole run was compilation. In production a process has one engine.
    """
    make, shared = stores_database.make_engine, list[tuple[Dialect, LRUCache[Any, Any]]]()

    def make_sharing(url: URL, **options: Any) -> AsyncEngine:
        engine = make(url, **options)
        if url.get_backend_name() == "sqlite":
            if not shared:
                shared.append((engine.sync_engine.dialect, LRUCache(5_000)))
            engine.sync_engine.dialect, engine.sync_engine._compiled_cache = shared[0]
        return engine

    stores_database.make_engine = make_sharing


class FreshDatabase:
    """One empty, migrated database. `execute` speaks to it behind the stores' back, on a connection of its own."""

    def __init__(self, *, url: str) -> None:
        self.url = url
        self.dialect = make_url(url).get_backend_name()
        self._connections = AsyncExitStack()

    def connect(self, *, busy_seconds: float = 10) -> Database:
        """Return another `Database` on it, with connections of its own; closed with the test."""
        database = Database(self.url, busy_seconds=busy_seconds)
        self._connections.push_async_callback(database.close)
        return database

    def execute(self, statement: str, **values: Any) -> list[Any]:
        """Run raw SQL in a transaction; return its rows. Driver errors come as SQLAlchemy's."""
        url = make_url(self.url)
        drivername = "sqlite+pysqlite" if self.dialect == "sqlite" else url.drivername
        engine = create_engine(url.set(drivername=drivername), poolclass=NullPool)
        with engine.begin() as connection:
            result = connection.execute(text(statement), values)
            return list(result) if result.returns_rows else []

    async def close(self) -> None:
        """Close all that `connect` gave."""
        await self._connections.aclose()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The session's server with a migrated template database."""
    server = PostgresServer()
    try:
        server.start()
        server.execute(f"CREATE DATABASE {_TEMPLATE}")
        upgrade(server.url(_TEMPLATE))
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, to be copied."""
    file = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    upgrade(f"sqlite+aiosqlite:///{file}")
    return file


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """URL of a migrated Postgres database of the test's own."""
    name = f"test_{next(_numbers)}"
    postgres_server.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
    yield postgres_server.url(name)
    postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """URL of a migrated SQLite database of the test's own."""
    file = tmp_path / "packhouse.sqlite3"
    shutil.copyfile(sqlite_template, file)
    return f"sqlite+aiosqlite:///{file}"


@pytest.fixture(params=_DATABASES)
async def fresh_database(request: pytest.FixtureRequest) -> AsyncIterator[FreshDatabase]:
    """An empty, migrated database; the test runs once on each dialect."""
    async with requested_database(request) as fresh:
        yield fresh


@asynccontextmanager
async def requested_database(request: pytest.FixtureRequest) -> AsyncIterator[FreshDatabase]:
    """Open a database of the dialect that the parameter of a fixture names."""
    fresh = FreshDatabase(url=request.getfixturevalue(f"{request.param}_url"))
    yield fresh
    await fresh.close()


@pytest.fixture
def database(fresh_database: FreshDatabase) -> Database:
    """The stores on a fresh database; the test runs once on each dialect."""
    return fresh_database.connect()


@pytest.fixture
async def sqlite_database(sqlite_url: str) -> AsyncIterator[Database]:
    """The stores on a fresh SQLite database."""
    database = Database(sqlite_url)
    yield database
    await database.close()

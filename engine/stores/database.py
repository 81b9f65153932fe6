"""The database connection: SQLite in a file, or Postgres.

    async with database.begin() as work:      # one write transaction: all or nothing
        await work.tables.insert(table)
        await work.audit.append(caller, "table.register", table.id)

Never call a network service or Spark inside: SQLite has one writer, and Postgres holds row locks until the end.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import structlog
from sqlalchemy import make_url, text
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.domain.errors import Transient
from engine.stores.migrations.compatibility import check_schema, known_schema, stored_schema
from engine.stores.migrations.upgrade import upgrade
from engine.stores.sql.engines import POSTGRESQL, SQLITE, WRITES, check_url, make_engine
from engine.stores.unit_of_work import UnitOfWork

_log = structlog.get_logger(__name__)


class Database:
    """Opens units of work. Driver errors are translated into errors of the domain (`stores.sql.failures`).

    `url` is `sqlite+aiosqlite:///path` or `postgresql+psycopg://…`; `busy_seconds` bounds the wait for another writer,
    a row lock or a free connection, after which `Transient` is raised. `engine` replaces the engine made from the URL
    (`engines.make_engine`). Connects on first use.

    Raises:
        InvalidInput: another driver, or SQLite without a file.
    """

    def __init__(self, url: str, *, busy_seconds: float = 10, engine: AsyncEngine | None = None) -> None:
        self._url = make_url(url)
        check_url(self._url)
        engine = engine or make_engine(self._url, busy_seconds=busy_seconds)
        self._engine = engine
        self._writer = engine.execution_options(**{WRITES: True})
        is_postgresql = self._url.get_backend_name() == POSTGRESQL
        self._reader = engine.execution_options(postgresql_readonly=True) if is_postgresql else engine

    async def migrate(self) -> None:
        """Upgrade the schema to the newest version; processes that start at the same time wait for one another.

        Raises:
            Away: no connection.
            Transient: another process has been migrating for more than a minute.
            SchemaUnsupported: the schema is newer, and this version can't use it.
        """
        await asyncio.to_thread(upgrade, self._url)

    async def check_schema(self) -> str:
        """Check that this version of Packhouse can use the database's schema; return its number.

        Raises:
            Away: no connection.
            SchemaUnsupported: the schema is older, or newer without support for this version.
        """
        async with self.read() as unit:
            stored = await unit.connection.run_sync(stored_schema)
        number = check_schema(stored)
        if number != known_schema():
            _log.info("newer_schema", schema=number, known=known_schema())
        return number

    @property
    def is_file(self) -> bool:
        """True for SQLite, which has no server that could recover."""
        return self._url.get_backend_name() == SQLITE

    async def ping(self) -> None:
        """Check that the database answers; otherwise raise `Transient`."""
        async with _checked_out(self._reader) as work:
            await work.connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Close all connections; units of work must have ended."""
        await self._engine.dispose()

    def begin(self) -> AbstractAsyncContextManager[UnitOfWork]:
        """Open a write transaction: commits on exit, rolls back on an error.

        Raises:
            Transient: can't connect, or another writer was busy for too long.
        """
        return _checked_out(self._writer)

    def read(self) -> AbstractAsyncContextManager[UnitOfWork]:
        """Open a read-only transaction; the database refuses writes in it.

        Raises:
            Transient: can't connect.
        """
        return _checked_out(self._reader)


def own_database(folder: Path) -> Database:
    """Return the SQLite database of an embedded deployment: a file that only its owner can read, as are its journals.

    The folder must exist; an existing file loses read permission for other users.
    """
    file = folder / "packhouse.sqlite3"
    file.touch(mode=0o600)
    file.chmod(0o600)
    return Database(f"sqlite+aiosqlite:///{file}")


@asynccontextmanager
async def _checked_out(engine: AsyncEngine) -> AsyncIterator[UnitOfWork]:
    try:
        async with engine.connect() as connection, connection.begin():
            yield UnitOfWork(connection=connection)
    except PoolTimeout as error:
        raise Transient("all database connections are in use") from error

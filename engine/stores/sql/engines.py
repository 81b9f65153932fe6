"""SQLAlchemy engines configured for SQLite and Postgres.

SQLite: transactions begin explicitly, writers with BEGIN IMMEDIATE (a transaction that reads first and writes later
would fail at once under another writer, without waiting); foreign keys are enabled, since they are off by default;
commits are fully synchronous, because an intent lost in a power cut could commit twice. SQLite 3.35 or newer
(RETURNING). Postgres: connections are tested before use, half-open ones are detected within a minute.
"""

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import aiosqlite
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from engine.domain.errors import FieldProblem, InvalidInput
from engine.stores.sql.dialects import dump_json
from engine.stores.sql.failures import translate
from engine.stores.sql.slow_statements import watch_statements

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
WRITES: Final = "packhouse_writes"

_CONNECT_SECONDS: Final = 5
_PARALLEL_CONNECTIONS: Final = 15
_DRIVERS: Final = frozenset({"sqlite+aiosqlite", "postgresql+psycopg"})


def check_url(url: URL) -> None:
    """Raise `InvalidInput` unless the URL has a supported driver and, for SQLite, a file."""
    if url.drivername not in _DRIVERS:
        problem = FieldProblem(
            "/database_url", f"driver {url.drivername!r} is not supported", hint=str(sorted(_DRIVERS))
        )
        raise InvalidInput("database_url: no such driver", problems=(problem,))
    if url.get_backend_name() == SQLITE and url.database in (None, "", ":memory:"):
        problem = FieldProblem("/database_url", "SQLite needs a file: each connection would have its own memory")
        raise InvalidInput("database_url: a file is needed", problems=(problem,))


def make_engine(url: URL, *, busy_seconds: float) -> AsyncEngine:
    """Return the stores' engine; `busy_seconds` bounds every wait for a lock or a free connection."""
    is_sqlite = url.get_backend_name() == SQLITE
    engine = create_async_engine(
        url,
        json_serializer=dump_json,
        pool_size=_PARALLEL_CONNECTIONS,
        max_overflow=0,
        pool_timeout=busy_seconds,
        pool_pre_ping=not is_sqlite,
        connect_args=_sqlite_arguments(busy_seconds, async_creator_fn=_connect)
        if is_sqlite
        else _postgresql_arguments(busy_seconds),
    )
    event.listen(engine.sync_engine, "handle_error", translate, retval=True)
    watch_statements(engine.sync_engine)
    if is_sqlite:
        event.listen(engine.sync_engine, "connect", _enforce_foreign_keys)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def make_migration_engine(url: URL, *, busy_seconds: float) -> Engine:
    """Return a blocking engine for migrations: all transactions are writers, no foreign key checks on SQLite."""
    is_sqlite = url.get_backend_name() == SQLITE
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite" if is_sqlite else url.drivername),
        poolclass=NullPool,
        connect_args=_sqlite_arguments(busy_seconds) if is_sqlite else {"connect_timeout": _CONNECT_SECONDS},
    )
    event.listen(engine, "handle_error", translate, retval=True)
    if is_sqlite:
        event.listen(engine, "begin", _begin_immediate)
    return engine


class _Connection(sqlite3.Connection):
    """Rolls back before it closes.

    A task that is cancelled between a query and its rows leaves a statement unfinished. SQLite keeps such a connection
    open, with the lock of its transaction, until the statement is garbage: no other connection could write until then.
    """

    def close(self) -> None:
        """Close the connection; its transaction is rolled back."""
        if self.in_transaction:
            self.rollback()
        super().close()


class _AsyncConnection(aiosqlite.Connection):
    """Sends one call to its thread for a statement with its rows, in place of four.

    Each call is two changes of threads: they took half of the CPU time of a short transaction. `is_busy`: the thread
    may still execute a statement whose task was cancelled, so that other calls have to wait for it there.
    """

    is_busy = False

    def cursor(self) -> "_AsyncCursor":  # type: ignore[override]  # SQLAlchemy enters it
        """Return a cursor, whose making needs no thread."""
        return _AsyncCursor(self, self._conn.cursor())

    async def rollback(self) -> None:
        """End the transaction, if there is one."""
        if self.is_busy or self._conn.in_transaction:
            await super().rollback()


class _AsyncCursor(aiosqlite.Cursor):
    """Executes a statement and reads its rows by one call. They are in memory, as SQLAlchemy holds them anyway."""

    _conn: _AsyncConnection
    _rows: list[sqlite3.Row]

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> "_AsyncCursor":
        """Execute a statement, and read its rows."""
        self._conn.is_busy = True  # and stays so after a cancellation: the thread goes on with the statement
        try:
            self._rows = await self._execute(self._execute_and_read, sql, parameters or ())  # type: ignore[no-untyped-call]
        except Exception:  # an error is the thread's answer, which ends the statement
            self._conn.is_busy = False
            raise
        self._conn.is_busy = False
        return self

    async def fetchall(self) -> list[sqlite3.Row]:
        """Return the rows of the statement."""
        return self._rows

    async def close(self) -> None:
        """Close the cursor; a statement whose rows were read holds nothing."""
        if self._conn.is_busy:
            await super().close()

    def _execute_and_read(self, sql: str, parameters: Any) -> list[sqlite3.Row]:
        self._cursor.execute(sql, parameters)
        return self._cursor.fetchall() if self._cursor.description else []


def _connect(database: str, **given: Any) -> aiosqlite.Connection:
    connection = _AsyncConnection(partial(sqlite3.connect, database, **given), iter_chunk_size=64)
    connection._thread.daemon = True  # noqa: SLF001 - as SQLAlchemy does with those that it makes
    return connection


def _sqlite_arguments(busy_seconds: float, **more: Any) -> dict[str, Any]:
    # isolation_level None: the driver begins no transactions automatically
    return {"timeout": busy_seconds, "isolation_level": None, "factory": _Connection, **more}


def _postgresql_arguments(busy_seconds: float) -> dict[str, Any]:
    return {
        "connect_timeout": _CONNECT_SECONDS,
        "options": f"-c lock_timeout={int(busy_seconds * 1000)}",
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
    }


def _enforce_foreign_keys(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    if connection.info.get(WRITES) is not writes:  # what the connection is set to, also in later transactions
        connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
        connection.info[WRITES] = writes
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")

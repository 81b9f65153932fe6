"""The record: the real stores on a real SQLite file, in the one thread of the simulation and by virtual time.

Statements run where they stand. What would block the thread waits for virtual time instead: BEGIN IMMEDIATE takes the
simulation's own lock first. A transaction may pass some milliseconds before and after its commit, where its process can
be killed. One engine serves all processes and seeds, so that each statement is compiled once.
"""

import asyncio
import shutil
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from sqlalchemy import URL, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.pool import AsyncAdaptedQueuePool
from sqlalchemy.util import await_only

from engine.stores.database import Database
from engine.stores.migrations.upgrade import upgrade
from engine.stores.sql.engines import make_engine
from tests.simulation.loop import VirtualLoop
from tests.simulation.processes import Process, present

_BUSY_SECONDS: Final = 10.0
_BEGIN_TO_WRITE: Final = "BEGIN IMMEDIATE"


class Record:
    """One seed's database. While it is `away` no transaction begins."""

    def __init__(self, *, file: Path, loop: VirtualLoop, random: Random) -> None:
        self.file = file
        self.loop = loop
        self.random = random
        self.away = False
        self.transactions = 0
        self.on_commit: Callable[[Process], None] = lambda _process: None  # before and after each commit that wrote
        self._holder: _Connection | None = None
        self._waiting: deque[tuple[asyncio.Future[None], _Connection]] = deque()
        self._all: list[_Connection] = []

    def database(self) -> Database:
        """Return the stores for one process."""
        return Database(f"sqlite+aiosqlite:///{self.file}", engine=_ENGINE, busy_seconds=_BUSY_SECONDS)

    def connect(self) -> "_Connection":
        connection = sqlite3.connect(
            self.file, isolation_level=None, check_same_thread=False, factory=_Connection, cached_statements=512
        )
        connection.record, connection.process = self, None
        connection.create_function("strftime", -1, self._strftime, deterministic=True)
        connection.execute("PRAGMA synchronous = OFF").close()
        self._all.append(connection)
        return connection

    def cut_off(self, process: Process) -> None:
        """End what a killed process had open: its transactions roll back."""
        for connection in self._all:
            if connection.process is process:
                connection.abandon()

    def close(self) -> None:
        """Close everything."""
        for connection in self._all:
            sqlite3.Connection.close(connection)
        _ENGINE.sync_engine.dispose(close=False)

    async def lock(self, connection: "_Connection") -> None:
        """Let a connection write, after all that came before it."""
        if self._holder is None:
            self._holder = connection
            return
        turn: asyncio.Future[None] = self.loop.create_future()
        self._waiting.append((turn, connection))
        try:
            await asyncio.wait_for(turn, _BUSY_SECONDS)
        except TimeoutError:
            raise _error("database is locked", sqlite3.SQLITE_BUSY) from None
        except BaseException:
            self.unlock(connection)
            raise

    def unlock(self, connection: "_Connection") -> None:
        """Let the next one write, if this connection could until now."""
        if self._holder is not connection:
            return
        self._holder = None
        while self._waiting:
            turn, waiting = self._waiting.popleft()
            if not turn.done():
                self._holder = waiting
                turn.set_result(None)
                return

    def delay(self) -> float:
        """Return how long a step of a transaction takes, mostly nothing."""
        return self.random.uniform(0.001, 0.03) if self.random.random() < 0.2 else 0.0

    def _strftime(self, _format: str, _base: str, shift: str | None = None) -> str:
        at = self.loop.instant()
        if shift is not None:
            at += timedelta(seconds=float(shift.removesuffix(" seconds")))
        return to_text(at)


class _Nothing:
    """Awaited at once. SQLAlchemy takes a driver that never awaits for one that blocks."""

    def __await__(self) -> Iterator[None]:
        return iter(())


_NOTHING: Final = _Nothing()


class _Cursor(sqlite3.Cursor):
    def execute(self, sql: str, parameters: Any = (), /) -> "_Cursor":  # type: ignore[override]
        process = present()
        await_only(_NOTHING)
        if sql.startswith("BEGIN"):
            connection: Any = self.connection
            if connection.record.away:
                raise _error("the database is away", sqlite3.SQLITE_CANTOPEN)
            connection.process = process
            connection.record.transactions += 1
            if sql == _BEGIN_TO_WRITE:
                connection.writes = True
                await_only(connection.record.lock(connection))
                present()
        return super().execute(sql, parameters)  # type: ignore[return-value]

    def executemany(self, sql: str, parameters: Any, /) -> "_Cursor":  # type: ignore[override]
        present()
        await_only(_NOTHING)
        return super().executemany(sql, parameters)  # type: ignore[return-value]

    async def _async_soft_close(self) -> None:
        """What SQLAlchemy calls on an async driver's cursor."""


class _Connection(sqlite3.Connection):
    record: Record
    process: Process | None
    writes = False

    def cursor(self, factory: Any = _Cursor) -> Any:  # type: ignore[override]
        return super().cursor(factory)

    def commit(self) -> None:
        if not self.writes:
            super().commit()
            return
        if before := self.record.delay():
            await_only(asyncio.sleep(before))
        present()
        if self.record.away:
            raise _error("the database went away", sqlite3.SQLITE_IOERR)
        self._tell()
        super().commit()
        self._unlock()
        self._tell()
        if after := self.record.delay():
            await_only(asyncio.sleep(after))

    def _tell(self) -> None:
        if self.process is not None:
            self.record.on_commit(self.process)
            present()

    def rollback(self) -> None:
        super().rollback()
        self._unlock()

    def close(self) -> None:
        self.abandon()

    def terminate(self) -> None:
        self.abandon()

    def abandon(self) -> None:
        """Roll back and let others write; the file is closed with the record."""
        super().rollback()
        self._unlock()

    def _unlock(self) -> None:
        self.writes = False
        self.record.unlock(self)


class _WidePool(AsyncAdaptedQueuePool):
    """Each process has its own 15 connections in truth; here all share one pool."""

    def __init__(self, creator: Any, **options: Any) -> None:
        super().__init__(creator, **(options | {"pool_size": 500}))


class InlineDialect(SQLiteDialect_pysqlite):
    """SQLite for an async engine without any thread. `record` is what `connect` leads to."""

    driver = "inline"
    is_async = True
    has_terminate = True  # what a killed process left is closed with it, so nothing waits for the collector
    supports_statement_cache = True
    record: Record

    @classmethod
    def get_pool_class(cls, _url: URL) -> type[AsyncAdaptedQueuePool]:
        return _WidePool

    def connect(self, *_arguments: Any, **_options: Any) -> _Connection:
        return self.record.connect()


registry.impls["sqlite.inline"] = lambda: InlineDialect
_ENGINE: Final = make_engine(URL.create("sqlite+inline", database="simulation"), busy_seconds=_BUSY_SECONDS)


@event.listens_for(_ENGINE.sync_engine, "checkin")
def _leave(connection: Any, _record: Any) -> None:
    if connection is not None:
        connection.process = None


def make_template(folder: Path) -> Path:
    """Make a migrated database to be copied for each seed."""
    file = folder / "template.sqlite3"
    upgrade(f"sqlite+aiosqlite:///{file}")
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    return file


def open_record(template: Path, *, name: str, loop: VirtualLoop, random: Random) -> Record:
    """Copy the template beside itself, under a name, and let the engine lead there."""
    file = template.with_name(f"{name}.sqlite3")
    for path in (file, file.with_name(file.name + "-wal"), file.with_name(file.name + "-shm")):
        path.unlink(missing_ok=True)
    shutil.copyfile(template, file)
    record = Record(file=file, loop=loop, random=random)
    _ENGINE.dialect.record = record  # type: ignore[attr-defined]
    return record


def to_text(at: datetime) -> str:
    """Return an instant as the record keeps it (`stores.sql.dialects`)."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}000Z"


def _error(message: str, code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error

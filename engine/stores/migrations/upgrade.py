"""Upgrade a database to the newest schema. Blocking: callers on an event loop run it in a thread.

Only `packhouse-server migrate` and `up` do this. Several processes may do it at once: one transaction holds a lock for
the whole upgrade (an advisory lock on Postgres, BEGIN IMMEDIATE on SQLite), the others wait for it and then have
nothing to do. A failed step changes nothing, because both dialects roll back DDL. Processes at work hold locks on the
tables that it changes: it waits for these only briefly, as other statements queue behind it, and then begins again.
"""

import sqlite3
import time
from pathlib import Path
from typing import Final

import structlog
from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, text
from sqlalchemy.engine import make_url

from engine.domain.errors import Away, Transient
from engine.stores.migrations.compatibility import check_not_too_new, known_schema, oldest_supported, stored_schema
from engine.stores.sql.engines import POSTGRESQL, SQLITE, make_migration_engine

_log = structlog.get_logger(__name__)

_WAIT_SECONDS: Final = 60
_PAUSE_SECONDS: Final = 0.5
_LOCK_SECONDS: Final = 5
"""Longest wait for a lock on a table, for which every later statement on that table waits as well."""

_ADVISORY_LOCK: Final = 0x7061636B686F7573  # "packhous"


def upgrade(url: URL | str) -> None:
    """Apply all missing migrations; a newer schema that supports this version is left unchanged.

    Raises:
        Transient: no connection, or another process has been migrating, or has locked a table, for more than a minute.
        SchemaUnsupported: the schema is newer, and this version can't use it.
    """
    address = make_url(url)
    is_sqlite = address.get_backend_name() == SQLITE
    if is_sqlite:
        _switch_to_wal(Path(address.database or ""))
    engine = make_migration_engine(address, busy_seconds=_WAIT_SECONDS)
    give_up_at = time.monotonic() + _WAIT_SECONDS
    try:
        while True:
            try:
                _upgrade_once(engine)
            except Away:
                raise
            except Transient as error:  # such as a deadlock with a process at work
                if time.monotonic() > give_up_at:
                    raise
                _log.warning("migration_waits", error=error.message)
                time.sleep(_PAUSE_SECONDS)
            else:
                return
    finally:
        engine.dispose()


def _upgrade_once(engine: Engine) -> None:
    """Apply all missing migrations in one transaction."""
    with engine.begin() as connection:
        if engine.dialect.name == POSTGRESQL:
            _lock_postgresql(connection)
        stored = stored_schema(connection)
        check_not_too_new(stored)
        if stored.number is None or stored.number < known_schema():
            command.upgrade(_config(connection), "head")
            _log.info("database_migrated", from_schema=stored.number, to_schema=known_schema())
            values = {"oldest": oldest_supported()}
            connection.execute(text("UPDATE schema_support SET oldest_supported = :oldest"), values)


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _lock_postgresql(connection: Connection) -> None:
    connection.execute(text(f"SET LOCAL lock_timeout = '{_WAIT_SECONDS}s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))


def _switch_to_wal(file: Path) -> None:
    """Enable write-ahead logging, which is stored in the file. Retries, because SQLite may not wait for locks here."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    give_up_at = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            connection = sqlite3.connect(file, timeout=_WAIT_SECONDS, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up_at:
                raise Transient(f"the database did not do it: {error}") from error
            time.sleep(0.05)
        else:
            return

"""Databases of catalogs: addresses with time limits, and what the errors of SQLAlchemy and its drivers mean.

Drivers are recognized by the names of modules and classes: this room must not import them.
"""

from typing import Final

from engine.sql.addresses import POSTGRESQL, SQLITE, with_options
from engine.sql.answers import TOO_LONG

CONNECT_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 60.0

_SQLITE: Final = {"timeout": f"{CONNECT_SECONDS:g}"}
_POSTGRES: Final = {
    "connect_timeout": f"{CONNECT_SECONDS:g}",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": f"{ANSWER_SECONDS * 1000:g}",
}
"""Options of libpq. The wait for a server that is reachable but silent is limited by `services.catalogs.bulkheads`."""

_DRIVER_AWAY: Final = frozenset({"OperationalError", "InterfaceError", "TimeoutError"})
_LOCKED: Final = (
    *("database is locked", "database table is locked"),
    *("Lock wait timeout exceeded", "Deadlock found when trying to get lock"),
)
_MISCONFIGURED: Final = (
    TOO_LONG,
    "unable to open database file",
    "file is not a database",
    "password authentication failed",
    "no pg_hba.conf entry",
    "permission denied",
    "Access denied for user",
    "command denied to user",
    "Unknown database",
    "does not exist",
    "Could not parse SQLAlchemy URL",
    "Can't load plugin",
)
"""Driver messages that indicate wrong catalog properties: waiting does not help."""


def with_time_limit(uri: str) -> str:
    """Return a database address with limits: for connecting and dead peers (Postgres), for a lock (SQLite).

    An address that can't be read is returned unchanged: creating an engine for it raises the error.
    """
    try:
        return with_options(uri, {SQLITE: _SQLITE, POSTGRESQL: _POSTGRES})
    except ValueError:
        return uri


def wrong_settings(error: BaseException, *, tables: str, no_catalog: str) -> str | None:
    """Return the remedy when a database reports wrong properties of its catalog, otherwise None.

    Args:
        error: any error.
        tables: what the names of the catalog's tables begin with.
        no_catalog: the remedy for a database without these tables.
    """
    if not _is_of_sqlalchemy(error):
        return None
    text = str(error)
    is_missing = f".{tables}" in text and "doesn't exist" in text  # in MySQL
    if is_missing or f"no such table: {tables}" in text or f'relation "{tables}' in text:
        return no_catalog
    if any(sign in text for sign in _MISCONFIGURED):
        return "check the catalog's `uri` and the rights of its user"
    return None


def is_locked(error: BaseException) -> bool:
    """Return whether another connection has used a database, or a row in MySQL, for longer than the time limit."""
    return any(words in str(error) for words in _LOCKED)


def is_database_away(error: BaseException) -> bool:
    """Return whether the database of a catalog does not answer."""
    return _is_of_sqlalchemy(error) and type(error).__name__ in _DRIVER_AWAY


def _is_of_sqlalchemy(error: BaseException) -> bool:
    return type(error).__module__.split(".")[0] == "sqlalchemy"

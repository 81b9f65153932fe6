"""Translate database driver errors into errors of the domain.

    can't connect, connection lost, restarted       → Away
    locked, deadlock, disk full, …                  → Transient
    unique constraint                               → StateConflict, `details["constraint"]` names it
    foreign key                                     → StateConflict, constraint `foreign_key`
    CHECK, NOT NULL, trigger                        → Fatal: code tried to store an illegal value

Other errors (a missing table, wrong SQL) are not translated: they are bugs of Packhouse. SQLite reports the columns of
a violated index, Postgres the index; both are translated to the index's name. On Postgres an error aborts the
transaction: use a savepoint for statements whose failure the caller handles.
"""

import sqlite3
from functools import cache
from typing import Final

import psycopg
from sqlalchemy import UniqueConstraint
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import IntegrityError

from engine.domain.errors import Away, Fatal, PackhouseError, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.remedies import remedy
from engine.stores.schema.history import metadata

LEASED_TABLE: Final = "uq_runs_leased"
FOREIGN_KEY: Final = "foreign_key"

_REMEDIES: Final = {"uq_tables_ref": remedy("list_tables")}
_CONFLICTS: Final = {
    LEASED_TABLE: "another run of the table is active",
    "pk_catalogs": "a catalog of this name exists: choose another name, or change the one that is there",
    "uq_tables_ref": "the table is registered already",
    "pk_policies": "a policy of this name exists already",
    "pk_policy_versions": "the policy was written at the same time",
    "uq_api_keys_live": "a key of this name exists",
    "uq_policies_fleet": "the fleet has a policy already",
    "uq_policies_catalog": "the catalog has a policy already",
    "uq_policies_namespace": "the namespace has a policy already",
    "uq_webhooks_name": "a webhook of this name exists: choose another name, or change the one that is there",
    "uq_api_keys_secret": "a key with this secret exists",
}
_SQLITE_TRANSIENT: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_SQLITE_AWAY: Final = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
_POSTGRESQL_AWAY: Final = ("08", "53300", "57P01", "57P02", "57P03", "57P05")
"""Classes of SQLSTATE: connection exceptions, too many connections, shutting down, crashed, starting, idle session."""

_POSTGRESQL_STARTING: Final = (
    "starting up",
    "not yet accepting",
    "shutting down",
    "recovery",
    "too many",
    "administrator command",
)
"""Messages of a server that temporarily refuses all connections; other refusals, such as wrong passwords, last."""

_SQLITE_UNIQUE_PREFIX: Final = "UNIQUE constraint failed: "


def translate(context: ExceptionContext) -> PackhouseError | None:
    """Return the domain's error for a driver's error, or None to leave it unchanged (a `handle_error` listener)."""
    error = context.original_exception
    if not isinstance(error, Exception):
        return None  # a cancelled task is not a failure of the database
    if context.is_disconnect or _is_away(error):
        return Away(DependencyKind.DATABASE, f"the database does not answer: {_first_line(error)}")
    if _is_transient(error):
        return Transient(f"the database did not do it: {_first_line(error)}")
    if isinstance(context.sqlalchemy_exception, IntegrityError):
        return _refusal(error)
    return None


def _is_away(error: BaseException) -> bool:
    """Return whether no connection can be made, or the server closed this one."""
    if isinstance(error, sqlite3.Error):
        return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _SQLITE_AWAY
    if isinstance(error, psycopg.InterfaceError):
        return True
    if not isinstance(error, psycopg.OperationalError):
        return False
    if error.sqlstate is not None:
        return error.sqlstate.startswith(_POSTGRESQL_AWAY)
    text = str(error)  # a connection that was never made has no SQLSTATE
    return "FATAL:" not in text or any(words in text for words in _POSTGRESQL_STARTING)


def _is_transient(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _SQLITE_TRANSIENT
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def _refusal(error: BaseException) -> PackhouseError:
    if isinstance(error, psycopg.errors.UniqueViolation):
        return conflict(error.diag.constraint_name or "")
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return conflict(FOREIGN_KEY)
    text = _first_line(error)
    if text.startswith(_SQLITE_UNIQUE_PREFIX):
        return conflict(_names_by_columns().get(text.removeprefix(_SQLITE_UNIQUE_PREFIX), text))
    if text == "FOREIGN KEY constraint failed":
        return conflict(FOREIGN_KEY)
    return Fatal(f"the database refused a row that must not be: {text}")


def conflict(constraint: str) -> StateConflict:
    """Return the error of a violated constraint."""
    message = _CONFLICTS.get(constraint)
    if message is None:
        message = f"it conflicts with other records ({constraint})"
    return StateConflict(message, details={"constraint": constraint}, remedy=_REMEDIES.get(constraint))


@cache
def _names_by_columns() -> dict[str, str]:
    """Return the names of all unique constraints and indexes, keyed by their columns as SQLite lists them."""
    found: dict[str, str] = {}
    for table in metadata.sorted_tables:
        uniques = [c for c in table.constraints if isinstance(c, UniqueConstraint) or c is table.primary_key]
        for unique in (*uniques, *(index for index in table.indexes if index.unique)):
            found[", ".join(f"{table.name}.{column.name}" for column in unique.columns)] = str(unique.name)
    return found


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]

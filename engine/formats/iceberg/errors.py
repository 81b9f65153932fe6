"""Translation of what PyIceberg, storage and drivers raise into the errors of the domain: one place, not one per call.

Nothing here shows a secret: addresses are masked before they get into a message.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import requests
from pyiceberg.exceptions import (
    AuthorizationExpiredError,
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    RESTError,
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
    UnauthorizedError,
)

from engine.domain.dependencies import Dependency
from engine.domain.errors import Away, CredentialsExpired, NotFound, PackhouseError, StateConflict, Transient
from engine.rewriting.kernel.storage_answers import is_expired, is_refused

_REFUSED: Final = (ForbiddenError, UnauthorizedError, OAuthError)
_CATALOG_AWAY: Final = (
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
    requests.RequestException,
)
_DRIVER_AWAY: Final = frozenset({"OperationalError", "InterfaceError", "TimeoutError"})
"""Classes of SQLAlchemy, by name: SQL has its home elsewhere, and a SQL catalog brings its own driver."""

_LOCAL_FAULTS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENAMETOOLONG)
_LOCKED: Final = ("database is locked", "database table is locked")
_OF_ONE_FILE: Final = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError)
_UNREACHABLE: Final = (OSError, RESTError, requests.RequestException, EOFError)
_NO_CATALOG: Final = ("no such table: iceberg_", 'relation "iceberg_')
_MISCONFIGURED: Final = (
    "unable to open database file",
    "file is not a database",
    "password authentication failed",
    "no pg_hba.conf entry",
    "permission denied",
    "does not exist",
    "Could not parse SQLAlchemy URL",
    "Can't load plugin",
)
"""What drivers say of a database that answers, or can't be meant: to wait does not help."""

_PASSWORD: Final = re.compile(r"(?P<before>[a-zA-Z][\w+.-]*://[^\s:/@]*:)[^\s/]*@")


def masked(text: str) -> str:
    """Return `text` with the password of every address in it replaced by `***`."""
    return _PASSWORD.sub(r"\g<before>***@", text)


def summary_of(error: BaseException) -> str:
    """Return the class and the first line of an error, masked, at most 300 characters."""
    first = (str(error).strip() or "no message").splitlines()[0]
    return masked(f"{type(error).__name__}: {first}")[:300]


def is_unreachable(error: BaseException) -> bool:
    """Tell whether an error says that the catalog or the storage does not answer (drivers are told by module name)."""
    return isinstance(error, _UNREACHABLE) or type(error).__module__.split(".")[0] in {"sqlalchemy", "urllib3"}


def _wrong_settings(error: BaseException) -> str | None:
    """Return what to mend when a SQL catalog's database says that the catalog's properties are wrong, else None."""
    if not type(error).__module__.startswith("sqlalchemy"):
        return None
    text = str(error)
    if any(sign in text for sign in _NO_CATALOG):
        return (
            "this database holds no Iceberg catalog: check `uri`; writers make one, or the property init_catalog_tables"
        )
    if any(sign in text for sign in _MISCONFIGURED):
        return "check the catalog's `uri` and the rights of its user"
    return None


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Run a block that only reads; `doing` completes the sentence "Could not …".

    Raises:
        NotFound: no such table or namespace.
        StateConflict: catalog or storage refuse the credentials, or the catalog's properties are wrong.
        Away: catalog or storage does not answer.
        CredentialsExpired: the credentials of catalog or storage expired.
        Transient: another failure that may pass.
    """
    try:
        yield
    except PackhouseError:
        raise
    except (NoSuchTableError, NoSuchNamespaceError) as error:
        raise NotFound(f"Could not {doing}: {summary_of(error)}") from error
    except _REFUSED as error:
        remedy = "give the catalog's properties credentials that may do this"
        raise StateConflict(f"Could not {doing}: {summary_of(error)}; {remedy}") from error
    except Exception as error:
        if (wrong := _wrong_settings(error)) is not None:
            raise StateConflict(f"Could not {doing}: {summary_of(error)}; {wrong}") from error
        condition = _condition_of(error, f"Could not {doing}: {summary_of(error)}")
        if condition is None:
            raise
        raise condition from error


def _condition_of(error: Exception, message: str) -> PackhouseError | None:
    """Return the domain's error for what catalogs and storages raise, None for what neither does."""
    if isinstance(error, AuthorizationExpiredError):
        return CredentialsExpired(f"{message}; the credentials expired")
    if any(words in str(error) for words in _LOCKED):
        return Transient(message)
    if isinstance(error, _CATALOG_AWAY) or _is_driver_away(error):
        return Away(Dependency.CATALOG, message)
    if isinstance(error, OSError | EOFError):
        return _storage_condition(error, message)
    return Transient(message) if is_unreachable(error) else None


def _storage_condition(error: OSError | EOFError, message: str) -> PackhouseError:
    if is_expired(str(error)):
        return CredentialsExpired(f"{message}; the credentials expired")
    if is_refused(str(error)):
        return StateConflict(f"{message}; give the catalog's properties credentials that may do this")
    if isinstance(error, _OF_ONE_FILE) or _is_local(error):
        return Transient(message)
    return Away(Dependency.STORAGE, message)


def _is_driver_away(error: Exception) -> bool:
    module, name = type(error).__module__.split(".")[0], type(error).__name__
    return module == "urllib3" or (module == "sqlalchemy" and name in _DRIVER_AWAY)


def _is_local(error: OSError | EOFError) -> bool:
    """Return whether an operating system's error is one of this machine's files, such as a full disk."""
    return isinstance(error, OSError) and error.errno in _LOCAL_FAULTS

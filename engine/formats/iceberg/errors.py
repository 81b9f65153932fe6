"""Translation of what PyIceberg, storage and drivers raise into the errors of the domain: one place, not one per call.

Nothing here shows a secret: addresses are masked before they get into a message.
"""

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
    UnauthorizedError,
)

from engine.domain.errors import NotFound, PackhouseError, StateConflict, StoreUnavailable

_REFUSED: Final = (ForbiddenError, UnauthorizedError, OAuthError, AuthorizationExpiredError)
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
        StateConflict: the catalog refuses our credentials, or its properties are wrong.
        StoreUnavailable: catalog or storage does not answer.
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
        if (mend := _wrong_settings(error)) is not None:
            raise StateConflict(f"Could not {doing}: {summary_of(error)}; {mend}") from error
        if is_unreachable(error):
            raise StoreUnavailable(f"Could not {doing}: {summary_of(error)}") from error
        raise

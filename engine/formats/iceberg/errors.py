"""Translate exceptions of PyIceberg, storage and drivers into errors of the domain, in one place.

Table metadata is foreign input, and for unexpected content PyIceberg raises arbitrary Python exceptions.
`reading_table` translates them into an error of the one table, `asking_catalog` into an error of the one catalog.
Faults of our own code pass unchanged (`intake.errors.is_own_fault`). No message contains a secret: texts of libraries
are masked first (`domain.values.uris`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from traceback import walk_tb
from typing import Any, Final

import requests
import structlog
from pydantic import ValidationError
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

from engine.domain.errors import (
    Away,
    CredentialsExpired,
    NotFound,
    PackhouseError,
    StateConflict,
    TableUnreadable,
    Transient,
)
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.tables.table import TableRef
from engine.domain.values.uris import masked
from engine.formats.intake.catalogs.databases import is_database_away, is_locked, wrong_settings
from engine.formats.intake.errors import (
    causes_of,
    decoding_file,
    is_of_file,
    is_own_fault,
    printable,
    storage_condition,
)
from engine.formats.intake.errors import summary_of as summary_of_file
from engine.formats.intake.limits import NEWER_WRITER, Malformed

_log = structlog.get_logger(__name__)

_REFUSED: Final = (ForbiddenError, UnauthorizedError, OAuthError)
_CATALOG_AWAY: Final = (
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
    requests.RequestException,
)
_UNREACHABLE: Final = (OSError, RESTError, requests.RequestException, EOFError)
_REMEDY: Final = "repair the table's metadata with a program that can read it"
_UNKNOWN_VERSION: Final = "the format version is"
_REMEDIES: Final = {
    "Unsupported field type: ": (  # PyIceberg's error for a type that it does not know: the metadata is in order
        "this version reads no tables with columns of this type: do not register the table, or unregister it, and "
        "rewrite it with an engine that knows the type"
    ),
    _UNKNOWN_VERSION: f"{NEWER_WRITER}, or repair the metadata",
}
"""Remedies by a text of the error; the others are damage."""
_OTHER_VERSION: Final = "union_tag_invalid"
"""Kind of pydantic's error for a document that none of PyIceberg's models is for."""
_SHORT: Final = 80
_LONGEST_NAME: Final = 200
_NO_CATALOG: Final = "this database has no Iceberg catalog: check `uri`, or set the property init_catalog_tables"


def summary_of(error: BaseException) -> str:
    """Return the class and the first line of an error, masked and printable, at most 300 characters."""
    for each in causes_of(error):  # PyIceberg has a class of the same name, which wraps pydantic's
        if isinstance(each, ValidationError):
            return masked(_first_problem(each))[:300]
    return summary_of_file(error)


def _first_problem(error: ValidationError) -> str:
    """Return location, kind and shortened value of the first validation error in foreign JSON."""
    problems = error.errors(include_url=False, include_context=False)
    first = problems[0]
    if first["type"] == _OTHER_VERSION and isinstance(first.get("input"), dict):
        return f"{_UNKNOWN_VERSION} {_shown(first['input'].get('format-version'))}; 1, 2 and 3 are read"
    place = ".".join(str(each) for each in first["loc"])[:_LONGEST_NAME] or "the document"
    more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
    return f"{place}: {_on_one_line(first['msg'])}, found {_shown(first.get('input'))}{more}"


def _shown(value: Any) -> str:
    """Return a value from foreign metadata as text, or only its kind if it is large, since its text may be huge."""
    if isinstance(value, str):
        return _on_one_line(repr(value[:_SHORT]))
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if value.bit_length() < 64 else f"a number of {value.bit_length()} bits"  # noqa: PLR2004
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, Sequence | dict) else type(value).__name__


def _on_one_line(text: str) -> str:
    return printable(text[: 2 * _SHORT], " ")


def is_unreachable(error: BaseException) -> bool:
    """Return whether an error means that catalog or storage does not answer (drivers are matched by module name)."""
    return isinstance(error, _UNREACHABLE) or type(error).__module__.split(".")[0] in {"sqlalchemy", "urllib3"}


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Run a read-only block and translate its errors; `doing` completes "Could not …". Other errors pass unchanged.

    Raises:
        NotFound: no such table or namespace.
        StateConflict: catalog or storage refuse the credentials, or the catalog's properties are wrong.
        Away: catalog or storage does not answer.
        CredentialsExpired: the credentials of catalog or storage expired.
        Transient: another failure that may be temporary.
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
        if (wrong := wrong_settings(error, tables="iceberg_", no_catalog=_NO_CATALOG)) is not None:
            raise StateConflict(f"Could not {doing}: {summary_of(error)}; {wrong}") from error
        condition = _condition_of(error, f"Could not {doing}: {summary_of(error)}")
        if condition is None:
            raise
        raise condition from error


def reading_of(ref: TableRef) -> Callable[[str], AbstractContextManager[None]]:
    """Return `reading_table` for one table: a function of what is done, without the table's address."""
    return lambda doing: reading_table(f"{doing} {ref}")


@contextmanager
def reading_table(doing: str) -> Iterator[None]:
    """Run a block that reads one table's metadata, as `translated`; other errors become `TableUnreadable`.

    Raises:
        TableUnreadable: the metadata is damaged, too large or not supported.
        NotFound, StateConflict, Transient: as `translated`.
    """
    with translated(doing):
        try:
            yield
        except BaseException as error:
            if not is_of_content(error):
                raise
            _log.warning("table_unreadable", doing=doing, exc_info=_trace(error))
            summary = summary_of(error)
            remedy = next((each for text, each in _REMEDIES.items() if text in summary), _REMEDY)
            raise TableUnreadable(f"Could not {doing}: {summary}; {remedy}") from error


@contextmanager
def asking_catalog(doing: str) -> Iterator[None]:
    """Run a block with catalog requests that concern no particular table, as `translated`.

    Raises:
        StateConflict: the catalog's response is invalid, or as `translated`.
        NotFound, Transient: as `translated`.
    """
    with translated(doing):
        try:
            yield
        except BaseException as error:
            if not is_of_content(error):
                raise
            _log.warning("catalog_not_understood", doing=doing, exc_info=_trace(error))
            raise StateConflict(f"Could not {doing}: {summary_of(error)}; check the catalog's properties") from error


def decoding(what: str) -> AbstractContextManager[None]:
    """Return a context that reads and decodes a file; `what` names it in the error message.

    Raises:
        Malformed: it can't be decoded. Errors of storage that does not answer pass unchanged.
    """
    return decoding_file(what, is_of_content=is_of_content, summary=summary_of)


def _trace(error: BaseException) -> BaseException | None:
    """Return the error whose trace is logged: an unexpected error may be a bug of this package."""
    return None if any(isinstance(each, Malformed | ValidationError) for each in causes_of(error)) else error


def is_of_content(error: BaseException) -> bool:
    """Return whether an error is caused by the content read: not by transport or our code, nor raised on purpose."""
    if isinstance(error, OSError | EOFError):
        return is_of_file(error)
    is_answer = isinstance(error, (NoSuchTableError, NoSuchNamespaceError, *_REFUSED)) or is_unreachable(error)
    return not is_answer and (is_of_file(error) or (is_own_fault(error) and _is_of_validation(error)))


def _is_of_validation(error: BaseException) -> bool:
    """Return whether an error was raised while pydantic validated a foreign document.

    PyIceberg's validators index and compare values whose type nothing has checked yet: they raise TypeError and
    AttributeError for those of another one.
    """
    frames = ((frame.f_globals.get("__name__", ""), frame.f_code.co_name) for frame, _ in walk_tb(error.__traceback__))
    return any(name.startswith("pydantic.") and "validate" in function for name, function in frames)


def _condition_of(error: Exception, message: str) -> PackhouseError | None:
    """Return the domain's error for an exception of catalogs and storages, None for any other."""
    if isinstance(error, AuthorizationExpiredError):
        return CredentialsExpired(f"{message}; the credentials expired")
    if is_locked(error):
        return Transient(message)
    if isinstance(error, _CATALOG_AWAY) or _is_driver_away(error):
        return Away(DependencyKind.CATALOG, message)
    if isinstance(error, OSError | EOFError):
        return storage_condition(error, message)
    return Transient(message) if is_unreachable(error) else None


def _is_driver_away(error: Exception) -> bool:
    return type(error).__module__.split(".")[0] == "urllib3" or is_database_away(error)

"""Classify the exceptions of reading untrusted files: by the content, the storage, a fault of ours, or on purpose.

For unexpected content, libraries raise arbitrary Python exceptions, and Rust extensions panic. Those by which Python
reports a fault of the program (`is_own_fault`) are never taken for the content: a file that is read by wrong code is
not damaged. PyIceberg raises them for content that it does not support: its parsers get bytes, within `parsing`.
No message contains a secret: texts of libraries are masked first (`domain.values.uris`).
"""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from gzip import BadGzipFile
from typing import Final

import pyarrow as pa
import structlog

from engine.domain.errors import Away, CredentialsExpired, PackhouseError, StateConflict, TableUnreadable, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.values.uris import masked
from engine.formats.intake.limits import Malformed, Unsupported
from engine.rewriting.kernel.storage.answers import is_expired, is_refused

_log = structlog.get_logger(__name__)

_LOCAL_FAULTS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENAMETOOLONG)
_OF_ONE_FILE: Final = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError)
_OF_CONTENT: Final = (EOFError, FileNotFoundError, IsADirectoryError, NotADirectoryError, BadGzipFile)
_OF_PATHS: Final = frozenset({errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP})
"""Errors that look like unreachable storage but are caused by the content read or its path."""

_OWN_FAULTS: Final = (AttributeError, TypeError, NotImplementedError, NameError, ImportError, AssertionError)

_FOLDER: Final = "is a directory"  # end of Arrow's message, which has no error number

_PANICS: Final = "pyo3_runtime"
"""Module of the exception raised by panics in Rust extensions; it derives from `BaseException`."""

_LONGEST_NAME: Final = 200
_LONGEST_SUMMARY: Final = 300
_LONGEST_PATH: Final = 300


def printable(text: str, instead: str = "?") -> str:
    """Return a text from foreign metadata with each unprintable character replaced by `instead`."""
    return "".join(each if each.isprintable() else instead for each in text)


def printable_path(path: str, *, end: bool = False) -> str:
    """Return a path or name for messages: printable, and at most 300 characters of its start, or of its `end`."""
    return printable(path[-_LONGEST_PATH:] if end else path[:_LONGEST_PATH])


def summary_of(error: BaseException) -> str:
    """Return the class and the first line of an error, masked and printable, at most 300 characters."""
    first = (str(error).strip() or "no message").splitlines()[0]
    named = first if isinstance(error, Malformed) else f"{type(error).__name__}: {first}"
    return printable(masked(named)[:_LONGEST_SUMMARY])


def is_own_fault(error: BaseException) -> bool:
    """Return whether an error reports a fault of the program that reads, whatever is read.

    Arrow's own exceptions are not among them: it raises subclasses of these for files with unsupported features.
    """
    return isinstance(error, _OWN_FAULTS) and not isinstance(error, pa.ArrowException)


def is_of_file(error: BaseException) -> bool:
    """Return whether an error is caused by the file read: not by its storage or our code, and not raised on purpose."""
    if isinstance(error, _OF_CONTENT):
        return True
    if isinstance(error, OSError) and (error.errno in _OF_PATHS or str(error).endswith(_FOLDER)):
        return True
    if isinstance(error, PackhouseError | OSError | EOFError) or is_own_fault(error):
        return False
    return isinstance(error, Exception) or type(error).__module__ == _PANICS


@contextmanager
def decoding_bytes() -> Iterator[None]:
    """Run a block that decodes content in memory, and reads nothing: an OSError in it is caused by the content.

    Arrow raises it for damaged content, as it does for a store that does not answer.

    Raises:
        Malformed: in its place, with its summary.
    """
    try:
        yield
    except (OSError, EOFError) as error:
        raise Malformed(summary_of(error)) from error


@contextmanager
def parsing(what: str) -> Iterator[None]:
    """Run a parser of a library that raises any exception for content in memory that it does not support.

    The block must call nothing else: a fault of ours in it would be reported as damage. `what` completes "it is not
    a …".

    Raises:
        Malformed: as `decoding_bytes`, or the parser raised what otherwise reports a fault of the program.
    """
    try:
        with decoding_bytes():
            yield
    except _OWN_FAULTS as error:
        raise Malformed(f"it is not a {what} ({summary_of(error)})") from error


@contextmanager
def decoding_file(
    what: str,
    *,
    is_of_content: Callable[[BaseException], bool] = is_of_file,
    summary: Callable[[BaseException], str] = summary_of,
) -> Iterator[None]:
    """Run a block that reads and decodes a file.

    Args:
        what: names the file in the error message.
        is_of_content: returns whether an error is caused by the file.
        summary: returns the text of an error.

    Raises:
        Malformed: it can't be decoded. Errors of storage that does not answer pass unchanged.
    """
    try:
        yield
    except BaseException as error:
        if not is_of_content(error):
            raise
        raise Malformed(f"{what[-_LONGEST_NAME:]}: {summary(error)}") from error


@contextmanager
def reading_metadata(doing: str, *, remedy: str) -> Iterator[None]:
    """Run a block that reads one table's metadata; `doing` completes "Could not …", `remedy` is a clause.

    Raises:
        TableUnreadable: the metadata is damaged, too large or not supported.
        Away, CredentialsExpired, StateConflict, Transient: the storage does not answer, or refuses.
    """
    try:
        yield
    except PackhouseError:
        raise
    except BaseException as error:
        message = f"Could not {doing}: {summary_of(error)}"
        if is_of_file(error):
            is_expected = any(isinstance(each, Malformed) for each in causes_of(error))
            _log.warning("table_unreadable", doing=doing, exc_info=None if is_expected else error)
            is_damaged = not any(isinstance(each, Unsupported) for each in causes_of(error))
            raise TableUnreadable(f"{message}; {remedy}" if is_damaged else message) from error
        if isinstance(error, OSError | EOFError):
            raise storage_condition(error, message) from error
        raise


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, outermost first."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def storage_condition(error: OSError | EOFError, message: str) -> PackhouseError:
    """Return the domain's error for an exception of a storage, with a message."""
    if is_expired(str(error)):
        return CredentialsExpired(f"{message}; the credentials expired")
    if is_refused(str(error)):
        return StateConflict(f"{message}; give the catalog's properties credentials that may do this")
    if isinstance(error, _OF_ONE_FILE) or _is_local(error):
        return Transient(message)
    return Away(DependencyKind.STORAGE, message)


def is_refusal(error: BaseException) -> bool:
    """Return whether a storage refused a request with valid credentials: it may allow the same for other files."""
    is_forbidden = isinstance(error, PermissionError) or (isinstance(error, OSError) and is_refused(str(error)))
    return is_forbidden and not is_expired(str(error))


def _is_local(error: OSError | EOFError) -> bool:
    """Return whether an OS error concerns local files of this machine, such as a full disk."""
    return isinstance(error, OSError) and error.errno in _LOCAL_FAULTS

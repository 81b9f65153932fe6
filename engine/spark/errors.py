"""Translate exceptions of Spark Connect into errors of the domain: interrupted, away, or failed with a first cause.

Hazards: an interrupt may arrive after the work was done, so `Interrupted` proves nothing about what was written. Errors
of the server arrive as text; the relevant class follows `Caused by:`, or is at the end of a Python traceback.
"""

import re
from typing import Final

from engine.domain.errors import Away, Interrupted, PackhouseError, SparkFailed
from engine.domain.fleet.dependencies import DependencyKind

_REFUSED_CODES: Final = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED"})
_AWAY_CODES: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"}) | _REFUSED_CODES
_AWAY_WORDS: Final = (
    "INVALID_HANDLE.",  # the server no longer has the session or operation: closed, changed, abandoned
    "INVALID_CURSOR.",
    "NO_ACTIVE_SESSION",
    "RESPONSE_ALREADY_RECEIVED",
    "incorrect server side session identifier",
    "SparkContext was shut down",
    "stopped SparkContext",
    "SparkContext has been shutdown",
    "closed channel",
)
_GONE_WORDS: Final = (
    "OPERATION_NOT_FOUND",
    "OPERATION_ABANDONED",
    "SESSION_NOT_FOUND",
    "SESSION_CLOSED",
    "SESSION_CHANGED",
)
_WRAPPERS: Final = re.compile(
    r"(ExecutionException|UncheckedExecutionException|InvocationTargetException|CompletionException"
    r"|SparkException: Job aborted)"
)
_CAUSED_BY: Final = re.compile(r"^Caused by: (?P<cause>\S.*)$", re.MULTILINE)
_LOST_TASK: Final = re.compile(r"most recent failure: Lost task [^:]*\): (?P<cause>\S.*)$", re.MULTILINE)
_TRACEBACK: Final = "Traceback (most recent call last):"
_MESSAGE_CHARACTERS: Final = 2000


def translate(error: BaseException, endpoint: str | None = None) -> PackhouseError:
    """Return the domain's error for an exception of pyspark or gRPC, of an endpoint (None: the default one).

    `Interrupted`: stopped on request. `Away`: no server, or it has lost the session or the operation;
    `details["closed"]` is true when the session's id can't be used again. `SparkFailed`: every other error, with the
    first meaningful cause as its message and that cause's class in `details["cause"]`.
    """
    if isinstance(error, PackhouseError):
        return error
    text = _text(error)
    if "[OPERATION_CANCELED]" in text:
        return Interrupted("the Spark operation was interrupted")
    status = _status(error)
    if status in _AWAY_CODES or any(words in text for words in _AWAY_WORDS):
        what = "Spark refuses the token" if status in _REFUSED_CODES else "Spark does not answer"
        details = {"closed": "SESSION_CLOSED" in text}
        return Away(DependencyKind.SPARK, f"{what}: {_first_line(text)}", details=details, endpoint=endpoint)
    cause = first_cause(text)
    return SparkFailed(cause, details={"cause": cause.partition(":")[0].strip(), "text": text[:_MESSAGE_CHARACTERS]})


def is_gone(error: BaseException) -> bool:
    """Return whether the error means that the server no longer has the session or the operation."""
    return any(word in _text(error) for word in _GONE_WORDS)


def is_late(error: BaseException) -> bool:
    """Return whether the call ended because of its own deadline."""
    return _status(error) == "DEADLINE_EXCEEDED"


def first_cause(text: str) -> str:
    """Return `class: message` of the first meaningful cause in the text of a server error."""
    if _TRACEBACK in text:
        return _python_cause(text)
    causes = [match["cause"] for pattern in (_CAUSED_BY, _LOST_TASK) for match in pattern.finditer(text)]
    meaningful = [cause for cause in causes if not _WRAPPERS.search(cause)]
    return next(iter(meaningful or causes), None) or _first_line(text)


def _python_cause(text: str) -> str:
    """Return the exception at the end of the last traceback, which is the one raised by the task function."""
    lines = text.rpartition(_TRACEBACK)[2].splitlines()
    unindented = [number for number, line in enumerate(lines) if line and not line[0].isspace()]
    if not unindented:
        return _first_line(text)
    end = next((n for n, line in enumerate(lines) if n >= unindented[0] and line.startswith("\tat ")), len(lines))
    return "\n".join(lines[unindented[0] : end]).strip()[:_MESSAGE_CHARACTERS]


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no message")


def _status(error: BaseException) -> str:
    """Return the name of the gRPC status; empty if there is none."""
    read = getattr(error, "getGrpcStatusCode", None) or getattr(error, "code", None)
    return str(getattr(read(), "name", "")) if callable(read) else ""


def _text(error: BaseException) -> str:
    details = getattr(error, "details", None)
    return str(details() if callable(details) else error)

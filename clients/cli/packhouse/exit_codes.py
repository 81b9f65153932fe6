"""Exit codes of `packhouse`, documented in docs/reference/clients.md and in `packhouse --help`."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from packhouse_client import errors


class ExitCode(IntEnum):
    """Exit codes, one for each different reaction of a script."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    RUN_FAILED = 3
    NOT_FOUND = 4
    CONFLICT = 5
    UNREACHABLE = 6
    UNAUTHENTICATED = 7
    FORBIDDEN = 8
    DIFFERENCES = 9


_BY_KIND: Final[Sequence[tuple[tuple[type[errors.PackhouseError], ...], ExitCode]]] = (
    ((errors.RunFailed,), ExitCode.RUN_FAILED),
    ((errors.NotFound,), ExitCode.NOT_FOUND),
    ((errors.StateConflict, errors.PreconditionFailed, errors.PreconditionRequired), ExitCode.CONFLICT),
    ((errors.BadRequest,), ExitCode.USAGE),
    ((errors.Unauthenticated,), ExitCode.UNAUTHENTICATED),
    ((errors.Forbidden,), ExitCode.FORBIDDEN),
    ((errors.NoAnswer, errors.Unavailable, errors.RateLimited, errors.WaitTimedOut), ExitCode.UNREACHABLE),
)


def for_error(error: errors.PackhouseError) -> ExitCode:
    """Return the exit code of an error of the SDK."""
    return next((code for kinds, code in _BY_KIND if isinstance(error, kinds)), ExitCode.ERROR)

"""What the exit status of `packhouse` says; documented in the README and in `packhouse --help`."""

from enum import IntEnum


class ExitCode(IntEnum):
    """One code for each thing that a script may want to do about it."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    RUN_FAILED = 3
    NOT_FOUND = 4
    CONFLICT = 5
    UNREACHABLE = 6
    UNAUTHENTICATED = 7


_BY_STATUS = {
    400: ExitCode.USAGE,
    401: ExitCode.UNAUTHENTICATED,
    403: ExitCode.UNAUTHENTICATED,
    404: ExitCode.NOT_FOUND,
    409: ExitCode.CONFLICT,
    412: ExitCode.CONFLICT,
    422: ExitCode.USAGE,
    428: ExitCode.CONFLICT,
    503: ExitCode.UNREACHABLE,
}


def for_status(status: int) -> ExitCode:
    """Return the exit code of an HTTP error status."""
    return _BY_STATUS.get(status, ExitCode.ERROR)

"""Limits of the answers of a Postgres database: a client keeps all rows of a query before the first one is read.

psycopg asks libpq to take what has arrived, over and over, until the answer is complete. In between, the bytes that are
about to be taken are counted, so that an answer without an end costs a bounded amount of memory, even of a server that
ignores LIMIT.
"""

import struct
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from fcntl import ioctl
from functools import partial
from termios import FIONREAD
from typing import Any, Final, TypeAlias

from sqlalchemy import Engine, event

from engine.sql.addresses import POSTGRESQL

MOST_BYTES: Final = 64 * 2**20
"""Of one answer. libpq takes about twice as much memory."""

TOO_LONG: Final = "the answer of the database is longer than"
"""What the message of the error about its bytes begins with."""

_CANCEL_SECONDS: Final = 5.0

_Steps: TypeAlias = Generator[Any, Any, Any]
Check: TypeAlias = Callable[[], None]
"""Raises if the answer is awaited no longer."""


def limit_answers(engine: Engine, *, seconds: float, check: Check) -> None:
    """Limit each answer to `MOST_BYTES` and to a time; a longer one closes the connection and raises OperationalError.

    Other databases than Postgres are not limited.
    """
    if engine.dialect.name == POSTGRESQL:
        event.listen(engine, "connect", partial(_limit, engine, seconds, check))


def _limit(engine: Engine, seconds: float, check: Check, connection: Any, _record: Any) -> None:
    wait = connection.wait  # runs the steps of a command, between which it waits for the socket

    def limited(steps: _Steps, *arguments: Any, **options: Any) -> Any:
        return wait(_counted(steps, connection, fail, check, time.monotonic() + seconds), *arguments, **options)

    def fail(message: str) -> None:
        raise engine.dialect.loaded_dbapi.OperationalError(message)

    connection.wait = limited


def _counted(
    steps: _Steps, connection: Any, fail: Callable[[str], None], check: Check, until: float
) -> Generator[Any, Any, Any]:
    """Run the steps of a command as they are; at a limit end it in the server, close the connection and raise."""
    left, ready = MOST_BYTES, None
    while True:
        try:
            wanted = steps.send(ready)
        except StopIteration as done:
            return done.value
        ready = yield wanted
        left -= _arrived(connection.fileno())
        try:
            check()
            if left < 0:
                fail(f"{TOO_LONG} {MOST_BYTES // 2**20} MiB")
            if time.monotonic() > until:
                fail("the database did not answer in time")
        except BaseException:
            with suppress(Exception):  # else the server goes on: a sort without an end fills its disk
                connection.cancel_safe(timeout=_CANCEL_SECONDS)
            connection.close()
            raise


def _arrived(socket: int) -> int:
    """Return the number of bytes that have arrived at a socket and were not taken yet."""
    found: int = struct.unpack("i", ioctl(socket, FIONREAD, bytes(4)))[0]
    return found

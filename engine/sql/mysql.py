"""Connections to MySQL and MariaDB: to checked addresses, with limits of the bytes and the time of each answer.

PyMySQL reads an answer completely, and makes a tuple of each row, before the first one is returned. What it reads is
counted here before it is read, with an allowance for the objects that are made of it, so that an answer without an end
costs a bounded amount of memory. The driver's own time limit is for each packet's next byte: here it is for the answer.

Needs the extra `mysql`: it is imported where one is used.
"""

import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pymysql.connections import Connection
from pymysql.err import Error, OperationalError
from sqlalchemy import Engine

from engine.outgoing.bounds import CheckPeer, connected
from engine.sql.answers import MOST_BYTES, TOO_LONG, Check

PORT: Final = 3306
_CONNECT_SECONDS: Final = 10.0
_OPENING_BYTES: Final = 2**20
_PIECE_BYTES: Final = 128
"""Allowance for the objects of each piece that is read: a packet is two, its head and its content."""

_NO_CONNECTION: Final = 2003
_LOST: Final = 2013
_MALFORMED: Final = 2027
_OF_PACKETS: Final = (
    *(AssertionError, AttributeError, LookupError, OverflowError, RuntimeError, TypeError, ValueError),
    struct.error,
)
"""Errors of the driver for packets that it can't read, in addition to its own classes."""


def limit_connections(engine: Engine, *, seconds: float, check: Check, check_peer: CheckPeer) -> None:
    """Let an engine of MySQL connect to checked addresses only, and limit each answer in bytes and time.

    Args:
        engine: with the driver PyMySQL.
        seconds: for each answer.
        check: raises if the answer is awaited no longer.
        check_peer: raises for an address that must not be connected to.
    """

    def connect(**parameters: Any) -> Any:
        host, port = str(parameters.get("host") or ""), int(parameters.get("port") or PORT)
        opened = BoundedConnection(seconds, check, **{**parameters, "defer_connect": True})
        try:
            socket = connected(host, port, _CONNECT_SECONDS, check_peer)
        except OSError as error:  # its text would tell what answers at a forbidden address
            raise OperationalError(_NO_CONNECTION, f"no connection to {host}:{port}") from error
        try:
            opened.connect(socket)
        except BaseException:
            socket.close()
            raise
        return opened

    engine.dialect.connect = connect  # type: ignore[method-assign]


class BoundedConnection(Connection):  # type: ignore[misc] # the library has no types
    """A connection whose answers are limited; see `limit_connections`."""

    def __init__(self, seconds: float, check: Check, **parameters: Any) -> None:
        self._seconds, self._check = seconds, check
        self._most = self._left = _OPENING_BYTES
        self._until = 0.0
        super().__init__(**parameters)

    def connect(self, sock: Any = None) -> None:
        """Open the connection on a connected socket. Raises OperationalError."""
        self._until = time.monotonic() + _CONNECT_SECONDS
        with _reading_packets():
            super().connect(sock)

    def query(self, sql: Any, unbuffered: bool = False) -> Any:
        """Send a statement and read its answer. Raises errors of the driver."""
        with _reading_packets():
            return super().query(sql, unbuffered)

    def _execute_command(self, command: int, sql: Any) -> None:
        self._most = self._left = MOST_BYTES
        self._until = time.monotonic() + self._seconds
        super()._execute_command(command, sql)

    def _read_bytes(self, num_bytes: int) -> bytes:
        self._check()
        self._left -= num_bytes + _PIECE_BYTES
        if self._left < 0:
            raise self._ended(f"{TOO_LONG} {self._most // 2**20} MiB")
        found = bytearray()
        while len(found) < num_bytes:
            left = self._until - time.monotonic()
            if left <= 0:
                raise self._ended("it did not answer in time")
            self._sock.settimeout(left)
            try:
                part = self._rfile.read1(num_bytes - len(found))
            except OSError as error:
                raise self._ended(f"no answer: {error}") from error
            if not part:
                raise self._ended("it closed the connection")
            found += part
        return bytes(found)

    def _ended(self, reason: str) -> OperationalError:
        self._force_close()
        return OperationalError(_LOST, f"{self.host}:{self.port}: {reason}")


@contextmanager
def _reading_packets() -> Iterator[None]:
    try:
        yield
    except Error:
        raise
    except _OF_PACKETS as error:
        raise OperationalError(_MALFORMED, f"a packet can't be read: {type(error).__name__}") from error

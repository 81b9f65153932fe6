"""Limits of the answers of a Postgres database: a client keeps all rows of a query before the first one is read.

psycopg asks libpq to take what has arrived, over and over, until the answer is complete. In between, the bytes that
the connection has received are counted, so that an answer without an end costs a bounded amount of memory, even of a
server that ignores LIMIT. So are the messages before a connection is open: libpq keeps a notice of up to 1 GiB.
"""

import os
import socket
import struct
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from fcntl import ioctl
from functools import partial
from termios import FIONREAD
from typing import Any, Final, Self, TypeAlias

import psycopg
from sqlalchemy import Engine

from engine.sql.addresses import POSTGRESQL

MOST_BYTES: Final = 64 * 2**20
"""Of one answer. libpq takes about twice as much memory."""

_INFO_BYTES: Final = 136
"""Of the structure `tcp_info` (linux/tcp.h), up to and including `tcpi_bytes_received`."""

_WINDOW_BYTES: Final = 2**15
"""Of a socket: libpq takes bytes in one step for as long as some are waiting, up to the 1 GiB of a message.

Without it, a notice of a fast server took 611 MiB in one step, before the bytes were counted. It makes that rare, and
does not exclude it: a server that always sends faster than libpq reads is bounded by the 1 GiB only.
"""

_OPENING_BYTES: Final = 2**20
"""Of the messages that open a connection: notices, and parameters, each of which libpq compares with all others."""

TOO_LONG: Final = "the answer of the database is longer than"
"""What the message of the error about its bytes begins with."""

_CANCEL_SECONDS: Final = 5.0

_Steps: TypeAlias = Generator[Any, Any, Any]
Check: TypeAlias = Callable[[], None]
"""Raises if the answer is awaited no longer."""


def limit_answers(engine: Engine, *, seconds: float, check: Check) -> None:
    """Limit each answer to `MOST_BYTES` and to a time; a longer one closes the connection and raises OperationalError.

    The messages that open a connection are limited to 1 MiB, and to the time `connect_timeout` of its address. Other
    databases than Postgres are not limited.
    """
    if engine.dialect.name == POSTGRESQL:
        # no listener of `connect`: SQLAlchemy's own first queries come before it
        engine.dialect.connect = partial(_open, seconds, check)  # type: ignore[method-assign]


def _open(seconds: float, check: Check, *arguments: Any, **parameters: Any) -> Any:
    connection = _Connection.connect(*arguments, **parameters)
    wait = connection.wait  # runs the steps of a command, between which it waits for the socket

    def limited(steps: _Steps, *given: Any, **options: Any) -> Any:
        return wait(_counted(steps, connection, check, time.monotonic() + seconds), *given, **options)

    connection.wait = limited  # type: ignore[method-assign, assignment]
    return connection


class _Connection(psycopg.Connection[Any]):
    """A connection that a server can't keep from opening, or fill memory with, beyond its limits."""

    @classmethod
    def connect(cls, *arguments: Any, **parameters: Any) -> Self:
        """Open a connection as psycopg does. Raises OperationalError; that at the time limit names the server."""
        try:
            return super().connect(*arguments, **parameters)
        except psycopg.errors.ConnectionTimeout as error:
            server = f"{parameters.get('host', 'its default server')}:{parameters.get('port', 5432)}"
            raise psycopg.errors.ConnectionTimeout(f"no connection to {server} in time") from error

    @classmethod
    def _connect_gen(cls, *arguments: Any, **options: Any) -> _Steps:
        steps: _Steps = super()._connect_gen(*arguments, **options)
        counter, ready = _Counter(), None
        while True:
            try:
                wanted = steps.send(ready)
            except StopIteration as done:
                return done.value
            with socket.socket(fileno=os.dup(wanted[0])) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _WINDOW_BYTES)
            ready = yield wanted
            if counter.received(wanted[0]) > _OPENING_BYTES:
                steps.close()
                raise psycopg.OperationalError(f"{TOO_LONG} {_OPENING_BYTES // 2**20} MiB before a connection is open")


def _counted(steps: _Steps, connection: _Connection, check: Check, until: float) -> Generator[Any, Any, Any]:
    """Run the steps of a command as they are; at a limit end it in the server, close the connection and raise."""
    counter, ready = _Counter(), None
    counter.received(connection.fileno())
    while True:
        try:
            wanted = steps.send(ready)
        except StopIteration as done:
            return done.value
        ready = yield wanted
        try:
            check()
            _check(connection.info, counter.received(connection.fileno()), until)
        except BaseException:
            # otherwise the server goes on: a sort without an end fills its disk. The error that ends the command is
            # raised below; that of the attempt to cancel would only take its place.
            with suppress(Exception):
                connection.cancel_safe(timeout=_CANCEL_SECONDS)
            connection.close()
            raise


def _check(server: psycopg.ConnectionInfo, count: int, until: float) -> None:
    if count > MOST_BYTES:
        raise psycopg.OperationalError(f"{TOO_LONG} {MOST_BYTES // 2**20} MiB")
    if time.monotonic() > until:
        raise psycopg.OperationalError(f"{server.host}:{server.port} did not answer in time")


class _Counter:
    """Counts the bytes that a connection receives after the first call."""

    def __init__(self) -> None:
        self._before: int | None = None
        self._taken = 0

    def received(self, descriptor: int) -> int:
        """Return the number of bytes, from the kernel: libpq takes more in one step than had arrived before it."""
        with socket.socket(fileno=os.dup(descriptor)) as connection:
            try:
                info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
                (count,) = struct.unpack_from("Q", info, _INFO_BYTES - 8)
            except (OSError, struct.error):  # no TCP, or a kernel without this figure: those that wait to be taken
                (waiting,) = struct.unpack("i", ioctl(connection, FIONREAD, bytes(4)))
                self._taken += waiting
                return self._taken
        self._before = count if self._before is None else self._before
        return int(count) - self._before

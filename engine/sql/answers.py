"""Limits of the answers of a Postgres database: a client keeps all rows of a query before the first one is read.

psycopg asks libpq to take what has arrived, over and over, until the answer is complete. In between, the bytes that
the connection has received are counted, so that an answer without an end costs a bounded amount of memory, even of a
server that ignores LIMIT. So are the messages before a connection is open: libpq keeps a notice of up to 1 GiB.

libpq takes bytes in one step for as long as some are waiting, and a server that sends faster than it reads never lets
the step end: it took 639 MiB of a notice before they were counted. So a thread counts during the steps as well, which
hold no lock of Python, and shuts the connection down.
"""

import os
import socket
import struct
import time
from collections.abc import Callable, Generator
from contextlib import nullcontext, suppress
from fcntl import ioctl
from functools import partial
from termios import FIONREAD
from threading import Event, Thread
from typing import Any, Final, Self, TypeAlias

import psycopg
from sqlalchemy import Engine

from engine.sql.addresses import POSTGRESQL

MOST_BYTES: Final = 64 * 2**20
"""Of one answer. libpq takes about twice as much memory."""

_INFO_BYTES: Final = 136
"""Of the structure `tcp_info` (linux/tcp.h), up to and including `tcpi_bytes_received`."""

_WINDOW_BYTES: Final = 2**15
"""Of a socket: the most that arrives between a count and the end of a step."""

_LOOK_SECONDS: Final = 0.01
"""Between two counts during a step."""

_OPENING_BYTES: Final = 2**20
"""Of the messages that open a connection: notices, and parameters, each of which libpq compares with all others."""

TOO_LONG: Final = "the answer of the database is longer than"
"""Prefix of the message of the error about its bytes."""

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
    connection = _BoundedConnection.connect(*arguments, **parameters)
    wait = connection.wait  # runs the steps of a command, between which it waits for the socket

    def limited(steps: _Steps, *given: Any, **options: Any) -> Any:
        return wait(_counted(steps, connection, check, time.monotonic() + seconds), *given, **options)

    connection.wait = limited  # type: ignore[method-assign, assignment]
    return connection


class _BoundedConnection(psycopg.Connection[Any]):
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
        counter, ready = _ByteCounter(), None
        cut: _Cut | None = None  # before the first step there is no descriptor
        while True:
            try:
                with cut or nullcontext():
                    wanted = steps.send(ready)
            except StopIteration as done:
                return done.value
            cut = _Cut(wanted[0], counter, _OPENING_BYTES, " before a connection is open")
            with socket.socket(fileno=os.dup(wanted[0])) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _WINDOW_BYTES)
            ready = yield wanted
            if counter.received(wanted[0]) > cut.most:
                steps.close()
                raise cut.error()


def _counted(steps: _Steps, connection: _BoundedConnection, check: Check, until: float) -> Generator[Any, Any, Any]:
    """Run the steps of a command as they are; at a limit end it in the server, close the connection and raise."""
    counter, ready = _ByteCounter(), None
    counter.received(connection.fileno())
    while True:
        cut = _Cut(connection.fileno(), counter, MOST_BYTES)
        try:
            with cut:
                wanted = steps.send(ready)
        except StopIteration as done:
            return done.value
        except psycopg.OperationalError:
            if cut.is_made:  # else SQLAlchemy would roll back, and the error of that would take the place of this one
                connection.close()
            raise
        ready = yield wanted
        try:
            check()
            _check(connection, counter, cut, until)
        except BaseException:
            # otherwise the server goes on: a sort without an end fills its disk. The error that ends the command is
            # raised below; that of the attempt to cancel would only take its place.
            with suppress(Exception):
                connection.cancel_safe(timeout=_CANCEL_SECONDS)
            connection.close()
            raise


def _check(connection: _BoundedConnection, counter: "_ByteCounter", cut: "_Cut", until: float) -> None:
    if counter.received(connection.fileno()) > cut.most:
        raise cut.error()
    if time.monotonic() > until:
        raise psycopg.OperationalError(f"{connection.info.host}:{connection.info.port} did not answer in time")


class _Cut:
    """Shuts a connection down, from a thread of its own, once it has received more than `most` bytes during a step.

    On leaving, raises OperationalError if it did. Connections without TCP have no exact count, and are left alone.
    """

    def __init__(self, descriptor: int, counter: "_ByteCounter", most: int, when: str = "") -> None:
        self._descriptor, self._counter, self._when = descriptor, counter, when
        self._over = Event()
        self.most = most
        self.is_made = False

    def error(self) -> psycopg.OperationalError:
        """Return the error of an answer that is too long."""
        return psycopg.OperationalError(f"{TOO_LONG} {self.most // 2**20} MiB{self._when}")

    def __enter__(self) -> None:
        # a descriptor of its own: that of the connection may be closed, and given to another file, within the step
        self._connection = socket.socket(fileno=os.dup(self._descriptor))
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._over.set()
        self._thread.join()
        self._connection.close()
        if self.is_made:
            raise self.error() from error

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            count = self._counter.exact(self._connection)
            if count is not None and count > self.most:
                self.is_made = True
                with suppress(OSError):  # the server has closed it already
                    self._connection.shutdown(socket.SHUT_RDWR)
                return


class _ByteCounter:
    """Counts the bytes that a connection receives after the first call."""

    def __init__(self) -> None:
        self._before: int | None = None
        self._taken = 0

    def received(self, descriptor: int) -> int:
        """Return the number of bytes, from the kernel: libpq takes more in one step than had arrived before it."""
        with socket.socket(fileno=os.dup(descriptor)) as connection:
            count = self.exact(connection)
            if count is None:  # those that wait to be taken
                (waiting,) = struct.unpack("i", ioctl(connection, FIONREAD, bytes(4)))
                self._taken += waiting
                return self._taken
        return count

    def exact(self, connection: socket.socket) -> int | None:
        """Return the number of bytes as the kernel counts them; None without TCP, or if the kernel does not."""
        try:
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
            (count,) = struct.unpack_from("Q", info, _INFO_BYTES - 8)
        except (OSError, struct.error):
            return None
        self._before = count if self._before is None else self._before
        return int(count) - self._before

"""Connections of Thrift to a server: each answer is limited in time and size, each address checked before its use."""

import socket
import ssl
from time import monotonic
from typing import Final, Protocol

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.catalogs.metastores.errors import WrongAccess
from engine.formats.intake.catalogs.metastores.kerberos import KERBEROS_ENABLED
from engine.formats.intake.catalogs.metastores.tls import SSL_ENABLED, refusal_of, secured
from engine.formats.intake.limits import Malformed
from engine.outgoing.bounds import CheckPeer, connected
from engine.outgoing.tls import Tls
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

CONNECT_SECONDS: Final = 10.0
"""Limit for connecting; as much again for each step of a handshake."""

_ANSWER_SECONDS: Final = 60.0
_LARGEST_ANSWER: Final = 128 * 2**20
_TLS_ALERT: Final = b"\x15\x03"
_SASL_REFUSALS: Final = (b"\3\0", b"\4\0")
_CLOSED: Final = "it closed the connection"
_CLOSED_AT_ONCE: Final = f"{_CLOSED} before its first answer; if it requires Kerberos, set `{KERBEROS_ENABLED}` to true"


class AnswerSocket(Protocol):
    """A connection of one request after the other. Its methods raise `TTransportException`, `read` also `Malformed`."""

    def write(self, request: bytes) -> None:
        """Send a request."""

    def read(self, most: int) -> bytes:
        """Return the next bytes of the answer, at least one."""

    def close(self) -> None:
        """Close the connection."""


class LimitedSocket:
    """A connection that limits the time and size of each answer, which is what is read until the next request.

    `expects_frames`: the answers are those of SASL.
    """

    def __init__(self, connection: socket.socket, address: str) -> None:
        self.address = address
        self.expects_frames = False
        self._has_answered = False
        self._socket = connection
        self._seconds, self._most = _ANSWER_SECONDS, _LARGEST_ANSWER
        self._until, self._left = monotonic(), 0

    def write(self, request: bytes, seconds: float | None = None, most: int | None = None) -> None:
        """Send a request, whose answer must be complete within the limits.

        Raises:
            TTransportException: it could not be sent.
        """
        stop_if_abandoned()
        self._seconds, self._most = seconds or _ANSWER_SECONDS, most or _LARGEST_ANSWER
        self._until, self._left = monotonic() + self._seconds, self._most
        self._socket.settimeout(self._seconds)
        try:
            self._socket.sendall(request)
        except OSError as error:
            raise self._failure(error) from error

    def read(self, most: int) -> bytes:
        """Return the next bytes of an answer, at least one.

        Raises:
            Malformed: the answer is too large.
            TTransportException: it is not complete in time, or the connection ended.
            WrongAccess: the server wants a client certificate, or TLS.
        """
        left = self._until - monotonic()
        if left <= 0:
            raise self._failure(TimeoutError())
        self._socket.settimeout(left)
        try:
            found = self._socket.recv(most)
        except OSError as error:
            raise self._failure(error) from error
        if not found:
            raise self._failure(EOFError(_CLOSED if self._has_answered or self.expects_frames else _CLOSED_AT_ONCE))
        self._has_answered = True
        if self._left == self._most:
            self._check_begin(found)
        self._left -= len(found)
        if self._left < 0:
            raise Malformed(f"an answer of the Metastore is larger than {self._most} bytes")
        return found

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _check_begin(self, answer: bytes) -> None:
        """Raise WrongAccess if an answer begins as that of a server with TLS or SASL, which refuses what it got."""
        if answer.startswith(_TLS_ALERT) and not isinstance(self._socket, ssl.SSLSocket):
            raise WrongAccess(f"{self.address} requires TLS", f"set `{SSL_ENABLED}` to true")
        if answer.startswith(_SASL_REFUSALS) and not self.expects_frames:
            raise WrongAccess(f"{self.address} requires SASL", f"set `{KERBEROS_ENABLED}` to true")

    def _failure(self, error: OSError | EOFError) -> TTransportException:
        if isinstance(error, TimeoutError):
            message = f"read timeout: {self.address} did not answer within {self._seconds:g} s"
            return TTransportException(TTransportException.TIMED_OUT, message)
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return refusal_of(error, self.address)
        return TTransportException(TTransportException.END_OF_FILE, f"no answer of {self.address}: {error}")


def open_socket(host: str, port: int, check_peer: CheckPeer, tls: Tls | None) -> LimitedSocket:
    """Return a connection to a server; `tls`: None for one without.

    Raises:
        TTransportException: it does not answer in time.
        WrongAccess: it, or its certificate, is refused, or it refuses the client.
    """
    address = f"{host}:{port}"
    try:
        connection = connected(host, port, CONNECT_SECONDS, check_peer)
    except OSError as error:  # its text would tell what answers at a forbidden address
        raise TTransportException(TTransportException.NOT_OPEN, f"no connection to {address}") from error
    if tls is not None:
        connection.settimeout(CONNECT_SECONDS)
        try:
            connection = secured(connection, host, address, tls)
        except BaseException as error:
            connection.close()
            if not isinstance(error, OSError):
                raise
            message = f"{address} ended the handshake of TLS, or did not finish it in {CONNECT_SECONDS:g} s"
            raise TTransportException(
                TTransportException.NOT_OPEN, f"{message}; if it does not use TLS, set `{SSL_ENABLED}` to false"
            ) from error
    return LimitedSocket(connection, address)

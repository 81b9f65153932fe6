"""Connections of Thrift to a server: each answer is limited in time and size, each address checked before its use."""

import socket
from time import monotonic
from typing import Final

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.limits import Malformed
from engine.outgoing.bounds import CheckPeer, connected
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

_CONNECT_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 60.0
_LARGEST_ANSWER: Final = 128 * 2**20


class LimitedSocket:
    """A connection that limits the time and size of each answer, which is what is read until the next request."""

    def __init__(self, connection: socket.socket, address: str) -> None:
        self._socket = connection
        self._address = address
        self._until, self._left = monotonic(), 0

    def write(self, request: bytes) -> None:
        """Send a request, whose answer must be complete within the limits.

        Raises:
            TTransportException: it could not be sent.
        """
        stop_if_abandoned()
        self._until, self._left = monotonic() + _ANSWER_SECONDS, _LARGEST_ANSWER
        self._socket.settimeout(_ANSWER_SECONDS)
        try:
            self._socket.sendall(request)
        except TimeoutError as error:
            raise self._late() from error
        except OSError as error:
            raise self._ended(error) from error

    def read(self, most: int) -> bytes:
        """Return the next bytes of an answer, at least one.

        Raises:
            Malformed: the answer is too large.
            TTransportException: it is not complete in time, or the connection ended.
        """
        left = self._until - monotonic()
        if left <= 0:
            raise self._late()
        self._socket.settimeout(left)
        try:
            found = self._socket.recv(most)
        except TimeoutError as error:
            raise self._late() from error
        except OSError as error:
            raise self._ended(error) from error
        if not found:
            raise self._ended("it closed the connection")
        self._left -= len(found)
        if self._left < 0:
            raise Malformed(f"an answer of the Metastore is larger than {_LARGEST_ANSWER} bytes")
        return found

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _late(self) -> TTransportException:
        message = f"read timeout: {self._address} did not answer within {_ANSWER_SECONDS:g} s"
        return TTransportException(TTransportException.TIMED_OUT, message)

    def _ended(self, reason: object) -> TTransportException:
        return TTransportException(TTransportException.END_OF_FILE, f"no answer of {self._address}: {reason}")


def open_socket(host: str, port: int, check_peer: CheckPeer) -> LimitedSocket:
    """Return a connection to a server.

    Raises:
        TTransportException: it does not answer in time.
    """
    try:
        return LimitedSocket(connected(host, port, _CONNECT_SECONDS, check_peer), f"{host}:{port}")
    except OSError as error:  # its text would tell what answers at a forbidden address
        raise TTransportException(TTransportException.NOT_OPEN, f"no connection to {host}:{port}") from error

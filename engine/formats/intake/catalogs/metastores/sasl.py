"""SASL as Thrift frames it, with the mechanism GSSAPI (RFC 4752): authentication by Kerberos before the first call.

Afterwards each frame has its length before it, and is signed or encrypted if the server offers it
(`hadoop.rpc.protection`): the strongest that it offers. Such a frame is in memory twice.
"""

import struct
from typing import Final

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.catalogs.metastores import sockets
from engine.formats.intake.catalogs.metastores.errors import WrongAccess
from engine.formats.intake.catalogs.metastores.kerberos import KERBEROS_ENABLED, KerberosContext
from engine.formats.intake.catalogs.metastores.sockets import LimitedSocket
from engine.formats.intake.limits import Malformed

_MECHANISM: Final = b"GSSAPI"
_START, _OK, _BAD, _ERROR, _COMPLETE = range(1, 6)
_STATUS: Final = struct.Struct(">BI")
_LENGTH: Final = struct.Struct(">I")
_LARGEST_MESSAGE: Final = 64 * 2**10
_MOST_ROUNDS: Final = 10
_UNPROTECTED, _SIGNED, _ENCRYPTED = 1, 2, 4
_LARGEST_FRAME: Final = 128 * 2**20
_STATED_LARGEST: Final = 2**24 - 1  # of three bytes; servers of Java send larger ones
_READ_BYTES: Final = 256 * 2**10


class SaslSocket:
    """A connection whose both sides are authenticated; see `sockets.AnswerSocket`."""

    def __init__(self, connection: LimitedSocket, context: KerberosContext, layer: int, largest: int) -> None:
        self._connection = connection
        self._context = context
        self._layer = layer
        self._piece = 0 if layer == _UNPROTECTED else context.size_limit(largest, is_secret=layer == _ENCRYPTED)
        self._left = 0  # of an unprotected frame
        self._text = b""  # of a protected one

    def write(self, request: bytes) -> None:
        """Send a request."""
        self._left, self._text = 0, b""
        if self._layer == _UNPROTECTED:
            frames = [request]
        else:
            pieces = range(0, len(request), self._piece)
            frames = [self._wrap(request[start : start + self._piece]) for start in pieces]
        self._connection.write(b"".join(_LENGTH.pack(len(each)) + each for each in frames))

    def read(self, most: int) -> bytes:
        """Return the next bytes of the answer, at least one."""
        while not self._left and not self._text:
            (length,) = _LENGTH.unpack(_exactly(self._connection, _LENGTH.size))
            if length > _LARGEST_FRAME:
                raise Malformed(f"a frame of the Metastore has {length} bytes; the limit is {_LARGEST_FRAME}")
            if self._layer == _UNPROTECTED:
                self._left = length
            else:
                self._text = self._context.unwrap(_exactly(self._connection, length))
        if self._layer == _UNPROTECTED:
            found = self._connection.read(min(most, self._left))
            self._left -= len(found)
        else:
            found, self._text = self._text[:most], self._text[most:]
        return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _wrap(self, text: bytes) -> bytes:
        return self._context.wrap(text, is_secret=self._layer == _ENCRYPTED)


def authenticated(connection: LimitedSocket, service: str, host: str) -> SaslSocket:
    """Return a connection after both sides have proved who they are.

    Args:
        connection: to a server that has got nothing yet.
        service: first part of the server's principal.
        host: second part of it.

    Raises:
        Malformed: the server's messages are not those of SASL.
        TTransportException: it, or the KDC, does not answer.
        WrongAccess: there is no valid ticket, or the server refuses it.
    """
    connection.expects_frames = True
    handshake = _Handshake(connection)
    context = KerberosContext(service, host, connection.address)
    handshake.send((_START, _MECHANISM), (_OK, context.step(None)))
    for _ in range(_MOST_ROUNDS):
        status, token = handshake.receive()
        if status == _COMPLETE:
            raise Malformed(f"{connection.address} ended the authentication too early")
        if context.is_complete:
            layer, largest = _offered(context.unwrap(token), connection.address)
            chosen = bytes([layer]) + _STATED_LARGEST.to_bytes(3, "big")
            handshake.send((_OK, context.wrap(chosen, is_secret=False)))
            if handshake.receive()[0] != _COMPLETE:
                raise Malformed(f"{connection.address} did not end the authentication")
            return SaslSocket(connection, context, layer, largest)
        handshake.send((_OK, context.step(token)))
    raise Malformed(f"the authentication with {connection.address} takes more than {_MOST_ROUNDS} messages")


class _Handshake:
    """Messages of the authentication: a status, a length and a token."""

    def __init__(self, connection: LimitedSocket) -> None:
        self._connection = connection

    def send(self, *messages: tuple[int, bytes]) -> None:
        """Send messages, each a status and a token."""
        text = b"".join(_STATUS.pack(status, len(token)) + token for status, token in messages)
        self._connection.write(text, sockets.CONNECT_SECONDS, 2 * _LARGEST_MESSAGE)

    def receive(self) -> tuple[int, bytes]:
        """Return the status and the token of the server's message. Raises WrongAccess: it refuses the client."""
        try:
            status, length = _STATUS.unpack(_exactly(self._connection, _STATUS.size))
        except TTransportException as error:
            if isinstance(error, WrongAccess):
                raise
            raise TTransportException(error.type, f"{error} in the handshake of SASL: does it use Kerberos?") from error
        if length > _LARGEST_MESSAGE or not _START <= status <= _COMPLETE:
            remedy = f"set `{KERBEROS_ENABLED}` to false, or correct `uri`"
            raise WrongAccess(f"{self._connection.address} does not answer with SASL", remedy)
        token = _exactly(self._connection, length)
        if status in (_BAD, _ERROR):
            raise refusal_of(self._connection.address, token)
        return status, token


def refusal_of(address: str, text: bytes) -> WrongAccess:
    """Return the error of a server that refused an authentication with a text."""
    reason = text[:300].decode(errors="replace")
    remedy = "compare the clocks and the service name with those of the Metastore, and read its log"
    return WrongAccess(f"{address} refused the authentication by Kerberos ({reason})", remedy)


def _offered(offer: bytes, address: str) -> tuple[int, int]:
    """Return the strongest protection that a server offers, and its largest frame."""
    if len(offer) != _LENGTH.size:
        raise Malformed(f"{address} does not offer a protection of what is sent")
    layer = next((each for each in (_ENCRYPTED, _SIGNED, _UNPROTECTED) if offer[0] & each), None)
    if layer is None:
        raise Malformed(f"{address} offers no known protection of what is sent")
    return layer, int.from_bytes(offer[1:], "big")


def _exactly(connection: LimitedSocket, count: int) -> bytes:
    parts = []
    while count:
        parts.append(connection.read(min(count, _READ_BYTES)))
        count -= len(parts[-1])
    return b"".join(parts)

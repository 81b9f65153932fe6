"""Limits of one call, and connections of `http.client` that enforce them.

`Bounded` is mixed into the connection classes of `http.client` and into those of urllib3, which are derived from them.
"""

import io
import socket
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from math import inf
from time import monotonic
from typing import Any, Final, TypeAlias

HEAD_BYTES: Final = 256 * 1024
"""Limit of the interim answers, the status line and the headers of one answer together."""

_SHORTEST_SHARE_SECONDS: Final = 1.0
"""Shortest time to connect to one of several addresses: enough for any network that answers."""

CheckPeer: TypeAlias = Callable[[str], None]
"""Raises the caller's error for the IP address of a server that must not be connected to."""

CheckLocation: TypeAlias = Callable[[str], None]
"""Raises `InvalidInput` for a location that must not be read."""


def any_peer(_address: str) -> None:
    """Allow every address."""


def anywhere(_place: str) -> None:
    """Allow every location."""


class TooLarge(OSError):
    """An answer is larger than its limit, or could become so."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of one call.

    Args:
        seconds: from the first byte of the request to the last of the answer.
        body_bytes: of the answer's body as it is sent, chunk sizes and trailers included.
        connect_seconds: for connecting, over all addresses of the server; as much again for the TLS handshake.
        silent_seconds: longest wait for the next byte.
    """

    seconds: float
    body_bytes: int
    connect_seconds: float = 10.0
    silent_seconds: float = inf


class Bounded(HTTPConnection):
    """Connection that enforces the limits of each of its calls. Subclasses, or their users, set `limits`."""

    limits: CallLimits
    _until = inf

    def putrequest(self, *args: Any, **options: Any) -> None:
        """Begin a request; the time limit of the call starts here."""
        self._until = monotonic() + self.limits.seconds
        super().putrequest(*args, **options)

    def send(self, data: Any) -> None:
        """Send bytes of the request. Raises TimeoutError."""
        if self.sock is not None:
            self.sock.settimeout(max(0.001, min(self._until - monotonic(), self.limits.seconds)))
        super().send(data)

    def response_class(  # type: ignore[override]
        self, sock: socket.socket, *args: Any, **options: Any
    ) -> HTTPResponse:
        """Return an answer that is read from the socket within the limits; `http.client` calls this like a class."""
        until = min(self._until, monotonic() + self.limits.seconds)  # a proxy is asked before the request begins
        return _Response(sock, self.limits, until, *args, **options)


class _Response(HTTPResponse):
    """Answer whose reading raises an error at its limits."""

    def __init__(self, sock: socket.socket, limits: CallLimits, until: float, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._body_bytes = limits.body_bytes
        self._source = _SocketBytes(sock, self.fp.detach(), limits, until)
        self.fp = io.BufferedReader(self._source)

    def begin(self) -> None:
        """Read the interim answers, the status line and the headers."""
        super().begin()
        self._source.allow(self._body_bytes)


class _SocketBytes(io.RawIOBase):
    """The bytes of a socket, up to a number of bytes and a deadline."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase, limits: CallLimits, until: float) -> None:
        self._most = self._left = HEAD_BYTES
        self._sock = sock
        self._raw = raw
        self._limits = limits
        self._until = until

    def allow(self, count: int) -> None:
        """Allow this number of further bytes, in place of those that are left."""
        self._most = self._left = count

    def readable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes. Raises TimeoutError, TooLarge."""
        seconds, limits = self._until - monotonic(), self._limits
        if seconds <= 0:
            raise TimeoutError(f"its answer was not complete within {limits.seconds:g} s")
        self._sock.settimeout(min(seconds, limits.silent_seconds))
        try:
            count: int = self._raw.readinto(buffer)
        except TimeoutError:
            raise TimeoutError(
                f"it sent nothing for {limits.silent_seconds:g} s"
                if limits.silent_seconds < seconds
                else f"its answer was not complete within {limits.seconds:g} s"
            ) from None
        self._left -= count
        if self._left < 0:
            raise TooLarge(f"its answer is longer than {self._most} bytes")
        return count

    def close(self) -> None:
        """Close the socket's file; the socket itself is closed with its last file."""
        self._raw.close()
        super().close()


def connected(host: str, port: int, seconds: float, check_peer: CheckPeer) -> socket.socket:
    """Return a connection to the first address of a host that answers, all within `seconds`.

    The time is shared among the addresses: one of a server that is down, or of IPv6 without a route, never answers.
    Each address is checked immediately before it is connected to, so that a name that resolves to another address
    each time (DNS rebinding) can't avoid the check.

    Raises:
        OSError: no address answers. TimeoutError: not in time.
    """
    until, failure = monotonic() + seconds, OSError(f"{host} has no address")
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for untried, (family, kind, protocol, _, address) in zip(range(len(found), 0, -1), found, strict=True):
        check_peer(str(address[0]))
        left = until - monotonic()
        if left <= 0:
            raise TimeoutError(f"no connection within {seconds:g} s")
        made = socket.socket(family, kind, protocol)
        try:
            made.settimeout(min(left, max(left / untried, _SHORTEST_SHARE_SECONDS)))
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            made.connect(address)
        except TimeoutError:
            made.close()
            failure = TimeoutError(f"no connection within {seconds:g} s")
        except OSError as error:
            made.close()
            failure = error
        else:
            return made
    raise failure

"""A proxy on loopback for HTTP clients that can't be limited: it checks addresses, refuses redirects, ends answers.

`obstore` has no option for any of these, but one for a proxy. Each client reaches one server through the relay, at an
address that is checked before the connect, and an answer ends at its limits of bytes and time. In a TLS tunnel, all
bytes between two requests count as one answer. Without one, requests to read share the client's connection and one to
the server, if the answers have a length; all others end both connections.

Only clients of this process are served: each is known by a random token.
"""

import re
import secrets
import select
import socket
import struct
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Final
from urllib.parse import urlsplit

from engine.outgoing.bounds import HEAD_BYTES, CallLimits, CheckPeer, connected

_REQUEST_BYTES: Final = 64 * 1024
"""Limit of the head of a request."""

_CHUNK_BYTES: Final = 256 * 1024
_IDLE_MS: Final = 120_000
"""Longer than the clients keep an idle connection."""
_RETRY_SECONDS: Final = 0.1
_RESET: Final = struct.pack("ii", 1, 0)
_PORTS: Final = {"http": 80, "https": 443}
_READS: Final = frozenset({"GET", "HEAD"})
_WITHOUT_BODY: Final = frozenset({"204", "304"})
_LENGTH: Final = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class _Route:
    """The server that a client may reach, and the limits of its answers."""

    server: tuple[str, int]
    limits: CallLimits


class Relay:
    """The proxy: listens from the first call of `address_for` until the process ends. Thread-safe."""

    def __init__(self, *, check_peer: CheckPeer) -> None:
        """`check_peer` raises for an address that must not be connected to."""
        self.check_peer = check_peer
        self._lock = Lock()
        self._routes: dict[str, _Route] = {}
        self._tokens: dict[_Route, str] = {}
        self._port = 0

    def address_for(self, url: str, limits: CallLimits) -> str:
        """Return the address of a proxy by which a client reaches the server of a URL, and no other.

        Raises:
            ValueError: it is not an address of HTTP.
        """
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError("it is not an address such as http://host:port")
        route = _Route((parts.hostname, parts.port or _PORTS[parts.scheme]), limits)
        with self._lock:
            if not self._port:
                listener = socket.create_server(("127.0.0.1", 0), backlog=128)
                self._port = listener.getsockname()[1]
                Thread(target=self._accept, args=(listener,), name="relay", daemon=True).start()
            token = self._tokens.setdefault(route, secrets.token_hex(16))
            self._routes[f"Basic {b64encode(f'{token}:'.encode()).decode()}"] = route
        return f"http://{token}:@127.0.0.1:{self._port}"

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
                Thread(target=self._serve, args=(client,), name="relayed", daemon=True).start()
            except (OSError, RuntimeError):  # no descriptor or thread is free: clients wait in the backlog
                sleep(_RETRY_SECONDS)

    def _serve(self, client: socket.socket) -> None:
        server: socket.socket | None = None
        known: _Route | None = None
        with client, suppress(OSError):
            client.settimeout(_IDLE_MS / 1000)
            try:
                while True:
                    request = _request(client)
                    route = self._routes.get(request.headers.get("proxy-authorization", ""))
                    if route is None or request.server != route.server:
                        text = "the client asked for another server than that of the store"
                        client.sendall(_refusal("403 Forbidden", text))
                        return
                    after = _After.NO_ANSWER
                    if server is not None and route is known and request.is_read and _is_silent(server):
                        after = _exchange(client, server, request, route.limits)
                    if after is _After.NO_ANSWER:  # also if the server closes a connection that it had kept
                        if server is not None:
                            server.close()
                        try:
                            server = connected(*route.server, route.limits.connect_seconds, self.check_peer)
                        except Exception as error:  # noqa: BLE001 - of the check, whose class is the caller's
                            client.sendall(_refusal("502 Bad Gateway", str(error)))
                            return
                        server.settimeout(_IDLE_MS / 1000)
                        known = route
                        after = _exchange(client, server, request, route.limits)
                    if after is not _After.KEEP:
                        return
            finally:
                if server is not None:
                    server.close()


@dataclass(frozen=True, slots=True)
class _Request:
    """A request of a client: its head without the empty line, the bytes after it, and parts of the head."""

    head: bytes
    rest: bytes
    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def is_tunnel(self) -> bool:
        """Whether it asks for a tunnel, in which nothing is read."""
        return self.method == "CONNECT"

    @property
    def is_read(self) -> bool:
        """Whether it only reads and has no body: it can be sent again, and its connections kept."""
        has_body = self.rest or "content-length" in self.headers or "transfer-encoding" in self.headers
        return self.method in _READS and not has_body

    @property
    def server(self) -> tuple[str | None, int | None]:
        """The host and port that the client asks for."""
        parts = urlsplit(f"https://{self.target}" if self.is_tunnel else self.target)
        return parts.hostname, parts.port or _PORTS.get(parts.scheme)

    def forwarded(self) -> bytes:
        """Return the bytes for the server."""
        path = self.target.split("/", 3)[3] if self.target.count("/") > 2 else ""  # noqa: PLR2004
        return _forwarded(f"{self.method} /{path} HTTP/1.1", self.head, keeps=self.is_read) + self.rest


class _After(Enum):
    """The state after an exchange: both connections are kept, both end, or the server ended its own with no answer."""

    KEEP = auto()
    END = auto()
    NO_ANSWER = auto()


def _request(client: socket.socket) -> _Request:
    """Return the next request of a client. Raises OSError."""
    head, rest = _head(client)
    line, headers = _parsed(head)
    method, _, target = line.rpartition(" ")[0].partition(" ")
    return _Request(head, rest, method, target, headers)


def _head(client: socket.socket) -> tuple[bytes, bytes]:
    """Return the head of a request without its empty line, and the bytes after it. Raises OSError."""
    got = b""
    while b"\r\n\r\n" not in got:
        part = client.recv(_REQUEST_BYTES)
        if not part or len(got) > _REQUEST_BYTES:
            raise ConnectionError("no request")
        got += part
    head, _, rest = got.partition(b"\r\n\r\n")
    return head, rest


def _is_silent(server: socket.socket) -> bool:
    """Return whether a server has kept a connection open, and sent nothing that was not asked for."""
    poll = select.poll()
    poll.register(server, select.POLLIN)
    return not poll.poll(0)


def _exchange(client: socket.socket, server: socket.socket, request: _Request, limits: CallLimits) -> _After:
    """Send a request to the server and its answer to the client. Raises OSError."""
    if request.is_tunnel:
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    try:
        server.sendall(request.rest if request.is_tunnel else request.forwarded())
    except OSError:
        return _After.NO_ANSWER if request.is_read else _After.END
    return _pump(client, server, request, limits)


def _parsed(head: bytes) -> tuple[str, Mapping[str, str]]:
    line, *lines = head.decode("latin-1").split("\r\n")
    pairs = (each.partition(":") for each in lines)
    return line, {name.strip().lower(): value.strip() for name, _, value in pairs}


def _forwarded(line: str, head: bytes, *, keeps: bool) -> bytes:
    """Return the head for the server, without headers for the relay; `keeps`: others may follow on the connection."""
    dropped = (b"proxy-", b"connection:")
    kept = [each for each in head.split(b"\r\n")[1:] if not each.lower().startswith(dropped)]
    return b"\r\n".join([line.encode("latin-1"), *kept, *([] if keeps else [b"Connection: close"]), b"", b""])


def _pump(client: socket.socket, server: socket.socket, request: _Request, limits: CallLimits) -> _After:
    """Forward bytes in both directions until one side closes, an answer is complete, or one exceeds its limits.

    Without a tunnel there is one answer, whose head is read: redirects are refused, and the connections end with it
    unless it is of a request that reads and states its length.
    """
    poll = select.poll()
    for each in (client, server):
        poll.register(each, select.POLLIN)
    asked_at, count, answer = monotonic(), 0, _RelayedAnswer(request)
    while ready := poll.poll(_IDLE_MS):
        for descriptor, _ in ready:
            is_client = descriptor == client.fileno()
            part = _received(client if is_client else server)
            if not part:
                return _After.END if is_client or count or not request.is_read else _After.NO_ANSWER
            if is_client:
                if request.is_read:  # not before its answer
                    return _After.END
                asked_at, count = monotonic(), 0
                server.sendall(part)
                continue
            count += len(part)
            most = HEAD_BYTES + _CHUNK_BYTES if answer.is_head else limits.body_bytes
            if count > most or monotonic() - asked_at > limits.seconds:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)  # discards unread bytes
                return _After.END
            client.sendall(answer.forwarded(part))
            if answer.after is not None:
                return answer.after
    return _After.END


def _received(end: socket.socket) -> bytes:
    """Return the next bytes of a connection; none after its end, also if that is a reset."""
    try:
        return end.recv(_CHUNK_BYTES)
    except ConnectionError:
        return b""


class _RelayedAnswer:
    """One answer, while its bytes arrive; or all bytes of a tunnel, of which no head is read.

    Attributes:
        after: what follows, once that is known.
    """

    def __init__(self, request: _Request) -> None:
        self._request = request
        self._head: bytes | None = None if request.is_tunnel else b""
        self._left: int | None = None
        self._is_last = False
        self.after: _After | None = None

    @property
    def is_head(self) -> bool:
        """Whether its head is not complete yet."""
        return self._head is not None

    def forwarded(self, part: bytes) -> bytes:
        """Return the bytes for the client, given the next ones of the server."""
        if self._head is not None:
            self._head = _without_interim(self._head + part)
            if b"\r\n\r\n" not in self._head:
                return b""
            answer, self._head = self._head, None
            if _is_redirect(answer):
                self.after = _After.END
                return _refusal("403 Forbidden", "the store redirects, which is not followed")
            head, _, part = answer.partition(b"\r\n\r\n")
            self._left, self._is_last = _framing(head, self._request)
            return _begun(head, ends=self._left is None or self._is_last) + self._counted(part)
        return self._counted(part)

    def _counted(self, body: bytes) -> bytes:
        """Return the next bytes of the body; none beyond its length."""
        if self._left is None:
            return body
        found = body[: self._left]
        self._left -= len(found)
        if not self._left:
            self.after = _After.END if self._is_last or len(found) < len(body) else _After.KEEP
        return found


def _framing(head: bytes, request: _Request) -> tuple[int | None, bool]:
    """Return the length of an answer's body, None if the connection ends with it, and whether it is the last answer.

    Both are read only for a request that reads. A length that is stated twice, or with another encoding, is none.
    """
    if not request.is_read:
        return None, True
    line, *lines = head.decode("latin-1").split("\r\n")
    named = [(name.strip().lower(), value.strip()) for name, _, value in (each.partition(":") for each in lines)]
    lengths = [value for name, value in named if name == "content-length"]
    kept = all(value.lower() == "keep-alive" for name, value in named if name == "connection")
    is_last = not (kept and line.startswith("HTTP/1.1"))
    if any(name == "transfer-encoding" for name, _ in named) or any(not _LENGTH.fullmatch(each) for each in lengths):
        return None, True
    if request.method == "HEAD" or line[9:12] in _WITHOUT_BODY:
        return 0, is_last
    return (int(lengths[0]), is_last) if len(lengths) == 1 else (None, True)


def _without_interim(head: bytes) -> bytes:
    """Return the beginning of an answer, without interim answers before it (`100 Continue`)."""
    while head[:12].partition(b" ")[2].startswith(b"1") and b"\r\n\r\n" in head:
        head = head.partition(b"\r\n\r\n")[2]
    return head


def _begun(head: bytes, *, ends: bool) -> bytes:
    """Return the head of an answer for the client; `ends`: with `Connection: close`, after which it opens another."""
    kept = [each for each in head.split(b"\r\n") if not each.lower().startswith((b"connection:", b"keep-alive:"))]
    return b"\r\n".join([*kept, *([b"Connection: close"] if ends else []), b"", b""])


def _is_redirect(begin: bytes) -> bool:
    status = begin[:12].partition(b" ")[2]
    return status.startswith(b"3") and status != b"304"


def _refusal(status: str, reason: str) -> bytes:
    body = reason.encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body

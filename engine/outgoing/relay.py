"""A proxy on loopback for HTTP clients that can't be limited: it checks addresses, refuses redirects, ends answers.

`obstore` has no option for any of these, but one for a proxy. Each client reaches one server through the relay, at an
address that is checked before the connect, and an answer ends at its limits of bytes and time. In a TLS tunnel, all
bytes between two requests count as one answer.

Only clients of this process are served: each is known by a random token.
"""

import secrets
import select
import socket
import struct
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
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
        with client, suppress(OSError):
            client.settimeout(_IDLE_MS / 1000)
            head, rest = _head(client)
            line, headers = _parsed(head)
            route = self._routes.get(headers.get("proxy-authorization", ""))
            method, _, target = line.rpartition(" ")[0].partition(" ")
            is_tunnel = method == "CONNECT"
            parts = urlsplit(f"https://{target}" if is_tunnel else target)
            if route is None or (parts.hostname, parts.port or _PORTS.get(parts.scheme)) != route.server:
                client.sendall(_refusal("403 Forbidden", "the client asked for another server than that of the store"))
                return
            try:
                server = connected(*route.server, route.limits.connect_seconds, self.check_peer)
            except Exception as error:  # noqa: BLE001 - of the check, whose class is the caller's
                client.sendall(_refusal("502 Bad Gateway", str(error)))
                return
            with server:
                server.settimeout(_IDLE_MS / 1000)
                if is_tunnel:
                    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    server.sendall(rest)
                else:
                    path = target.split("/", 3)[3] if target.count("/") > 2 else ""  # noqa: PLR2004
                    server.sendall(_forwarded(f"{method} /{path} HTTP/1.1", head) + rest)
                _pump(client, server, route.limits, is_tunnel=is_tunnel)


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


def _parsed(head: bytes) -> tuple[str, Mapping[str, str]]:
    line, *lines = head.decode("latin-1").split("\r\n")
    pairs = (each.partition(":") for each in lines)
    return line, {name.strip().lower(): value.strip() for name, _, value in pairs}


def _forwarded(line: str, head: bytes) -> bytes:
    """Return the head for the server, without headers for the relay; the connection serves this request only."""
    dropped = (b"proxy-", b"connection:")
    kept = [each for each in head.split(b"\r\n")[1:] if not each.lower().startswith(dropped)]
    return b"\r\n".join([line.encode("latin-1"), *kept, b"Connection: close", b"", b""])


def _pump(client: socket.socket, server: socket.socket, limits: CallLimits, *, is_tunnel: bool) -> None:
    """Forward bytes in both directions until one side closes, or an answer exceeds its limits.

    Without a tunnel there is one answer, whose head is read: redirects are refused, and the connection ends with it.
    """
    poll = select.poll()
    for each in (client, server):
        poll.register(each, select.POLLIN)
    asked_at, count, ends = monotonic(), 0, {client.fileno(): client, server.fileno(): server}
    head: bytes | None = None if is_tunnel else b""
    while ready := poll.poll(_IDLE_MS):
        for descriptor, _ in ready:
            part = ends[descriptor].recv(_CHUNK_BYTES)
            if not part:
                return
            if ends[descriptor] is client:
                asked_at, count = monotonic(), 0
                server.sendall(part)
                continue
            count += len(part)
            most = limits.body_bytes if head is None else HEAD_BYTES + _CHUNK_BYTES
            if count > most or monotonic() - asked_at > limits.seconds:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)  # discards unread bytes
                return
            if head is not None:
                head = _without_interim(head + part)
                if b"\r\n\r\n" not in head:
                    continue
                if _is_redirect(head):
                    client.sendall(_refusal("403 Forbidden", "the store redirects, which is not followed"))
                    return
                part, head = _closing(head), None
            client.sendall(part)


def _without_interim(head: bytes) -> bytes:
    """Return the beginning of an answer, without interim answers before it (`100 Continue`)."""
    while head[:12].partition(b" ")[2].startswith(b"1") and b"\r\n\r\n" in head:
        head = head.partition(b"\r\n\r\n")[2]
    return head


def _closing(answer: bytes) -> bytes:
    """Return the beginning of an answer with the header `Connection: close`, after which the client opens another."""
    head, _, rest = answer.partition(b"\r\n\r\n")
    kept = [each for each in head.split(b"\r\n") if not each.lower().startswith((b"connection:", b"keep-alive:"))]
    return b"\r\n".join([*kept, b"Connection: close", b"", rest])


def _is_redirect(begin: bytes) -> bool:
    status = begin[:12].partition(b" ")[2]
    return status.startswith(b"3") and status != b"304"


def _refusal(status: str, reason: str) -> bytes:
    body = reason.encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body

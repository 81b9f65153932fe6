"""Limits on connections, which uvicorn does not have: their number, the size of headers, and time to make progress.

uvicorn parses with llhttp, which accepts headers of any size, and it stops its keep-alive timer at the first byte of a
request. So a client could hold connections and memory without ever completing a request. Here

- a connection without an answer in progress must send all headers of its next request within `header_seconds`;
- bytes that complete nothing (headers, trailers, chunk extensions) are at most `header_bytes`;
- a client that does not read its answer, or the end of its connection, is disconnected after `stalled_seconds`;
- a process has at most `most` connections, one address at most half of them (proxies: all of them).

These are checked here instead of by uvicorn's `limit_concurrency`, `timeout_keep_alive` and limit of h11, because those
refuse requests of connections that are open already, end no request that trickles in, and no client that does not read.

The time for a body that a handler reads is limited in `api.http.bodies`. The rest of an unread body is discarded,
within `header_seconds` and 1 MiB, so that a client which sends first and reads later gets its answer (closing at once
would reset the connection).

Hazard: it overrides methods of uvicorn's protocol that are not documented. `tests/integration/api/test_connections.py`
checks every limit over sockets.
"""

import asyncio
import ipaddress
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from httptools import HttpParserError
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.http.answer_headers import HEADERS
from api.http.bodies import MAX_BODY_BYTES
from api.problems.catalogue import PROBLEM_TYPES
from engine.domain.clock import Clock
from engine.domain.errors import InvalidInput

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of one process, see the module. `proxies`: networks whose addresses may hold all connections."""

    most: int = 1000
    header_bytes: int = 32 * 2**10
    header_seconds: float = 10.0
    stalled_seconds: float = 30.0
    proxies: tuple[Network, ...] = ()


@dataclass(slots=True)
class OpenConnections:
    """The open connections of one server by client address, and the clock that measures their times."""

    limits: ConnectionLimits
    clock: Clock
    by_address: Counter[str] = field(default_factory=Counter)

    def add(self, address: str) -> str | None:
        """Count a new connection; return why it exceeds a limit, None when it does not."""
        self.by_address[address] += 1
        if self.by_address.total() > self.limits.most:
            return f"this process has {self.limits.most} open connections"
        share = max(1, self.limits.most // 2)
        if self.by_address[address] > share and not self._is_proxy(address):
            return f"{address} has {share} open connections"
        return None

    def remove(self, address: str) -> None:
        """Remove a closed connection from the count."""
        self.by_address[address] -= 1
        if not self.by_address[address]:
            del self.by_address[address]

    def _is_proxy(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self.limits.proxies)


class LimitedProtocol(HttpToolsProtocol):
    """One connection. A subclass made by `protocol_of` has the limits; `check` is called about once a second."""

    open: OpenConnections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and refuse it above the limit."""
        super().connection_made(transport)
        self._since = self.open.clock.monotonic()
        self._stalled_since: float | None = None
        self._unparsed = 0
        self._discarded = 0
        self._has_begun = False
        self._is_refused = False
        self._address = self.client[0] if self.client else "unknown"
        if (excess := self.open.add(self._address)) is not None:
            self._refuse("too_many_connections", excess)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the count."""
        self.open.remove(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, unless more than `header_bytes` arrived that completed nothing."""
        if self._is_refused:
            self._discard(data)
        elif not self.transport.is_closing():
            self._unparsed += len(data)
            super().data_received(data)
            if self._unparsed > self.open.limits.header_bytes and not self._is_refused:
                self._refuse_headers()

    def on_message_begin(self) -> None:
        """Start the time for headers."""
        super().on_message_begin()
        self._has_begun = True
        self._since = self.open.clock.monotonic()

    def on_headers_complete(self) -> None:
        """Hand the request to the application, unless its headers are too large."""
        self._unparsed = 0
        self._has_begun = False
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self.open.limits.header_bytes:
            self._refuse_headers()
            raise HttpParserError  # ends the parsing; the answer is on its way
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass the body to the application, or discard it if it will not be read."""
        self._unparsed = 0
        if self.cycle.response_complete:
            self._discard(body)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for the next request."""
        self._unparsed = self._discarded = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Start the time for the next request."""
        self._since = self.open.clock.monotonic()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer data that is not HTTP with a problem document."""
        if not self._is_refused:
            self._refuse("unreadable", msg)

    def check(self) -> None:
        """Close the connection when it has made no progress for too long."""
        limits, now = self.open.limits, self.open.clock.monotonic()
        if self._is_refused or self.transport.is_closing() or self.flow.write_paused:
            self._stalled_since = now if self._stalled_since is None else self._stalled_since
            if now - self._stalled_since > limits.stalled_seconds:
                self.transport.abort()
            return
        self._stalled_since = None
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering or now - self._since <= limits.header_seconds:
            return
        if self._has_begun:
            self._refuse("request_timeout", f"the headers did not arrive within {limits.header_seconds:g} seconds")
        else:
            self.transport.close()

    def _refuse_headers(self) -> None:
        limit = self.open.limits.header_bytes
        self._refuse("headers_too_large", f"the headers of a request have at most {limit} bytes")

    def _refuse(self, code: str, detail: str) -> None:
        """Answer with a problem and close the write side, so that the client can read it before the connection ends."""
        self._is_refused = True
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_problem(code, detail))
            self.transport.write_eof()
        else:  # another answer is on its way
            self.transport.close()

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        if self._discarded > MAX_BODY_BYTES:
            self.transport.abort()


def protocol_of(limits: ConnectionLimits, clock: Clock) -> type[LimitedProtocol]:
    """Return the protocol class of one server with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"open": OpenConnections(limits, clock)})


def _problem(code: str, detail: str) -> bytes:
    kind = PROBLEM_TYPES[code]
    document: dict[str, Any] = {"type": kind.uri, "title": kind.title, "status": kind.status, "detail": detail}
    unread = {"instance": "", "request_id": None}  # the request was refused before its path was read
    body = json.dumps({**document, **unread, "code": code}).encode("ascii")
    return STATUS_LINE[kind.status] + _HEADERS % len(body) + body


_HEADERS: Final = (
    b"content-type: application/problem+json\r\ncontent-length: %d\r\nconnection: close\r\n"
    + "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items()).encode("ascii")
    + b"\r\n"
)


def proxies_of(text: str) -> tuple[Network, ...]:
    """Return the networks of `PACKHOUSE_TRUSTED_PROXIES`: addresses or networks, separated by commas.

    Raises:
        InvalidInput: an entry is neither; host names and `*` are not accepted.
    """
    try:
        return tuple(ipaddress.ip_network(entry.strip()) for entry in text.split(",") if entry.strip())
    except ValueError as error:
        raise InvalidInput(
            f"PACKHOUSE_TRUSTED_PROXIES: {error}; give addresses or networks, such as 10.0.0.7,10.1.0.0/16"
        ) from None

"""How a server harms its client: seven behaviours, each played in one or several ways over HTTP.

A way is what a server sends once it has a request. Ways of other protocols are made of `drip` and `flood` too.
"""

import gzip
import socket
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from typing import Final, TypeAlias

DRIP_SECONDS: Final = 0.05
HUGE_BYTES: Final = 1536 * 2**20
BOMB_BYTES: Final = 320 * 2**20
"""More than the largest answer that is accepted of any server (`METADATA_BYTES`)."""

Way: TypeAlias = Callable[[socket.socket], None]
"""Sends an answer; ends with `OSError` when the client leaves or the server stops."""


class Behaviour(StrEnum):
    """What a server does to its client."""

    DRIP = "drip"
    """Too slowly: nothing at all, or a byte at a time, so that no single read takes long."""
    ENDLESS = "endless"
    """Without an end, at full speed: interim answers, headers, chunks, trailers."""
    HUGE = "huge"
    """With a well-formed answer of 1.5 GiB."""
    BOMB = "bomb"
    """With a small answer that decompresses to more than any limit."""
    REDIRECT = "redirect"
    """With the address of another server, to which a credential would go."""
    REBIND = "rebind"
    """Its name resolves to an allowed address when it is checked, and to a refused one at the connect."""
    LIE = "lie"
    """With an answer of another form than the client asked for."""


def drip(first: bytes, each: bytes) -> Way:
    """Return a way that sends `first` at once, and `each` at an interval for ever."""

    def send(connection: socket.socket) -> None:
        connection.sendall(first)
        while True:
            time.sleep(DRIP_SECONDS)
            connection.sendall(each)

    return send


def silent(connection: socket.socket) -> None:
    """Send nothing until the client leaves."""
    while connection.recv(2**16):
        pass


def flood(first: bytes, each: bytes) -> Way:
    """Return a way that sends `first`, and `each` at full speed for ever."""
    block = each * (2**16 // len(each) + 1)

    def send(connection: socket.socket) -> None:
        connection.sendall(first)
        while True:
            connection.sendall(block)

    return send


def once(answer: bytes) -> Way:
    """Return a way that sends an answer and ends the connection."""
    return lambda connection: connection.sendall(answer)


def answer(body: bytes, *, status: str = "200 OK", kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole HTTP answer; underscores in the names of headers stand for hyphens."""
    told = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def _huge(connection: socket.socket) -> None:
    connection.sendall(f"{_OK}Content-Length: {HUGE_BYTES}\r\n\r\n".encode() + b'{"access_token": "')
    block = b"x" * 2**20
    for _ in range(HUGE_BYTES // len(block)):
        connection.sendall(block)


@cache
def _bomb() -> bytes:
    return gzip.compress(b" " * BOMB_BYTES, 1)


_OK: Final = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKS: Final = f"{_OK}Transfer-Encoding: chunked\r\n\r\n".encode()


def http_ways(elsewhere: str) -> Mapping[Behaviour, Mapping[str, Way]]:
    """Return the ways of each behaviour over HTTP by name; redirects lead to the address `elsewhere`."""
    redirects = {
        status.partition(" ")[0]: once(answer(b"", status=status, Location=elsewhere))
        for status in ("302 Found", "307 Temporary Redirect", "308 Permanent Redirect")
    }
    return {
        Behaviour.DRIP: {
            "silent": silent,
            "interim": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            "header": drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
            "body": drip(f"{_OK}Content-Length: 100000\r\n\r\n[".encode(), b" "),
            "trailer": drip(_CHUNKS + b"2\r\n{}\r\n0\r\nX-Slow: ", b"x"),
        },
        Behaviour.ENDLESS: {
            "interim": flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            "headers": flood(_OK.encode(), b"X-More: y\r\n"),
            "header": flood(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
            "body": flood(_CHUNKS, b"10000\r\n" + b" " * 2**16 + b"\r\n"),
            "chunks": flood(_CHUNKS, b"1\r\n \r\n"),
            "trailers": flood(_CHUNKS + b"2\r\n{}\r\n0\r\n", b"X-More: y\r\n"),
        },
        Behaviour.HUGE: {"body": _huge},
        Behaviour.BOMB: {"gzip": once(answer(_bomb(), Content_Encoding="gzip"))},
        Behaviour.REDIRECT: redirects,
        Behaviour.LIE: {
            "html": once(answer(b"<html>welcome</html>", kind="text/html")),
            "list": once(answer(b"[7]")),
            "deep": once(answer(b"[" * 100_000)),
            "short": once(answer(b"{}", Content_Length="100")),
            "no HTTP": once(b"-ERR no such command\r\n" * 10),
        },
    }

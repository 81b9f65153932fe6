"""Limits of one request: seconds for the whole of it, and bytes of its answer.

The timeouts of httpx begin again with every byte, and it reads an answer of any size into memory.
"""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import httpcore  # which httpx is built on
import httpx

from packhouse_client import errors

MOST_BYTES: Final = 64 * 2**20
"""Limit of an answer, decompressed. Lists come in pages of at most 1,000 items."""

_until: ContextVar[float] = ContextVar("until", default=float("inf"))


def seconds_of(request: httpx.Request) -> float | None:
    """Return the timeout of a request, None for none."""
    seconds: float | None = request.extensions.get("timeout", {}).get("read")
    return seconds


@contextmanager
def deadline(request: httpx.Request) -> Iterator[None]:
    """End the block's request at its timeout with `httpx.ReadTimeout`, over connections that are `bound`."""
    seconds = seconds_of(request)
    token = _until.set(float("inf") if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


def bound(http: httpx.Client) -> httpx.Client:
    """Make the connections of a client keep `deadline`, those through proxies included; return the client."""
    for transport in (http._transport, *http._mounts.values()):  # noqa: SLF001 - httpx has no option for a backend
        if isinstance(transport, httpx.HTTPTransport):
            pool: Any = transport._pool  # noqa: SLF001
            pool._network_backend = _Backend(pool._network_backend)  # noqa: SLF001
    return http


def whole(response: httpx.Response, parts: Iterator[bytes]) -> httpx.Response:
    """Return a response with all of its body. Raises UnreadableAnswer: it is too large."""
    body = bytearray()
    for part in parts:
        _add(response, body, part)
    return _with(response, bytes(body))


async def whole_async(response: httpx.Response, parts: AsyncIterator[bytes]) -> httpx.Response:
    """Return a response with all of its body; see `whole`."""
    body = bytearray()
    async for part in parts:
        _add(response, body, part)
    return _with(response, bytes(body))


def _add(response: httpx.Response, body: bytearray, part: bytes) -> None:
    body += part
    if len(body) > MOST_BYTES:
        message = f"{response.request.url} gave more than {MOST_BYTES} bytes: give the address of a Packhouse"
        raise errors.UnreadableAnswer(message)


def _with(response: httpx.Response, body: bytes) -> httpx.Response:
    dropped = ("content-encoding", "content-length", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in dropped]
    return httpx.Response(response.status_code, headers=headers, content=body, request=response.request)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, inner: httpcore.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_tcp(*args, **options))

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_unix_socket(*args, **options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = _until.get() - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the answer was not complete in time")
        waits = [seconds for seconds in (left, timeout) if seconds is not None and seconds != float("inf")]
        return self._inner.read(max_bytes, min(waits, default=None))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(*args, **options))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

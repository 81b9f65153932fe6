"""`Packhouse` and `AsyncPackhouse`: the API as Python objects.

Both hold a connection pool: use one for the life of a program, in a `with` block or closed by hand. A `Packhouse` may
be used by several threads; an `AsyncPackhouse` belongs to one event loop.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final, Self

import httpx

from packhouse_client import streams, waiting
from packhouse_client.addresses import split_address
from packhouse_client.models import Progress, RunDetail, RunEvent, Table
from packhouse_client.resources import Resources
from packhouse_client.retries import Retries
from packhouse_client.senders import Answer, AsyncSender, Sender, options

DEFAULT_URL: Final = "http://127.0.0.1:8080"
_PATIENT: Final = Retries()


class Packhouse(Resources[Sender]):
    """A blocking client. Every method raises `ApiError` (or a kind of it) for a refusal and `NoAnswer` for silence."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        api_key: str = "",
        *,
        retries: Retries = _PATIENT,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make a client; nothing is sent yet. `timeout` is of one request, in seconds.

        Pauses go through `sleep` and deadlines by `clock`: tests replace them.

        Raises:
            ValueError: the address or the key can't be one.
        """
        http = httpx.Client(**options(url, api_key, timeout), transport=transport)
        self._sender = Sender(http, retries=retries, sleep=sleep)
        super().__init__(self._sender)
        self._clock = clock

    @classmethod
    def from_environment(cls) -> Self:
        """Return a client of `PACKHOUSE_URL` with the key `PACKHOUSE_API_KEY`."""
        return cls(os.environ.get("PACKHOUSE_URL", DEFAULT_URL), os.environ.get("PACKHOUSE_API_KEY", ""))

    def request(self, method: str, path: str, **arguments: Any) -> Answer:
        """Send any request, such as one that this version has no method for; `arguments` are httpx's."""
        return self._sender.send({"method": method, "url": path, **arguments})

    def find_table(self, address: str) -> Table:
        """Return the registered table at `catalog.namespace.name`.

        Raises:
            ValueError: it is no address. NotFound: no such table is registered, or the key may not see it.
        """
        split_address(address)
        return self.tables.get(address)

    def follow_run(self, run_id: str) -> Iterator[streams.ServerEvent]:
        """Yield a run's events as they happen (`event`, `progress`, `heartbeat`) until it has ended."""
        return streams.follow(self._sender, run_id)

    def wait_for_run(
        self,
        run_id: str,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        on_event: Callable[[RunEvent], object] | None = None,
    ) -> RunDetail:
        """Wait until a run has ended, and return it. `timeout` is in seconds; the run goes on after it.

        Raises:
            RunFailed: it failed or was cancelled. WaitTimedOut: it has not ended in time.
            ApiError: it can't be asked for. NoAnswer: the server has been away for minutes.
        """
        return waiting.wait(
            self._sender, run_id, clock=self._clock, timeout=timeout, on_progress=on_progress, on_event=on_event
        )

    def close(self) -> None:
        """Close the connections."""
        self._sender.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncPackhouse(Resources[AsyncSender]):
    """The same for asyncio: methods are awaited, lists are read with `async for`."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        api_key: str = "",
        *,
        retries: Retries = _PATIENT,
        timeout: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make a client as `Packhouse` does."""
        http = httpx.AsyncClient(**options(url, api_key, timeout), transport=transport)
        self._sender = AsyncSender(http, retries=retries, sleep=sleep)
        super().__init__(self._sender)
        self._clock = clock

    @classmethod
    def from_environment(cls) -> Self:
        """Return a client of `PACKHOUSE_URL` with the key `PACKHOUSE_API_KEY`."""
        return cls(os.environ.get("PACKHOUSE_URL", DEFAULT_URL), os.environ.get("PACKHOUSE_API_KEY", ""))

    async def request(self, method: str, path: str, **arguments: Any) -> Answer:
        """Do as `Packhouse.request`."""
        return await self._sender.send({"method": method, "url": path, **arguments})

    async def find_table(self, address: str) -> Table:
        """Do as `Packhouse.find_table`."""
        split_address(address)
        return await self.tables.get(address)

    def follow_run(self, run_id: str) -> AsyncIterator[streams.ServerEvent]:
        """Do as `Packhouse.follow_run`."""
        return streams.follow_async(self._sender, run_id)

    async def wait_for_run(
        self,
        run_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the run goes on after it; cancelling is not what is meant
        on_progress: Callable[[Progress], object] | None = None,
        on_event: Callable[[RunEvent], object] | None = None,
    ) -> RunDetail:
        """Do as `Packhouse.wait_for_run`."""
        return await waiting.wait_async(
            self._sender, run_id, clock=self._clock, timeout=timeout, on_progress=on_progress, on_event=on_event
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._sender.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

"""`Packhouse` and `AsyncPackhouse`: the API as Python objects.

Both hold a connection pool: use one for the life of a program, in a `with` block or with `close`. A `Packhouse` may be
used by several threads; an `AsyncPackhouse` belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Final, Self

import httpx

from packhouse_client import limits, models, streams, waiting, writing
from packhouse_client.addresses import split_address
from packhouse_client.resources import Resources
from packhouse_client.retries import Retries
from packhouse_client.senders import Answer, AsyncSender, Sender, options

DEFAULT_URL: Final = "http://127.0.0.1:8080"
_PATIENT: Final = Retries()


class Packhouse(Resources[Sender]):
    """A blocking client. Methods raise `ApiError` (or a subclass) for a refusal and `NoAnswer` without an answer."""

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
        """Create a client; nothing is sent yet. `timeout` applies to one request, in seconds.

        Tests can replace `sleep`, which makes pauses, and `clock`, which measures deadlines.

        Raises:
            ValueError: the URL or the key is not valid.
        """
        http = limits.bound(httpx.Client(**options(url, api_key, timeout), transport=transport))
        self._sender = Sender(http, retries=retries, sleep=sleep)
        super().__init__(self._sender)
        self._clock = clock

    @classmethod
    def from_environment(cls) -> Self:
        """Return a client of `PACKHOUSE_URL` with the key `PACKHOUSE_API_KEY`."""
        return cls(os.environ.get("PACKHOUSE_URL", DEFAULT_URL), os.environ.get("PACKHOUSE_API_KEY", ""))

    def request(self, method: str, path: str, **arguments: Any) -> Answer:
        """Send any request, such as one without a method in this version; `arguments` are passed to httpx."""
        return self._sender.send({"method": method, "url": path, **arguments})

    def find_table(self, address: str) -> models.Table:
        """Return the registered table at `catalog.namespace.name`.

        Raises:
            ValueError: the address is not valid. NotFound: no such table is registered, or the key may not see it.
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
        on_progress: Callable[[models.Progress], object] | None = None,
        on_event: Callable[[models.RunEvent], object] | None = None,
    ) -> models.RunDetail:
        """Wait until a run has ended, and return it. `timeout` is in seconds and does not stop the run.

        Raises:
            RunFailed: it was refused, failed or was cancelled. WaitTimedOut: it has not ended in time.
            ApiError: the server refused to show it. NoAnswer: the server has not answered for minutes.
        """
        return waiting.wait(
            self._sender, run_id, clock=self._clock, timeout=timeout, on_progress=on_progress, on_event=on_event
        )

    def write_everywhere(
        self,
        table_id: str,
        partition: Mapping[str, Any],
        put: Callable[[str], object],
        *,
        file_name: str | None = None,
    ) -> list[str]:
        """Put a file into each folder that a partition of a Hive table has or gets; return the addresses put to.

        When it returns, readers find the rows of the file once, also while a rewrite replaces the folder.

        Args:
            table_id: id or address of the table.
            partition: value of each partition key, by name.
            put: called with each address, such as `s3://lake/events/day=2026-11-01/dual-….parquet`. It must write the
                same content each time, and readers must see the whole file or none: on disks, write to a hidden name
                (`.name`) and rename it.
            file_name: the name of an earlier call that was interrupted, to go on with it; None: a new file.

        Raises:
            NotWritten: a folder is still without the file. ApiError: the server refused. NoAnswer: no answer; the rows
                may be in the table, call it again with the `file_name` of the addresses that were put to.
        """
        return writing.write(self._sender, table_id, partition, put, file_name)

    def close(self) -> None:
        """Close the connections."""
        self._sender.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncPackhouse(Resources[AsyncSender]):
    """A client for asyncio, like `Packhouse`: methods are awaited, lists are read with `async for`."""

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
        """Create a client; see `Packhouse`."""
        http = httpx.AsyncClient(**options(url, api_key, timeout), transport=transport)
        self._sender = AsyncSender(http, retries=retries, sleep=sleep)
        super().__init__(self._sender)
        self._clock = clock

    @classmethod
    def from_environment(cls) -> Self:
        """Return a client of `PACKHOUSE_URL` with the key `PACKHOUSE_API_KEY`."""
        return cls(os.environ.get("PACKHOUSE_URL", DEFAULT_URL), os.environ.get("PACKHOUSE_API_KEY", ""))

    async def request(self, method: str, path: str, **arguments: Any) -> Answer:
        """Send any request; see `Packhouse.request`."""
        return await self._sender.send({"method": method, "url": path, **arguments})

    async def find_table(self, address: str) -> models.Table:
        """Return the registered table at an address; see `Packhouse.find_table`."""
        split_address(address)
        return await self.tables.get(address)

    def follow_run(self, run_id: str) -> AsyncIterator[streams.ServerEvent]:
        """Yield a run's events until it has ended; see `Packhouse.follow_run`."""
        return streams.follow_async(self._sender, run_id)

    async def wait_for_run(
        self,
        run_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the run goes on after it; it is not a cancellation
        on_progress: Callable[[models.Progress], object] | None = None,
        on_event: Callable[[models.RunEvent], object] | None = None,
    ) -> models.RunDetail:
        """Wait until a run has ended, and return it; see `Packhouse.wait_for_run`."""
        return await waiting.wait_async(
            self._sender, run_id, clock=self._clock, timeout=timeout, on_progress=on_progress, on_event=on_event
        )

    async def write_everywhere(
        self,
        table_id: str,
        partition: Mapping[str, Any],
        put: Callable[[str], Awaitable[object]],
        *,
        file_name: str | None = None,
    ) -> list[str]:
        """Put a file into each folder that a partition has or gets; see `Packhouse.write_everywhere`."""
        return await writing.write_async(self._sender, table_id, partition, put, file_name)

    async def close(self) -> None:
        """Close the connections."""
        await self._sender.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

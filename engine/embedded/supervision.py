"""Restart embedded servers that ended unexpectedly.

A server's `start` waits until the old process has ended and until the new process answers, and checks that the answer
comes from the new one. Port and data are kept, so that clients can reconnect.
"""

import asyncio
from collections.abc import Mapping
from typing import Final, Protocol

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError

_log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 1.0
LONGEST_WAIT_SECONDS: Final = 60.0
CALM_SECONDS: Final = 300.0
"""A server that ran for this long before it ended is restarted at once."""


class EmbeddedServer(Protocol):
    """An embedded server. `start` blocks until it answers; it may be called again and is a no-op while it runs."""

    @property
    def is_running(self) -> bool:
        """True while its process is alive."""

    def start(self) -> str:
        """Start it on its previous port and return its URL. Raises `Transient` when it does not start."""


class Supervisor:
    """Monitors started servers by name until `close`."""

    def __init__(self, *, servers: Mapping[str, EmbeddedServer], clock: Clock) -> None:
        self._servers = dict(servers)
        self._clock = clock
        self._failures = dict.fromkeys(self._servers, 0)
        self._not_before = dict.fromkeys(self._servers, 0.0)
        self._started_at = dict.fromkeys(self._servers, clock.monotonic())
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start monitoring in the background."""
        self._task = asyncio.create_task(self._watch(), name="supervisor")

    async def close(self) -> None:
        """Stop restarting servers; waits for a restart in progress, so that no server starts after its stop."""
        self._closing.set()
        if self._task is not None:
            await self._task

    async def look(self) -> int:
        """Restart the servers that ended and whose back-off is over; return how many are running again."""
        restarted = [await self._restart(name) for name in self._servers if self._is_due(name)]
        return sum(restarted)

    def _is_due(self, name: str) -> bool:
        return not self._servers[name].is_running and self._clock.monotonic() >= self._not_before[name]

    async def _restart(self, name: str) -> bool:
        now = self._clock.monotonic()
        if now - self._started_at[name] >= CALM_SECONDS:
            self._failures[name] = 0
        self._failures[name] += 1
        wait = min(LONGEST_WAIT_SECONDS, 2.0 ** (self._failures[name] - 1))
        _log.warning("embedded_server_ended", server=name, restart=self._failures[name])
        try:
            await asyncio.to_thread(self._servers[name].start)
        except PackhouseError as error:
            _log.warning("embedded_server_waits", server=name, error=error.message, retry_in_seconds=wait)
            is_running = False
        else:
            _log.info("embedded_server_restarted", server=name)
            is_running = True
        self._started_at[name] = self._clock.monotonic()
        self._not_before[name] = self._started_at[name] + wait
        return is_running

    async def _watch(self) -> None:
        while not self._closing.is_set():
            try:
                await self.look()
            except Exception:  # noqa: BLE001 - the next check may succeed; logged with its trace
                _log.exception("supervision_failed")
            try:
                await asyncio.wait_for(self._closing.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

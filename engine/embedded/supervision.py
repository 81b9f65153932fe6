"""Restarts embedded servers that ended without being asked to.

A server's own `start` waits for the new process to answer and proves that the answer is the new one's; the old process
was waited for before. Port and data stay, so clients find the server again.
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


class Server(Protocol):
    """An embedded server. `start` does nothing while it runs, blocks until it answers, and may be called again."""

    @property
    def is_running(self) -> bool:
        """True while its process lives."""

    def start(self) -> str:
        """Start it on the port that it had, and return its URL. Raises `Transient` when it does not start."""


class Supervisor:
    """Watches started servers by name until `close`."""

    def __init__(self, *, servers: Mapping[str, Server], clock: Clock) -> None:
        self._servers = dict(servers)
        self._clock = clock
        self._failures = dict.fromkeys(self._servers, 0)
        self._not_before = dict.fromkeys(self._servers, 0.0)
        self._started_at = dict.fromkeys(self._servers, clock.monotonic())
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Watch in the background."""
        self._task = asyncio.create_task(self._watch(), name="supervisor")

    async def close(self) -> None:
        """Restart nothing more; a restart under way ends first, so that no server outlives its stop."""
        self._closing.set()
        if self._task is not None:
            await self._task

    async def look(self) -> int:
        """Restart the servers that ended and whose wait is over; return how many run again."""
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
            except Exception:  # noqa: BLE001 - the next look may succeed; logged with its trace
                _log.exception("supervision_failed")
            try:
                await asyncio.wait_for(self._closing.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

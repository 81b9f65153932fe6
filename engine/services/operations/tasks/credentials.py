"""Storage credentials of tasks: those of the opened table, renewed before a task starts with old ones.

A catalog may vend temporary credentials with each load of a table. A task keeps the credentials that it began with,
because Arrow cannot change those of an upload under way. So every task begins with recent ones, and a task whose
credentials still expire is sent again with new ones.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import CredentialsExpired, Transient
from engine.formats.base import OpenTable, RewriteEngine
from engine.rewriting.kernel.storage.credentials import RenewedStorage

_log = structlog.get_logger(__name__)

RECENT_SECONDS: Final = 60.0
"""Greatest age of temporary credentials, in seconds; older ones are renewed before a task gets them."""

_TEMPORARY: Final = ("token", "expires-at")
"""Parts of the names of properties that only temporary credentials have."""


ReadStorage = Callable[[Callable[[], Mapping[str, str]]], Awaitable[Mapping[str, str]]]
"""Runs a blocking function in a thread and returns its result."""


async def newer(storage: Mapping[str, str] | None, read: ReadStorage) -> Mapping[str, str] | None:
    """Return storage properties with new credentials; None if only opening the table gets them, or shows why not.

    Raises:
        Transient: the catalog does not answer in time.
    """
    if not isinstance(storage, RenewedStorage):
        return None
    try:
        await read(storage.credentials.newest)
    except OSError as error:
        _log.info("credentials_not_renewed", error=str(error))
        return None
    return RenewedStorage(storage.credentials)


class TaskCredentials:
    """The storage properties for the tasks of one attempt.

    `read` runs a blocking call of the table, by which a catalog is asked for credentials alone.
    """

    def __init__(
        self,
        *,
        engine: RewriteEngine,
        open_table: Callable[[], Awaitable[OpenTable]],
        clock: Clock,
        read: ReadStorage | None = None,
    ) -> None:
        self._name, self._open_table = engine.traits.name, open_table
        self._clock, self._ask = clock, read
        self._lock = asyncio.Lock()
        self._is_expired = False
        self._storage = engine.task_storage()
        self._read_at = clock.monotonic()

    @property
    def storage(self) -> Mapping[str, str]:
        """The storage properties that were read last."""
        return self._storage

    def expire(self) -> None:
        """Note that the storage refused the credentials because they expired."""
        self._is_expired = True

    async def refresh(self, *, is_again: bool) -> None:
        """Open the table again for new credentials if the present ones expired, or are temporary and not recent.

        Args:
            is_again: credentials expired during an earlier task of the same group, so it gets the newest ones.

        Raises:
            CredentialsExpired: the catalog still gives the credentials that expired.
            Transient, Rejected: the table can't be opened, and the present credentials expired.
        """
        async with self._lock:
            if self._is_expired or is_again:
                await self._read()
            elif self._is_temporary and self._clock.monotonic() - self._read_at >= RECENT_SECONDS:
                with suppress(Transient):  # the present ones may still be valid
                    await self._read()

    @property
    def _is_temporary(self) -> bool:
        return any(part in name for name in self._storage for part in _TEMPORARY)

    async def _read(self) -> None:
        storage = None if self._ask is None else await newer(self._storage, self._ask)
        if storage is None:
            storage = (await self._open_table()).engines[self._name].task_storage()
        if self._is_expired and storage == self._storage:
            raise CredentialsExpired("the storage's credentials expired, and the catalog still vends the same ones")
        self._storage, self._read_at, self._is_expired = storage, self._clock.monotonic(), False
        _log.debug("credentials_renewed")

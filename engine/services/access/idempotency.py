"""Answers stored by idempotency key for 24 hours: a repeated request is executed once and answered twice.

The coordinator removes expired answers.

Each step is a transaction of its own, so that a second request sees the first one in flight.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from engine.stores.access.idempotency import StoredAnswer
from engine.stores.database import Database

KEPT_FOR: Final = timedelta(hours=24)


class IdempotencyService:
    """Opens, finishes and removes entries. `caller` and `route` are the scope of a key."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def begin(self, caller: str, route: str, key: str, body_hash: str) -> StoredAnswer | None:
        """Open an entry and return None, or return the answer that the same request got before.

        Raises:
            InvalidInput: the key was used with another body.
            StateConflict: the first request of this key is still being answered.
        """
        async with self._database.begin() as unit:
            return await unit.idempotency.begin(caller, route, key, body_hash)

    async def finish(
        self, caller: str, route: str, key: str, *, status: int, headers: Mapping[str, str], body: bytes
    ) -> None:
        """Store the answer of an open entry."""
        async with self._database.begin() as unit:
            await unit.idempotency.finish(caller, route, key, status=status, headers=headers, body=body)

    async def forget(self, caller: str, route: str, key: str) -> None:
        """Remove the entry of a refused request, so that the corrected request may be sent under the same key."""
        async with self._database.begin() as unit:
            await unit.idempotency.forget(caller, route, key)

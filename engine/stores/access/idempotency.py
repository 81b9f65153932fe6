"""Stored responses by idempotency key, scoped to caller and route.

Call `begin` and `finish` in separate transactions: an open entry must be visible to a second request while the first
is being processed. A request that dies leaves its entry open; after two minutes the next request may take it over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import FieldProblem, InvalidInput, StateConflict
from engine.stores.schema.core import idempotency_keys as entries
from engine.stores.sql.dialects import now, seconds_from_now, upsert

_ABANDONED_SECONDS: Final = 120
_SCOPE: Final = ("caller", "route", "key")


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A stored response, to be returned again."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class IdempotencyStore:
    """Rows of `idempotency_keys`; `body_hash` detects a key that is reused with another body."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def begin(self, caller: str, route: str, key: str, body_hash: str) -> StoredAnswer | None:
        """Open an entry and return None, or return the stored response of the same request.

        Raises:
            InvalidInput: the key was used with another body.
            StateConflict: the first request with this key is still being processed.
        """
        if await self._open(caller, route, key, body_hash):
            return None
        row = (await self._connection.execute(select(entries).where(_entry(caller, route, key)))).one_or_none()
        if row is not None and row.body_hash != body_hash:
            problem = FieldProblem(
                "header:Idempotency-Key", "was used with another body", key, "use a new key for a new request"
            )
            raise InvalidInput("Idempotency-Key: this key was used with another body", problems=(problem,))
        if row is None or row.status is None:
            raise StateConflict(
                "a request with this Idempotency-Key is being answered", details={"constraint": "in_flight"}
            )
        return StoredAnswer(row.status, row.headers, row.body)

    async def finish(
        self, caller: str, route: str, key: str, *, status: int, headers: Mapping[str, str], body: bytes
    ) -> None:
        """Store the response of an open entry."""
        values = {"status": status, "headers": dict(headers), "body": body}
        await self._connection.execute(update(entries).where(_entry(caller, route, key)).values(values))

    async def forget(self, caller: str, route: str, key: str) -> None:
        """Remove an entry, because the request failed and may be retried."""
        await self._connection.execute(delete(entries).where(_entry(caller, route, key)))

    async def prune(self, older_than: datetime, limit: int) -> int:
        """Delete entries created before an instant, at most `limit`, oldest first; return how many."""
        columns = [entries.c[name] for name in _SCOPE]
        old = select(*columns).where(entries.c.created_at < older_than).order_by(entries.c.created_at).limit(limit)
        return (await self._connection.execute(delete(entries).where(tuple_(*columns).in_(old)))).rowcount

    async def _open(self, caller: str, route: str, key: str, body_hash: str) -> bool:
        """Insert the entry, or take over an abandoned one of the same body, in one statement."""
        values = {"caller": caller, "route": route, "key": key, "body_hash": body_hash, "headers": {}}
        abandoned = and_(
            entries.c.status.is_(None),
            entries.c.body_hash == body_hash,
            entries.c.created_at < seconds_from_now(-_ABANDONED_SECONDS),
        )
        statement = (
            upsert(self._connection, entries)
            .values(**values, created_at=now())
            .on_conflict_do_update(
                index_elements=["caller", "route", "key"], set_={"created_at": now()}, where=abandoned
            )
            .returning(entries.c.key)
        )
        return (await self._connection.execute(statement)).one_or_none() is not None


def _entry(caller: str, route: str, key: str) -> ColumnElement[bool]:
    return and_(entries.c.caller == caller, entries.c.route == route, entries.c.key == key)

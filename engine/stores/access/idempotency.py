"""Stored answers by idempotency key: written in the transaction of the change that they answer.

A request reads its entry before it begins (`find`). `insert_many`, in the transaction of the change, succeeds for one
sending of a request only: the transaction of any other one is rolled back by `Superseded`. On Postgres it waits for a
concurrent transaction with the same key; SQLite has one writer. So no entry is held while a request is processed, and
a process that dies leaves none behind.

A refusal is counted (`refuse`): a sending that began before it can't store an answer any more, so that a caller may
rely on a refusal.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.keyed_requests import KeyedRequest, StoredAnswer, Superseded
from engine.domain.errors import FieldProblem, InvalidInput
from engine.stores.schema.core import idempotency_keys as entries
from engine.stores.sql.dialects import now, upsert

_SCOPE: Final = ("caller", "route", "key")


class IdempotencyStore:
    """Rows of `idempotency_keys`: stored answers, and counts of refusals (without status)."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def find(self, request: KeyedRequest) -> StoredAnswer | KeyedRequest:
        """Return the stored answer of a request; without one the request, with the refusals so far.

        Raises:
            InvalidInput: a request with another body was answered under this key.
        """
        row = (await self._connection.execute(select(entries).where(_is_entry_of(request)))).one_or_none()
        if row is None or row.status is None:
            return replace(request, refusals=0 if row is None else row.refusals)
        if row.body_hash != request.body_hash:
            problem = FieldProblem(
                "header:Idempotency-Key", "was used with another body", request.key, "use a new key for a new request"
            )
            raise InvalidInput("Idempotency-Key: this key was used with another body", problems=(problem,))
        return StoredAnswer(row.status, row.headers, row.body)

    async def insert_many(self, answers: Sequence[tuple[KeyedRequest, StoredAnswer]]) -> None:
        """Store the answers of requests with different scopes.

        Raises:
            Superseded: some of the requests (`requests`) were answered, or refused after they began.
        """
        if not answers:
            return
        rows = [
            _values(request) | {"status": answer.status, "headers": dict(answer.headers), "body": answer.body}
            for request, answer in sorted(answers, key=lambda each: each[0].scope)
        ]
        statement = upsert(self._connection, entries).values(rows)
        changed = {name: statement.excluded[name] for name in ("body_hash", "created_at", "status", "headers", "body")}
        stored = await self._write(statement, changed)
        if len(stored) < len(rows):
            raise Superseded(frozenset(request for request, _ in answers if request.scope not in stored))

    async def refuse(self, request: KeyedRequest) -> None:
        """Count a refusal, unless the request was answered, or refused after this sending began."""
        statement = upsert(self._connection, entries).values(
            _values(replace(request, refusals=request.refusals + 1)) | {"headers": {}}
        )
        changed = {"refusals": statement.excluded.refusals, "created_at": statement.excluded.created_at}
        await self._write(statement, changed, is_current=entries.c.refusals == request.refusals)

    async def prune(self, older_than: datetime, limit: int) -> int:
        """Delete entries created before an instant, at most `limit`, oldest first; return how many."""
        columns = [entries.c[name] for name in _SCOPE]
        old = select(*columns).where(entries.c.created_at < older_than).order_by(entries.c.created_at).limit(limit)
        return (await self._connection.execute(delete(entries).where(tuple_(*columns).in_(old)))).rowcount

    async def _write(
        self,
        statement: postgresql.Insert | sqlite.Insert,
        changed: dict[str, Any],
        *,
        is_current: ColumnElement[bool] | None = None,
    ) -> set[tuple[str, str, str]]:
        """Insert entries, or change those without an answer and without a newer refusal; return the scopes of both."""
        current = entries.c.refusals == statement.excluded.refusals if is_current is None else is_current
        statement = statement.on_conflict_do_update(
            index_elements=list(_SCOPE), set_=changed, where=and_(entries.c.status.is_(None), current)
        )
        rows = await self._connection.execute(statement.returning(*(entries.c[name] for name in _SCOPE)))
        return {(row.caller, row.route, row.key) for row in rows}


def _values(request: KeyedRequest) -> dict[str, Any]:
    names = (*_SCOPE, "body_hash", "refusals")
    return {name: getattr(request, name) for name in names} | {"created_at": now()}


def _is_entry_of(request: KeyedRequest) -> ColumnElement[bool]:
    return and_(*(entries.c[name] == getattr(request, name) for name in _SCOPE))

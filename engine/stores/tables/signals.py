"""Signals pushed by clients: the newest 1000 of each kind for each table and for the fleet."""

import builtins
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Row, delete, insert, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.domain.tables.signals import Signal, SignalKind, SignalValue
from engine.domain.values.instants import ALWAYS, Period
from engine.stores.schema.core import signals
from engine.stores.sql.dialects import now, within

MOST_KEPT: Final = 1000
_VALUE: Final[TypeAdapter[Any]] = TypeAdapter(SignalValue)


class SignalStore:
    """Rows of `signals`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def append(self, table_id: TableId | None, value: SignalValue, sent_by: str) -> Signal:
        """Store a signal and delete those with 1000 newer signals of their kind.

        Raises:
            StateConflict: the table is not registered (constraint `foreign_key`).
        """
        values = {"table_id": table_id, "kind": value.kind, "sent_by": sent_by, "value": value.model_dump(mode="json")}
        statement = insert(signals).values(**values, at=now()).returning(signals)
        row = (await self._connection.execute(statement)).one()
        oldest = (
            select(signals.c.id)
            .where(*_about(table_id, value.kind))
            .order_by(signals.c.id.desc())
            .offset(MOST_KEPT)
            .limit(1)
            .scalar_subquery()
        )
        await self._connection.execute(delete(signals).where(*_about(table_id, value.kind), signals.c.id <= oldest))
        return _to_signal(row)

    async def list(
        self,
        table_id: TableId | None,
        kind: SignalKind,
        before: int | None = None,
        limit: int = 100,
        period: Period = ALWAYS,
    ) -> builtins.list[Signal]:
        """Return signals of one kind about a table (None: the fleet) with an id below `before`, newest first."""
        query = select(signals).where(*_about(table_id, kind), *within(signals.c.at, period))
        if before is not None:
            query = query.where(signals.c.id < before)
        query = query.order_by(signals.c.id.desc()).limit(limit)
        return [_to_signal(row) for row in await self._connection.execute(query)]

    async def newest(self, table_id: TableId) -> builtins.list[Signal]:
        """Return the newest signal of each kind about a table and about the fleet, newest first, in one query."""
        branches = [
            select(signals.c.id).where(*_about(about, kind)).order_by(signals.c.id.desc()).limit(1).subquery()
            for kind in SignalKind
            for about in (table_id, None)
        ]
        ids = union_all(*(select(branch.c.id) for branch in branches))
        query = select(signals).where(signals.c.id.in_(ids)).order_by(signals.c.id.desc())
        return [_to_signal(row) for row in await self._connection.execute(query)]


def _about(table_id: TableId | None, kind: SignalKind) -> tuple[ColumnElement[bool], ...]:
    of_table = signals.c.table_id.is_(None) if table_id is None else signals.c.table_id == table_id
    return of_table, signals.c.kind == kind


def _to_signal(row: Row[Any]) -> Signal:
    table_id = None if row.table_id is None else TableId(row.table_id)
    return Signal(row.id, table_id, row.at, row.sent_by, _VALUE.validate_python(row.value))

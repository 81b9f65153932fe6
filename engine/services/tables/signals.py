"""Signals from other systems, stored as received. A `commit` signal makes the coordinator evaluate its table at once.

They are not in the audit log: there may be thousands, and each row has its sender.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, Forbidden, InvalidInput
from engine.domain.ids import TableId
from engine.domain.tables.cloud_events import EventOutcome
from engine.domain.tables.signals import OldestReader, Signal, SignalKind, SignalValue
from engine.domain.values.instants import Period
from engine.metrics import WorkMetrics
from engine.services.access.idempotency import AnswerRecord
from engine.services.catalogs.registered import read_own, read_registered
from engine.stores.database import Database

API: Final = "api"
"""The source of signals that are sent one by one, in metrics."""


class SignalService:
    """Stores and lists signals about single tables, or about the whole fleet (no table)."""

    def __init__(self, *, database: Database, metrics: WorkMetrics) -> None:
        self._database = database
        self._metrics = metrics

    async def send(
        self,
        caller: Caller,
        table_id: TableId | None,
        value: SignalValue,
        *,
        record: AnswerRecord[Signal] | None = None,
    ) -> Signal:
        """Store a signal.

        Raises:
            NotFound: no such table.
            InvalidInput: an oldest reader without a table, or of a snapshot in the future.
            Forbidden: a signal about the fleet, from a caller of some teams only; or the caller may only read the
                table.
        """
        if table_id is None and caller.visible_teams is not None:
            message = (
                f"{caller.subject} may not send signals about the fleet without a key of every team; give a table_id"
            )
            raise Forbidden(message)
        async with self._database.begin() as unit:
            if isinstance(value, OldestReader):
                _check_reader(table_id, value, await unit.now())
            if table_id is not None:
                await read_own(unit, table_id, caller)
                if value.kind is SignalKind.COMMIT:
                    await unit.watches.wake(table_id, evaluate=False)
            signal = await unit.signals.append(table_id, value, caller.subject)
            if record is not None:
                await record.store(unit, signal)
        self._metrics.signals.labels(value.kind.value, API, EventOutcome.TAKEN.value).inc()
        return signal

    async def list(
        self,
        caller: Caller,
        table_id: TableId | None,
        kind: SignalKind,
        period: Period,
        *,
        before: int | None,
        limit: int,
    ) -> Sequence[Signal]:
        """Return signals of a kind about a table, or about the fleet, newest first, with ids below `before`.

        Raises:
            NotFound: no such table.
        """
        async with self._database.read() as unit:
            if table_id is not None:
                await read_registered(unit, table_id, caller)
            return await unit.signals.list(table_id, kind, before, limit, period)


def _check_reader(table_id: TableId | None, value: OldestReader, now: datetime) -> None:
    if table_id is None:
        problem = FieldProblem("/table_id", "oldest_reader is about one table", None, "give the table's id or address")
        raise InvalidInput("oldest_reader needs a table", problems=(problem,))
    if value.committed_at is not None and value.committed_at > now:
        given = value.committed_at.isoformat()
        message = f"{given} is in the future: it is {now.isoformat()} now"
        hint = "give the commit time of the oldest snapshot that a reader needs, or its snapshot_id"
        problem = FieldProblem("/signal/committed_at", message, given, hint)
        raise InvalidInput("committed_at is in the future", problems=(problem,))

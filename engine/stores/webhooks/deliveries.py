"""Deliveries: which event is still to be sent to which webhook, and what became of the others."""

import builtins
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, Select, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.figures import MOST_UNSENT
from engine.domain.ids import EventId, WebhookId
from engine.domain.webhooks.events import FleetEvent
from engine.domain.webhooks.webhook import DeliveryState, EventDelivery, ReceiverAnswer
from engine.stores.schema.webhooks import fleet_events, webhook_deliveries
from engine.stores.sql.dialects import now, seconds_from_now, upsert
from engine.stores.webhooks.events import to_event

_PROBLEM_CHARACTERS: Final = 300


class DeliveryStore:
    """Rows of `webhook_deliveries`. `builtins.list` in annotations: the method `list` hides the type."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert_many(self, wanted: Sequence[tuple[WebhookId, FleetEvent]]) -> int:
        """Add deliveries that are due at once, but those that exist; return how many were added."""
        if not wanted:
            return 0
        rows = [
            {
                "webhook_id": webhook_id,
                "sequence": event.sequence,
                "order_key": event.table_id or "",
                "state": DeliveryState.PENDING,
                "attempts": 0,
                "next_at": event.at,
            }
            for webhook_id, event in wanted
        ]
        statement = upsert(self._connection, webhook_deliveries).on_conflict_do_nothing()
        added = await self._connection.execute(statement.returning(webhook_deliveries.c.sequence), rows)
        return len(added.scalars().all())

    async def list_due(
        self, webhook_id: WebhookId, *, without: Collection[int], limit: int
    ) -> builtins.list[EventDelivery]:
        """Return deliveries of a webhook whose time has come, of each table only the oldest pending one.

        Args:
            webhook_id: the webhook.
            without: sequence numbers of events that are being sent.
            limit: the most deliveries that are returned.
        """
        mine, earlier = webhook_deliveries.c, webhook_deliveries.alias()
        is_behind = exists().where(
            earlier.c.webhook_id == mine.webhook_id,
            earlier.c.order_key == mine.order_key,
            earlier.c.state == DeliveryState.PENDING,
            earlier.c.sequence < mine.sequence,
            mine.order_key != "",
        )
        query = _joined().where(
            mine.webhook_id == webhook_id,
            mine.state == DeliveryState.PENDING,
            mine.next_at <= now(),
            mine.sequence.not_in(sorted(without)),
            ~is_behind,
        )
        query = query.order_by(mine.next_at, mine.sequence).limit(limit)
        return [_to_delivery(row) for row in (await self._connection.execute(query)).mappings()]

    async def with_due(self) -> frozenset[WebhookId]:
        """Return the webhooks that have deliveries whose time has come."""
        mine = webhook_deliveries.c
        query = select(mine.webhook_id).where(mine.state == DeliveryState.PENDING, mine.next_at <= now()).distinct()
        return frozenset((await self._connection.execute(query)).scalars())

    async def settle(
        self, delivery: EventDelivery, answer: ReceiverAnswer, state: DeliveryState, wait_seconds: float | None = None
    ) -> bool:
        """Record an attempt; False if the delivery has changed since it was read.

        Args:
            delivery: the delivery that was read.
            answer: the answer to the attempt.
            state: pending if it is tried again, after `wait_seconds`.
            wait_seconds: None unless pending.
        """
        mine = webhook_deliveries.c
        is_same = (
            mine.webhook_id == delivery.webhook_id,
            mine.sequence == delivery.event.sequence,
            mine.state == DeliveryState.PENDING,
            mine.attempts == delivery.attempts,
        )
        values = {
            "state": state,
            "attempts": delivery.attempts + 1,
            "attempted_at": now(),
            "next_at": None if wait_seconds is None else seconds_from_now(wait_seconds),
            "status": answer.status,
            "problem": None if answer.problem is None else answer.problem[:_PROBLEM_CHARACTERS],
        }
        return (
            await self._connection.execute(update(webhook_deliveries).where(*is_same).values(**values))
        ).rowcount > 0

    async def list(
        self, webhook_id: WebhookId, state: DeliveryState | None, *, before: int | None, limit: int
    ) -> builtins.list[EventDelivery]:
        """Return deliveries of a webhook, newest event first, those with a sequence number below `before`."""
        mine = webhook_deliveries.c
        query = _joined().where(mine.webhook_id == webhook_id).order_by(mine.sequence.desc()).limit(limit)
        query = query if state is None else query.where(mine.state == state)
        query = query if before is None else query.where(mine.sequence < before)
        return [_to_delivery(row) for row in (await self._connection.execute(query)).mappings()]

    async def send_again(self, webhook_id: WebhookId, sequences: Collection[int]) -> int:
        """Make deliveries that ended pending again, with new attempts and the same ids; return how many."""
        mine = webhook_deliveries.c
        is_one = (mine.webhook_id == webhook_id, mine.sequence.in_(sorted(sequences)))
        statement = update(webhook_deliveries).where(*is_one, mine.state != DeliveryState.PENDING)
        values = {"state": DeliveryState.PENDING, "attempts": 0, "attempted_at": None, "next_at": now()}
        return (await self._connection.execute(statement.values(**values))).rowcount

    async def find(self, webhook_id: WebhookId, event_id: EventId) -> EventDelivery | None:
        """Return the delivery of one event; None when there is none."""
        query = _joined().where(webhook_deliveries.c.webhook_id == webhook_id, fleet_events.c.id == event_id)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else _to_delivery(row)

    async def standing(self) -> tuple[dict[str, int], datetime | None]:
        """Return how many deliveries are pending and dead, at most `MOST_UNSENT` each, and the oldest pending event."""
        counts: dict[str, int] = {}
        for state in (DeliveryState.PENDING, DeliveryState.DEAD):
            some = select(webhook_deliveries.c.sequence).where(webhook_deliveries.c.state == state)
            query = select(func.count()).select_from(some.limit(MOST_UNSENT).subquery())
            counts[state.value] = (await self._connection.execute(query)).scalar_one()
        is_pending = webhook_deliveries.c.state == DeliveryState.PENDING
        first = select(func.min(webhook_deliveries.c.sequence)).where(is_pending).scalar_subquery()
        oldest = select(fleet_events.c.at).where(fleet_events.c.sequence == first)
        return counts, (await self._connection.execute(oldest)).scalar_one_or_none()


def _joined() -> Select[Any]:
    return select(webhook_deliveries, *(each for each in fleet_events.c if each.name != "sequence")).join(
        fleet_events, fleet_events.c.sequence == webhook_deliveries.c.sequence
    )


def _to_delivery(row: RowMapping) -> EventDelivery:
    names = ("webhook_id", "state", "attempts", "next_at", "attempted_at", "status", "problem")
    return EventDelivery(event=to_event(row), **{name: row[name] for name in names})

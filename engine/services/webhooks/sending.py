"""Send events to webhooks: the leader gives each new event to the webhooks that want it, and sends what is due.

Events are delivered at least once, and those of one table in order: an event waits until those before it were delivered
or given up. A receiver that fails gets one request at a time, and delays no other.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError, Transient
from engine.domain.ids import WebhookId
from engine.domain.webhooks.events import FleetEvent
from engine.domain.webhooks.webhook import (
    GONE,
    DeliveryState,
    EventDelivery,
    ReceiverAnswer,
    Webhook,
    WebhookFormat,
    wait_after,
)
from engine.metrics import WorkMetrics
from engine.services.watching.leadership import Leadership
from engine.services.webhooks.envelopes import cloud_event, request_of
from engine.services.webhooks.lineage import lineage_event, read_facts
from engine.services.webhooks.receivers import AT_ONCE, Receivers, WebhookSecrets
from engine.stores.database import Database
from engine.stores.watching.leadership import WEBHOOKS

_log = structlog.get_logger(__name__)

BATCH: Final = 500
"""Events that are distributed in one transaction."""

AT_ONCE_EACH: Final = 4
"""Most requests at a time to a receiver that answers."""


class WebhookSending:
    """The sender of a coordinator; it works while it leads."""

    def __init__(
        self,
        *,
        database: Database,
        receivers: Receivers,
        secrets: WebhookSecrets,
        leadership: Leadership,
        clock: Clock,
        metrics: WorkMetrics,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._receivers = receivers
        self._secrets = secrets
        self._leadership = leadership
        self._clock = clock
        self._metrics = metrics
        self._chance = chance
        self._sending: dict[asyncio.Task[None], tuple[WebhookId, int]] = {}
        self._turn: list[WebhookId] = []

    async def lead_webhooks(self) -> int:
        """Become or stay the leader unless another process leads."""
        await self._leadership.keep()
        return int(self._leadership.token is not None)

    async def send_events(self) -> int:
        """Distribute new events and begin to send what is due; return how many requests were begun."""
        token = self._leadership.token
        if token is None:
            return 0
        while await self._distribute(token) == BATCH:
            pass
        return await self._begin_due()

    async def close(self) -> None:
        """Wait for the requests in flight, and resign, so that another process can lead."""
        if self._sending:
            await asyncio.wait(self._sending)
        with suppress(Transient):
            await self._leadership.resign()

    async def _distribute(self, token: int) -> int:
        """Add the deliveries of new events; return the number of events."""
        async with self._database.read() as unit:
            if not await unit.fleet_events.list_new(1):
                return 0
        async with self._database.begin() as unit:
            if not await unit.leadership.leads(WEBHOOKS, token):
                return 0
            new = await unit.fleet_events.list_new(BATCH)
            webhooks = [each for each in await unit.webhooks.list() if each.enabled]
            wanted = [(webhook.id, event) for event in new for webhook in webhooks if webhook.passes(event)]
            await unit.deliveries.insert_many(wanted)
            await unit.fleet_events.mark_distributed(new)
        return len(new)

    async def _begin_due(self) -> int:
        begun = 0
        async with self._database.read() as unit:
            due = await unit.deliveries.with_due()
            webhooks = {each.id: each for each in (await unit.webhooks.list() if due else ()) if each.enabled}
            counts = Counter(webhook_id for webhook_id, _ in self._sending.values())
            for webhook in self._in_turn([webhooks[each] for each in sorted(due & webhooks.keys())]):
                most = 1 if webhook.failures else AT_ONCE_EACH
                room = min(most - counts[webhook.id], AT_ONCE - len(self._sending))
                if room <= 0:
                    continue
                without = {number for one, number in self._sending.values() if one == webhook.id}
                found = await unit.deliveries.list_due(webhook.id, without=without, limit=room)
                for delivery in found:
                    self._begin(webhook, delivery)
                begun += len(found)
        return begun

    def _in_turn(self, due: list[Webhook]) -> list[Webhook]:
        """Return webhooks with those first that were not served for the longest time."""
        ranks = {webhook_id: at for at, webhook_id in enumerate(self._turn)}
        return sorted(due, key=lambda each: ranks.get(each.id, -1))

    def _begin(self, webhook: Webhook, delivery: EventDelivery) -> None:
        self._turn = [*(each for each in self._turn if each != webhook.id), webhook.id]
        task = asyncio.create_task(self._send(webhook, delivery))
        self._sending[task] = (webhook.id, delivery.event.sequence)
        task.add_done_callback(self._sending.pop)

    async def _send(self, webhook: Webhook, delivery: EventDelivery) -> None:
        now = self._clock.now()
        try:
            document = await self._document(webhook, delivery.event)
            request = request_of(webhook, delivery.event_id, document, self._secrets, now)
            answer = await self._receivers.post(webhook.url, *request)
            await self._settle(webhook, delivery, answer)
        except PackhouseError as error:  # it stays due, and is sent again with the same id
            _log.warning(
                "delivery_not_recorded", webhook_id=webhook.id, event_id=delivery.event_id, error=error.message
            )

    async def _document(self, webhook: Webhook, event: FleetEvent) -> Mapping[str, Any]:
        if webhook.format is not WebhookFormat.OPENLINEAGE:
            return cloud_event(event)
        async with self._database.read() as unit:
            return lineage_event(event, await read_facts(unit, event))

    async def _settle(self, webhook: Webhook, delivery: EventDelivery, answer: ReceiverAnswer) -> None:
        wait = None if answer.is_success else wait_after(delivery.attempts + 1, answer, self._chance)
        is_gone = answer.status == GONE
        state = DeliveryState.DELIVERED if answer.is_success else DeliveryState.PENDING
        if not answer.is_success and (wait is None or is_gone):
            state, wait = DeliveryState.DEAD, None
        async with self._database.begin() as unit:
            seconds = None if wait is None else wait.total_seconds()
            if not await unit.deliveries.settle(delivery, answer, state, seconds):
                return
            await unit.webhooks.note(webhook.id, is_success=answer.is_success)
            if is_gone:
                await unit.webhooks.disable(webhook.id, f"the receiver answered {GONE}: it wants no further events")
        outcome = "retried" if state is DeliveryState.PENDING else state.value
        self._metrics.webhook_deliveries.labels(outcome).inc()
        if state is not DeliveryState.DELIVERED:
            _log.warning(
                "delivery_failed",
                webhook_id=webhook.id,
                event_id=delivery.event_id,
                attempts=delivery.attempts + 1,
                status=answer.status,
                problem=answer.problem,
                wait_seconds=seconds,
            )

"""Webhooks for owners: create, change, rotate the secret, test, and look at deliveries or repeat them.

An owner of some teams has webhooks for the events of these teams only, and sees no other. The secret is shown when it
is made, and by `rotate`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.clock import Clock
from engine.domain.errors import FieldProblem, Forbidden, InvalidInput, NotFound, PreconditionFailed, StateConflict
from engine.domain.ids import EventId, IdSource, WebhookId, new_event_id
from engine.domain.webhooks.events import EVENTS_KEPT_FOR, LINEAGE_STATES, EventType
from engine.domain.webhooks.webhook import (
    MOST_WEBHOOKS,
    DeliveryState,
    EventDelivery,
    ReceiverAnswer,
    Webhook,
    WebhookFormat,
)
from engine.outgoing.calls import origin
from engine.services.webhooks.envelopes import request_of, test_event
from engine.services.webhooks.lineage import lineage_test
from engine.services.webhooks.receivers import Receivers, WebhookSecrets
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

ROTATION: Final = timedelta(days=1)
"""Time for which the secret before signs too."""

REPEATED_AT_ONCE: Final = 500
_NO_LINEAGE: Final = "they have no meaning in OpenLineage, which knows runs and what they write"
MOST_REPEATED: Final = 10_000
"""Events that one request looks at."""


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """Fields of a webhook that its owner writes; see `Webhook`."""

    name: str
    url: str
    events: tuple[EventType, ...] | None = None
    teams: tuple[str, ...] | None = None
    catalogs: tuple[str, ...] | None = None
    enabled: bool = True
    format: WebhookFormat = WebhookFormat.CLOUDEVENTS


@dataclass(frozen=True, slots=True)
class Repeated:
    """Events that are sent again: their number, the begin of their time, and where to go on if there are more."""

    events: int
    since: datetime
    continue_from: datetime | None


class WebhookService:
    """Creates, shows and changes webhooks."""

    def __init__(
        self, *, database: Database, receivers: Receivers, secrets: WebhookSecrets, ids: IdSource, clock: Clock
    ) -> None:
        self._database = database
        self._receivers = receivers
        self._secrets = secrets
        self._ids = ids
        self._clock = clock

    async def create(self, caller: Caller, request: WebhookRequest) -> tuple[Webhook, str]:
        """Store a new webhook; return it with its secret.

        Raises:
            InvalidInput: its address is not allowed.
            Forbidden: it would get events of other teams than the caller's.
            StateConflict: one of this name exists, or there are `MOST_WEBHOOKS`.
        """
        self._check(caller, request)
        made = Webhook(
            id=self._ids.webhook_id(),
            **asdict(request),
            disabled_reason=None,
            generation=1,
            previous_until=None,
            failures=0,
            version=1,
            created_at=self._clock.now(),
            created_by=caller.subject,
        )
        async with self._database.begin() as unit:
            if await unit.webhooks.count() >= MOST_WEBHOOKS:
                raise StateConflict(f"there are {MOST_WEBHOOKS} webhooks, the most: delete one that is not needed")
            await unit.webhooks.insert(made)
            await unit.audit.append(caller, "webhook.create", made.id, after=made.described())
        return made, self._secrets.shown(made.id, made.generation)

    async def get(self, caller: Caller, webhook_id: WebhookId) -> Webhook:
        """Return a webhook, or raise `NotFound`."""
        async with self._database.read() as unit:
            return await _found(unit, caller, webhook_id)

    async def list(self, caller: Caller, *, after: WebhookId | None, limit: int) -> Sequence[Webhook]:
        """Return the webhooks that the caller sees, by id, at most `limit`."""
        async with self._database.read() as unit:
            found = await unit.webhooks.list(after)
        return [each for each in found if each.exists_for(caller)][:limit]

    async def replace(self, caller: Caller, webhook_id: WebhookId, request: WebhookRequest, version: int) -> Webhook:
        """Write all fields of a webhook. Enabling one forgets why it was disabled.

        Raises:
            NotFound, PreconditionFailed, InvalidInput, Forbidden, StateConflict: as `create`; it has another version.
        """
        self._check(caller, request)
        async with self._database.begin() as unit:
            before = await _found(unit, caller, webhook_id)
            _check_format(before, request)
            after = await unit.webhooks.replace(webhook_id, version, asdict(request))
            if after is None:
                raise _changed(before)
            await unit.audit.append(
                caller, "webhook.replace", webhook_id, before=before.described(), after=after.described()
            )
        return after

    async def delete(self, caller: Caller, webhook_id: WebhookId, version: int) -> None:
        """Delete a webhook with its deliveries.

        Raises:
            NotFound, PreconditionFailed: there is none, or it has another version.
        """
        async with self._database.begin() as unit:
            before = await _found(unit, caller, webhook_id)
            if not await unit.webhooks.delete(webhook_id, version):
                raise _changed(before)
            await unit.audit.append(caller, "webhook.delete", webhook_id, before=before.described())

    async def rotate(self, caller: Caller, webhook_id: WebhookId) -> tuple[Webhook, str]:
        """Begin a new secret and return it; the one before signs too for a day. Raises NotFound."""
        async with self._database.begin() as unit:
            await _found(unit, caller, webhook_id)
            rotated = await unit.webhooks.rotate(webhook_id, ROTATION.total_seconds())
            if rotated is None:
                raise _unknown(webhook_id)
            await unit.audit.append(caller, "webhook.rotate", webhook_id, after={"generation": rotated.generation})
        return rotated, self._secrets.shown(webhook_id, rotated.generation)

    async def test(self, caller: Caller, webhook_id: WebhookId) -> ReceiverAnswer:
        """Send one event of the type `webhook.test` now, also to a disabled webhook, and return the answer."""
        webhook = await self.get(caller, webhook_id)
        now = self._clock.now()
        is_lineage = webhook.format is WebhookFormat.OPENLINEAGE
        event_id = new_event_id(now)
        document = lineage_test(webhook, event_id, now) if is_lineage else test_event(webhook, event_id, now)
        request = request_of(webhook, event_id, document, self._secrets, now)
        return await self._receivers.post(webhook.url, *request)

    async def deliveries(
        self, caller: Caller, webhook_id: WebhookId, state: DeliveryState | None, *, before: int | None, limit: int
    ) -> Sequence[EventDelivery]:
        """Return deliveries of a webhook, those of the newest events first. Raises NotFound."""
        async with self._database.read() as unit:
            await _found(unit, caller, webhook_id)
            return await unit.deliveries.list(webhook_id, state, before=before, limit=limit)

    async def repeat(self, caller: Caller, webhook_id: WebhookId, event_id: EventId) -> None:
        """Send one event again that was delivered or given up, with the same id.

        Raises:
            NotFound: no such webhook, or no delivery of this event.
        """
        async with self._database.begin() as unit:
            await _found(unit, caller, webhook_id)
            delivery = await unit.deliveries.find(webhook_id, event_id)
            if delivery is None:
                raise NotFound(f"no delivery of event {event_id!r} to webhook {webhook_id!r}: list its deliveries")
            await unit.deliveries.send_again(webhook_id, [delivery.event.sequence])
            await unit.audit.append(caller, "webhook.repeat", webhook_id, after={"event_id": event_id})

    async def repeat_since(
        self, caller: Caller, webhook_id: WebhookId, *, since: datetime, until: datetime | None
    ) -> Repeated:
        """Send the events of a time again that the webhook's filters let pass, also those from before it was made.

        Raises:
            NotFound: no such webhook.
        """
        now = self._clock.now()
        end = now if until is None else min(until, now)
        begin = max(since, now - EVENTS_KEPT_FOR)
        webhook = await self.get(caller, webhook_id)
        count, read, last = 0, 0, None
        while read < MOST_REPEATED:
            async with self._database.begin() as unit:
                after = 0 if last is None else last.sequence
                found = await unit.fleet_events.list_between(begin, end, after=after, limit=REPEATED_AT_ONCE)
                wanted = [each for each in found if webhook.passes(each)]
                await unit.deliveries.send_again(webhook_id, [each.sequence for each in wanted])
                await unit.deliveries.insert_many([(webhook_id, each) for each in wanted])
            count, read, last = count + len(wanted), read + len(found), found[-1] if found else last
            if len(found) < REPEATED_AT_ONCE:
                last = None
                break
        async with self._database.begin() as unit:
            told = {"since": begin.isoformat(), "until": end.isoformat(), "events": count}
            await unit.audit.append(caller, "webhook.repeat", webhook_id, after=told)
        return Repeated(count, begin, None if last is None else last.at)

    def _check(self, caller: Caller, request: WebhookRequest) -> None:
        if (problem := self._receivers.rules.problem_of(request.url)) is not None:
            hint = "give https:// and a public host name, or let the operator of Packhouse list the host"
            field = FieldProblem("/url", problem, origin(request.url), hint)
            raise InvalidInput("the address of the webhook can't be used", problems=(field,))
        named = set(request.events or ()) if request.format is WebhookFormat.OPENLINEAGE else set()
        others = sorted(named - LINEAGE_STATES.keys())
        if others:
            field = FieldProblem("/events", _NO_LINEAGE, others, "leave them out, or make another webhook for them")
            raise InvalidInput("the format openlineage is for events of runs", problems=(field,))
        seen = caller.visible_teams
        if seen is not None and (request.teams is None or not seen.issuperset(request.teams)):
            own = ", ".join(sorted(seen)) or "none"
            raise Forbidden(f"{caller.subject} may have webhooks for events of its own teams only: set teams to: {own}")


def _check_format(before: Webhook, request: WebhookRequest) -> None:
    """Raise `InvalidInput` if a change gives a webhook another format: events that wait for it have the present one."""
    if request.format is not before.format:
        problem = f"the webhook has the format {before.format.value}, which can't be changed"
        hint = f"send {before.format.value}, or make another webhook"
        field = FieldProblem("/format", problem, request.format.value, hint)
        raise InvalidInput("the format of a webhook can't be changed", problems=(field,))


async def _found(unit: UnitOfWork, caller: Caller, webhook_id: WebhookId) -> Webhook:
    webhook = await unit.webhooks.get(webhook_id)
    if webhook is None or not webhook.exists_for(caller):
        raise _unknown(webhook_id)
    return webhook


def _unknown(webhook_id: WebhookId) -> NotFound:
    return NotFound(f"no webhook {webhook_id!r}")


def _changed(present: Webhook) -> PreconditionFailed:
    return PreconditionFailed(
        f"webhook {present.id} has version {present.version} now: read it again, then repeat the change"
    )

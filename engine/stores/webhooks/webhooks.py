"""Webhooks: rows of receivers, changed by their version."""

import builtins
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import RowMapping, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import WebhookId
from engine.domain.webhooks.events import EventType
from engine.domain.webhooks.webhook import Webhook
from engine.stores.schema.webhooks import webhooks
from engine.stores.sql.dialects import seconds_from_now, unlisted

_TYPES: Final = {each.value: each for each in EventType}
_LISTS: Final = ("events", "teams", "catalogs")


class WebhookStore:
    """Rows of `webhooks`. `builtins.list` in annotations: the method `list` hides the type inside the class."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert(self, given: Webhook) -> None:
        """Add a webhook.

        Raises:
            StateConflict: one of this name exists.
        """
        names = webhooks.c.keys()
        await self._connection.execute(insert(webhooks).values(_row({name: getattr(given, name) for name in names})))

    async def count(self) -> int:
        """Return how many webhooks there are."""
        return (await self._connection.execute(select(func.count()).select_from(webhooks))).scalar_one()

    async def get(self, webhook_id: WebhookId) -> Webhook | None:
        """Return a webhook; None when there is none."""
        query = select(webhooks).where(webhooks.c.id == webhook_id)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else _to_webhook(row)

    async def list(self, after: WebhookId | None = None) -> builtins.list[Webhook]:
        """Return all webhooks with an id above `after`, by id."""
        query = select(webhooks).order_by(webhooks.c.id)
        query = query if after is None else query.where(webhooks.c.id > after)
        return [_to_webhook(row) for row in (await self._connection.execute(query)).mappings()]

    async def replace(self, webhook_id: WebhookId, version: int, values: Mapping[str, Any]) -> Webhook | None:
        """Write fields of a webhook that has this version; None if it has another one. Enabling forgets failures."""
        is_same = (webhooks.c.id == webhook_id, webhooks.c.version == version)
        more = {"version": version + 1, "disabled_reason": None, "failures": 0}
        statement = update(webhooks).where(*is_same).values(**_row(values), **more).returning(webhooks)
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        return None if row is None else _to_webhook(row)

    async def rotate(self, webhook_id: WebhookId, seconds: float) -> Webhook | None:
        """Begin the next secret; the present one signs too for `seconds`. None: no such webhook."""
        values = {"generation": webhooks.c.generation + 1, "previous_until": seconds_from_now(seconds)}
        statement = update(webhooks).where(webhooks.c.id == webhook_id).values(**values).returning(webhooks)
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        return None if row is None else _to_webhook(row)

    async def delete(self, webhook_id: WebhookId, version: int) -> bool:
        """Delete a webhook that has this version, with its deliveries; return whether it had."""
        is_same = (webhooks.c.id == webhook_id, webhooks.c.version == version)
        return (await self._connection.execute(delete(webhooks).where(*is_same))).rowcount > 0

    async def note(self, webhook_id: WebhookId, *, is_success: bool) -> None:
        """Count a delivery that failed; one that did not ends the count."""
        failures = 0 if is_success else webhooks.c.failures + 1
        is_new = (webhooks.c.failures > 0,) if is_success else ()
        statement = update(webhooks).where(webhooks.c.id == webhook_id, *is_new).values(failures=failures)
        await self._connection.execute(statement)

    async def disable(self, webhook_id: WebhookId, reason: str) -> None:
        """Disable a webhook; one that is disabled already is unchanged."""
        statement = update(webhooks).where(webhooks.c.id == webhook_id, webhooks.c.enabled.is_(True))
        values = {"enabled": False, "disabled_reason": reason, "version": webhooks.c.version + 1}
        await self._connection.execute(statement.values(**values))


def _row(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as columns: lists instead of tuples."""
    return {name: list(each) if name in _LISTS and each is not None else each for name, each in values.items()}


def _to_webhook(row: RowMapping) -> Webhook:
    lists = {name: None if row[name] is None else tuple(row[name]) for name in _LISTS}
    events = lists["events"]
    types = None if events is None else tuple(_TYPES.get(each) or unlisted(EventType, each) for each in events)
    return Webhook(**{**row, **lists, "events": types})

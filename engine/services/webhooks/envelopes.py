"""Events as receivers get them: CloudEvents 1.0 in structured JSON, and for every format the signed request."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from engine.domain.ids import EventId
from engine.domain.webhooks.events import FleetEvent
from engine.domain.webhooks.webhook import Webhook, WebhookFormat
from engine.services.webhooks.receivers import WebhookSecrets

CloudEvent = dict[str, Any]

SOURCE: Final = "packhouse"
CONTENT_TYPE: Final = "application/cloudevents+json"
_TEST: Final = "webhook.test"
_SEQUENCE_DIGITS: Final = 20


def cloud_event(event: FleetEvent) -> CloudEvent:
    """Return an event as a CloudEvent. Its data is thin: ids, states and codes, which the API describes in full."""
    place = {"table_id": event.table_id, "catalog": event.catalog, "team": event.owner_team}
    data = {name: each for name, each in {**place, **event.data}.items() if each is not None}
    sequence = f"{event.sequence:0{_SEQUENCE_DIGITS}d}"  # ordered as text, as the extension asks
    return {**_envelope(event.id, event.type.value, event.subject, event.at), "sequence": sequence, "data": data}


def test_event(webhook: Webhook, event_id: EventId, at: datetime) -> CloudEvent:
    """Return an event that only tests a webhook, and is not stored."""
    return _envelope(event_id, _TEST, webhook.name, at)


def _envelope(event_id: EventId, of: str, subject: str, at: datetime) -> CloudEvent:
    return {
        "specversion": "1.0",
        "id": event_id,
        "source": SOURCE,
        "type": f"io.packhouse.{of}.v1",
        "subject": subject,
        "time": at.isoformat().replace("+00:00", "Z"),
        "datacontenttype": "application/json",
    }


def request_of(
    webhook: Webhook, event_id: EventId, document: Mapping[str, Any], secrets: WebhookSecrets, now: datetime
) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of the request that sends an event, as this document, to a webhook."""
    body = json.dumps(document, separators=(",", ":"))
    is_rotating = webhook.previous_until is not None and now < webhook.previous_until
    generations = (webhook.generation, *((webhook.generation - 1,) if is_rotating else ()))
    return {
        "Content-Type": "application/json" if webhook.format is WebhookFormat.OPENLINEAGE else CONTENT_TYPE,
        "webhook-id": event_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": secrets.signatures(webhook.id, generations, event_id=event_id, at=now, body=body),
    }, body.encode()

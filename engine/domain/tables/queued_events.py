"""The events in the body of a message of a queue: notifications of S3, with or without SNS and EventBridge around them.

A message is untrusted: its length, depth and number of events are bounded, and it is read without any effect.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.domain.tables.cloud_events import MOST_EVENTS, CloudEvent, UnusableEvent, field_of, text_of

LONGEST_BODY: Final = 2**20
"""Most characters of a body: a message of SQS has at most 1 MiB."""
_TEST: Final = "s3:TestEvent"


def events_of(body: str, message_id: str) -> Sequence[CloudEvent]:
    """Return the events of a message; none for the test that S3 sends when notifications are switched on.

    Args:
        body: a notification of S3; the same within a notification of SNS; an event of EventBridge; or a CloudEvent.
        message_id: identifies events that have no identity of their own.

    Raises:
        UnusableEvent: it is none of these.
    """
    found = _parse(body)
    if found.get("Type") == "Notification" and isinstance(found.get("Message"), str):
        found = _parse(found["Message"])
    if found.get("Event") == _TEST:
        return ()
    if isinstance(records := found.get("Records"), list) and 1 <= len(records) <= MOST_EVENTS:
        return [_of_record(each, f"{message_id}.{at}") for at, each in enumerate(records)]
    if "detail-type" in found:
        return [_event(found, "detail-type", None, found.get("detail"))]
    if "specversion" in found:
        return [_event(found, "type", found.get("subject"), found.get("data"))]
    raise UnusableEvent("it is neither a notification of S3 nor an event of EventBridge")


def _event(found: Mapping[str, Any], type_name: str, subject: str | None, data: Any) -> CloudEvent:
    id_, source, kind = (text_of(found.get(name)) for name in ("id", "source", type_name))
    return CloudEvent(id_, source, kind, subject, data)


def _parse(text: str) -> Mapping[str, Any]:
    if len(text) > LONGEST_BODY:
        raise UnusableEvent("it is too long")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise UnusableEvent("it is not JSON") from None
    if not isinstance(found, dict):
        raise UnusableEvent("it is not a JSON object")
    return found


def _of_record(record: Any, fallback: str) -> CloudEvent:
    """Return a record of a notification as the CloudEvents adapter for S3 describes it.

    The sequencer is part of the identity: the adapter's id is that of a request, which may delete many objects.
    """
    name, bucket = text_of(field_of(record, "eventName")), text_of(field_of(record, "s3", "bucket", "name"))
    parts = [field_of(record, "responseElements", "x-amz-request-id"), field_of(record, "s3", "object", "sequencer"),
             field_of(record, "s3", "object", "key"), name]  # fmt: skip
    is_known = all(isinstance(part, str) and part for part in parts)
    source = f"{field_of(record, 'eventSource') or 'aws:s3'}.{field_of(record, 'awsRegion') or ''}.{bucket}"
    return CloudEvent(
        ".".join(map(str, parts)) if is_known else fallback,
        source,
        f"com.amazonaws.s3.{name.removeprefix('s3:')}",
        None,
        record,
    )

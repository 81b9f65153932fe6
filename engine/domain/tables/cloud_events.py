"""Events of other systems in the form of CloudEvents 1.0, and the change of a table that each of them reports.

| type | names |
| --- | --- |
| `io.packhouse.signal.commit.v1` | a table: `data.table_id`, an id or an address |
| `Object Created`, `Object Deleted` | an object of S3: `data` is the `detail` of the event of EventBridge |
| `com.amazonaws.s3.…` | an object of S3: `data` is the record of the notification, whose key is URL-encoded |
| `google.cloud.storage.object.v1.…` | an object of Google Cloud Storage: `data.bucket` and `data.name` |
| `Microsoft.Storage.BlobCreated`, `….BlobDeleted` | a blob of Azure: `subject`, and the host of `data.url` |

Each reports a commit. An event of an object does not prove that a table has it, so it makes the coordinator look and
nothing else. Events are untrusted: whatever is not as in the table above is refused.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import unquote_plus

from pydantic import ValidationError

from engine.domain.tables.signals import MOST_COUNTED, CommitSeen, SignalKind
from engine.uris.locations import Location, split_uri

MOST_EVENTS: Final = 100
"""Most events of one request or message: each may be of another table."""
LONGEST_TEXT: Final = 2048
"""Most characters of an attribute: stores have names of objects of up to 1,024 bytes, here possibly encoded."""
COMMIT_TYPE: Final = "io.packhouse.signal.commit.v1"

_S3: Final = "com.amazonaws.s3."
_S3_EVENTS: Final = ("ObjectCreated:", "ObjectRemoved:", "LifecycleExpiration:")
_UNUSABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_BLOB: Final = re.compile(r"/blobServices/default/containers/([^/]+)/blobs/(.+)")
_COMMIT_FIELDS: Final = ("snapshot_id", "added_files", "added_bytes")
_PLAIN_COMMIT: Final = CommitSeen(kind=SignalKind.COMMIT)


class EventSource(StrEnum):
    """The way on which events arrive."""

    HTTP = "http"
    SQS = "sqs"


class EventOutcome(StrEnum):
    """The use that was made of an event."""

    TAKEN = "taken"
    """It is part of a signal that was stored."""

    DUPLICATE = "duplicate"
    """It was received before."""

    UNKNOWN_TABLE = "unknown_table"
    """It is about no registered table, or about one that the sender may not change."""

    REFUSED = "refused"
    """Its type has no meaning here, or its data names no table and no object."""


class UnusableEvent(ValueError):
    """An event, or a message with events, that can't be used; the text says why."""


@dataclass(frozen=True, slots=True)
class CloudEvent:
    """The attributes of an event that are used. `source` and `id` together identify it."""

    id: str
    source: str
    type: str
    subject: str | None = None
    data: Any = None


@dataclass(frozen=True, slots=True)
class TableChange:
    """The change that an event reports: at a location, or of a table that it names by id or address."""

    about: Location | str
    commit: CommitSeen = _PLAIN_COMMIT


def change_of(event: CloudEvent) -> TableChange:
    """Return the change that an event reports.

    Raises:
        UnusableEvent: its type has no meaning here, or its data is not that of its type.
    """
    for each in (event.id, event.source, event.type):
        text_of(each)
    reader = _READERS.get(event.type)
    if reader is None and event.type.startswith(_S3) and event.type.removeprefix(_S3).startswith(_S3_EVENTS):
        reader = _read_s3_record
    if reader is None:
        raise UnusableEvent(f"events of the type {event.type[:100]!r} have no meaning here")
    return reader(event)


def joined(changes: Sequence[TableChange]) -> CommitSeen:
    """Return one signal for several changes of a table: the last snapshot, and the sums of what was added."""

    def total(name: str) -> int | None:
        given = [count for each in changes if (count := getattr(each.commit, name)) is not None]
        return min(sum(given), MOST_COUNTED) if given else None

    snapshots = [each.commit.snapshot_id for each in changes if each.commit.snapshot_id is not None]
    return CommitSeen.model_construct(
        kind=SignalKind.COMMIT,
        snapshot_id=snapshots[-1] if snapshots else None,
        added_files=total("added_files"),
        added_bytes=total("added_bytes"),
    )


def text_of(value: Any) -> str:
    """Return a value that is a text of a usable length.

    Raises:
        UnusableEvent: it is none.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_TEXT:
        raise UnusableEvent(f"a text of 1 to {LONGEST_TEXT} characters is missing")
    if _UNUSABLE.search(value) is not None:
        raise UnusableEvent("a text has control characters, or half of a surrogate pair")
    return value


def field_of(value: Any, *names: str) -> Any:
    """Return the value that nested objects have under these names; None if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _read_commit(event: CloudEvent) -> TableChange:
    given = {name: field_of(event.data, name) for name in _COMMIT_FIELDS}
    try:
        commit = CommitSeen(kind=SignalKind.COMMIT, **given)
    except ValidationError as error:
        raise UnusableEvent(f"data is not that of a commit: {error.errors()[0]['msg']}") from None
    return TableChange(text_of(field_of(event.data, "table_id")), commit)


def _read_s3_detail(event: CloudEvent) -> TableChange:
    return _object("s3", field_of(event.data, "bucket", "name"), field_of(event.data, "object", "key"))


def _read_s3_record(event: CloudEvent) -> TableChange:
    key = text_of(field_of(event.data, "s3", "object", "key"))
    return _object("s3", field_of(event.data, "s3", "bucket", "name"), unquote_plus(key))


def _read_google(event: CloudEvent) -> TableChange:
    return _object("gs", field_of(event.data, "bucket"), field_of(event.data, "name"))


def _read_azure(event: CloudEvent) -> TableChange:
    match = _BLOB.fullmatch(text_of(event.subject))
    host = split_uri(text_of(field_of(event.data, "url")))[1]
    if match is None or not host:
        raise UnusableEvent("subject names no container and blob, or data.url no host")
    return _object("abfs", f"{match[1]}@{host}", match[2])


def _object(scheme: str, store: Any, key: Any) -> TableChange:
    location = None if "/" in text_of(store) else Location.of(f"{scheme}://{store}/{text_of(key)}")
    if location is None:
        raise UnusableEvent("its bucket or the name of its object is one that clients read differently")
    return TableChange(location)


_READERS: Final[Mapping[str, Callable[[CloudEvent], TableChange]]] = {
    COMMIT_TYPE: _read_commit,
    "Object Created": _read_s3_detail,
    "Object Deleted": _read_s3_detail,
    "google.cloud.storage.object.v1.finalized": _read_google,
    "google.cloud.storage.object.v1.deleted": _read_google,
    "Microsoft.Storage.BlobCreated": _read_azure,
    "Microsoft.Storage.BlobDeleted": _read_azure,
}

"""Events of stores: the object or table that each names, and what is refused."""

import json
from typing import Any

import pytest

from engine.domain.tables.cloud_events import COMMIT_TYPE, LONGEST_TEXT, CloudEvent, UnusableEvent, change_of, joined
from engine.domain.tables.queued_events import LONGEST_BODY, events_of
from engine.domain.tables.signals import MOST_COUNTED

BLOB = "/blobServices/default/containers/c/blobs/t/a%20b.parquet"


def detail(bucket: Any = "lake", key: Any = "t/x") -> dict[str, Any]:
    return {"bucket": {"name": bucket}, "object": {"key": key}}


def record(key: Any = "t/x", name: Any = "ObjectCreated:Put", **more: Any) -> dict[str, Any]:
    return {"eventName": name, "eventSource": "aws:s3", "awsRegion": "eu-west-1",
            "responseElements": {"x-amz-request-id": "R"},
            "s3": {"bucket": {"name": "lake"}, "object": {"key": key, "sequencer": "0A"}}} | more  # fmt: skip


def about(kind: str, data: Any, subject: str | None = None) -> str:
    return str(change_of(CloudEvent("1", "s", kind, subject, data)).about)


@pytest.mark.parametrize(
    ("kind", "data", "subject", "expected"),
    [
        ("Object Created", detail(key="t/a%2Bb+c"), None, "s3://lake/t/a%2Bb+c"),
        ("Object Deleted", detail(), None, "s3://lake/t/x"),
        ("com.amazonaws.s3.ObjectCreated:Put", record("t/a+b%2Bc%253A"), None, "s3://lake/t/a b+c%3A"),
        ("com.amazonaws.s3.ObjectRemoved:Delete", record(), None, "s3://lake/t/x"),
        ("google.cloud.storage.object.v1.finalized", {"bucket": "LAKE", "name": "t/x"}, None, "gs://lake/t/x"),
        ("google.cloud.storage.object.v1.deleted", {"bucket": "b", "name": "t//x"}, None, "gs://b/t//x"),
        ("Microsoft.Storage.BlobCreated", {"url": "https://Acc.blob.core.windows.net/c/t/a%2520b.parquet"}, BLOB,
         "abfs://c@acc.core.windows.net/t/a%20b.parquet"),
        (COMMIT_TYPE, {"table_id": "lake.shop.orders"}, None, "lake.shop.orders"),
    ],
)  # fmt: skip
def test_an_event_names_an_object_or_a_table(kind: str, data: Any, subject: str | None, expected: str) -> None:
    assert about(kind, data, subject) == expected


@pytest.mark.parametrize(
    ("kind", "data", "subject"),
    [
        ("com.example.other", detail(), None),
        ("com.amazonaws.s3.ObjectTagging:Put", record(), None),
        ("google.cloud.storage.object.v1.metadataUpdated", {"bucket": "b", "name": "x"}, None),
        *(
            ("Object Created", data, None)
            for data in (None, [], "x", {}, {"bucket": "lake"}, detail(1), detail(key=""))
        ),
        *(("Object Created", detail(key=key), None) for key in ("t/../x", "t/\0", "\ud800", "k" * LONGEST_TEXT + "k")),
        ("Object Created", detail("la/ke"), None),
        ("Object Created", detail("user@lake"), None),
        ("Microsoft.Storage.BlobCreated", {"url": "https://a.blob.core.windows.net/c/x"}, "/containers/c/blobs/x"),
        ("Microsoft.Storage.BlobCreated", {"url": "no address"}, BLOB),
        ("Microsoft.Storage.BlobCreated", {"url": "https://a.example/c/x"}, None),
        (COMMIT_TYPE, {}, None),
        (COMMIT_TYPE, {"table_id": "t", "added_files": -1}, None),
        (COMMIT_TYPE, {"table_id": "t\0"}, None),
        (COMMIT_TYPE, {"table_id": ["t"]}, None),
    ],
)
def test_an_event_that_names_none_is_refused(kind: str, data: Any, subject: str | None) -> None:
    with pytest.raises(UnusableEvent):
        about(kind, data, subject)


def test_changes_of_a_table_make_one_signal() -> None:
    given = ({"snapshot_id": "1", "added_files": 2}, {"snapshot_id": "9"}, {"added_files": 3, "added_bytes": 7})
    made = joined([change_of(CloudEvent("1", "s", COMMIT_TYPE, None, {"table_id": "t"} | each)) for each in given])
    assert (made.snapshot_id, made.added_files, made.added_bytes) == ("9", 5, 7)
    most = CloudEvent("1", "s", COMMIT_TYPE, None, {"table_id": "t", "added_files": MOST_COUNTED})
    assert joined([change_of(most)] * 2).added_files == MOST_COUNTED
    assert joined([change_of(CloudEvent("1", "s", "Object Created", None, detail()))]).added_files is None


NATIVE = {"Records": [record(), record("t/y")]}
BRIDGE = {"version": "0", "id": "1", "detail-type": "Object Created", "source": "aws.s3", "detail": detail()}
CLOUD = {"specversion": "1.0", "id": "1", "source": "aws.s3", "type": "Object Created", "data": detail()}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (NATIVE, ["s3://lake/t/x", "s3://lake/t/y"]),
        ({"Type": "Notification", "MessageId": "m", "Message": json.dumps(NATIVE)}, ["s3://lake/t/x", "s3://lake/t/y"]),
        ({"Type": "Notification", "MessageId": "m", "Message": json.dumps(BRIDGE)}, ["s3://lake/t/x"]),
        (BRIDGE, ["s3://lake/t/x"]),
        (CLOUD, ["s3://lake/t/x"]),
        ({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "lake"}, []),
    ],
)
def test_a_message_has_the_events_of_a_notification(message: Any, expected: list[str]) -> None:
    assert [str(change_of(each).about) for each in events_of(json.dumps(message), "m")] == expected


def test_events_of_a_message_are_known_again() -> None:
    one, other = events_of(json.dumps(NATIVE), "m")
    assert one.id != other.id
    assert events_of(json.dumps(NATIVE), "another delivery")[0].id == one.id
    assert events_of(json.dumps({"Records": [record("t/x", "ObjectRemoved:Delete")]}), "m")[0].id != one.id
    [unnamed] = events_of(json.dumps({"Records": [record(responseElements=None)]}), "m")
    assert (unnamed.id, unnamed.source) == ("m.0", "aws:s3.eu-west-1.lake")


@pytest.mark.parametrize(
    "body",
    [
        "", "no JSON", "[]", "3", "null", "{}", "[" * 100_000, '{"Records": []}', '{"Records": [null]}',
        json.dumps({"Records": [record()] * 101}), json.dumps({"Records": [record(name=7)]}),
        json.dumps({"Type": "Notification", "Message": "hello"}), json.dumps(BRIDGE | {"id": None}),
        json.dumps(CLOUD | {"type": ""}), json.dumps({"a": "x" * LONGEST_BODY}),
    ],
)  # fmt: skip
def test_any_other_message_is_refused(body: str) -> None:
    with pytest.raises(UnusableEvent):
        events_of(body, "m")

"""What is kept out of the audit log, and the one text that an entry is hashed as."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from engine.domain.access.audit import GENESIS, REDACTED, AuditEntry, canonical, link, redacted

ENTRY = AuditEntry(
    7, datetime(2026, 11, 1, 12, 30, 0, 5, UTC), "key:etl", "run.submit", "run_1", "req_1", None, {"b": 1, "a": "é"}
)


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ({"password": "hunter2"}, {"password": REDACTED}),
        ({"s3.secret-access-key": "abc"}, {"s3.secret-access-key": REDACTED}),
        ({"properties": {"token": "abc", "uri": "env:URI"}}, {"properties": {"token": REDACTED, "uri": "env:URI"}}),
        (
            {"token": "env:TOKEN", "credential": "file:/run/secret"},
            {"token": "env:TOKEN", "credential": "file:/run/secret"},
        ),
        ({"credential": "file:///lake"}, {"credential": REDACTED}),
        ({"uri": "postgresql://me:hunter2@host/x"}, {"uri": f"postgresql://me:{REDACTED}@host/x"}),
        ({"note": "made pkh_0123456789abcdef for you"}, {"note": f"made {REDACTED} for you"}),
        ({"tokens": ["a", "b"]}, {"tokens": [REDACTED, REDACTED]}),
        ({"primary_key": ["id"], "count": 3, "when": None}, {"primary_key": ["id"], "count": 3, "when": None}),
    ],
)
def test_secrets_are_taken_out_and_references_stay(document: dict[str, Any], shown: dict[str, Any]) -> None:
    assert redacted(document) == shown


def test_no_document_stays_no_document_and_the_hash_before_is_in_the_hash() -> None:
    assert redacted(None) is None
    assert link("1" * 64, ENTRY) != link(GENESIS, ENTRY)


def test_an_entry_has_one_text_whatever_the_order_of_its_keys_and_the_time_zone_of_its_instant() -> None:
    assert canonical(replace(ENTRY, after={"a": "é", "b": 1})) == canonical(ENTRY)
    assert canonical(ENTRY) == (
        '{"action":"run.submit","after":{"a":"\\u00e9","b":1},"at":"2026-11-01T12:30:00.000005Z","before":null,'
        '"caller":"key:etl","id":7,"object":"run_1","request_id":"req_1"}'
    )
    elsewhere = ENTRY.at.astimezone(timezone(timedelta(hours=2)))
    assert canonical(replace(ENTRY, at=elsewhere)) == canonical(ENTRY)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": 8},
        {"at": ENTRY.at + timedelta(microseconds=1)},
        {"caller": "key:other"},
        {"action": "run.cancel"},
        {"object": "run_2"},
        {"request_id": None},
        {"before": {}},
        {"after": {"b": 1}},
    ],
)
def test_every_field_of_an_entry_is_in_its_hash(changes: dict[str, Any]) -> None:
    assert link(GENESIS, replace(ENTRY, **changes)) != link(GENESIS, ENTRY)

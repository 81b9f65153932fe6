"""The intent of an attempt survives its document, also one that an earlier version stored."""

import json

import pytest

from engine.domain.runs.intents import RunIntent, SentCall

OF_VERSION_15 = {
    "engine": "native",
    "table_uuid": "9f0f9dad-e45b-4955-bade-da9203043f11",
    "base_snapshot_id": "8434567890123456789",
    "plan_hash": "abc",
    "commit": [2, 0],
    "session_id": "s",
    "user_id": "packhouse",
    "tag": "t",
    "operation_id": "o",
    "since_snapshot_id": "8434567890123456790",
    "application": "app-1",
}


@pytest.mark.parametrize(
    "intent",
    [
        RunIntent(),
        RunIntent("arrow", "u", base_snapshot_id=2**62, plan_hash="h", session_id="s", tag="t", endpoint="eu"),
        RunIntent(sent=frozenset({3, 1}), call=SentCall(2**62, "app-1")),
        RunIntent(snapshots=(2**62, 5), sent=frozenset({0})),
    ],
    ids=["none", "rewrite", "procedure", "expiry"],
)
def test_an_intent_is_what_its_document_says(intent: RunIntent) -> None:
    assert RunIntent.of(json.loads(json.dumps(intent.document()))) == intent


def test_a_document_of_an_earlier_version_is_read_and_groups_are_marked_until_their_outcome_is_known() -> None:
    intent = RunIntent.of(OF_VERSION_15)
    assert (intent.engine, intent.session_id, intent.tag, intent.sent) == ("native", "s", "t", frozenset({0, 2}))
    assert (intent.call, intent.endpoint) == (SentCall(8434567890123456790, "app-1"), "default")
    assert intent.bases == {8434567890123456789, 8434567890123456790}
    assert RunIntent.of({}) == RunIntent()
    sent = RunIntent(engine="arrow").marked_sent([1, 2]).marked_sent([2, 5])
    assert (sent.engine, sent.sent) == ("arrow", frozenset({1, 2, 5}))
    assert sent.marked_settled([1, 5, 9]).sent == frozenset({2})

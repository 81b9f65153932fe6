"""Policy documents: what they take, hold and answer."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.domain.policies import PolicyDocument
from engine.domain.policies.documents.document import nested
from engine.domain.values.units import STORED_FORM
from tests.unit.domain.policy_documents import documents

SLOW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def read(written: Any) -> PolicyDocument:
    return PolicyDocument.model_validate(written)


@SLOW
@given(documents)
def test_any_document_round_trips_through_json(written: dict[str, Any]) -> None:
    document = read(written)
    assert PolicyDocument.model_validate_json(document.model_dump_json(exclude_none=True)) == document
    assert read(json.loads(json.dumps(document.model_dump(mode="json")))) == document


@SLOW
@given(documents)
def test_any_document_is_made_of_its_leaves(written: dict[str, Any]) -> None:
    document = read(written)
    leaves = document.leaves()
    assert PolicyDocument.model_validate(nested(leaves), context=STORED_FORM).leaves() == leaves
    assert read(nested(document.written())).leaves() == leaves
    json.dumps(leaves)  # the record keeps them as JSON


def test_sizes_are_answered_in_bytes_durations_in_the_short_form_and_columns_may_be_names() -> None:
    document = read({"rewrite": {"target_file_bytes": "500MB"}, "schedule": {"min_interval": "PT90M"}})
    assert document.leaves() == {"rewrite.target_file_bytes": 500_000_000, "schedule.min_interval": 5400}
    assert document.written() == {"rewrite.target_file_bytes": 500_000_000, "schedule.min_interval": "90m"}
    assert read({"rewrite": {"columns": ["city"]}}) == read({"rewrite": {"columns": [{"name": "city"}]}})


def test_null_is_absent_and_off_unlimited_and_shares_of_the_target_are_values() -> None:
    assert read({"seal": None, "rewrite": {"strategy": None}, "limits": None}).leaves() == {}
    document = read({"seal": "off", "limits": {"bandwidth": "unlimited"}, "rewrite": {"large_file_bytes": "off"}})
    assert document.leaves() == {"seal": "off", "limits.bandwidth": "unlimited", "rewrite.large_file_bytes": "off"}
    assert read({"rewrite": {"small_file_bytes": " 070% "}}).leaves() == {"rewrite.small_file_bytes": "70%"}


def test_lists_and_seals_are_leaves_and_sections_are_not() -> None:
    document = read(
        {
            "seal": {"after": "1h"},
            "rewrite": {"full": {"interval": "1d"}, "columns": ["city"]},
            "quiet_hours": [{"from": "22:00", "to": "06:00"}],
            "maintenance": {"expire_snapshots": {"older_than": "5d"}},
        }
    )
    assert document.leaves().keys() == {
        "seal",
        "rewrite.full.interval",
        "rewrite.columns",
        "quiet_hours",
        "maintenance.expire_snapshots",
    }


def test_m5_and_m6_the_size_of_files_and_the_time_span_of_a_merge_can_be_limited() -> None:
    """M5, M6: files above a size are isolated, and files far apart do not merge."""
    assert read({"rewrite": {"exclude_above_bytes": "1GiB"}}).leaves() == {"rewrite.exclude_above_bytes": 2**30}
    assert read({"rewrite": {"max_time_span": "1d"}}).leaves() == {"rewrite.max_time_span": 86_400}


def test_p17_to_p19_say_when_a_whole_partition_is_rewritten() -> None:
    full = {"interval": "1d", "always_below_bytes": "1GiB", "when_increment_above_bytes": "10GiB"}
    assert read({"rewrite": {"full": full}}).leaves() == {
        "rewrite.full.interval": 86_400,
        "rewrite.full.always_below_bytes": 2**30,
        "rewrite.full.when_increment_above_bytes": 10 * 2**30,
    }


def test_p20_to_p22_key_tables_are_looked_up_eagerly_or_lazily_with_a_forced_one() -> None:
    rules = {"lookup": "lazy", "forced_every": 10}
    assert read({"rewrite": {"key_tables": rules}}).rewrite is not None
    with pytest.raises(ValidationError):
        read({"rewrite": {"key_tables": {"lookup": "radical"}}})


def test_a_key_has_columns_and_a_version() -> None:
    key = {"columns": ["id", "region"], "version": "at", "deleted": "gone"}
    read({"rewrite": {"key": key}})
    read({"rewrite": {"key": "off"}})
    for missing in ("columns", "version"):
        with pytest.raises(ValidationError, match=f"key.*{missing}"):
            read({"rewrite": {"key": {name: value for name, value in key.items() if name != missing}}})
    with pytest.raises(ValidationError, match="'id' is named twice"):
        read({"rewrite": {"key": {**key, "version": "ID"}}})


REWRITE: list[tuple[dict[str, Any], tuple[str | int, ...]]] = [
    ({"target_file_bytes": 1}, ("target_file_bytes",)),
    ({"target_file_bytes": "17GiB"}, ("target_file_bytes",)),
    ({"small_file_bytes": "0%"}, ("small_file_bytes",)),
    ({"small_file_bytes": "1001%"}, ("small_file_bytes",)),
    ({"small_file_bytes": "7.5%"}, ("small_file_bytes",)),
    ({"small_file_bytes": 0}, ("small_file_bytes",)),
    ({"exclude_above_bytes": 2**61}, ("exclude_above_bytes",)),
    ({"min_input_files": 1}, ("min_input_files",)),
    ({"compression": "brotli"}, ("compression",)),
    ({"columns": ["a", "a"]}, ("columns",)),
    ({"columns": ["a\x00"]}, ("columns", 0, "name")),
    ({"tiers": []}, ("tiers",)),
    ({"tiers": [{"below_bytes": 9, "files": 2}, {"below_bytes": 9, "files": 2}]}, ("tiers",)),
    ({"deletes": {"ratio": 0}}, ("deletes", "ratio")),
]
GARBAGE = [{"metric": "unreferenced_bytes", "above": 1}]
NO_INVENTORY = ["", "inventory.csv", "s3://lake/../x", "s3://k:secret@lake/x", "s3://lake/a\nb", "/" + "x" * 1000]
BACKOFF = {"signal": "query_latency_p95", "throttle_above": "5s", "pause_above": "2s", "resume_below": "1s"}
WRONG: list[tuple[dict[str, Any], tuple[str | int, ...]]] = [
    ({"enable": True}, ("enable",)),
    *(({"rewrite": written}, ("rewrite", *place)) for written, place in REWRITE),
    ({"limits": {"parallel_groups": 0}}, ("limits", "parallel_groups")),
    ({"limits": {"bandwidth": "1kB"}}, ("limits", "bandwidth")),
    ({"limits": {"share_percent": 101}}, ("limits", "share_percent")),
    ({"seal": {"after": "1h", "quiet_for": "1h"}}, ("seal",)),
    ({"seal": {}}, ("seal",)),
    ({"priority": "urgent"}, ("priority",)),
    ({"maintenance": {"remove_orphans": {"older_than": "23h"}}}, ("maintenance", "remove_orphans")),
    *(
        ({"maintenance": {"remove_orphans": {"inventory": location}}}, ("maintenance", "remove_orphans"))
        for location in NO_INVENTORY
    ),
    ({"maintenance": {"rewrite_deletes": {"when": GARBAGE}}}, ("maintenance", "rewrite_deletes")),
    ({"triggers": [{"name": "a", "all": GARBAGE}]}, ("triggers", 0, "all")),
    ({"maintenance": {"expire_snapshots": {}}}, ("maintenance", "expire_snapshots")),
    ({"backoff": BACKOFF}, ("backoff",)),
    ({"triggers": [{"name": "a", "all": []}]}, ("triggers", 0, "all")),
]


@pytest.mark.parametrize(("written", "place"), WRONG, ids=lambda value: str(value)[:60])
def test_what_can_not_hold_is_refused_where_it_stands(written: dict[str, Any], place: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        read(written)
    assert {error["loc"][: len(place)] for error in caught.value.errors()} == {place}


def test_a_blackout_is_held_in_utc_and_a_document_never_changes() -> None:
    document = read({"blackouts": [{"from": "2026-12-24T02:00+02:00", "to": "2026-12-27T00:00Z", "reason": "freeze"}]})
    assert document.blackouts[0].start == datetime(2026, 12, 24, tzinfo=UTC)
    assert document.written()["blackouts"][0]["from"] == "2026-12-24T00:00:00Z"
    with pytest.raises(ValidationError):
        read({}).enabled = False  # type: ignore[misc]


HOSTILE = st.text() | st.sampled_from(
    ["'; DROP TABLE runs; --", "../../etc/passwd", "${jndi:ldap://x}", "\u202e", "\ud800"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=10,
)
PLACES = [
    lambda value: value,
    lambda value: {"preset": value},
    lambda value: {"seal": {"after": value}},
    lambda value: {"rewrite": {"columns": value, "small_file_bytes": value, "compression": value}},
    lambda value: {"schedule": {"cron": value, "time_zone": value}},
    lambda value: {"quiet_hours": [{"from": value, "to": value, "time_zone": value}]},
    lambda value: {"blackouts": [{"from": value, "to": value, "reason": value}]},
    lambda value: {"triggers": [{"name": value, "all": [{"metric": value, "below": value}]}]},
    lambda value: {"triggers": [{"name": "a", "all": [{"metric": "delete_ratio", "below": value}]}]},
    lambda value: {"triggers": [{"name": "a", "all": [{"metric": "file_count", "below": value}]}]},
]


@SLOW
@given(st.sampled_from(PLACES), JSON)
def test_nothing_that_is_sent_breaks_the_reading(place: Any, value: Any) -> None:
    try:
        document = read(place(value))
    except ValidationError:
        return
    text = document.model_dump_json()
    assert "\\u0000" not in text  # Postgres stores no NUL
    assert PolicyDocument.model_validate_json(text) == document

"""Differences of documents, leaf by leaf."""

from typing import Any

from hypothesis import HealthCheck, given, settings

from engine.domain.policies import Difference, PolicyDocument, differences, differing_leaves, effective_policy
from engine.domain.policies.documents.document import nested
from tests.unit.domain.policy_documents import documents

SLOW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
read = PolicyDocument.model_validate


def test_documents_and_effective_policies_are_compared_as_they_are_answered_whatever_the_form() -> None:
    before = read({"enabled": True, "schedule": {"min_interval": "30m"}, "priority": "low"})
    after = read({"enabled": True, "schedule": {"min_interval": "PT1H"}, "rewrite": {"target_file_bytes": "1MiB"}})
    assert differences(before, after) == (
        Difference("priority", "low", None),
        Difference("rewrite.target_file_bytes", None, 2**20),
        Difference("schedule.min_interval", "30m", "1h"),
    )
    before, after = (effective_policy(table_properties={}, own=read(own)) for own in ({}, {"priority": "high"}))
    assert differing_leaves(before.written(), after.written()) == (Difference("priority", "normal", "high"),)
    sizes = [read({"limits": {"bandwidth": size}}) for size in ("50MB", 50_000_000)]
    assert differences(*sizes) == ()
    assert differences(None, read({"enabled": False})) == (Difference("enabled", None, False),)
    assert differences(read({"enabled": False}), None) == (Difference("enabled", False, None),)


@SLOW
@given(documents, documents)
def test_differences_lead_from_one_document_to_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    leaves = read(before).written()
    for difference in differences(read(before), read(after)):
        assert leaves.get(difference.name) == difference.before
        leaves[difference.name] = difference.after
    led_to = {name: value for name, value in leaves.items() if value is not None}
    assert led_to == read(after).written()
    assert differences(read(after), read(nested(led_to))) == ()

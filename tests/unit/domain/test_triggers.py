"""Trigger rules: a condition's value is of its metric's kind."""

from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from engine.domain.policies import Metric, MetricKind, PolicyDocument, TriggerCondition, TriggerRule
from engine.domain.values.units import format_duration
from tests.unit.domain.policy_documents import OPERANDS, conditions

PER_TABLE = {"avoidable_file_count", "avoidable_file_share", "snapshot_count", "manifest_count", "metadata_bytes"}
PER_TABLE |= {"average_manifest_bytes", "oldest_snapshot_age", "unreferenced_bytes"}


def condition(metric: str, **comparison: Any) -> TriggerCondition:
    return TriggerCondition.model_validate({"metric": metric, **comparison})


def rule(*found: tuple[str, str, Any], **rest: Any) -> TriggerRule:
    listed = [{"metric": metric, operator: value} for metric, operator, value in found]
    return TriggerRule.model_validate({"name": "a rule", "all": listed, **rest})


def problem(metric: str, value: Any) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        condition(metric, above=value)
    (found,) = caught.value.errors()
    return {"at": found["loc"], "message": found["msg"], "hint": found["ctx"]["error"].hint}


@given(conditions())
def test_any_condition_holds_its_value_in_bytes_seconds_or_as_it_is(written: dict[str, Any]) -> None:
    read = TriggerCondition.model_validate(written)
    assert isinstance(read.wanted, float if read.metric.kind is MetricKind.RATIO else int)
    answered = read.model_dump(mode="json", exclude_none=True)[read.operator]
    assert answered == (format_duration(int(read.wanted)) if read.metric.kind is MetricKind.DURATION else read.wanted)


@pytest.mark.parametrize(
    ("metric", "value", "wanted", "hint"),
    [
        ("file_count", "32MB", "a count", None),
        ("file_count", 1.5, "a count", None),
        ("file_count", True, "a count", None),
        ("file_count", -1, "a count", None),
        ("file_count", float("inf"), "a count", None),
        ("file_count", float("nan"), "a count", None),
        ("small_file_share", 20, "a share between 0 and 1", "did you mean 0.2?"),
        ("small_file_share", "20%", "a share between 0 and 1", "did you mean 0.2?"),
        ("small_file_share", "a fifth", "a share between 0 and 1", None),
        ("average_file_bytes", "32mb", "a size", "did you mean '32MB' (decimal) or '32MiB' (binary)?"),
        ("average_file_bytes", 0.5, "a size", None),
        ("newest_file_age", 2, "a duration", "did you mean '2s'?"),
        ("newest_file_age", "2 days", "a duration", "did you mean '2d'?"),
        ("newest_file_age", "32MB", "a duration", None),
    ],
)
def test_a_value_of_another_kind_is_told_what_is_wanted(metric: str, value: Any, wanted: str, hint: str | None) -> None:
    found = problem(metric, value)
    assert found["at"] == ("above",)
    assert f"{metric} is compared with {wanted}" in found["message"]
    assert found["hint"] == hint


def test_a_value_that_is_too_large_and_an_unknown_metric_are_told() -> None:
    assert "4000d is longer than 3650d" in problem("newest_file_age", "4000d")["message"]
    assert "out of range" in problem("total_bytes", "9000TiB")["message"]
    with pytest.raises(ValidationError) as caught:
        condition("file_cuont", above="32MB")
    assert [error["loc"] for error in caught.value.errors()] == [("metric",)]


@pytest.mark.parametrize("comparison", [{}, {"above": 5, "below": 9}, {"above": None}])
def test_a_condition_has_exactly_one_operator(comparison: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="exactly one of"):
        condition("file_count", **comparison)


@pytest.mark.parametrize(
    ("operator", "holding"),
    [("at_least", [5, 6]), ("above", [6]), ("at_most", [4, 5]), ("below", [4])],
)
def test_operators_compare_as_they_say(operator: str, holding: list[int]) -> None:
    compared = condition("file_count", **{operator: 5})
    assert [measured for measured in (4, 5, 6) if compared.holds(measured)] == holding


def test_a_rule_is_judged_for_the_table_only_if_all_its_metrics_are_of_the_table_and_each_has_operands() -> None:
    assert {metric.value for metric in Metric if metric.of_table} == PER_TABLE
    assert rule(("manifest_count", "above", 100)).scope == "table"
    assert rule(("manifest_count", "above", 100), ("file_count", "above", 5)).scope == "partition"
    assert {metric.kind for metric in Metric} == set(OPERANDS)


def test_p16_and_p24_sorted_runs_can_make_a_bucket_due() -> None:
    assert rule(("sorted_run_count", "at_least", 5)).all[0].wanted == 5


@pytest.mark.parametrize("name", ["", " leading", "a" * 65, "tab\t", "line\n", "emoji 🙂"])
def test_names_of_rules_are_plain(name: str) -> None:
    with pytest.raises(ValidationError):
        rule(("file_count", "above", 5), name=name)


def test_two_rules_of_one_name_are_refused() -> None:
    twice = rule(("file_count", "above", 5)).model_dump(exclude_none=True)
    with pytest.raises(ValidationError, match="two rules have the name 'a rule'"):
        PolicyDocument.model_validate({"triggers": [twice, twice]})

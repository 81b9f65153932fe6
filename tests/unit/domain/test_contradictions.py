"""Settings that make no sense together, each from another layer."""

from typing import Any

import pytest

from engine.domain.errors import FieldProblem
from engine.domain.policies import EffectivePolicy, PolicyDocument, contradictions, effective_policy, raised_group_sizes

MIB = 2**20


def effective(properties: dict[str, Any] | None = None, **own: Any) -> EffectivePolicy:
    return effective_policy(table_properties=properties or {}, own=PolicyDocument.model_validate(own))


def found(properties: dict[str, Any] | None = None, **own: Any) -> list[FieldProblem]:
    return contradictions(effective(properties, **own))


@pytest.mark.parametrize(
    ("own", "pointers"),
    [
        ({}, []),
        ({"rewrite": {"small_file_bytes": "1GiB"}}, ["/rewrite/small_file_bytes"]),
        ({"rewrite": {"small_file_bytes": "101%"}}, ["/rewrite/small_file_bytes"]),
        ({"rewrite": {"small_file_bytes": "100%"}}, []),
        ({"rewrite": {"large_file_bytes": "100%"}}, ["/rewrite/large_file_bytes"]),
        ({"rewrite": {"large_file_bytes": "off"}}, []),
        ({"rewrite": {"strategy": "sort"}}, []),
        ({"rewrite": {"strategy": "hilbert"}}, ["/rewrite/columns"]),
        ({"rewrite": {"columns": ["a"]}}, ["/rewrite/columns"]),
        ({"rewrite": {"strategy": "sort", "columns": [{"name": "a", "direction": "desc"}]}}, []),
        ({"rewrite": {"strategy": "zorder", "columns": [{"name": "a", "direction": "desc"}]}}, ["/rewrite/columns"]),
        ({"rewrite": {"strategy": "hilbert", "columns": ["a", "b"]}}, []),
        ({"rewrite": {"strategy": "tiered", "target_file_bytes": "64MiB"}}, ["/rewrite/tiers"]),
        ({"rewrite": {"target_file_bytes": "64MiB"}}, []),
        ({"limits": {"share_percent": 30}}, ["/limits/available_bandwidth"]),
        ({"limits": {"available_bandwidth": "400MB"}}, []),
        ({"schedule": {"urgent_after": "2d"}}, []),
        ({"quiet_hours": [{"from": "00:00", "to": "00:00"}]}, ["/quiet_hours"]),
        ({"quiet_hours": [{"from": "00:00", "to": "00:00"}], "schedule": {"urgent_after": "2d"}}, []),
        ({"quiet_hours": [{"from": "00:00", "to": "23:59"}]}, []),
    ],
    ids=str,
)
def test_contradictions_are_found_where_they_can_be_mended(own: dict[str, Any], pointers: list[str]) -> None:
    assert [problem.pointer for problem in found(**own)] == pointers


def test_l16_a_share_without_a_bandwidth_names_who_asked_for_it() -> None:
    (problem,) = found(preset="artemis")
    assert "30 (preset artemis)" in problem.message
    assert "400MB" in str(problem.hint)


@pytest.mark.parametrize(
    ("own", "pointers"),
    [
        ({}, []),
        ({"max_group_bytes": "16MiB"}, ["/rewrite/max_group_bytes"]),
        ({"max_group_bytes": "128MiB"}, []),
        ({"target_file_bytes": "4GiB"}, []),  # the default group size follows the target
        ({"max_group_bytes": "1GiB", "target_file_bytes": "2GiB"}, ["/rewrite/max_group_bytes"]),
        ({"max_group_bytes": "16MiB", "strategy": "sort"}, []),
        ({"max_ordered_bytes": "64MiB", "strategy": "sort"}, ["/rewrite/max_ordered_bytes"]),
        ({"max_ordered_bytes": "64MiB"}, []),
    ],
    ids=str,
)
def test_a_group_size_below_the_target_is_told_where_it_is_set(own: dict[str, Any], pointers: list[str]) -> None:
    assert [problem.pointer for problem in raised_group_sizes(effective(rewrite=own))] == pointers


def test_all_contradictions_are_told_at_once_with_the_other_setting_and_its_origin() -> None:
    assert len(found(rewrite={"small_file_bytes": "1GiB", "large_file_bytes": 1}, limits={"share_percent": 5})) == 3
    (problem,) = found({"rewrite.target_file_bytes": 16 * MIB}, rewrite={"small_file_bytes": "96MiB"})
    assert problem.value == 96 * MIB
    assert problem.hint == "the target is 16 MiB (table property); change one of the two"
    target = {"rewrite.target_file_bytes": 256 * MIB}
    (problem,) = raised_group_sizes(effective(target, rewrite={"max_group_bytes": "200MiB"}))
    assert problem.value == 200 * MIB
    assert problem.message == "is 200 MiB (table), below rewrite.target_file_bytes of 256 MiB (table property)"
    assert problem.hint == "raise it, or lower rewrite.target_file_bytes"

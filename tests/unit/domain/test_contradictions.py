"""Settings that make no sense together, each from another layer."""

from datetime import UTC, datetime
from typing import Any

import pytest

from engine.domain.errors import FieldProblem
from engine.domain.policies import (
    FLEET,
    EffectivePolicy,
    PolicyDocument,
    StoredPolicy,
    contradictions,
    effective_policy,
    ineffective_intervals,
    raised_group_sizes,
    refused_when_stored,
)

MIB = 2**20
STOP, LOOKUP = "rewrite.key_tables.stop_trigger", "rewrite.key_tables.lookup"
EVERY_FIVE: dict[str, Any] = {"rewrite": {"key_tables": {"forced_every": 5}}}


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
        ({"rewrite": {"key_tables": {"stop_trigger": 4}}}, ["/rewrite/key_tables/stop_trigger"]),
        ({"rewrite": {"key_tables": {"stop_trigger": 5}}}, []),
        ({"rewrite": {"key_tables": {"stop_trigger": 4, "sorted_run_trigger": 4}}}, []),
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


def test_p23_the_stop_trigger_is_three_above_the_trigger_unless_the_table_or_a_policy_has_another() -> None:
    trigger = {"rewrite": {"key_tables": {"sorted_run_trigger": 9}}}
    assert (effective(**trigger).stop_trigger, effective(**trigger).origins[STOP]) == (12, "derived")
    assert effective({STOP: 30}, **trigger).stop_trigger == 30
    below = effective({STOP: 7}, **trigger)  # Paimon takes the larger one too, `CoreOptions.numSortedRunStopTrigger`
    assert (below.stop_trigger, contradictions(below)) == (9, [])


def test_p22_an_interval_of_forced_compactions_is_refused_unless_they_are_gentle() -> None:
    """It names the field and the remedy; one that a wider scope sets for other tables is no fault of this one's."""
    (problem,) = refused_when_stored(effective(rewrite={"key_tables": {"lookup": "eager", "forced_every": 5}}))
    assert (problem.pointer, problem.value) == ("/rewrite/key_tables/forced_every", 5)
    assert problem.message == "applies only with rewrite.key_tables.lookup 'lazy' (here it is 'eager', table)"
    assert problem.hint == "set rewrite.key_tables.lookup to 'lazy', or leave rewrite.key_tables.forced_every out"
    table = {LOOKUP: "eager"}
    assert "'eager', table property" in ineffective_intervals(effective(table, **EVERY_FIVE))[0].message
    gentle = {"rewrite": {"key_tables": {"lookup": "lazy", "forced_every": 5}}}
    for valid in (effective(**EVERY_FIVE), effective(table), effective(table, **gentle)):
        assert refused_when_stored(valid) == []
    assert contradictions(effective(table, **EVERY_FIVE)) == []  # stored before: no run stops


@pytest.mark.parametrize(
    ("wide", "own", "is_refused"), [("forced_every", "lookup", False), ("lookup", "forced_every", True)]
)
def test_p22_the_stronger_of_two_policies_is_the_one_to_change(wide: str, own: str, *, is_refused: bool) -> None:
    values = {"forced_every": 5, "lookup": "eager"}
    documents = [
        PolicyDocument.model_validate({"rewrite": {"key_tables": {name: values[name]}}}) for name in (wide, own)
    ]
    fleet = StoredPolicy(documents[0], 1, datetime(2026, 11, 1, tzinfo=UTC), "a", "fleet", FLEET)
    policy = effective_policy(table_properties={}, own=documents[1], scoped=[fleet])
    assert bool(refused_when_stored(policy)) is is_refused


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

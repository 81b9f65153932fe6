"""Merging: the strongest layer wins leaf by leaf, and each leaf says where it came from."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.domain.policies import (
    DEFAULTS,
    FLEET,
    PRESETS,
    EffectivePolicy,
    Layer,
    Merged,
    PolicyDocument,
    PolicyScope,
    PolicyScopeKind,
    StoredPolicy,
    TableTraits,
    effective_policy,
    merge,
)
from engine.domain.policies.effective.merging import SHARES, STOP_TRIGGER
from engine.domain.tables.table import TableRef
from tests.unit.domain.policy_documents import documents

MIB = 2**20
SLOW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
LAKE = PolicyScope(PolicyScopeKind.CATALOG, catalog="lake")
SALES = PolicyScope(PolicyScopeKind.NAMESPACE, catalog="lake", namespace=("sales",))
SALES_EU = PolicyScope(PolicyScopeKind.NAMESPACE, catalog="lake", namespace=("sales", "eu"))
ANY_EVENTS = PolicyScope(PolicyScopeKind.PATTERN, pattern="*.events*")
SALES_EVENTS = PolicyScope(PolicyScopeKind.PATTERN, pattern="lake.sales.*.events")
GROWTH = PolicyScope(PolicyScopeKind.TEAM, team="growth")
GOLD = PolicyScope(PolicyScopeKind.LABEL, label_key="tier", label_value="gold")
EU = PolicyScope(PolicyScopeKind.LABEL, label_key="zone", label_value="eu")
OWN = PolicyScope(PolicyScopeKind.TABLE, table_id="tbl_1")
WEAKEST_FIRST = [FLEET, GROWTH, LAKE, SALES, SALES_EU, ANY_EVENTS, SALES_EVENTS, GOLD, EU, OWN]
ORIGINS = [
    "fleet",
    "team growth",
    "catalog lake",
    "namespace lake.sales",
    "namespace lake.sales.eu",
    "pattern any-events",
]
ORIGINS += ["pattern sales-events", "label tier=gold", "label zone=eu", "table"]
NAMES = ["fleet", "growth", "lake", "sales", "sales-eu", "any-events", "sales-events", "z-gold", "z_eu", "tbl_1"]

layers = st.lists(
    st.builds(Layer, st.sampled_from("abcdef"), st.dictionaries(st.sampled_from("uvwxyz"), st.integers(), max_size=4)),
    max_size=6,
)


def stored(document: dict[str, Any], scope: PolicyScope = FLEET, name: str = "a policy") -> StoredPolicy:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    return StoredPolicy(PolicyDocument.model_validate(document), 1, now, "key:admin", name, scope)


def everywhere(written: Sequence[dict[str, Any]]) -> list[StoredPolicy]:
    return [stored(*each) for each in zip(written, WEAKEST_FIRST, NAMES, strict=True)]


@given(layers, layers, layers)
def test_merging_is_associative(first: list[Layer], second: list[Layer], third: list[Layer]) -> None:
    at_once = merge(*first, *second, *third)
    assert merge(merge(*first, *second), *third) == at_once
    assert merge(merge(*first), merge(merge(*second), merge(*third))) == at_once
    assert merge(merge(), at_once) == at_once == merge(at_once, Merged({}, {}))


@given(layers)
def test_a_leaf_has_the_value_and_the_origin_of_the_last_layer_that_sets_it(given_layers: list[Layer]) -> None:
    merged = merge(*given_layers)
    assert merged.values.keys() == merged.origins.keys() == {name for layer in given_layers for name in layer.values}
    for name, value in merged.values.items():
        last = next(layer for layer in reversed(given_layers) if name in layer.values)
        assert (value, merged.origins[name]) == (last.values[name], last.origin)


@SLOW
@given(st.lists(documents, min_size=10, max_size=10), st.randoms(use_true_random=False))
def test_every_setting_comes_from_the_strongest_scope_that_sets_it(written: list[dict[str, Any]], random: Any) -> None:
    policies = everywhere(written)
    shuffled = list(policies)
    random.shuffle(shuffled)
    effective = effective_policy(table_properties={}, scoped=shuffled)
    for name, origin in effective.origins.items():
        setting = [at for at, policy in enumerate(policies) if name in policy.document.leaves()]
        if setting:
            assert origin == ORIGINS[setting[-1]]
            assert _as_held(effective, name, policies[setting[-1]].document.leaves()[name])
        else:
            assert origin in {"default", "derived", f"preset {effective.values['preset']}"}


def _as_held(effective: EffectivePolicy, name: str, value: Any) -> bool:
    is_share = isinstance(value, str) and value.endswith("%")
    target = effective.values["rewrite.target_file_bytes"]
    expected: Any = target * int(value[:-1]) // 100 if is_share else value
    return bool(effective.values[name] == expected)


@SLOW
@given(st.lists(documents, min_size=10, max_size=10))
def test_an_effective_policy_is_a_complete_document(written: list[dict[str, Any]]) -> None:
    effective = effective_policy(table_properties={}, scoped=everywhere(written))
    assert (
        effective.values.keys()
        == effective.origins.keys()
        == DEFAULTS.keys() | SHARES.keys() | {"triggers", STOP_TRIGGER}
    )
    assert effective.document().leaves() == effective.values
    assert effective.written().keys() == effective.values.keys()


def test_without_policies_all_is_default_or_derived_or_of_the_balanced_preset() -> None:
    effective = effective_policy(table_properties={})
    assert set(effective.origins.values()) == {"default", "derived", "preset balanced"}
    assert effective.values["rewrite.small_file_bytes"] == 96 * MIB
    assert effective.values["rewrite.large_file_bytes"] == 128 * MIB * 180 // 100


def test_a_preset_loses_to_the_fleet_and_wins_over_a_table_property_which_wins_over_the_default() -> None:
    said = {"rewrite.target_file_bytes": 64 * MIB, "rewrite.compression": "gzip"}
    effective = effective_policy(table_properties=said, own=PolicyDocument(preset="upsolver"))
    assert effective.origins["rewrite.compression"] == "table property"
    assert effective.origins["rewrite.target_file_bytes"] == "preset upsolver"
    scoped = [stored({"rewrite": {"target_file_bytes": "256MiB"}})]
    effective = effective_policy(table_properties={}, scoped=scoped, own=PolicyDocument(preset="upsolver"))
    assert effective.origins["rewrite.target_file_bytes"] == "fleet"


def test_the_strongest_scope_names_the_preset_and_among_patterns_of_one_strength_the_later_name_wins() -> None:
    scoped = [stored({"preset": "artemis"}, SALES), stored({"preset": "upsolver"}, FLEET)]
    effective = effective_policy(table_properties={}, scoped=scoped)
    assert (effective.values["preset"], effective.origins["preset"]) == ("artemis", "namespace lake.sales")
    assert effective.values["triggers"] == PRESETS["artemis"].document.leaves()["triggers"]
    assert "preset upsolver" not in effective.origins.values()
    patterns = [PolicyScope(PolicyScopeKind.PATTERN, pattern=pattern) for pattern in ("lake.*", "*.sale")]
    scoped = [stored({"priority": "low"}, patterns[0], "b"), stored({"priority": "high"}, patterns[1], "a")]
    assert effective_policy(table_properties={}, scoped=scoped).origins["priority"] == "pattern b"


def test_a_trial_wins_over_everything() -> None:
    effective = effective_policy(
        table_properties={},
        scoped=[stored({"enabled": True}, OWN)],
        own=PolicyDocument(enabled=True),
        trial=PolicyDocument(enabled=False, preset="upsolver"),
    )
    assert (effective.enabled, effective.origins["enabled"]) == (False, "trial")
    assert effective.values["preset"] == "upsolver"


def test_lists_replace_one_another_as_a_whole_and_what_is_off_wins_over_what_is_set() -> None:
    quiet = [{"from": "09:00", "to": "17:00"}]
    scoped = [stored({"quiet_hours": quiet}), stored({"quiet_hours": []}, LAKE)]
    assert effective_policy(table_properties={}, scoped=scoped).values["quiet_hours"] == ()
    scoped = [stored({"seal": {"after": "1h"}}), stored({"seal": "off"}, LAKE)]
    effective = effective_policy(table_properties={}, scoped=scoped)
    assert (effective.values["seal"], effective.origins["seal"]) == ("off", "catalog lake")


def test_shares_are_of_the_target_that_holds_in_the_end() -> None:
    scoped = [
        stored({"rewrite": {"small_file_bytes": "50%"}}),
        stored({"rewrite": {"target_file_bytes": "64MiB"}}, LAKE),
    ]
    effective = effective_policy(table_properties={}, scoped=scoped)
    assert effective.values["rewrite.small_file_bytes"] == 32 * MIB
    assert effective.origins["rewrite.small_file_bytes"] == "fleet"


def test_l16_the_stricter_of_bandwidth_and_share_holds() -> None:
    limits = {"bandwidth": "100MB", "share_percent": 30, "available_bandwidth": "400MB", "requests": 50}
    budget = effective_policy(table_properties={}, own=PolicyDocument.model_validate({"limits": limits})).budget()
    assert (budget.bytes_per_second, budget.requests_per_second) == (100_000_000, 50)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("schedule.min_interval", 600), ("schedule.urgent_after", None), ("rewrite.max_time_span", None)],
)
def test_durations_that_are_off_are_none(name: str, seconds: int | None) -> None:
    assert effective_policy(table_properties={}).seconds_of(name) == seconds


def test_the_scopes_of_these_tests_all_cover_one_table() -> None:
    table = TableTraits("tbl_1", TableRef("lake", ("sales", "eu"), "events"), "growth", {"tier": "gold", "zone": "eu"})
    assert all(scope.covers(table) for scope in WEAKEST_FIRST)

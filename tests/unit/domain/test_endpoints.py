"""The choice of a Spark endpoint for an attempt, and the labels that a policy requires over all scopes."""

from typing import Any

import pytest

from engine.domain.fleet.endpoints import (
    EndpointState,
    NoEndpoint,
    SparkEndpoint,
    SparkNeeds,
    choose_endpoint,
)
from engine.domain.policies import PolicyDocument
from engine.domain.policies.effective.merging import effective_policy
from engine.domain.policies.effective.scopes import PolicyScope, PolicyScopeKind
from engine.domain.policies.effective.stored import StoredPolicy
from tests.unit.services.explanations import NOW


def at(name: str, version: int = 1, **fields: Any) -> SparkEndpoint:
    return SparkEndpoint(name, version, fields.pop("labels", {}), **fields)


EU, US = at("eu", labels={"site": "eu"}), at("us", labels={"site": "us", "tier": "spot"})
DEFAULT = at("default")


@pytest.mark.parametrize(
    ("endpoints", "require", "prefer", "away", "expected"),
    [
        ([DEFAULT], {}, {}, {"spark"}, "default"),  # a lone one: runs wait for its outage
        ([DEFAULT], {"name": "default"}, {}, set(), "default"),
        ([DEFAULT, EU], {}, {}, {"spark"}, "eu"),
        ([DEFAULT, EU, US], {"site": "eu"}, {"tier": "spot"}, set(), "eu"),  # a preference is no requirement
        ([DEFAULT, EU, US], {}, {"tier": "spot", "site": "eu"}, set(), "eu"),  # one label each: the first by name
        ([DEFAULT, EU, US], {}, {"tier": "spot"}, {"spark:us"}, "default"),
        ([at("a", runs=3), at("b", runs=2)], {}, {}, set(), "b"),
        ([at("a", runs=3, parallel_groups=30), at("b", runs=2, parallel_groups=4)], {}, {}, set(), "a"),
        ([at("a", drained=True), at("b", runs=9)], {}, {}, set(), "b"),
        ([at("a", state=EndpointState.AWAY), at("b", runs=9)], {}, {}, set(), "b"),
        ([at("a", state=EndpointState.UNSUITABLE), at("b", runs=9)], {}, {}, set(), "b"),
    ],
)
def test_the_endpoint_has_what_is_required_then_what_is_preferred_then_room(
    endpoints: list[SparkEndpoint], require: dict[str, str], prefer: dict[str, str], away: set[str], expected: str
) -> None:
    found = choose_endpoint(endpoints, SparkNeeds(require, prefer), away)
    assert isinstance(found, SparkEndpoint)
    assert found.name == expected


@pytest.mark.parametrize(
    ("endpoints", "require", "away", "code", "words"),
    [
        ([DEFAULT, EU], {"site": "us", "tier": "spot"}, set(), "no_endpoint", "has the labels site=us, tier=spot"),
        ([at("eu", labels={"site": "eu"}, drained=True), US], {"site": "eu"}, set(), "no_endpoint", "eu is drained"),
        ([EU, US], {}, {"spark:eu", "spark:us"}, "no_endpoint", "the Spark endpoints eu, us do not answer"),
        (
            [at("eu", labels={"site": "eu"}, state=EndpointState.UNSUITABLE, detail="Python 3.9"), US],
            {"site": "eu"},
            set(),
            "spark_unsuitable",
            "the Spark endpoint eu can't run the tasks (eu: Python 3.9)",
        ),
    ],
)
def test_without_an_endpoint_the_reason_names_those_that_were_considered(
    endpoints: list[SparkEndpoint], require: dict[str, str], away: set[str], code: str, words: str
) -> None:
    found = choose_endpoint(endpoints, SparkNeeds(require, {}), away)
    assert isinstance(found, NoEndpoint)
    assert (found.code, words in found.detail) == (code, True), found.detail


def test_a_narrower_policy_adds_to_what_a_wider_one_requires_and_takes_nothing_back() -> None:
    def scoped(kind: PolicyScopeKind, spark: dict[str, Any], **where: Any) -> StoredPolicy:
        document = PolicyDocument.model_validate({"spark": spark})
        return StoredPolicy(document, 1, NOW, "key:root", kind.value, PolicyScope(kind, **where))

    wide = scoped(PolicyScopeKind.FLEET, {"require": {"site": "eu"}, "prefer": {"tier": "spot"}})
    own = PolicyDocument.model_validate({"spark": {"require": {"site": "us", "gpu": "no"}, "prefer": {"tier": "big"}}})
    found = effective_policy(table_properties={}, scoped=[wide], own=own)
    assert found.values["spark.require"] == {"site": "eu", "gpu": "no"}
    assert found.values["spark.prefer"] == {"tier": "big"}
    assert (found.origins["spark.require"], found.origins["spark.prefer"]) == ("table", "table")
    us = PolicyDocument.model_validate({"spark": {"require": {"site": "us"}}})  # adds nothing
    for without in (None, us):
        found = effective_policy(table_properties={}, scoped=[wide], own=without)
        assert (found.values["spark.require"], found.origins["spark.require"]) == ({"site": "eu"}, "fleet")

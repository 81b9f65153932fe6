"""Which policy deletes more than another one, and which deletion is unusually large."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.domain.policies import (
    FLEET,
    PRESETS,
    DeletionRule,
    EffectivePolicy,
    PolicyDocument,
    PolicyScope,
    PolicyScopeKind,
    StoredPolicy,
    effective_policy,
)
from engine.domain.policies import wider_deletions as wider
from engine.domain.policies.effective.merging import FLOORS
from engine.domain.runs.deletions import AcknowledgementRequest, Amounts, SurgeLimits
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from tests.unit.services.explanations import a_run

EXPIRY = {"older_than": "5d", "keep_last": 10, "delete_files": False}
ORPHANS = {"older_than": "3d", "quarantine": "7d"}


def policy(document: dict[str, Any]) -> EffectivePolicy:
    return effective_policy(table_properties={}, own=PolicyDocument.model_validate(document))


def upkeep(**settings: Any) -> EffectivePolicy:
    return policy({"maintenance": settings})


@pytest.mark.parametrize(
    ("setting", "value", "changes"),
    [
        ("expire_snapshots", EXPIRY, [{"older_than": "4d"}, {"keep_last": 9}, {"delete_files": True}]),
        ("delete_old_compactions", {"grace": "1d"}, [{"grace": "23h"}]),
        ("remove_orphans", ORPHANS, [{"older_than": "2d"}, {"quarantine": "1d"}]),
        ("remove_orphans", ORPHANS | {"inventory": "s3://lake/all"}, [{"inventory": None}]),
        ("reclaim", {"retention": "7d"}, [{"retention": "6d"}]),
    ],
)
def test_f44_a_setting_deletes_more_when_it_is_switched_on_or_any_of_its_bounds_is_lower(
    setting: str, value: dict[str, Any], changes: list[dict[str, Any]]
) -> None:
    name, present = f"maintenance.{setting}", upkeep(**{setting: value})
    assert wider(policy({}), present) == (name,)
    assert wider(present, policy({})) == ()
    for change in changes:
        changed = upkeep(**{setting: value | change})
        assert (wider(present, changed), wider(changed, present)) == ((name,), ()), change


def test_a_bound_that_is_raised_does_not_make_up_for_one_that_is_lowered() -> None:
    before, after = (
        upkeep(expire_snapshots=EXPIRY),
        upkeep(expire_snapshots=EXPIRY | {"keep_last": 1, "older_than": "9d"}),
    )
    assert wider(before, after) == wider(after, before) == ("maintenance.expire_snapshots",)


def test_another_inventory_may_list_other_files() -> None:
    before, after = (upkeep(remove_orphans=ORPHANS | {"inventory": f"s3://lake/{name}"}) for name in "ab")
    assert wider(before, after) == wider(after, before) == ("maintenance.remove_orphans",)


def test_when_and_how_often_it_is_done_deletes_no_more() -> None:
    often = {"interval": "1h", "when": [{"metric": "snapshot_count", "above": 5}]}
    assert wider(upkeep(expire_snapshots=EXPIRY), upkeep(expire_snapshots=EXPIRY | often)) == ()


def test_a_policy_that_is_switched_off_deletes_nothing() -> None:
    on = {"maintenance": {"expire_snapshots": EXPIRY}}
    off = on | {"enabled": False}
    assert wider(policy({}), policy(off)) == ()
    assert wider(policy(off), policy(on)) == ("maintenance.expire_snapshots",)


def test_f44_presets_that_delete_are_those_that_say_so() -> None:
    found = {name: wider(policy({}), policy({"preset": name})) for name in PRESETS}
    assert {name: settings for name, settings in found.items() if settings} == {
        "upsolver": ("maintenance.delete_old_compactions",),
        "maxcompute-tiered": ("maintenance.reclaim",),
    }


def test_a_stored_rule_equals_itself() -> None:
    rule = DeletionRule.of(upkeep(remove_orphans=ORPHANS), "maintenance.remove_orphans")
    assert rule is not None
    assert DeletionRule.of_document(rule.document()) == rule
    assert rule.covers(rule)


def usual(*files: int, table: int | None = 1000, factor: int = 3, share: int = 10) -> SurgeLimits:
    return SurgeLimits.of(
        [Amounts(files=each) for each in files], Amounts(files=table), factor=factor, share_percent=share
    )


@pytest.mark.parametrize(
    ("past", "table", "limit"),
    [
        ((50,) * 10, 1000, 150),  # the multiple is above the share of the table
        ((10,) * 10, 1000, 100),  # the share is above the multiple
        ((900, 10, 10, 10), 100, 30),  # the median, not the mean
        ((10,) * 10 + (1000,) * 30, 100, 30),  # the last ten
        ((0, 0, 0, 50), 1000, 150),  # deletions that removed nothing do not count
        ((50,), 1000, 150),  # fewer than ten: as many as there are
        ((), 1000, 100),  # none: the share of the table alone
        ((50,), None, 150),  # a table of unknown size: the multiple alone
    ],
)
def test_f44_a_deletion_is_unusual_above_both_the_usual_ones_and_a_share_of_the_table(
    past: tuple[int, ...], table: int | None, limit: int
) -> None:
    scale = usual(*past, table=table)
    assert scale.exceeded_by(Amounts(files=limit)) == ()
    assert scale.exceeded_by(Amounts(files=limit + 1)) == ("files",)


def test_f44_what_is_not_known_is_never_within_a_limit() -> None:
    """F44: an unknown amount was taken for 0."""
    assert usual(table=None).exceeded_by(Amounts(files=1)) == ("files",)
    assert not Amounts(snapshots=1, files=None, bytes=5).is_within({"files": 10})
    assert Amounts(snapshots=1, files=None, bytes=5).is_within({"bytes": 5})
    acknowledged = AcknowledgementRequest(Amounts(snapshots=10), ("snapshots",), given={"by": "key:ana"})
    assert acknowledged.covers(Amounts(snapshots=11))
    assert not acknowledged.covers(Amounts(snapshots=12))
    assert not acknowledged.covers(Amounts(snapshots=10, files=1))
    assert not replace(acknowledged, given={}).covers(Amounts(snapshots=1))


def test_amounts_are_in_words_with_one_as_the_singular() -> None:
    assert Amounts(1, 1, 1).words == "1 snapshot, 1 file, 1 B"
    assert Amounts(0, 2, None).words == "2 files"


def test_a_stored_request_equals_itself() -> None:
    asked = AcknowledgementRequest(
        Amounts(1, 2, 3), ("files",), usual(10), given={"by": "key:ana", "at": "2026-11-27T14:00:00+00:00"}
    )
    run = a_run(RunState.QUEUED, result=RunResult({"acknowledgement": json.loads(json.dumps(asked.document()))}))
    assert AcknowledgementRequest.of(run) == asked
    assert AcknowledgementRequest.of(run) == asked  # reading it changes nothing


def test_f44_the_most_careful_policy_decides_what_is_unusual() -> None:
    policies = [
        StoredPolicy(PolicyDocument.model_validate({"deletion": document}), 1, datetime.now(UTC), "ana", name, scope)
        for name, scope, document in (
            ("fleet", FLEET, {"grace": "2d", "surge": {"factor": 2}}),
            ("blue", PolicyScope(PolicyScopeKind.TEAM, team="blue"), {"surge": {"factor": 5, "share_percent": 1}}),
        )
    ]
    own = PolicyDocument.model_validate({"deletion": {"grace": "1d", "surge": {"share_percent": 50}}})
    found = effective_policy(table_properties={}, scoped=policies, own=own)
    settings = {name: (found.values[name], found.origins[name]) for name in FLOORS if name.startswith("deletion.")}
    assert settings == {
        "deletion.grace": (172_800, "fleet"),
        "deletion.surge.factor": (2, "fleet"),
        "deletion.surge.share_percent": (1, "team blue"),
    }

"""Which policy deletes more than another one."""

from typing import Any

import pytest

from engine.domain.policies import PRESETS, DeletionRule, EffectivePolicy, PolicyDocument, effective_policy
from engine.domain.policies import wider_deletions as wider

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

"""Presets on streams of updates of key tables in small: `balanced` keeps its bounds, by its rule on sorted runs."""

from functools import cache
from random import Random

import pytest

from bench.fleet.key_tables import NAMES, Replayed, SortedRun, broken, replay, report, stream, universal
from bench.fleet.replays import preset_policy
from engine.domain.policies import PRESETS, PolicyDocument, effective_policy
from tests.support.paimon.core import PaimonCore

DAYS = 0.5


@cache
def replayed(name: str) -> Replayed:
    return replay(stream(name, days=DAYS, seed=1), preset_policy("balanced"), days=DAYS)


@pytest.mark.parametrize("name", NAMES)
def test_balanced_bounds_the_sorted_runs_of_every_bucket(name: str) -> None:
    found = replayed(name)
    assert broken("balanced", found) == []
    assert found.runs > 0


def test_without_the_rule_on_sorted_runs_a_small_bucket_is_left_with_a_hundred() -> None:
    balanced = PRESETS["balanced"].document.model_dump(mode="json", exclude_none=True)
    rules = [rule for rule in balanced["triggers"] if rule["name"] != "too many sorted runs"]
    assert len(rules) == len(balanced["triggers"]) - 1
    policy = effective_policy(table_properties={}, own=PolicyDocument.model_validate({"triggers": rules}))
    (wrong,) = broken("without", replay(stream("small", days=DAYS, seed=1), policy, days=DAYS))
    assert "sorted runs in a bucket" in wrong


@pytest.mark.parametrize("trigger", [2, 5, 9])
def test_the_model_selects_the_runs_that_the_core_selects(paimon_core: PaimonCore, trigger: int) -> None:
    chance = Random(trigger)
    cases = [
        [*((0, chance.choice([1, 50, 100, 1000])) for _ in range(chance.randrange(12))), *upper]
        for _ in range(500)
        for upper in [[(level, chance.choice([10, 100, 5000])) for level in range(1, 6) if chance.random() < 0.4]]
    ]
    cases = [case for case in cases if case]
    wanted = paimon_core.call("selected", cases=cases, trigger=max(1, trigger - 1))
    found = [list(universal([SortedRun(level, size, 0) for level, size in case], trigger)) for case in cases]
    assert found == wanted
    assert len({number for number, _ in wanted}) > 5


def test_the_report_has_each_stream() -> None:
    text = report({"balanced": [replayed(name) for name in NAMES]}, days=DAYS, seed=1)
    assert all(f"| {name}" in text for name in NAMES)

"""Presets on write histories in small: `balanced` keeps its bounds, and each of its rules is there for a reason."""

from functools import cache

import numpy as np
import pytest

from bench.fleet.histories import NAMES, history
from bench.fleet.replays import Replayed, broken, preset_policy, replay, replay_presets, report
from engine.domain.policies import PRESETS, EffectivePolicy, PolicyDocument, effective_policy

DAYS = 1.0
SPARSE_DAYS = 2.5
"""So long it takes until files of `sparse` are three tenths avoidable."""


@cache
def replayed(name: str, days: float = DAYS) -> Replayed:
    return replay(history(name, days=days, seed=1), preset_policy("balanced"), days=days)


def without(*rules: str) -> EffectivePolicy:
    """Return `balanced` without some of its rules, or with a rule that lacks the condition on growth."""
    balanced = PRESETS["balanced"].document.model_dump(mode="json", exclude_none=True)
    kept = [rule for rule in balanced["triggers"] if rule["name"] not in rules]
    assert len(kept) == len(balanced["triggers"]) - len(rules)
    return _with_triggers(kept)


def ungrown() -> EffectivePolicy:
    """Return `balanced` with its first rule as it was before: without the condition on the largest small file."""
    balanced = PRESETS["balanced"].document.model_dump(mode="json", exclude_none=True)
    first, *others = balanced["triggers"]
    conditions = [each for each in first["all"] if each["metric"] != "largest_small_file_share"]
    return _with_triggers([{**first, "all": conditions}, *others])


def _with_triggers(triggers: list[dict[str, object]]) -> EffectivePolicy:
    return effective_policy(table_properties={}, own=PolicyDocument.model_validate({"triggers": triggers}))


@pytest.mark.parametrize(("name", "days"), [(name, SPARSE_DAYS if name == "sparse" else DAYS) for name in NAMES])
def test_balanced_bounds_the_debt_and_the_write_amplification(name: str, days: float) -> None:
    assert broken("balanced", replayed(name, days)) == []


def test_without_the_condition_on_growth_a_slow_stream_is_rewritten_over_and_over() -> None:
    found = replay(history("daily", days=DAYS, seed=1), ungrown(), days=DAYS)
    assert found.amplification > 5 * replayed("daily").amplification
    assert "write amplification" in broken("ungrown", found)[0]


def test_without_rules_for_settled_partitions_hours_of_tiny_files_stay() -> None:
    rules = ("settled", "settled with many small files", "many avoidable files in the table")
    found = replay(history("hourly, tiny", days=DAYS, seed=1), without(*rules), days=DAYS)
    assert (found.runs, found.debt[-1]) == (0, 24 * 11)
    assert replayed("hourly, tiny").debt.max() <= 22


@pytest.mark.deep
def test_without_the_rule_on_the_share_of_the_table_sparse_files_add_up() -> None:
    rules = without("many avoidable files in the table")
    (wrong,) = broken("without", replay(history("sparse", days=SPARSE_DAYS, seed=1), rules, days=SPARSE_DAYS))
    assert "avoidable files settled" in wrong


def test_every_file_of_a_history_is_live_or_was_rewritten() -> None:
    found = replayed("mixed")
    assert found.ingested_files > found.files[-1] > 0
    assert found.runs > 0


def test_a_seed_replays() -> None:
    again = replay(history("hourly, tiny", days=DAYS, seed=1), preset_policy("balanced"), days=DAYS)
    assert np.array_equal(again.debt, replayed("hourly, tiny").debt)


def test_the_report_has_each_preset_on_each_history() -> None:
    found = replay_presets(days=0.2, seed=1, names=["hourly, tiny"])
    text = report(found, days=0.2, seed=1)
    assert all(preset in text for preset in PRESETS)
    assert "hourly, tiny" in text

"""Rules of joined conditions make due exactly what a plain reading of them does, now and later."""

import math
from functools import partial
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.policies import TriggerCondition, TriggerRule
from engine.planning.due.rule_logic import logic_of
from engine.planning.due.triggers import Guards, Rule, evaluate
from engine.planning.measures.partition_metrics import PartitionMetrics
from tests.support import planning
from tests.support.digests import DigestFile

HOUR_MS = 3_600_000
NOW_MS = 1_790_000_000_000
MB = 10**6
GROWING = {"newest_file_age", "oldest_small_file_age"}
COMPARED: dict[str, list[Any]] = {
    "file_count": [1, 2, 3],
    "small_file_count": [0, 1, 2],
    "total_bytes": [1 * MB, 50 * MB, 120 * MB],
    "newest_file_age": ["1h", "2h", "3h"],
    "oldest_small_file_age": ["1h", "2h", "4h"],
    "sorted_run_count": [0, 5],  # nothing to measure
    "time_since_rewrite": ["1h"],  # never happened
    "snapshot_count": [1, 9],
}
OPERATORS = ["at_least", "above", "at_most", "below"]
conditions = st.sampled_from(sorted(COMPARED)).flatmap(
    lambda metric: st.builds(
        lambda operator, value: {"metric": metric, operator: value},
        st.sampled_from(OPERATORS),
        st.sampled_from(COMPARED[metric]),
    )
)


def junctions(members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    several = st.lists(members, min_size=1, max_size=3)
    return st.one_of(
        *(several.map(lambda found, word=word: {word: found}) for word in ("all", "any")),
        members.map(lambda member: {"not": member}),
    )


groups = junctions(conditions)
rules = junctions(st.one_of(conditions, junctions(st.one_of(conditions, groups)))).map(
    lambda rule: {"name": "r", **rule}
)
tables = st.lists(
    st.tuples(st.sampled_from([MB, 40 * MB]), st.sampled_from("abc"), st.integers(0, 5)), min_size=1, max_size=8
).map(lambda found: [DigestFile(size, f'{{"p":"{p}"}}', added_at_ms=NOW_MS - age * HOUR_MS) for size, p, age in found])


measured = partial(planning.measured, now_ms=NOW_MS, small_bytes=32 * MB, large_bytes=2**30)


def truth(rule: TriggerRule, metrics: PartitionMetrics, at: int, later: float) -> bool:
    """Return whether a rule holds for one partition after a number of seconds, condition by condition."""

    def of(condition: TriggerCondition) -> bool | None:
        name = condition.metric.value
        value = metrics.table[name] if name in metrics.table else metrics.values.get(name, np.full(99, np.nan))[at]
        value = float(value) + (later if name in GROWING else 0.0)
        return None if math.isnan(value) else condition.holds(value)

    return rule.truth(of) is True


@settings(max_examples=3 * settings.default.max_examples)
@given(written=rules, files=tables)
def test_a_joined_rule_makes_due_what_a_plain_reading_of_it_does(written: Any, files: list[DigestFile]) -> None:
    rule, metrics = TriggerRule.model_validate(written), measured(files)
    partitions = len(metrics.files.names)
    found = evaluate(rule_of(rule), metrics, Guards(np.zeros(partitions), [None] * partitions))
    expected = [truth(rule, metrics, at, 0) for at in range(partitions)]
    assert found.partitions.tolist() == expected
    assert found.is_due == any(expected)
    assert len(found.conditions) == len(list(rule.leaves()))
    if rule.scope == "table":
        return
    instants = sorted({0.0, *(hours * 3600.0 - age * 3600.0 for hours in (1, 2, 3, 4) for age in range(6))})
    first = next(
        (
            each
            for each in instants
            if each >= 0 and any(truth(rule, metrics, p, each + 0.5) for p in range(partitions))
        ),
        None,
    )
    assert found.due_in_seconds == (0.0 if any(expected) else first)


def rule_of(rule: TriggerRule) -> Rule:
    found, logic = logic_of(rule)
    return Rule(rule.name, found, logic=logic)


@given(written=rules)
def test_the_path_of_each_condition_leads_to_it(written: Any) -> None:
    found, logic = logic_of(TriggerRule.model_validate(written))
    for term in logic.terms():
        node = written
        for part in term.path[1:].split("/"):
            node = node[int(part)] if isinstance(node, list) else node[part]
        assert TriggerCondition.model_validate(node) == found[term.at]
        assert term.is_negated == (term.path.split("/").count("not") % 2 == 1)


def test_the_nearest_branch_is_shown_and_what_is_not_measured_makes_due_neither_way() -> None:
    runs = {"metric": "sorted_run_count", "at_least": 5}
    metrics = measured([DigestFile(MB, "{}", added_at_ms=NOW_MS)])
    for written in ({"all": [runs]}, {"not": runs}, {"not": {"any": [runs, {"not": runs}]}}):
        rule = TriggerRule.model_validate({"name": "r", **written})
        assert not evaluate(rule_of(rule), metrics, Guards(np.zeros(1), [None])).is_due
    one = [DigestFile(MB, '{"p":"a"}', added_at_ms=NOW_MS) for _ in range(9)]
    two = [DigestFile(40 * MB, '{"p":"b"}', added_at_ms=NOW_MS) for _ in range(2)]
    both = {"all": [{"metric": "file_count", "at_least": 100}, {"metric": "total_bytes", "above": "1GB"}]}
    written = {"name": "r", "any": [both, {"metric": "total_bytes", "at_least": "81MB"}]}
    found = evaluate(rule_of(TriggerRule.model_validate(written)), measured(one + two), Guards(np.zeros(2), [None] * 2))
    assert found.shown.partition == '{"p":"b"}'

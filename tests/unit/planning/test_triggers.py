"""Which partitions the rules of policies make due, with the numbers of the reference documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from engine.planning.due.full_rewrites import full_rules, is_eligible, with_amplification
from engine.planning.due.triggers import Check, Guards, Rule, RuleState, evaluate
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partition_metrics import (
    PartitionMetrics,
    PartitionRewrite,
    RewriteHistory,
)
from tests.support.digests import DigestFile
from tests.support.planning import measured

MB, MIB, GIB = 10**6, 2**20, 2**30
DAY = 86_400.0
NOW_MS = 1_790_000_000_000

T1 = Rule(
    "T1",
    (
        Check("file_count", "at_least", 60),
        Check("average_file_bytes", "below", 32 * MB),
        Check("newest_file_age", "above", 2 * DAY),
    ),
)
T2 = Rule("T2", (Check("file_count", "at_least", 1000), Check("average_file_bytes", "below", 32 * MB)))
T3 = Rule(
    "T3",
    (Check("newest_file_age", "above", 35 * DAY), Check("average_file_bytes", "below", 32 * MB)),
    needs_change=True,
)


@dataclass
class Table:
    """Files and what else is known; `skip` says which partitions planning would leave alone."""

    files: Sequence[DigestFile]
    history: RewriteHistory | None = None
    figures: TableMeasures | None = None
    small_bytes: int = 32 * MB
    sealed: bool = True
    skip: str | None = None

    @property
    def metrics(self) -> PartitionMetrics:
        sizes = {"small_bytes": self.small_bytes, "large_bytes": GIB}
        return measured(self.files, figures=self.figures, history=self.history, now_ms=NOW_MS, **sizes)

    def evaluate(self, rule: Rule) -> RuleState:
        metrics = with_amplification(self.metrics)
        partitions = len(metrics.files.names)
        guards = Guards(np.full(partitions, 0.0 if self.sealed else 60.0), [self.skip] * partitions)
        return evaluate(rule, metrics, guards)


def days_ago(days: float) -> int:
    return NOW_MS - round(days * DAY * 1000)


def files(count: int, size: int, *, age: float, partition: str = "{}") -> list[DigestFile]:
    return [DigestFile(size, partition, added_at_ms=days_ago(age)) for _ in range(count)]


def test_u14_u15_sixty_files_of_31_mb_that_rest_for_three_days_are_due_and_a_thousand_however_new():
    assert Table(files(60, 31 * MB, age=3)).evaluate(T1).is_due
    assert Table(files(1000, 31 * MB, age=0)).evaluate(T2).is_due
    assert not Table(files(999, 31 * MB, age=0)).evaluate(T2).is_due


@pytest.mark.parametrize(
    ("count", "size", "age"), [(59, 31 * MB, 3), (60, 32 * MB, 3), (60, 31 * MB, 2)], ids=["count", "average", "age"]
)
def test_u14_each_condition_alone_keeps_the_rule_from_being_due(count: int, size: int, age: float):
    found = Table(files(count, size, age=age)).evaluate(T1)
    assert not found.is_due
    assert sum(condition.holds for condition in found.conditions) == 2


def test_u16_two_old_files_are_due_and_neither_one_nor_what_the_last_rewrite_left_without_a_newer_file():
    assert Table(files(2, 10 * MB, age=36)).evaluate(T3).is_due
    alone = Table(files(1, 10 * MB, age=36)).evaluate(T3)
    assert (alone.is_due, alone.held_back) == (False, {"unchanged": 1})
    history = RewriteHistory([PartitionRewrite(0, "{}", days_ago(36), is_full=False)])
    found = Table(files(2, 10 * MB, age=36), history).evaluate(T3)
    assert (found.is_due, found.held_back) == (False, {"unchanged": 1})
    assert all(condition.holds for condition in found.conditions)
    history = RewriteHistory([PartitionRewrite(0, "{}", days_ago(80), is_full=False)])
    assert Table(files(1, 10 * MB, age=80) + files(1, 10 * MB, age=36), history).evaluate(T3).is_due


def test_l2_small_and_too_large_files_are_counted_by_the_bounds_of_the_policy():
    sizes = (31 * MB, 33 * MB, GIB, GIB + 1)
    metrics = Table([DigestFile(size, added_at_ms=days_ago(1)) for size in sizes]).metrics
    assert metrics.values["small_file_count"].tolist() == [1]
    assert metrics.values["large_file_count"].tolist() == [1]


def test_the_nearest_partition_is_shown_and_due_ones_are_counted_those_with_most_small_files_first():
    table = Table(files(10, MB, age=9, partition="a") + files(55, MB, age=9, partition="b"))
    found = table.evaluate(T1)
    assert found.shown.partition == "b"
    count = found.conditions[0]
    assert (count.metric, count.wanted, count.measured, count.holds) == ("file_count", 60, 55, False)
    table = Table(files(59, MB, age=1.9, partition="a") + files(5, MB, age=9, partition="b"))
    found = table.evaluate(T1)
    assert found.shown.partition == "b"
    parts = [file for at in range(30) for file in files(60 + at, MB, age=3, partition=f"p{at:02}")]
    found = Table(parts).evaluate(T1)
    assert (found.due_total, len(found.due)) == (30, 20)
    assert found.shown == found.due[0]
    assert (found.due[0].partition, found.due[0].file_count) == ("p29", 89)


def test_partitions_that_are_not_sealed_or_that_planning_would_leave_alone_are_held_back():
    found = Table(files(60, MB, age=3), sealed=False).evaluate(T1)
    assert (found.is_due, found.held_back) == (False, {"not_sealed": 1})
    found = Table(files(60, MB, age=3), skip="as_good_as_it_gets").evaluate(T1)
    assert (found.is_due, found.held_back) == (False, {"as_good_as_it_gets": 1})


def test_a_condition_on_what_there_is_not_is_false_and_says_so():
    rule = Rule("runs", (Check("sorted_run_count", "at_least", 0),))
    found = Table(files(9, MB, age=1)).evaluate(rule)
    assert not found.is_due
    assert (found.conditions[0].measured, found.conditions[0].holds) == (None, False)
    assert found.conditions[0].detail == "this table format keeps no sorted runs"
    rule = Rule("old", (Check("oldest_small_file_age", "at_most", 99 * DAY),))
    (condition,) = Table(files(2, GIB, age=1)).evaluate(rule).conditions
    assert (condition.holds, condition.detail) == (False, "not measured: the partition has no small files")
    found = Table([]).evaluate(T1)
    assert (found.is_due, found.shown, found.due) == (False, None, ())
    assert {condition.detail for condition in found.conditions} == {"the table has no files"}


def test_what_never_happened_is_longer_ago_than_anything_and_an_age_that_is_only_a_bound_says_so():
    (long_ago,) = (
        Table(files(2, MB, age=1)).evaluate(Rule("a", (Check("time_since_rewrite", "at_least", 1),))).conditions
    )
    (lately,) = Table(files(2, MB, age=1)).evaluate(Rule("b", (Check("time_since_rewrite", "at_most", 1),))).conditions
    assert (long_ago.holds, long_ago.measured, long_ago.detail) == (True, None, "never happened")
    assert not lately.holds
    found = Table([DigestFile(MB)], figures=TableMeasures(known_since_ms=days_ago(5))).evaluate(T3)
    assert found.conditions[0].is_bound
    assert found.conditions[0].measured == 5 * DAY


def test_a_rule_on_metrics_of_the_table_is_judged_for_the_table():
    rule = Rule("manifests", (Check("manifest_count", "above", 100), Check("average_manifest_bytes", "below", 2 * MIB)))
    figures = TableMeasures(manifest_count=101, manifest_bytes=101 * MIB)
    found = Table([], figures=figures).evaluate(rule)
    assert (found.is_due, found.shown, [condition.holds for condition in found.conditions]) == (
        True,
        None,
        [True, True],
    )


def full(name: str, value: float, table: Table) -> RuleState:
    (rule,) = full_rules({name: value, "rewrite.full.interval": "off"} | {name: value})
    return table.evaluate(rule)


REWRITTEN_IN_FULL = RewriteHistory([PartitionRewrite(0, "{}", days_ago(10), is_full=True)])


def grown(base: int, since: int) -> Table:
    """Return a table that was rewritten in full ten days ago, with bytes from then and from later."""
    return Table(files(1, base, age=10) + files(1, since, age=1), REWRITTEN_IN_FULL)


def test_p16_p17_a_full_rewrite_is_due_at_twice_the_base_and_when_its_interval_is_over():
    name = "rewrite.full.size_amplification_percent"
    assert full(name, 200, grown(100 * MB, 201 * MB)).is_due
    assert not full(name, 200, grown(100 * MB, 200 * MB)).is_due
    found = full("rewrite.full.size_amplification_percent", 200, Table(files(9, MB, age=1)))
    assert (found.is_due, found.conditions[0].measured) == (False, None)
    assert full("rewrite.full.interval", 10 * DAY, grown(MB, MB)).is_due
    assert not full("rewrite.full.interval", 10 * DAY + 1, grown(MB, MB)).is_due
    table = Table(files(2, MB, age=10), REWRITTEN_IN_FULL)
    assert full("rewrite.full.interval", DAY, table).held_back == {"unchanged": 1}


def test_p18_p19_a_partition_below_one_threshold_or_with_an_increment_above_another_is_due():
    assert full("rewrite.full.always_below_bytes", 3 * MB, grown(MB, MB)).is_due
    assert not full("rewrite.full.always_below_bytes", 2 * MB, grown(MB, MB)).is_due
    assert full("rewrite.full.when_increment_above_bytes", MB, grown(100 * MB, MB + 1)).is_due
    assert not full("rewrite.full.when_increment_above_bytes", MB, grown(100 * MB, MB)).is_due
    assert full_rules({"rewrite.full.interval": "off", "rewrite.full.always_below_bytes": "off"}) == []


@pytest.mark.parametrize(
    ("small", "large", "eligible"), [(2, 0, False), (3, 0, True), (2, 2, False), (3, 2, True), (3, 3, False)]
)
def test_p11_a_full_rewrite_is_worth_it_with_more_small_files_than_others_and_three_at_least(
    small: int, large: int, eligible: bool
):
    table = Table(files(small, MB, age=1) + files(large, GIB, age=1))
    assert is_eligible(table.metrics).tolist() == [eligible]


def test_p11_a_partition_with_deletes_is_always_worth_a_full_rewrite():
    table = Table(files(1, GIB, age=1), figures=TableMeasures(delete_files={(0, "{}"): 1}))
    assert is_eligible(table.metrics).tolist() == [True]

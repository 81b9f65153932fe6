"""A whole policy judged on a table: presets, full-rewrite rules and seals together."""

from dataclasses import replace
from typing import Any

import pytest

from engine.domain.values.partitions import TimeUnit
from engine.planning.due.evaluations import Evaluation, NeverDue
from engine.planning.measures.digest import PartitionTime, TableMeasures
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from tests.support import planning
from tests.support.digests import DigestFile

MB, MIB = 10**6, 2**20
NOW_MS = 1_790_000_000_000
DAY_MS = 86_400_000


def files(count: int, size: int, *, days: float, partition: str = "{}") -> list[DigestFile]:
    return [DigestFile(size, partition, added_at_ms=NOW_MS - round(days * DAY_MS)) for _ in range(count)]


def evaluated(policy: dict[str, Any], given: list[DigestFile], **more: Any) -> Evaluation:
    return planning.evaluated(given, policy, now_ms=NOW_MS, **more)


def due(found: Evaluation) -> list[str]:
    return [rule.name for rule in found.rules if rule.is_due]


def test_balanced_is_due_at_twenty_small_files_that_are_a_fifth_or_twelve_settled_ones():
    assert due(evaluated({}, files(20, MIB, days=0))) == ["many small files"]
    assert due(evaluated({}, files(19, MIB, days=0))) == []
    assert due(evaluated({}, files(20, MIB, days=0) + files(81, 128 * MIB, days=0))) == []
    found = evaluated({}, hourly(24, 12))
    assert due(found) == ["settled", "many avoidable files in the table"]
    assert found.due_partitions(full=False).all()
    assert evaluated({}, hourly(24, 12, days=1 / 48)).due_in_seconds == pytest.approx(1800)


def hourly(partitions: int, each: int, size: int = 4096, *, days: float = 1) -> list[DigestFile]:
    return [file for at in range(partitions) for file in files(each, size, days=days, partition=f'{{"hour":{at}}}')]


def test_balanced_waits_beside_a_large_remainder_until_a_rewrite_doubles_it_or_there_are_twenty_settled_files():
    left = files(1, 40 * MIB, days=0)
    assert due(evaluated({}, left + files(39, MIB, days=0))) == []
    assert due(evaluated({}, left + files(40, MIB, days=0))) == ["many small files"]
    assert due(evaluated({}, left + files(499, 4096, days=0))) == ["very many small files"]
    left = files(1, 90 * MIB, days=2)
    assert due(evaluated({}, left + files(18, MIB, days=1))) == []
    assert due(evaluated({}, left + files(19, MIB, days=1))) == ["settled with many small files"]


def test_balanced_takes_pairs_of_small_files_where_many_files_of_the_table_are_avoidable():
    assert due(evaluated({}, hourly(200, 2))) == ["many avoidable files in the table"]
    assert due(evaluated({}, hourly(199, 2))) == []
    well_sized = [
        file for at in range(400) for file in files(1, 128 * MIB, days=1, partition=f'{{"hour":{1000 + at}}}')
    ]
    assert due(evaluated({}, hourly(200, 2) + well_sized)) == []


TWENTY: dict[str, Any] = {"triggers": [{"name": "t", "all": [{"metric": "small_file_count", "at_least": 20}]}]}


def test_avoidable_files_that_no_rule_makes_due_in_time_are_counted():
    found = evaluated(TWENTY, hourly(24, 12))
    assert found.never_due == NeverDue(files=264, partitions=24, too_few_files=0, of_files=288)
    assert evaluated({}, hourly(24, 12, days=0)).never_due == NeverDue(of_files=288)  # due once they have settled
    policy = {**TWENTY, "rewrite": {"min_input_files": 5}}
    found = evaluated(policy, hourly(3, 4) + files(6, MIB, days=1)).never_due
    assert found == NeverDue(files=14, partitions=4, too_few_files=9, of_files=18)
    history = RewriteHistory([PartitionRewrite(0, "{}", NOW_MS - DAY_MS, is_full=False)])
    left = files(4, 90 * MIB, days=1)  # what a rewrite left, and another would not halve
    assert evaluated(TWENTY, left, history=history).never_due.files == 0
    deletes = [replace(file, equality_deletes=1) for file in files(9, MIB, days=1)]
    assert evaluated(TWENTY, deletes).never_due.files == 0


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        (files(60, 31 * MB, days=3), ["settled"]),
        (files(60, 31 * MB, days=1), []),
        (files(1000, 31 * MB, days=1), ["very many files"]),
        (files(5, 10 * MB, days=36), ["old"]),
        (files(1, 10 * MB, days=36), []),
    ],
    ids=["u14", "u14-too-new", "u15", "u16", "u16-one-file"],
)
def test_u14_u15_u16_the_preset_upsolver_is_due_as_its_source_says(given: list[DigestFile], rules: list[str]):
    assert due(evaluated({"preset": "upsolver"}, given)) == rules


def test_u16_the_preset_does_not_fire_again_on_an_unchanged_partition():
    history = RewriteHistory([PartitionRewrite(0, "{}", NOW_MS - 36 * DAY_MS, is_full=False)])
    found = evaluated({"preset": "upsolver"}, files(5, 10 * MB, days=36), history=history)
    assert due(found) == []
    assert found.triggers[2].held_back == {"unchanged": 1}


def test_l2_artemis_counts_files_below_32_mb_as_small():
    found = evaluated({"preset": "artemis", "seal": "off"}, files(40, 31 * MB, days=1))
    assert found.is_due
    assert not evaluated({"preset": "artemis", "seal": "off"}, files(40, 33 * MB, days=1)).is_due


def test_l14_an_unsealed_day_is_held_back_and_says_when_it_is_sealed():
    figures = TableMeasures(times={0: PartitionTime("day", TimeUnit.DAY)})
    today = files(40, MB, days=0.01, partition='{"day":"2026-09-21"}')  # the day of NOW_MS
    found = evaluated({"seal": {"after": "1h"}}, today, figures=figures)
    assert (found.is_due, found.triggers[0].held_back) == (False, {"not_sealed": 1})
    assert (found.seal.is_on, found.seal.sealed, found.seal.not_sealed) == (True, 0, 1)
    assert found.seal.next_at_ms == 1_790_038_800_000  # 2026-09-22T01:00Z


FULL: dict[str, Any] = {"triggers": [], "rewrite": {"full": {"interval": "1d", "size_amplification_percent": "off"}}}


def test_p11_p17_a_full_rewrite_is_due_by_its_interval_and_where_it_is_worth_it_unless_that_is_off():
    assert due(evaluated(FULL, files(5, MB, days=1))) == ["rewrite.full.interval"]
    found = evaluated(FULL, files(2, MB, days=1))
    assert (found.is_due, found.full[0].held_back) == (False, {"not_eligible_for_full": 1})
    policy = {**FULL, "rewrite": {"full": {**FULL["rewrite"]["full"], "eligibility": "off"}}}
    assert evaluated(policy, files(2, MB, days=1)).is_due


def test_p16_amplification_is_on_by_default_and_silent_before_the_first_full_rewrite():
    found = evaluated({"triggers": []}, files(50, MB, days=1))
    assert [rule.name for rule in found.full] == ["rewrite.full.size_amplification_percent"]
    assert not found.is_due


def test_a_partition_that_planning_can_not_better_is_not_due_and_an_empty_table_is_judged_too():
    found = evaluated({"rewrite": {"min_input_files": 100}}, files(40, MB, days=1))
    assert (found.is_due, found.triggers[0].held_back) == (False, {"too_few_files": 1})
    found = evaluated({"preset": "upsolver"}, [])
    assert (found.is_due, len(found.triggers)) == (False, 3)
    seal = evaluated({}, files(2, MB, days=0)).seal
    assert (seal.is_on, seal.sealed, seal.not_sealed, seal.next_at_ms) == (False, 1, 0, None)

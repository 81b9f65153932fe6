"""Sorted runs of the buckets of key tables: the count, the metrics of partitions, rules on them, and health."""

import time
from collections import defaultdict
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from engine.planning.due.evaluations import Evaluation, evaluate_policy
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.health import TableHealth, health
from engine.planning.measures.partition_metrics import RewriteHistory
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.sorted_runs import FullestBucket, SortedRuns
from engine.planning.plans.groupings import Grouping, MergedRuns
from engine.services.planning.rule_words import condition_words
from tests.support.digests import DigestFile, digest_of, random_digest
from tests.support.planning import policy_of

KEYED = TableMeasures(has_levels=True)
MIB = 2**20


def bucket(partition: str, number: int, *levels: int) -> list[DigestFile]:
    """Return a small file at each of the levels."""
    return [DigestFile(MIB, partition, bucket=number, level=level) for level in levels]


def counted(files: list[DigestFile]) -> SortedRuns:
    return SortedRuns.of(partition_files(digest_of(files)))


def test_p24_each_file_of_level_0_is_a_sorted_run_each_other_level_is_one_and_waiting_files_are_none() -> None:
    found = counted([*bucket("b", 1, 5, 0, 5, 4, 0, 5), *bucket("a", 7, 0, 0, 0), *bucket("b", 0, 5, 5)])
    assert found.partition_of.tolist() == [0, 1, 1]
    assert found.bucket.tolist() == [7, 0, 1]
    assert found.sorted_run_count.tolist() == [3, 1, 4]
    assert found.level0_file_count.tolist() == [3, 0, 2]
    found = counted([*bucket("a", -2, 0, 0, 0), *bucket("b", 0, 0)])
    assert found.greatest(found.sorted_run_count).tolist() == [0, 1]
    assert counted(bucket("a", -2, 0)).fullest(TableMeasures()) is None


def test_p24_random_buckets_are_counted_as_one_by_one() -> None:
    chance = Random(24)
    for _ in range(50):
        files = [
            DigestFile(1, chance.choice("abc"), spec_id=0, bucket=chance.choice([-2, 0, 1, 900]), level=level)
            for level in chance.choices([0, 1, 2, 5], k=chance.randrange(30))
        ]
        found = counted(files)
        names = found.files.names
        seen = [(names[place], number) for place, number in zip(found.partition_of, found.bucket.tolist(), strict=True)]
        columns = zip(found.sorted_run_count.tolist(), found.level0_file_count.tolist(), strict=True)
        assert dict(zip(seen, columns, strict=True)) == one_by_one(files)


def one_by_one(files: list[DigestFile]) -> dict[tuple[str, int | None], tuple[int, int]]:
    levels = defaultdict(list)
    for file in files:
        if file.bucket != -2:
            levels[file.partition, file.bucket].append(file.level)
    return {key: (found.count(0) + len({*found} - {0}), found.count(0)) for key, found in levels.items()}


RULE = {"triggers": [{"name": "runs", "all": [{"metric": "sorted_run_count", "at_least": 5}]}]}
FIVE = [*bucket("a", 0, 0, 0, 0, 4, 5), *bucket("a", 1, 0, 5), *bucket("b", 0, 0, 0, 5, 5, 5)]


def evaluated(files: list[DigestFile], figures: TableMeasures, policy: dict[str, Any] = RULE) -> Evaluation:
    return evaluate_policy(digest_of(files), figures, RewriteHistory(), policy_of(policy), now_ms=0)


def test_p15_p24_five_sorted_runs_or_files_of_level_0_of_one_bucket_make_its_partition_due() -> None:
    (runs,) = evaluated(FIVE, KEYED).triggers
    assert [each.partition for each in runs.due] == ["a"]
    assert (runs.conditions[0].measured, runs.conditions[0].is_met) == (5, True)
    rule = {"triggers": [{"name": "new", "all": [{"metric": "level0_file_count", "at_least": 3}]}]}
    (new,) = evaluated(FIVE, KEYED, rule).triggers
    assert [each.partition for each in new.due] == ["a"]
    assert new.conditions[0].measured == 3


WAITING = MergedRuns(lifts_level0=True)


@pytest.mark.parametrize(
    ("lookup", "form", "rule", "due"),
    [
        ({"lookup": "eager"}, WAITING, "rewrite.key_tables.lookup", ["a", "b"]),
        ({"forced_every": 3}, WAITING, "rewrite.key_tables.forced_every", ["a"]),
        ({"forced_every": 4}, WAITING, "rewrite.key_tables.forced_every", []),
        ({"lookup": "eager"}, replace(WAITING, lifts_level0=False), None, []),
    ],
    ids=["eager", "lazy, waited", "lazy", "readers merge level 0"],
)
def test_p20_p22_new_rows_that_wait_make_their_partition_due(
    lookup: dict[str, Any], form: Grouping, rule: str | None, due: list[str]
) -> None:
    """The oldest file of level 0 of `a` was followed by three commits, that of `b` by two, and `c` has none."""
    at_ms = dict(enumerate((100, 200, 300, 400)))
    files = [
        *(replace(each, data_at_ms=100) for each in bucket("a", 0, 0, 5)),
        *(replace(each, data_at_ms=200) for each in bucket("b", 0, 0)),
        *bucket("c", 0, 5),
    ]
    policy = policy_of({"triggers": [], "rewrite": {"key_tables": lookup}})
    figures = replace(KEYED, committed_at_ms=at_ms)
    found = evaluate_policy(digest_of(files), figures, RewriteHistory(), policy, now_ms=500, grouping=form).triggers
    assert [each.name for each in found] == ([] if rule is None else [rule])
    assert [ref.partition for state in found for ref in state.due] == due
    if found:
        (condition,) = found[0].conditions
        assert condition_words(condition).startswith(f"{condition.metric} {condition.measured:.0f} (wanted: at least ")


@pytest.mark.parametrize(
    ("has_levels", "reason"),
    [
        (False, "only the buckets of tables with a primary key have sorted runs, and this table has none"),
        (None, "this table format keeps no sorted runs"),
    ],
)
def test_p24_a_table_without_sorted_runs_is_never_due_for_them_and_says_why(has_levels: bool | None, reason: str):
    (runs,) = evaluated(FIVE, replace(KEYED, has_levels=has_levels)).triggers
    assert not runs.is_due
    assert (runs.conditions[0].measured, runs.conditions[0].detail) == (None, reason)


def measured(files: list[DigestFile], figures: TableMeasures = KEYED) -> TableHealth:
    return health(digest_of(files), small_bytes=1, large_bytes=None, current_spec_id=0, figures=figures)


def test_p14_p15_health_names_the_buckets_with_the_most_sorted_runs_and_most_files_of_level_0() -> None:
    found = measured([*FIVE, *bucket("c", 3, 5)])
    assert found.fullest_bucket == FullestBucket(0, "a", 0, sorted_run_count=5, level0_file_count=3)
    worst = [(one.partition, one.sorted_run_count, one.level0_file_count) for one in found.worst_partitions]
    assert worst == [("a", 5, 3), ("b", 3, 2)]
    found = measured([*bucket("a", 0, 4, 5), *bucket("a", 1, 0, 5)])
    assert found.fullest_bucket == FullestBucket(0, "a", 0, sorted_run_count=2, level0_file_count=0)
    assert found.level0_file_count == 1


@pytest.mark.parametrize("has_levels", [False, None])
def test_p14_health_has_no_sorted_runs_for_tables_without_levels(has_levels: bool | None) -> None:
    files = [*FIVE, DigestFile(MIB, "d", delete_files=1, bucket=0, level=0)]
    found = measured(files, replace(KEYED, has_levels=has_levels))
    assert (found.fullest_bucket, found.level0_file_count) == (None, None)
    (worst,) = found.worst_partitions
    assert (worst.partition, worst.sorted_run_count, worst.level0_file_count) == ("d", None, None)


def test_p14_a_million_files_in_forty_thousand_buckets_are_counted_in_a_second() -> None:
    digest, files = random_digest(files=1_000_000, partitions=4_000, mean_bytes=8 * MIB, seed=14), 1_000_000
    random = np.random.default_rng(14)
    for name, most in (("bucket", 10), ("level", 6)):
        at = digest.schema.get_field_index(name)
        digest = digest.set_column(at, digest.schema.field(at), pa.array(random.integers(0, most, files, np.int32)))
    grouped = partition_files(digest)
    started = time.process_time()
    assert len(SortedRuns.of(grouped).bucket) == 40_000
    assert time.process_time() - started < 1

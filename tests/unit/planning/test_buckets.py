"""File groups of buckets: one for each bucket with enough sorted runs, and none of files of several buckets."""

import os
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from engine.domain.runs.plans import Plan
from engine.planning.plans.groupings import ArrivalWindows, FullScope, MergedRuns
from tests.support.digests import DigestFile, digest_of, random_digest
from tests.support.planning import plan_of

MIB = 2**20
RUNS = MergedRuns()


def bucket(partition: str, number: int, *levels: int, size: int = MIB) -> list[DigestFile]:
    """Return a file of this size at each of the levels."""
    return [DigestFile(size, partition, bucket=number, level=level) for level in levels]


def planned(files: list[DigestFile], document: dict[str, Any] | None = None, **given: Any) -> Plan:
    return plan_of(digest_of(files), document or {}, grouping=RUNS, **given)


def test_a_bucket_is_planned_whole_from_the_trigger_of_the_policy_on() -> None:
    """Also its large files: the engine decides which runs it merges."""
    files = [
        *bucket("a", 0, 0, 0, 0, 0, 5, size=900 * MIB),
        *bucket("a", 1, 0, 0, 0, 5),
        *bucket("b", 1, 5, 5, 5, 5, 5, 5),
    ]
    plan = planned(files)
    assert [(group.partition, len(group.inputs)) for group in plan.groups] == [("a", 5)]
    assert [(each.partition, each.reason) for each in plan.skipped] == [("b", "few_runs")]
    document = {"rewrite": {"key_tables": {"sorted_run_trigger": 3}}}
    plan = planned([*bucket("a", 0, 0, 0, 5), *bucket("a", 1, 0, 5)], document)
    assert [len(group.inputs) for group in plan.groups] == [3]


@pytest.mark.parametrize(
    "rewrite",
    [{"strategy": "window"}, {"strategy": "tiered"}, {"max_time_span": "1d"}],
    ids=["window", "tiered", "span"],
)
def test_a_bucket_is_one_group_whatever_the_strategy(rewrite: dict[str, Any]) -> None:
    """Two groups of one bucket are a conflict, so that no compaction of it could be committed."""
    files = [replace(file, data_at_ms=at * 10**8) for at, file in enumerate(bucket("a", 0, 0, 0, 0))]
    files[1] = replace(files[1], file_bytes=90 * MIB)
    plan = planned(files, {"rewrite": {**rewrite, "key_tables": {"sorted_run_trigger": 3}}})
    assert [len(group.inputs) for group in plan.groups] == [3]
    files[2] = replace(files[2], delete_files=1)  # a deletion vector
    form = replace(RUNS, full_scope=FullScope.FROM_FIRST_UNSIZED)
    plan = plan_of(digest_of(files), {"rewrite": rewrite}, grouping=form, full=True)
    assert [len(group.inputs) for group in plan.groups] == [3]


def test_p20_p21_eager_takes_buckets_with_new_files_that_merge_or_that_readers_lack_until_then() -> None:
    files = [*bucket("a", 0, 0, 5), *bucket("b", 0, 0, 0), *bucket("c", 0, 4, 5), *bucket("d", 0, 0)]
    assert planned(files).groups == ()
    plan = planned(files, {"rewrite": {"key_tables": {"lookup": "eager"}}})
    assert [(group.partition, len(group.inputs)) for group in plan.groups] == [("a", 2), ("b", 2)]
    files = [*bucket("a", 0, 0), *bucket("b", 0, 5)]
    form = replace(RUNS, lifts_level0=True)
    plan = plan_of(digest_of(files), {"rewrite": {"key_tables": {"lookup": "eager"}}}, grouping=form)
    assert [(group.partition, len(group.inputs)) for group in plan.groups] == [("a", 1)]
    assert plan_of(digest_of(files), {}, grouping=form).groups == ()


def test_files_of_different_buckets_and_of_none_are_never_merged_not_even_in_full() -> None:
    plan = planned([*bucket("a", 0, 0, 5), *bucket("a", 1, 5, 5), *bucket("a", 2, 0)], full=True)
    assert [len(group.inputs) for group in plan.groups] == [2]
    assert planned([DigestFile(MIB, bucket=-2, level=0)] * 9, full=True).groups == ()
    files = [*bucket("a", 0, 0, 0, 0), *bucket("a", 1, 0, 0)]
    plan = plan_of(digest_of(files), {"rewrite": {"min_input_files": 2}, "limits": {"parallel_groups": 1}})
    assert sorted(len(group.inputs) for group in plan.groups) == [2, 3]


def test_windows_are_of_neighbours_in_a_bucket() -> None:
    """Each bucket has sequence numbers of its own, so that files of buckets alternate in the order of arrival."""
    files = [
        DigestFile(130 * MIB if at == 4 else MIB, "a", bucket=number, level=0, sequence_number=at)
        for at in range(8)
        for number in range(3)
    ]
    plan = plan_of(digest_of(files), {"rewrite": {"min_input_files": 2}}, grouping=ArrivalWindows())
    assert [len(group.inputs) for group in plan.groups] == [4, 3] * 3
    for group in plan.groups:
        numbers = [each.sequence_number for each in group.inputs]
        assert numbers in ([0, 1, 2, 3], [5, 6, 7])


def test_ten_thousand_buckets_are_planned_in_seconds() -> None:
    files = 1_000_000 if os.environ.get("PACKHOUSE_DEEP") else 200_000
    digest = random_digest(files=files, partitions=100, mean_bytes=MIB, seed=3)
    columns = {"bucket": np.arange(files, dtype=np.int32) % 97, "level": np.zeros(files, np.int32)}
    for name, values in columns.items():
        digest = digest.set_column(digest.schema.get_field_index(name), digest.schema.field(name), pa.array(values))
    begun = time.process_time()
    plan = plan_of(digest, {}, grouping=RUNS, most_files=10_000)
    assert time.process_time() - begun < 20
    assert plan.groups
    assert plan.later.files + sum(len(group.inputs) for group in plan.groups) == files

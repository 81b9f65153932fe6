"""Plans of formats whose outputs take the place of a whole partition: all of its files in one group, or none."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.runs.plans import Plan
from engine.domain.tables.orders import OrderField, RowOrdering
from engine.planning.plans.groupings import WholePartitions
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import plan_of

MIB = 2**20
WHOLE = WholePartitions()
SMALL, GOOD, LARGE = 10 * MIB, 120 * MIB, 300 * MIB

data_files = st.builds(
    DigestFile,
    file_bytes=st.one_of(st.integers(1, 10 * MIB), st.integers(1, 900 * MIB)),
    partition=st.sampled_from(["{}", '{"day":"2026-11-01"}', '{"day":null}']),
    record_count=st.integers(0, 1000),
)


def plan(digest: pa.Table, **rewrite: Any) -> Plan:
    return plan_of(digest, {"rewrite": rewrite, "limits": {"parallel_groups": 8}}, grouping=WHOLE)


def test_well_sized_files_are_rewritten_with_the_small_ones_where_there_is_a_reason_and_none_must_stay() -> None:
    (group,) = plan(digest_of([DigestFile(SMALL)] * 5 + [DigestFile(GOOD)])).groups
    assert len(group.inputs) == 6
    made = plan(digest_of([DigestFile(GOOD)] * 5 + [DigestFile(SMALL)]))
    assert (made.groups, [one.reason for one in made.skipped]) == ((), ["as_good_as_it_gets"])
    made = plan(digest_of([DigestFile(SMALL)] * 5 + [DigestFile(LARGE)]), exclude_above_bytes=200 * MIB)
    assert (made.groups, [one.reason for one in made.skipped]) == ((), ["excluded_above"])


@given(st.lists(data_files, max_size=60), st.sampled_from(["binpack", "tiered", "window"]), st.booleans())
def test_a_group_has_all_files_of_its_partition(files: list[DigestFile], strategy: str, full: bool) -> None:
    digest = digest_of(files)
    document = {"rewrite": {"strategy": strategy}, "limits": {"parallel_groups": 8}}
    made = plan_of(digest, document, grouping=WHOLE, full=full)
    by_partition: dict[str, list[str]] = {}
    for row in digest.to_pylist():
        by_partition.setdefault(row["partition"], []).append(row["path"])
    assert len({group.partition for group in made.groups}) == len(made.groups)
    for group in made.groups:
        assert sorted(one.path for one in group.inputs) == sorted(by_partition[group.partition])
    assert {group.partition for group in made.groups} | {one.partition for one in made.skipped} == set(by_partition)


def test_a_partition_in_the_order_is_not_ordered_again_in_a_full_rewrite() -> None:
    """Its file has the mark of the order in its name; one without it brings in the whole partition."""
    order = RowOrdering("sort", (OrderField("city", 1),))
    ordered = DigestFile(SMALL, path=f"/t/run_1-00000-1-{order.mark}-0.parquet")
    document = {"rewrite": {"strategy": "sort", "columns": ["city"]}}
    made = plan_of(digest_of([ordered]), document, grouping=WHOLE, full=True, order=order)
    assert made.groups == ()
    (group,) = plan_of(digest_of([ordered, DigestFile(SMALL)]), document, grouping=WHOLE, full=True, order=order).groups
    assert len(group.inputs) == 2

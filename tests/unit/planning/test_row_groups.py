"""F26: which files are rewritten for their row groups alone, and that none is for ever."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.clock import SystemClock
from engine.domain.ids import IdSource
from engine.domain.policies import PolicyDocument
from engine.domain.runs.files import InputFile
from engine.domain.runs.plans import FileGroup
from engine.planning.measures.health import health
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.row_groups import (
    LEAST_ROW_GROUPS,
    MOST_SMALL_BYTES,
    WHOLE_BYTES,
    avoidable_row_groups,
    have_small_row_groups,
)
from engine.planning.plans.candidates import SkipReason, find_candidates
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.planning.predictions.estimates import predicted_requests
from engine.planning.ranking import OPEN_COST_BYTES, ROW_GROUP_COST_BYTES, saved_by
from engine.rewriting.kernel.writing.layout import MIN_ROW_GROUP_BYTES
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import evaluated, policy_of

MIB = 2**20
GOOD = 120 * MIB
CHOPPED = DigestFile(GOOD, row_groups=1000)
RULE = {"name": "chopped", "all": [{"metric": "small_row_group_file_count", "at_least": 1}]}


def reasons(*files: DigestFile, **rewrite: Any) -> tuple[SkipReason | None, ...]:
    limits = RewriteLimits.of(policy_of({"rewrite": rewrite}))
    return find_candidates(partition_files(digest_of(files)), limits).reasons


def small(file: DigestFile, bytes_: int | None = MIB) -> bool:
    (found,) = have_small_row_groups(partition_files(digest_of([file])), bytes_).tolist()
    return bool(found)


def test_the_size_and_off_are_heeded_and_no_policy_asks_for_more_than_the_kernel_writes():
    assert WHOLE_BYTES == MIN_ROW_GROUP_BYTES
    assert reasons(CHOPPED, small_row_group_bytes="off") == (SkipReason.WELL_SIZED,)
    assert reasons(CHOPPED, small_row_group_bytes="64KiB") == (SkipReason.WELL_SIZED,)
    assert reasons(DigestFile(GOOD, row_groups=16), small_row_group_bytes="8MiB") == (None,)
    with pytest.raises(ValueError, match="small_row_group_bytes"):
        PolicyDocument.model_validate({"rewrite": {"small_row_group_bytes": MOST_SMALL_BYTES + 1}})


def test_a_file_of_the_right_size_is_a_candidate_for_its_row_groups_alone_with_every_strategy():
    files = partition_files(digest_of([CHOPPED, DigestFile(GOOD, row_groups=2)]))
    chosen = find_candidates(files, RewriteLimits.of(policy_of({})))
    assert chosen.is_candidate.tolist() == [True, False]
    assert chosen.is_forced.tolist() == [True, False]
    assert chosen.outputs.tolist() == [1]
    assert {reasons(CHOPPED, strategy=strategy) for strategy in ("binpack", "tiered", "window")} == {(None,)}


def test_row_groups_are_no_reason_to_take_what_is_not_taken_otherwise():
    for name, file, rewrite, reason in (
        ("unknown", DigestFile(GOOD, row_groups=0), {}, SkipReason.WELL_SIZED),
        ("just large enough", DigestFile(GOOD, row_groups=120), {}, SkipReason.WELL_SIZED),
        ("stripes", DigestFile(GOOD, row_groups=1000, file_format="orc"), {}, SkipReason.WELL_SIZED),
        ("encrypted", DigestFile(GOOD, row_groups=1000, is_encrypted=True), {}, SkipReason.ENCRYPTED),
        ("deletes", DigestFile(GOOD, row_groups=1000, equality_deletes=1), {}, SkipReason.EQUALITY_DELETES),
        ("excluded", CHOPPED, {"exclude_above_bytes": "100MiB"}, SkipReason.EXCLUDED_ABOVE),
    ):
        assert (name, reasons(file, **rewrite)) == (name, (reason,))


def test_f23_what_the_kernel_wrote_is_never_rewritten_for_its_row_groups():
    run_id = IdSource(clock=SystemClock()).run_id()
    for mark in ("", "sort1a2b3c4d-"):
        name = f"s3://lake/t/data/day=1/{run_id}-00000-1-{mark}000010.parquet"
        assert not small(DigestFile(GOOD, row_groups=1000, path=name))
    assert small(DigestFile(GOOD, row_groups=1000, path=f"s3://lake/{run_id}-00000-1/other.parquet"))


@given(st.integers(0, 2**31 - 1), st.integers(1, 2**50), st.integers(64 * 2**10, MOST_SMALL_BYTES))
def test_f23_a_rewrite_leaves_an_eighth_of_the_row_groups_at_most(row_groups: int, file_bytes: int, bound: int):
    if small(DigestFile(file_bytes, row_groups=row_groups), bound):
        assert row_groups - avoidable_row_groups(row_groups, file_bytes) <= row_groups / LEAST_ROW_GROUPS


def test_health_counts_them_and_names_their_partition():
    found = health(
        digest_of([DigestFile(GOOD, "a"), DigestFile(GOOD, "b", row_groups=1000)]),
        small_bytes=MIB,
        large_bytes=None,
        current_spec_id=0,
        small_row_group_bytes=MIB,
    )
    assert found.small_row_group_file_count == 1
    assert [(each.partition, each.small_row_group_file_count) for each in found.worst_partitions] == [("b", 1)]


def test_a_trigger_may_go_by_them_and_none_does_by_itself():
    for file, is_chopped in ((CHOPPED, True), (DigestFile(GOOD, row_groups=2), False)):
        for triggers, is_due in (([RULE], is_chopped), (None, False)):
            assert evaluated([file], {"triggers": triggers}, now_ms=1).is_due == is_due


def test_readers_are_saved_a_request_for_each_row_group_and_so_is_the_rewrite_asked_for_them():
    inputs = (InputFile("a", GOOD, 10, 1, row_groups=1001), InputFile("b", GOOD, 10, 1))
    group = FileGroup(0, 0, "{}", inputs, 1)
    assert saved_by(group) == OPEN_COST_BYTES + 1000 * ROW_GROUP_COST_BYTES
    assert predicted_requests([group], output_bytes=0) == (1 + 1001) + (1 + 1) + 1

"""Which files are candidates, and why partitions are left alone."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.planning.measures.partitions import partition_files
from engine.planning.plans.candidates import Candidates, SkipReason, find_candidates
from engine.planning.plans.rewrite_limits import RewriteLimits
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import policy_of

MIB = 2**20
SMALL, GOOD, LARGE = 10 * MIB, 120 * MIB, 300 * MIB


def found(files: Sequence[DigestFile], **rewrite: Any) -> Candidates:
    limits = RewriteLimits.of(policy_of({"rewrite": rewrite}))
    return find_candidates(partition_files(digest_of(files)), limits)


def test_small_files_are_candidates_and_well_sized_ones_are_not() -> None:
    """P8: files of the right size without deletes are skipped."""
    chosen = found([DigestFile(SMALL)] * 5 + [DigestFile(GOOD)])
    assert chosen.is_candidate.tolist() == [True] * 5 + [False]


def test_a_large_file_is_split_unless_it_would_stay_whole_and_a_deleted_share_counts() -> None:
    chosen = found([DigestFile(LARGE), DigestFile(GOOD)])
    assert chosen.is_forced.tolist() == [True, False]
    assert found([DigestFile(LARGE)], large_file_bytes="off").reasons == (SkipReason.WELL_SIZED,)
    assert found([DigestFile(140 * MIB)], large_file_bytes="130MiB").reasons == (SkipReason.WELL_SIZED,)
    files = [DigestFile(GOOD, delete_files=1, deleted_rows=rows) for rows in (99, 100)]
    assert found(files, deletes={"files": 100, "ratio": 0.1}).is_candidate.tolist() == [False, True]
    chosen = found([DigestFile(SMALL), DigestFile(SMALL, delete_files=1)])
    assert chosen.is_candidate.tolist() == [True, True]


def test_a_file_with_a_delete_file_is_a_candidate_whatever_its_size() -> None:
    """P9: deletes make a file of any size a candidate."""
    chosen = found([DigestFile(GOOD, delete_files=1, deleted_rows=1), DigestFile(GOOD)])
    assert chosen.is_candidate.tolist() == [True, False]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([DigestFile(GOOD)], SkipReason.WELL_SIZED),
        ([DigestFile(SMALL)] * 4, SkipReason.TOO_FEW_FILES),
        ([DigestFile(SMALL)], SkipReason.AS_GOOD_AS_IT_GETS),
        ([DigestFile(SMALL, equality_deletes=1)] * 9, SkipReason.EQUALITY_DELETES),
        ([DigestFile(SMALL, is_encrypted=True)] * 9, SkipReason.ENCRYPTED),
        ([DigestFile(SMALL, file_format="orc")] * 9, SkipReason.NOT_PARQUET),
    ],
)
def test_a_partition_left_alone_says_why(files: Sequence[DigestFile], reason: SkipReason) -> None:
    chosen = found(files, min_input_files=5)
    assert chosen.reasons == (reason,)
    assert not chosen.is_candidate.any()


def test_what_would_come_out_as_it_is_what_is_excluded_and_partitions_with_an_equality_delete_are_left_alone() -> None:
    chosen = found([DigestFile(126 * MIB)] * 9, small_file_bytes="128MiB")
    assert chosen.reasons == (SkipReason.AS_GOOD_AS_IT_GETS,)
    chosen = found([DigestFile(LARGE, delete_files=3)], exclude_above_bytes="200MiB")
    assert chosen.reasons == (SkipReason.EXCLUDED_ABOVE,)
    files = [DigestFile(SMALL, "a")] * 5 + [DigestFile(SMALL, "b")] * 5 + [DigestFile(GOOD, "a", equality_deletes=1)]
    assert found(files).reasons == (SkipReason.EQUALITY_DELETES, None)
    limits = RewriteLimits.of(policy_of({"rewrite": {"target_file_bytes": "2GiB"}}))
    assert limits.group_bytes == 2 * 2**30

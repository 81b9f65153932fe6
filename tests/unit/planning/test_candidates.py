"""Which files are candidates, and why partitions are left alone."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.planning.measures.partitions import partition_files
from engine.planning.plans.candidates import CandidateFlags, SkipReason, find_candidates
from engine.planning.plans.rewrite_limits import RewriteLimits
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import policy_of

MIB = 2**20
SMALL, GOOD, LARGE = 10 * MIB, 120 * MIB, 300 * MIB


def found(files: Sequence[DigestFile], **rewrite: Any) -> CandidateFlags:
    limits = RewriteLimits.of(policy_of({"rewrite": rewrite}))
    return find_candidates(partition_files(digest_of(files)), limits)


def test_small_files_are_candidates_and_well_sized_ones_are_not() -> None:
    """P8: files of the right size without deletes are skipped."""
    chosen = found([DigestFile(SMALL)] * 5 + [DigestFile(GOOD)])
    assert chosen.is_candidate.tolist() == [True] * 5 + [False]


def test_a_large_file_is_split_even_alone_and_a_deleted_share_counts() -> None:
    chosen = found([DigestFile(LARGE), DigestFile(GOOD)])
    assert chosen.is_forced.tolist() == [True, False]
    files = [DigestFile(GOOD, delete_files=1, deleted_rows=rows) for rows in (99, 100)]
    assert found(files, deletes={"files": 100, "ratio": 0.1}).is_candidate.tolist() == [False, True]
    chosen = found([DigestFile(SMALL), DigestFile(SMALL, delete_files=1)])
    assert chosen.is_candidate.tolist() == [True, True]


def test_a_file_with_a_delete_file_is_a_candidate_whatever_its_size() -> None:
    """P9: deletes make a file of any size a candidate."""
    chosen = found([DigestFile(GOOD, delete_files=1, deleted_rows=1), DigestFile(GOOD)])
    assert chosen.is_candidate.tolist() == [True, False]


@pytest.mark.parametrize(
    ("files", "rewrite", "reason"),
    [
        ([DigestFile(GOOD)], {}, SkipReason.WELL_SIZED),
        ([DigestFile(LARGE)], {"large_file_bytes": "off"}, SkipReason.WELL_SIZED),
        ([DigestFile(140 * MIB)], {"large_file_bytes": "130MiB"}, SkipReason.WELL_SIZED),
        ([DigestFile(SMALL)] * 4, {}, SkipReason.TOO_FEW_FILES),
        ([DigestFile(SMALL)], {}, SkipReason.AS_GOOD_AS_IT_GETS),
        ([DigestFile(126 * MIB)] * 9, {"small_file_bytes": "128MiB"}, SkipReason.AS_GOOD_AS_IT_GETS),
        ([DigestFile(LARGE, delete_files=3)], {"exclude_above_bytes": "200MiB"}, SkipReason.EXCLUDED_ABOVE),
        ([DigestFile(SMALL, equality_deletes=1)] * 9, {}, SkipReason.EQUALITY_DELETES),
        ([DigestFile(SMALL, is_encrypted=True)] * 9, {}, SkipReason.ENCRYPTED),
        ([DigestFile(SMALL, file_format="orc")] * 9, {}, SkipReason.NOT_PARQUET),
    ],
)
def test_a_partition_left_alone_says_why(files: Sequence[DigestFile], rewrite: Any, reason: SkipReason) -> None:
    chosen = found(files, min_input_files=5, **rewrite)
    assert chosen.reasons == (reason,)
    assert not chosen.is_candidate.any()


def test_one_equality_delete_blocks_its_partition_only_and_a_group_holds_at_least_one_target() -> None:
    files = [DigestFile(SMALL, "a")] * 5 + [DigestFile(SMALL, "b")] * 5 + [DigestFile(GOOD, "a", equality_deletes=1)]
    assert found(files).reasons == (SkipReason.EQUALITY_DELETES, None)
    limits = RewriteLimits.of(policy_of({"rewrite": {"target_file_bytes": "2GiB"}}))
    assert limits.group_bytes == 2 * 2**30

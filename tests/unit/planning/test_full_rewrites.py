"""A full rewrite takes every file of the digest, and still no file that would come out as it was."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.domain.runs.plans import Plan
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import plan_of

MIB = 2**20
GOOD = 120 * MIB


def planned(files: Sequence[DigestFile], *, full: bool = True, every_file: bool = False, **rewrite: Any) -> Plan:
    return plan_of(digest_of(files), {"rewrite": rewrite}, full=full, every_file=every_file)


def inputs(plan: Plan) -> int:
    return sum(len(group.inputs) for group in plan.groups)


@pytest.mark.parametrize("count", [2, 3, 8, 9])
def test_well_sized_files_are_rewritten_in_full_only(count: int) -> None:
    files = [DigestFile(GOOD)] * count
    assert inputs(planned(files)) == count
    assert inputs(planned(files, full=False)) == 0


def test_every_partition_is_judged_by_itself_and_no_group_has_one_file() -> None:
    files = [DigestFile(GOOD, partition='{"d":1}'), *[DigestFile(GOOD, partition='{"d":2}')] * 2]
    plan = planned(files)
    assert [group.partition for group in plan.groups] == ['{"d":2}']
    assert [(one.partition, one.reason) for one in plan.skipped] == [('{"d":1}', "as_good_as_it_gets")]
    files = [DigestFile(GOOD, is_encrypted=True)] * 3 + [DigestFile(300 * MIB)] * 2
    assert planned(files, exclude_above_bytes="200MiB").groups == ()
    assert planned([DigestFile(GOOD)]).groups == ()
    assert planned([DigestFile(5 * MIB)]).groups == ()
    assert inputs(planned([DigestFile(5 * MIB)] * 2, min_input_files=50)) == 2
    plan = planned([DigestFile(GOOD)] * 4, max_group_bytes="128MiB")
    assert plan.groups == ()


def test_every_file_means_those_that_come_out_as_they_were_in_full_and_none_that_must_not_be_rewritten() -> None:
    files = [DigestFile(GOOD, partition="a"), *[DigestFile(GOOD, partition="b")] * 4, DigestFile(MIB, partition="c")]
    plan = planned(files, every_file=True, max_group_bytes="128MiB")
    assert (len(plan.groups), inputs(plan), plan.skipped) == (6, 6, ())
    assert planned([DigestFile(GOOD)], full=False, every_file=True).groups == ()
    files = [
        DigestFile(GOOD, partition="a", is_encrypted=True),
        DigestFile(300 * MIB, partition="b"),
        DigestFile(GOOD, partition="c", equality_deletes=1),
    ]
    plan = planned(files, every_file=True, exclude_above_bytes="200MiB")
    assert plan.groups == ()
    assert [one.reason for one in plan.skipped] == ["encrypted", "excluded_above", "equality_deletes"]

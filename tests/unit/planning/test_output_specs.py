"""Files of older partition specs that move to the current one: what is a candidate, and how it is grouped."""

from typing import Any

import pytest

from engine.domain.runs.plans import Plan
from engine.domain.runs.times import RunKind
from engine.planning.measures.digest import TableMeasures
from engine.planning.plans.candidates import SkipReason
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import evaluated
from tests.support.planning import plan_of as planned

MIB = 2**20
GOOD = 120 * MIB
CURRENT = 3
RULE = {"name": "old spec", "all": [{"metric": "old_spec_file_count", "at_least": 2}]}


def plan_of(*files: DigestFile, moves_to: int | None = CURRENT) -> Plan:
    return planned(digest_of(files), {}, output_spec_id=moves_to)


def test_one_well_sized_file_of_an_older_spec_is_enough_and_only_if_it_is_to_move() -> None:
    old, new = DigestFile(GOOD, spec_id=1), DigestFile(GOOD, spec_id=CURRENT)
    (group,) = plan_of(old, new).groups
    assert (group.spec_id, group.output_spec_id, len(group.inputs)) == (1, CURRENT, 1)
    stays = plan_of(old, new, moves_to=None)
    assert (stays.groups, {each.reason for each in stays.skipped}) == ((), {SkipReason.WELL_SIZED})


def test_groups_of_the_current_spec_stay_and_the_plan_counts_the_files_that_move() -> None:
    small = [DigestFile(MIB, spec_id=spec) for spec in (CURRENT, 0) for _ in range(6)]
    plan = plan_of(*small)
    assert {group.spec_id: group.output_spec_id for group in plan.groups} == {0: CURRENT, CURRENT: None}
    assert (plan.moved_files, plan.summary()["moved_files"]) == (6, 6)
    assert plan.time.kind is RunKind.DECODE
    assert plan_of(*small, moves_to=None).time.kind is RunKind.PACK


def test_a_partition_that_moves_is_not_divided_and_files_that_arrived_together_move_together() -> None:
    files = [DigestFile(GOOD // 4, spec_id=0) for _ in range(16)]
    assert len(plan_of(*files).groups) == 1
    assert len(plan_of(*(DigestFile(GOOD // 4, spec_id=CURRENT) for _ in range(16))).groups) > 1
    files = [DigestFile(400 * MIB, spec_id=0, sequence_number=number, path=f"{number}") for number in (3, 1, 4, 2)]
    groups = plan_of(*files).groups
    assert [sorted(each.sequence_number for each in group.inputs) for group in groups] == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (DigestFile(GOOD, spec_id=0, file_format="orc"), SkipReason.NOT_PARQUET),
        (DigestFile(GOOD, spec_id=0, is_encrypted=True), SkipReason.ENCRYPTED),
        (DigestFile(GOOD, spec_id=0, equality_deletes=1), SkipReason.EQUALITY_DELETES),
    ],
)
def test_files_that_the_kernel_must_not_read_stay(file: DigestFile, reason: SkipReason) -> None:
    plan = plan_of(file)
    assert (plan.groups, [each.reason for each in plan.skipped]) == ((), [reason])


def due(policy: dict[str, Any], figures: TableMeasures, *files: tuple[str, int]) -> list[bool]:
    given = [DigestFile(GOOD, partition, spec_id=spec) for partition, spec in files]
    found = evaluated(given, {"rewrite": policy, "triggers": [RULE]}, figures=figures, now_ms=10**12)
    return found.due_partitions(full=False).tolist()


def test_a_rule_makes_partitions_of_older_specs_due_where_files_move_to_the_current_one() -> None:
    """Two files in one partition of an older spec, one in another, two in one of the current spec."""
    files = [("a", 0), ("a", 0), ("b", 0), ("c", CURRENT), ("c", CURRENT)]
    figures, moves = TableMeasures(current_spec_id=CURRENT), {"output_spec": "current"}
    assert due(moves, figures, *files) == [True, False, False]
    assert due({}, figures, *files) == [False] * 3
    without_specs = TableMeasures()
    assert due(moves, without_specs, ("{}", 0), ("{}", 7)) == [False] * 2

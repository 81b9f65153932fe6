"""Very large tables are planned part by part: best first, nothing twice, nothing left out."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.runs.plans import NOTHING_LATER, Later, Plan
from engine.planning.plans.candidates import SkipReason
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import plan_of

MIB = 2**20


def plan(files: list[DigestFile], *, most_files: int) -> Plan:
    document = {"rewrite": {"target_file_bytes": 8 * MIB, "min_input_files": 2}}
    return plan_of(digest_of(files), document, most_files=most_files)


def day(number: int, files: int, size: int = MIB // 4) -> list[DigestFile]:
    return [DigestFile(size, partition=f'{{"day":"{number:02}"}}') for _ in range(files)]


def test_the_partitions_that_gain_most_are_taken_first_and_the_rest_is_told() -> None:
    files = [*day(1, 4, MIB), *day(2, 10), *day(3, 8), *day(4, 1, 9 * MIB)]
    made = plan(files, most_files=10)
    assert {group.partition for group in made.groups} == {'{"day":"02"}'}
    assert made.later == Later(partitions=2, files=12, bytes=4 * MIB + 2 * MIB)
    reasons = {skipped.partition: skipped.reason for skipped in made.skipped}
    assert reasons['{"day":"01"}'] == reasons['{"day":"03"}'] == SkipReason.LATER
    assert reasons['{"day":"04"}'] == SkipReason.WELL_SIZED
    assert made.summary()["later"] == {"partitions": 2, "files": 12, "bytes": 6 * MIB}


def test_a_table_within_the_bound_and_a_partition_beyond_it_are_planned_whole() -> None:
    made = plan([*day(1, 50), *day(2, 5)], most_files=10)
    assert sum(len(group.inputs) for group in made.groups) == 50
    assert made.later.partitions == 1
    files = [*day(1, 4), *day(2, 10), *day(3, 8)]
    made = plan(files, most_files=22)
    assert made == plan(files, most_files=10**9)
    assert made.later == NOTHING_LATER


def test_a_first_part_without_a_worthwhile_group_does_not_hide_the_next() -> None:
    """Two files of 5 MiB gain nothing in groups of 8 MiB, though 10 MiB in all could be fewer files."""
    stuck = [DigestFile(size, partition='{"day":"00"}', delete_files=0) for size in (5 * MIB, 5 * MIB)]
    made = plan([*stuck, *day(1, 6), *day(2, 6)], most_files=6)
    assert made.groups


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(1, 6)), min_size=1, max_size=12),
    st.integers(1, 30),
)
def test_parts_one_after_the_other_take_what_one_plan_takes(days: list[tuple[int, int]], most: int) -> None:
    files = [file for number, (count, size) in enumerate(days) for file in day(number, count, size * MIB // 4)]
    whole = plan(files, most_files=10**9)
    left, taken = files, set()
    for _ in range(len(days) + 1):
        part = plan(left, most_files=most)
        taken |= {group.partition for group in part.groups}
        if part.later == NOTHING_LATER:
            break
        assert part.groups
        left = [file for file in left if file.partition not in {group.partition for group in part.groups}]
    assert taken == {group.partition for group in whole.groups}

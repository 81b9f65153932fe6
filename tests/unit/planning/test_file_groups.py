"""Plans: what always holds for any table, and how single cases are grouped."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.runs.files import InputFile
from engine.domain.runs.plans import FileGroup, Plan
from engine.planning.plans.file_groups import MAX_SKIPPED
from engine.planning.plans.parts import MOST_FILES
from tests.support.digests import DigestFile, digest_of, inputs_of, random_digest
from tests.support.planning import plan_of

MIB = 2**20
NUMBERS = count()
CAPACITY, TARGET, LARGE = 64 * MIB, 8 * MIB, 8 * MIB * 180 // 100

data_files = st.builds(
    DigestFile,
    file_bytes=st.one_of(st.integers(1, 10 * MIB), st.integers(1, 150 * MIB)),
    partition=st.sampled_from(["{}", '{"day":"2026-11-01"}', '{"day":null}']),
    spec_id=st.integers(0, 2),
    record_count=st.integers(0, 1000),
    sequence_number=st.integers(0, 5),
    delete_files=st.sampled_from([0, 0, 0, 0, 2]),
    deleted_rows=st.sampled_from([0, 0, 0, 0, 500]),
    row_groups=st.sampled_from([0, 0, 0, 1, 7, 8, 5000]),
)
tables = st.lists(data_files, max_size=120)


def plan(digest: pa.Table, *, parallel_groups: int = 1, most_files: int = MOST_FILES, **rewrite: Any) -> Plan:
    wanted = {"target_file_bytes": TARGET, "max_group_bytes": CAPACITY} | rewrite
    document = {"rewrite": wanted, "limits": {"parallel_groups": parallel_groups}}
    return plan_of(digest, document, most_files=most_files)


def is_forced(files: Mapping[str, DigestFile], group: FileGroup) -> bool:
    named = [files[one.path] for one in group.inputs]
    return any(one.delete_files or one.deleted_rows or one.file_bytes > LARGE or is_chopped(one) for one in named)


def is_chopped(file: DigestFile) -> bool:
    return file.row_groups >= 8 and file.row_groups * MIB > file.file_bytes and file.path is None


def by_path(files: Sequence[DigestFile]) -> dict[str, DigestFile]:
    return dict(zip(digest_of(files)["path"].to_pylist(), files, strict=True))


@given(tables, st.integers(1, 12))
def test_groups_are_of_one_partition_hold_each_file_once_and_are_worth_it(files: list[DigestFile], parallel: int):
    """L5, U5: for any table.

    L12: the bytes of a group are bounded, and only a single file passes the bound. A group makes fewer files, or holds
    a file that is burdened: split, with deletes, or with small row groups. Each of those is in a group.
    """
    known, made = by_path(files), plan(digest_of(files), parallel_groups=parallel)
    paths = [one.path for group in made.groups for one in group.inputs]
    assert len(paths) == len(set(paths))
    for group in made.groups:
        places = {(known[one.path].spec_id, known[one.path].partition) for one in group.inputs}
        assert places == {(group.spec_id, group.partition)}
        assert len(group.inputs) == 1 or group.input_bytes <= CAPACITY
        assert group.predicted_outputs < len(group.inputs) or is_forced(known, group)
    for path, one in known.items():
        assert path in paths or not (one.delete_files or one.file_bytes > LARGE or is_chopped(one))
    grouped = {(group.spec_id, group.partition) for group in made.groups}
    skipped = {(one.spec_id, one.partition) for one in made.skipped}
    assert grouped | skipped == {(one.spec_id, one.partition) for one in files}
    assert not grouped & skipped


@given(tables, st.integers(1, 12), st.randoms())
def test_the_order_of_the_digest_does_not_matter(files: list[DigestFile], parallel: int, random: Any) -> None:
    digest = digest_of(files)
    order = list(range(len(files)))
    random.shuffle(order)
    shuffled = digest.take(pa.array(order, type=pa.int64()))
    assert plan(shuffled, parallel_groups=parallel) == plan(digest, parallel_groups=parallel)


@given(tables, st.integers(1, 12))
def test_rewriting_again_and_again_comes_to_an_end(files: list[DigestFile], parallel: int) -> None:
    """F23: no layout is rewritten for ever."""
    for _ in range(12):
        groups = plan(digest_of(files), parallel_groups=parallel).groups
        if not groups:
            return
        files = _after(files, groups)
    raise AssertionError(f"still not at rest: {groups}")


def _after(files: list[DigestFile], groups: Sequence[FileGroup]) -> list[DigestFile]:
    gone = {one.path for group in groups for one in group.inputs}
    kept = [file for path, file in by_path(files).items() if path not in gone]
    made = [  # as the kernel names them, with row groups that are as small as can be
        DigestFile(
            group.input_bytes // group.predicted_outputs,
            group.partition,
            group.spec_id,
            row_groups=5000,
            path=f"s3://lake/run_{next(NUMBERS):026}-{group.ordinal:05}-1-0.parquet",
        )
        for group in groups
        for _ in range(group.predicted_outputs)
    ]
    return [*kept, *made]


def test_an_empty_table_has_an_empty_plan_and_inputs_come_in_the_order_of_arrival() -> None:
    made = plan(digest_of([]))
    assert (made.groups, made.skipped, made.prediction.input_files) == ((), (), 0)
    files = [DigestFile(MIB, sequence_number=sequence) for sequence in (3, 1, 2, 1, 3, 2)]
    (group,) = plan(digest_of(files)).groups
    assert [one.sequence_number for one in group.inputs] == [1, 1, 2, 2, 3, 3]


def test_a_large_file_becomes_several_and_one_with_deletes_may_become_one() -> None:
    (group,) = plan(digest_of([DigestFile(3 * TARGET)])).groups
    assert (len(group.inputs), group.predicted_outputs) == (1, 3)
    (group,) = plan(digest_of([DigestFile(TARGET, delete_files=1, deleted_rows=10)])).groups
    assert (len(group.inputs), group.predicted_outputs) == (1, 1)


def test_one_partition_is_cut_into_whole_outputs_for_parallel_tasks_that_no_others_keep_busy() -> None:
    made = plan(digest_of([DigestFile(MIB)] * 64), parallel_groups=4)
    assert [(len(group.inputs), group.predicted_outputs) for group in made.groups] == [(16, 2)] * 4
    files = [DigestFile(MIB, partition) for partition in "abcd" for _ in range(16)]
    assert len(plan(digest_of(files), parallel_groups=4).groups) == 4
    made = plan(digest_of([DigestFile(MIB)] * 23), parallel_groups=50)
    assert [group.predicted_outputs for group in made.groups] == [1, 1, 1]
    assert all(group.input_bytes >= TARGET * 5 // 6 for group in made.groups)


def test_the_plan_lists_a_thousand_skipped_partitions_counts_all_and_its_prediction_adds_up() -> None:
    made = plan(digest_of([DigestFile(MIB, f"p{at}") for at in range(MAX_SKIPPED + 5)]))
    assert (len(made.skipped), made.skipped_total) == (MAX_SKIPPED, MAX_SKIPPED + 5)
    made = plan(digest_of([DigestFile(MIB, partition) for partition in "ab" for _ in range(16)]))
    assert made.prediction.input_files == 32
    assert made.prediction.output_files == sum(group.predicted_outputs for group in made.groups) == 4


def test_two_hundred_thousand_files_in_four_thousand_partitions_are_planned() -> None:
    """L1: a plan covers all files of a large table."""
    digest = random_digest(files=200_000, partitions=4000, mean_bytes=0.6 * MIB, seed=5)
    made = plan(digest, most_files=200_000)
    planned = [one.path for group in made.groups for one in group.inputs]
    assert len(planned) == len(set(planned))
    assert made.prediction.input_files > 190_000
    assert {group.partition for group in made.groups} | {one.partition for one in made.skipped} == set(
        digest["partition"].unique().to_pylist()
    )


def test_the_lookup_is_asked_once_and_only_for_files_in_groups() -> None:
    digest = digest_of([DigestFile(MIB, "a")] * 6 + [DigestFile(TARGET, "b")] * 6)
    asked: list[Sequence[str]] = []

    def lookup(paths: Sequence[str]) -> Mapping[str, InputFile]:
        asked.append(paths)
        return inputs_of(digest)(paths)

    plan_of(digest, {"rewrite": {"target_file_bytes": TARGET}}, inputs_of=lookup)
    assert [len(paths) for paths in asked] == [6]

"""What may merge with what: tiers, windows, spans of time. Nothing is lost, and nothing is rewritten for ever."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.runs.plans import Plan
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import plan_of

MIB, HOUR_MS = 2**20, 3_600_000
TARGET = 128 * MIB


def planned(files: Sequence[DigestFile], *, full: bool = False, parallel: int = 1, **rewrite: Any) -> Plan:
    wanted = {"target_file_bytes": TARGET, "max_group_bytes": 4 * TARGET} | rewrite
    return plan_of(digest_of(files), {"rewrite": wanted, "limits": {"parallel_groups": parallel}}, full=full)


def numbers(plan: Plan) -> list[list[int]]:
    """Return the places in the list of files of each group's inputs."""
    return [[int(one.path.split("/")[-1].split(".")[0]) for one in group.inputs] for group in plan.groups]


def arriving(*sizes: int, each_ms: int = 0) -> list[DigestFile]:
    return [DigestFile(size * MIB, sequence_number=at + 1, data_at_ms=at * each_ms) for at, size in enumerate(sizes)]


def test_p7_a_window_fires_at_its_least_number_of_neighbours_and_takes_more_until_it_makes_a_whole_output() -> None:
    five = {"strategy": "window", "min_input_files": 5}
    assert numbers(planned(arriving(1, 1, 1, 1), **five)) == []
    assert numbers(planned(arriving(1, 1, 1, 1, 1), **five)) == [[0, 1, 2, 3, 4]]
    plan = planned(arriving(*[32] * 13), strategy="window", min_input_files=3)
    assert numbers(plan) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert [group.predicted_outputs for group in plan.groups] == [1, 1, 1]


def test_p7_a_window_by_arrival_ends_at_a_well_sized_file_and_drops_its_first_file_at_twice_the_target() -> None:
    files = arriving(90, 90, 90, 1, 1, 1, 1)  # the first five come to 272 MiB, the five after the first to 183
    assert numbers(planned(files, strategy="window", min_input_files=5)) == [[1, 2, 3, 4, 5]]
    assert numbers(planned(arriving(1, 1, 1, 120, 1, 1, 1), strategy="window", min_input_files=4)) == []
    assert numbers(planned(arriving(1, 1, 1, 120, 1, 1, 1), min_input_files=4)) == [[0, 1, 2, 4, 5, 6]]
    files = [DigestFile(MIB, sequence_number=number) for number in (5, 1, 4, 2, 3)]
    assert numbers(planned(files, strategy="window")) == [[1, 3, 4, 2, 0]]


def test_p9_a_file_with_deletes_is_rewritten_by_itself_where_no_window_holds_it() -> None:
    burdened = DigestFile(120 * MIB, sequence_number=2, delete_files=1, deleted_rows=1)
    files = [DigestFile(120 * MIB, sequence_number=1), burdened, DigestFile(120 * MIB, sequence_number=3)]
    assert numbers(planned(files, strategy="window")) == [[1]]


def test_m3_files_merge_within_their_tier_and_land_above_it() -> None:
    files = [DigestFile(2 * MIB)] * 8 + [DigestFile(20 * MIB)] * 8 + [DigestFile(200 * MIB)]
    plan = planned(files, strategy="tiered", large_file_bytes="off")
    assert numbers(plan) == [list(range(8)), list(range(8, 16))]
    sizes = [group.input_bytes // group.predicted_outputs for group in plan.groups]
    assert sizes[0] >= 16 * MIB
    assert sizes[1] >= 128 * MIB


def test_m3_a_tier_of_a_partition_waits_for_its_own_number_of_files_but_not_in_full() -> None:
    tiers = [{"below_bytes": "16MiB", "files": 4}, {"below_bytes": "128MiB", "files": 10}]
    files = [DigestFile(2 * MIB)] * 4 + [DigestFile(20 * MIB)] * 9
    assert numbers(planned(files, strategy="tiered", tiers=tiers)) == [[0, 1, 2, 3]]
    files = [DigestFile(MIB, partition=f'{{"d":{at % 2}}}') for at in range(15)]
    assert numbers(planned(files, strategy="tiered")) == [[0, 2, 4, 6, 8, 10, 12, 14]]
    files = [DigestFile(2 * MIB)] * 3 + [DigestFile(60 * MIB)] * 2
    assert numbers(planned(files, strategy="tiered")) == []
    assert numbers(planned(files, strategy="tiered", full=True)) == [[0, 1, 2, 3, 4]]


def test_m6_files_further_apart_than_the_span_do_not_merge_and_each_span_and_tier_needs_enough_of_its_own() -> None:
    files = arriving(*[1] * 12, each_ms=HOUR_MS // 6)
    span = {"max_time_span": "1h", "min_input_files": 3}
    assert numbers(planned(files, **span)) == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert numbers(planned(files, **span, full=True)) == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert len(planned(files, max_time_span="off").groups) == 1
    files = arriving(*[1] * 8, each_ms=HOUR_MS // 6)
    assert numbers(planned(files, max_time_span="1h", min_input_files=3)) == [[0, 1, 2, 3, 4, 5]]
    files = arriving(*[1] * 16, each_ms=HOUR_MS // 8)
    plan = planned(files, strategy="tiered", max_time_span="1h")
    assert numbers(plan) == [list(range(8)), list(range(8, 16))]


strategies = st.sampled_from(
    [
        {"strategy": "window"},
        {"strategy": "tiered"},
        {"strategy": "binpack", "max_time_span": "1h"},
        {"strategy": "tiered", "max_time_span": "1h"},
        {"strategy": "window", "max_time_span": "1h"},
        {"strategy": "binpack", "order_bins_by": "fill"},
        {"strategy": "binpack", "order_bins_by": "arrival"},
    ]
)
data_files = st.builds(
    DigestFile,
    file_bytes=st.integers(1, 300).map(lambda size: size * MIB),
    partition=st.sampled_from(["{}", '{"day":"2026-11-01"}']),
    sequence_number=st.integers(0, 6),
    data_at_ms=st.integers(0, 4 * HOUR_MS),
    delete_files=st.sampled_from([0, 0, 0, 1]),
)


@given(st.lists(data_files, max_size=60), strategies, st.integers(1, 6), st.booleans())
def test_no_file_is_in_two_groups_and_no_group_mixes_what_may_not_merge(
    files: list[DigestFile], rewrite: dict[str, Any], parallel: int, full: bool
) -> None:
    found = numbers(planned(files, full=full, parallel=parallel, **rewrite))
    taken = [number for group in found for number in group]
    assert len(taken) == len(set(taken))
    for group in found:
        members = [files[number] for number in group]
        assert len({file.partition for file in members}) == 1
        if "max_time_span" in rewrite:
            assert len({file.data_at_ms // HOUR_MS for file in members}) == 1
        if rewrite["strategy"] == "tiered" and not full:
            assert len({(file.file_bytes >= 16 * MIB, file.file_bytes >= 128 * MIB) for file in members}) == 1


@given(st.lists(data_files, max_size=60), strategies)
def test_every_file_that_a_delete_forces_is_in_a_group(files: list[DigestFile], rewrite: dict[str, Any]) -> None:
    taken = {number for group in numbers(planned(files, **rewrite)) for number in group}
    assert {at for at, file in enumerate(files) if file.delete_files} <= taken


@given(st.lists(data_files, max_size=60), st.sampled_from(["window", "binpack"]))
def test_p7_groups_by_arrival_are_stretches_in_the_order_of_arrival(files: list[DigestFile], strategy: str) -> None:
    plan = planned(files, strategy=strategy, order_bins_by="arrival")
    ends: dict[str, tuple[int, int, int]] = {}
    for group in plan.groups:
        order = [(files[at].sequence_number, files[at].data_at_ms, at) for (at,) in _places(group.inputs)]
        assert order == sorted(order)
        assert ends.get(group.partition, order[0]) <= order[0]
        ends[group.partition] = order[-1]


def _places(inputs: Sequence[Any]) -> list[tuple[int]]:
    return [(int(one.path.split("/")[-1].split(".")[0]),) for one in inputs]


@given(st.lists(st.integers(1, 127), min_size=1, max_size=80))
def test_m3_what_a_tier_was_merged_into_is_not_merged_again_by_itself(sizes: list[int]) -> None:
    """A byte is rewritten about once for each tier: outputs that stay in the tier are too few to fire."""
    files = [DigestFile(size * MIB) for size in sizes]
    plan = planned(files, strategy="tiered")
    taken = {at for group in numbers(plan) for at in group}
    after = [file for at, file in enumerate(files) if at not in taken]
    for group in plan.groups:
        after += [DigestFile(group.input_bytes // group.predicted_outputs)] * group.predicted_outputs
    again = planned(after, strategy="tiered")
    moved = {at for group in numbers(again) for at in group}
    lowest = [at for at in moved if after[at].file_bytes < 16 * MIB]
    assert not lowest

"""Packing: every file once, no group above its capacity, few groups, neighbours together, always the same."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from engine.planning.plans.bin_packing import first_fit_decreasing, pack, volume_bound

CAPACITY, TARGET = 1024, 128

size_lists = st.lists(st.integers(1, 1500), min_size=1, max_size=300)
small_sizes = st.lists(st.integers(1, CAPACITY // 100), min_size=1, max_size=2000)


def packed(sizes: list[int], at_least: int = 1) -> list[list[int]]:
    bins = pack(np.array(sizes, dtype=np.int64), capacity=CAPACITY, target=TARGET, at_least=at_least)
    return [positions.tolist() for positions in bins]


@given(size_lists, st.integers(1, 20), st.sampled_from(["locality", "fill", "arrival"]))
def test_every_order_puts_each_file_in_one_group_within_the_capacity(sizes: list[int], at_least: int, order: str):
    """Only a single file passes the capacity, and the same sizes give the same groups."""
    given = np.array(sizes, dtype=np.int64)
    found, again = (
        [each.tolist() for each in pack(given, capacity=CAPACITY, target=TARGET, at_least=at_least, order_by=order)]
        for _ in range(2)
    )
    assert found == again
    assert sorted(position for group in found for position in group) == list(range(len(sizes)))
    assert all(len(group) == 1 or sum(sizes[at] for at in group) <= CAPACITY for group in found)
    if order == "arrival":
        assert [at for group in found for at in group] == list(range(len(sizes)))


@given(small_sizes)
def test_small_files_stay_within_one_percent_of_the_volume_bound(sizes: list[int]) -> None:
    bound = volume_bound(sum(sizes), CAPACITY)
    assert len(packed(sizes)) <= bound * 1.01 + 1


def test_many_files_of_mixed_sizes_stay_within_one_percent_of_the_volume_bound() -> None:
    sizes = np.random.default_rng(7).lognormal(3.0, 0.8, 100_000).clip(1, CAPACITY).astype(np.int64)
    bins = pack(sizes, capacity=CAPACITY, target=TARGET)
    assert len(bins) <= 1.01 * volume_bound(int(sizes.sum()), CAPACITY)


def test_neighbours_stay_together_where_that_costs_no_group_unless_packed_by_size() -> None:
    assert packed([300, 20, 300, 20, 300, 20]) == [[0, 1, 2, 3, 4, 5]]
    groups = packed([100] * 18)
    assert groups == [list(range(9)), list(range(9, 18))]
    pairs_that_fit_only_crosswise = [700, 700, 324, 324]
    assert packed(pairs_that_fit_only_crosswise) == [[0, 2], [1, 3]]
    sizes = np.random.default_rng(3).integers(20, 80, 20_000)
    spans = [int(positions[-1] - positions[0]) for positions in pack(sizes, capacity=CAPACITY, target=TARGET)]
    assert np.median(spans) < 1000
    sizes = np.array([600, 600, 400, 400], dtype=np.int64)
    by = {
        order: [group.tolist() for group in pack(sizes, capacity=CAPACITY, target=TARGET, order_by=order)]
        for order in ("fill", "arrival")
    }
    assert by == {"fill": [[0, 2], [1, 3]], "arrival": [[0], [1, 2], [3]]}


def test_more_groups_are_made_for_parallel_tasks_where_whole_outputs_end() -> None:
    five_outputs = [TARGET // 4] * 20
    assert [len(group) for group in packed(five_outputs, at_least=2)] == [12, 8]
    four_outputs = [TARGET // 4] * 16
    assert len(packed(four_outputs, at_least=3)) == 3
    assert len(packed(four_outputs, at_least=100)) == 4


@given(st.lists(st.integers(1, CAPACITY), max_size=80))
def test_first_fit_decreasing_is_the_textbook_one(sizes: list[int]) -> None:
    rooms: list[int] = []
    for size in sorted(sizes, reverse=True):
        at = next((at for at, room in enumerate(rooms) if room >= size), len(rooms))
        if at == len(rooms):
            rooms.append(CAPACITY)
        rooms[at] -= size
    bins = first_fit_decreasing(np.array(sizes, dtype=np.int64), CAPACITY)
    assert sorted(CAPACITY - sum(sizes[position] for position in group) for group in bins) == sorted(rooms)


@given(size_lists)
@example([66, 66, 66, 137, 290, 335, 66, 66, 66, 202, 290, 334])
def test_fill_needs_no_more_groups_than_locality(sizes: list[int]) -> None:
    given = np.array(sizes, dtype=np.int64)
    fill = pack(given, capacity=CAPACITY, target=TARGET, order_by="fill")
    assert len(fill) <= len(pack(given, capacity=CAPACITY, target=TARGET))

"""What a rewrite is worth."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.runs.files import DeleteRef, InputFile
from engine.domain.runs.plans import FileGroup
from engine.planning.ranking import OPEN_COST_BYTES, benefit_per_cost, chance_of_commit, most_worth, saved_by

MIB = 2**20


def test_the_open_cost_is_icebergs_default_and_a_scan_wins_back_what_a_rewrite_of_4_mib_files_reads() -> None:
    assert OPEN_COST_BYTES == 4_194_304
    assert benefit_per_cost(avoidable_files=100, rewritten_bytes=400 * MIB) == 1


def test_smaller_files_are_worth_more_for_each_byte_empty_ones_something_finite_and_nothing_to_win_nothing() -> None:
    tiny = benefit_per_cost(avoidable_files=10, rewritten_bytes=10 * 2**10)
    assert tiny > benefit_per_cost(avoidable_files=1000, rewritten_bytes=1000 * MIB)
    assert benefit_per_cost(avoidable_files=0, rewritten_bytes=0) == 0
    assert benefit_per_cost(avoidable_files=1, rewritten_bytes=0) == OPEN_COST_BYTES


def test_a_group_saves_what_need_not_be_opened_any_more_and_a_commit_is_certain_without_a_history():
    assert chance_of_commit(committed=0, lost=0) == 1
    assert chance_of_commit(committed=3, lost=4) == 0.5
    assert 0 < chance_of_commit(committed=0, lost=10**6) < 1e-5
    assert saved_by(a_group(0, files=5)) == 4 * OPEN_COST_BYTES
    assert saved_by(a_group(0, files=2, outputs=2, deletes=3)) == 6 * OPEN_COST_BYTES
    assert saved_by(a_group(0, files=1, outputs=3)) == 0


def a_group(ordinal: int, *, files: int, size: int = MIB, outputs: int = 1, deletes: int = 0) -> FileGroup:
    marks = tuple(DeleteRef(f"d{number}", 1) for number in range(deletes))
    inputs = tuple(InputFile(f"{ordinal}/{number}", size, 1, 1, marks) for number in range(files))
    return FileGroup(ordinal, 0, "{}", inputs, outputs)


def ordinals(groups: list[FileGroup]) -> list[int]:
    return [group.ordinal for group in groups]


def test_what_saves_most_for_each_byte_is_taken_first_and_stays_in_order():
    """M7: benefit per byte decides what a limited budget is spent on."""
    few, many, marked = a_group(0, files=2), a_group(1, files=8, size=MIB // 4), a_group(2, files=2, deletes=1)
    assert ordinals(most_worth([few, many, marked], 4 * MIB)) == [1, 2]
    assert ordinals(most_worth([few, many, marked], 6 * MIB)) == [0, 1, 2]
    assert ordinals(most_worth([few, many, marked], 0)) == []


def test_one_group_that_saves_more_than_many_small_ones_takes_their_place_and_a_split_is_done_with_room():
    small, large = a_group(0, files=2, size=1), a_group(1, files=50)
    assert ordinals(most_worth([small, large], 50 * MIB)) == [1]
    assert ordinals(most_worth([small, large], 50 * MIB + 2)) == [0, 1]
    assert ordinals(most_worth([a_group(0, files=1, size=9, outputs=3), a_group(1, files=5, size=1)], 14)) == [0, 1]


_GROUPS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 50), st.integers(1, 4), st.integers(0, 2)), max_size=7
).map(
    lambda drawn: [
        a_group(at, files=files, size=size, outputs=outputs, deletes=deletes)
        for at, (files, size, outputs, deletes) in enumerate(drawn)
    ]
)


@given(_GROUPS, st.integers(0, 400), st.randoms())
def test_the_room_holds_and_half_of_the_best_saving_is_reached(groups, room, random):
    chosen = most_worth(groups, room)
    assert sum(group.input_bytes for group in chosen) <= room
    assert ordinals(chosen) == sorted(ordinals(chosen))
    every = (some for count in range(len(groups) + 1) for some in combinations(groups, count))
    best = max(sum(map(saved_by, some)) for some in every if sum(group.input_bytes for group in some) <= room)
    assert 2 * sum(map(saved_by, chosen)) >= best
    mixed = random.sample(groups, len(groups))
    assert sorted(ordinals(most_worth(mixed, room))) == ordinals(chosen)
    left = [group for group in groups if group not in chosen]
    assert not any(group.input_bytes <= room - sum(each.input_bytes for each in chosen) for group in left)

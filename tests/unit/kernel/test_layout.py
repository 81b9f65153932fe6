"""How many outputs and row groups, for any size."""

from hypothesis import given
from hypothesis import strategies as st

from engine.rewriting.kernel.writing.layout import MIN_ROW_GROUP_BYTES, OutputLayout, output_count

MIB = 2**20


def lay_out(*, rows: int, predicted: float, actual: float, target: int, planned: int) -> list[list[int]]:
    """Return the row groups of every file when a row takes `actual` bytes where `predicted` were expected."""
    layout = OutputLayout(
        target_bytes=target,
        row_group_bytes=128 * MIB,
        rows=rows,
        stored_bytes=rows * predicted,
        planned_outputs=planned,
    )
    layout.observe_input(1, 300)
    files: list[list[int]] = [[]]
    left = rows
    while left:
        count = min(left, layout.next_row_group())
        files[-1].append(count)
        left -= count
        layout.observe_written(count, int(count * actual))
        if layout.file_is_full():
            layout.close_file()
            files.append([])
    return [file for file in files if file]


@given(st.integers(1, 2**50), st.integers(1, 2**34))
def test_a_file_is_between_five_sixths_and_five_thirds_of_the_target(total: int, target: int) -> None:
    count = output_count(total, target)
    assert total / count <= target * 5 / 3 * 1.0001
    assert count == 1 or total / count >= target * 5 / 6 * 0.9999


@given(st.integers(1, 40_000_000), st.floats(10, 500), st.integers(16, 1024))
def test_as_many_files_as_planned_when_rows_take_what_was_predicted(rows: int, size: float, mib: int) -> None:
    planned = output_count(rows * size, mib * MIB)
    files = lay_out(rows=rows, predicted=size, actual=size, target=mib * MIB, planned=planned)
    assert len(files) == planned
    assert max(map(sum, files)) - min(map(sum, files)) <= len(files) + 1


@given(st.integers(1, 40_000_000), st.floats(10, 500), st.floats(0.1, 1.0), st.integers(64, 1024))
def test_no_sliver_is_left_when_rows_shrink(rows: int, size: float, shrink: float, mib: int) -> None:
    planned = output_count(rows * size, mib * MIB)
    files = lay_out(rows=rows, predicted=size, actual=size * shrink, target=mib * MIB, planned=planned)
    assert sum(map(sum, files)) == rows
    sizes = [sum(file) * size * shrink for file in files[1:]]
    assert len(files) <= planned
    assert all(one >= 0.7 * mib * MIB for one in sizes if len(files) > 2)


@given(st.integers(1, 40_000_000), st.floats(10, 500), st.integers(16, 1024))
def test_a_row_group_is_64_mib_or_the_file(rows: int, size: float, mib: int) -> None:
    """F26: many small row groups in a file are as slow to read as many small files."""
    planned = output_count(rows * size, mib * MIB)
    for file in lay_out(rows=rows, predicted=size, actual=size, target=mib * MIB, planned=planned):
        assert len(file) == 1 or min(file) * size >= MIN_ROW_GROUP_BYTES * 0.99


def test_row_groups_follow_the_logical_size_when_rows_are_stored_badly() -> None:
    (file,) = lay_out(rows=10_000_000, predicted=300, actual=300, target=4096 * MIB, planned=1)
    assert all(128 * MIB <= count * 300 <= 256 * MIB for count in file)


def test_row_groups_written_early_do_not_end_the_file_early() -> None:
    layout = OutputLayout(
        target_bytes=128 * MIB, row_group_bytes=128 * MIB, rows=1000, stored_bytes=1e6, planned_outputs=1
    )
    for _ in range(9):
        layout.observe_written(100, 1000)
        assert not layout.file_is_full()

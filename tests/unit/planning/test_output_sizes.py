"""Which bytes of files are metadata."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.planning.predictions.output_sizes import metadata_bytes


def of(sizes: list[int], rows: list[int], columns: int) -> int:
    return metadata_bytes(np.array(sizes, dtype=np.int64), np.array(rows, dtype=np.int64), columns)


def test_files_of_few_rows_are_nearly_all_metadata_also_after_a_rewrite_and_large_ones_keep_their_bytes() -> None:
    """16 files of 14 rows and 16 columns, 5,935 bytes each, were rewritten into one of 11,619 bytes.

    29 new files and one of 1,131 rows and 20,550 bytes, less than two bytes a value, became one of 22,700 bytes.
    """
    metadata = of([5_935] * 16, [14] * 16, 16)
    assert 16 * (5_935 - metadata) + metadata == pytest.approx(11_619, rel=0.25)
    metadata = of([6_129] * 29 + [20_550], [18] * 29 + [1_131], 16)
    rows = 29 * (6_129 - metadata) + 20_550 - metadata
    assert rows + metadata == pytest.approx(22_700, rel=0.6)
    assert of([2**27] * 8, [10**6] * 8, 16) <= 3 * 360 * 16


def test_files_of_different_sizes_show_it_themselves_and_nothing_is_known_without_columns_or_files() -> None:
    rows = [10, 100, 400, 1_000, 2_000, 5_000, 8_000, 9_000]
    assert of([9_000 + 30 * count for count in rows], rows, 16) == pytest.approx(9_000, rel=0.15)
    assert (of([10], [1], 0), of([], [], 5), of([0, 10], [0, 0], 5)) == (0, 0, 0)


files = st.tuples(st.integers(0, 2**45), st.integers(0, 2**40))


@given(st.lists(files, max_size=20), st.integers(0, 5_000))
def test_metadata_is_never_negative_nor_more_than_a_file_with_rows(found: list[tuple[int, int]], columns: int) -> None:
    metadata = of([size for size, _ in found], [rows for _, rows in found], columns)
    assert metadata >= 0
    assert all(metadata <= size for size, rows in found if size and rows)

"""Position deletes: which rows leave, whose they are, and what they cost."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import TaskInput
from tests.unit.kernel.building import (
    field,
    left_behind,
    make_task,
    outputs_of,
    rewrite,
    with_deletes,
    write,
    write_deletes,
)

SCHEMA = pa.schema([field(1, "id", pa.int64())])


def input_of(folder: Path, name: str, start: int, count: int, **options: int) -> TaskInput:
    table = pa.table([pa.array(range(start, start + count), pa.int64())], schema=SCHEMA)
    return write(folder / f"{name}.parquet", table, **options)


def ids_left(folder: Path, *inputs: TaskInput) -> list[int]:
    result = rewrite(make_task(folder, inputs, SCHEMA))
    assert result.rows_written == result.rows_read - result.rows_deleted
    return list(outputs_of(result).column("id").to_pylist()) if result.outputs else []


def test_deleted_positions_are_left_out(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 10)
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, 0), (one.path, 4), (one.path, 9)])
    assert ids_left(tmp_path, with_deletes(one, deletes)) == [1, 2, 3, 5, 6, 7, 8]


def test_positions_count_through_the_row_groups_of_a_file(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 10, row_group_size=3)
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, position) for position in (2, 3, 4, 5, 9)])
    assert ids_left(tmp_path, with_deletes(one, deletes)) == [0, 1, 6, 7, 8]


@pytest.mark.parametrize("spelling", ["file:{}", "file://{}", "file://localhost{}"])
def test_the_path_in_a_delete_file_may_be_spelled_otherwise(tmp_path: Path, spelling: str) -> None:
    one = input_of(tmp_path, "a", 0, 3)
    deletes = write_deletes(tmp_path / "d.parquet", [(spelling.format(one.path), 1)])
    assert ids_left(tmp_path, with_deletes(one, deletes)) == [0, 2]


def test_deletes_of_other_files_and_of_foreign_storages_are_passed_over(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 3)
    deletes = write_deletes(tmp_path / "d.parquet", [("gs://b/x", 0), (f"{one.path}.old", 0), (one.path, 2)])
    assert ids_left(tmp_path, with_deletes(one, deletes)) == [0, 1]


def test_a_delete_file_applies_only_to_the_inputs_that_list_it(tmp_path: Path) -> None:
    older, newer = input_of(tmp_path, "a", 0, 3), input_of(tmp_path, "b", 10, 3)
    deletes = write_deletes(tmp_path / "d.parquet", [(older.path, 0), (newer.path, 0)])
    assert ids_left(tmp_path, with_deletes(older, deletes), newer) == [1, 2, 10, 11, 12]


def test_a_delete_file_shared_by_inputs_is_read_once(tmp_path: Path) -> None:
    inputs = [input_of(tmp_path, name, 0, 3) for name in "abc"]
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, 1) for one in inputs])
    result = rewrite(make_task(tmp_path, [with_deletes(one, deletes) for one in inputs], SCHEMA))
    assert result.requests == 4
    assert (result.rows_read, result.rows_deleted, result.rows_written) == (9, 3, 6)


def test_a_position_named_twice_or_past_the_end_counts_once_or_not(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 3)
    first = write_deletes(tmp_path / "d.parquet", [(one.path, 1), (one.path, 1), (one.path, 3)])
    second = write_deletes(tmp_path / "e.parquet", [(one.path, 1)])
    result = rewrite(make_task(tmp_path, [with_deletes(one, first, second)], SCHEMA))
    assert result.rows_deleted == 1


def test_no_output_is_written_when_every_row_is_deleted(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 4, row_group_size=2)
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, position) for position in range(4)])
    result = rewrite(make_task(tmp_path, [with_deletes(one, deletes)], SCHEMA))
    assert (result.outcome, result.outputs, result.rows_deleted) == ("written", (), 4)
    assert left_behind(tmp_path) == []


def test_a_row_group_without_a_live_row_is_not_fetched(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 2_000_000, row_group_size=1_000_000)
    one = write(
        Path(one.path), pq.read_table(one.path), row_group_size=1_000_000, compression="none", use_dictionary=False
    )
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, position) for position in range(1_000_000)])
    result = rewrite(make_task(tmp_path, [with_deletes(one, deletes)], SCHEMA))
    assert result.rows_written == 1_000_000
    assert result.bytes_read - Path(deletes).stat().st_size < one.file_bytes * 0.7


def test_a_delete_file_of_another_format_is_refused(tmp_path: Path) -> None:
    one = with_deletes(input_of(tmp_path, "a", 0, 3), str(tmp_path / "d.avro"))
    result = rewrite(make_task(tmp_path, [one], SCHEMA))
    assert result.outcome == "refused"
    assert (result.reason or "").startswith("unsupported_delete_file: ")


def test_a_delete_file_without_the_reserved_ids_is_refused(tmp_path: Path) -> None:
    one = input_of(tmp_path, "a", 0, 3)
    pq.write_table(pa.table({"file_path": [one.path], "pos": [0]}), tmp_path / "d.parquet")
    result = rewrite(make_task(tmp_path, [with_deletes(one, str(tmp_path / "d.parquet"))], SCHEMA))
    assert (result.reason or "").startswith("no_field_ids: ")


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 70)), max_size=150),
    st.integers(1, 60),
    st.integers(1, 60),
    st.booleans(),
)
def test_exactly_the_named_rows_leave(deletes: list[tuple[int, int]], rows: int, group: int, coded: bool) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        inputs = [input_of(folder, str(i), i * 1000, rows, row_group_size=group) for i in range(2)]
        listed = [(inputs[which].path, position) for which, position in deletes]
        path = write_deletes(folder / "d.parquet", listed, use_dictionary=coded, row_group_size=7)
        left = ids_left(folder, *(with_deletes(one, path) for one in inputs))
    gone = {which * 1000 + position for which, position in deletes}
    assert left == [one for i in range(2) for one in range(i * 1000, i * 1000 + rows) if one not in gone]

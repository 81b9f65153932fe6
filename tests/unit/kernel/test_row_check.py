"""A group whose outputs do not hold its inputs' rows fails and leaves nothing behind, however they came to differ."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from engine.rewriting.kernel import task as tasks
from engine.rewriting.kernel.contract import TaskInput, WriteSettings
from engine.rewriting.kernel.errors import KernelError, OutputFault
from engine.rewriting.kernel.reading.row_check import CheckedRows, check_rows
from engine.rewriting.kernel.splicing.compiled import CompiledPass
from engine.rewriting.kernel.writing.rows import GroupWriter
from tests.unit.kernel.building import MIB, field, left_behind, make_task, rewrite, with_deletes, write, write_deletes
from tests.unit.kernel.test_row_hashes import tables

SCHEMA = pa.schema(
    [
        field(1, "id", pa.int64(), required=True),
        field(2, "name", pa.string()),
        field(3, "tags", pa.list_(field(4, "element", pa.string()))),
    ]
)


def rows(start: int, count: int) -> pa.Table:
    ids = range(start, start + count)
    names = [None if i % 7 == 0 else f"name {i % 5}" for i in ids]
    tags = [None if i % 3 == 0 else [f"tag {j}" for j in range(i % 4)] for i in ids]
    return pa.Table.from_arrays([pa.array(list(ids)), pa.array(names), pa.array(tags)], schema=SCHEMA)


def inputs(folder: Path, count: int = 3) -> list[TaskInput]:
    return [write(folder / f"{i}.parquet", rows(i * 100, 100), row_group_size=33) for i in range(count)]


def damaged(monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]) -> None:
    """Change the first output after it was written and before it is checked."""

    def spoiled(**arguments: object) -> CheckedRows:
        outputs: list[TaskInput] = arguments["outputs"]  # type: ignore[assignment]
        path = Path(outputs[0].path)
        change(path)
        outputs[0] = replace(outputs[0], file_bytes=path.stat().st_size)
        return check_rows(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(tasks, "check_rows", spoiled)


def rewritten_as(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        pq.write_table(change(pq.read_table(path)).cast(SCHEMA), path, store_schema=False)

    return apply


def replaced(table: pa.Table, column: str, row: int, value: object) -> pa.Table:
    items = table.column(column).to_pylist()
    items[row] = value
    at = table.column_names.index(column)
    return table.set_column(at, table.schema.field(at), pa.array(items, table.schema.field(at).type))


def test_a_good_group_says_what_it_holds_and_what_the_check_cost(tmp_path: Path) -> None:
    files = inputs(tmp_path)
    plain = rewrite(make_task(tmp_path / "a", files, SCHEMA))
    result = rewrite(make_task(tmp_path / "b", files, SCHEMA, checks_rows=True))
    assert (plain.row_digest, plain.bytes_checked, plain.seconds_checking) == ("", 0, 0.0)
    assert result.row_digest.startswith("300-")
    assert result.bytes_checked == sum(f.file_bytes for f in files) + sum(o.file_bytes for o in result.outputs)
    assert result.bytes_read == plain.bytes_read + result.bytes_checked
    assert result.seconds_checking > 0


@pytest.mark.parametrize(
    "change",
    [
        lambda table: replaced(table, "name", 1, "another"),
        lambda table: replaced(table, "name", 1, None),
        lambda table: replaced(table, "tags", 2, ["tag 1", "tag 0"]),
        lambda table: replaced(table, "id", 299, 298),
        lambda table: pa.concat_tables([table.slice(0, 298), table.slice(0, 1), table.slice(299)]),
        lambda table: replaced(replaced(table, "name", 1, "name 2"), "name", 2, "name 1"),
    ],
    ids=["a value", "a null", "elements swapped", "an id", "lost and doubled", "values swapped between rows"],
)
def test_other_rows_of_the_same_number_fail_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[pa.Table], pa.Table]
) -> None:
    """F4: the counts are right, the rows are not."""
    damaged(monkeypatch, rewritten_as(change))
    with pytest.raises(OutputFault, match="other rows than the inputs'"):
        rewrite(make_task(tmp_path, inputs(tmp_path), SCHEMA, checks_rows=True))
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.sort_by([("id", "descending")]),
        lambda table: table.set_column(1, SCHEMA.field("name"), pc.fill_null(table.column("name"), None)),
    ],
    ids=["another order", "nothing"],
)
def test_the_same_rows_pass_however_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[pa.Table], pa.Table]
) -> None:
    damaged(monkeypatch, rewritten_as(change))
    assert rewrite(make_task(tmp_path, inputs(tmp_path), SCHEMA, checks_rows=True)).outcome == "written"


def test_a_row_that_is_missing_fails_the_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(monkeypatch, rewritten_as(lambda table: table.slice(1)))
    with pytest.raises(OutputFault, match="299 rows, 300 expected"):
        rewrite(make_task(tmp_path, inputs(tmp_path), SCHEMA, checks_rows=True))


@pytest.mark.parametrize("at", [40, 400, -8], ids=["page", "later page", "footer"])
def test_bytes_that_were_damaged_on_the_way_fail_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    def flip(path: Path) -> None:
        body = bytearray(path.read_bytes())
        for place in range(at, at + 8):
            body[place] ^= 0xFF
        path.write_bytes(bytes(body))

    damaged(monkeypatch, flip)
    with pytest.raises(KernelError, match=r"run-3-1-0\.parquet"):
        rewrite(make_task(tmp_path, inputs(tmp_path), SCHEMA, checks_rows=True))
    assert left_behind(tmp_path) == []


def test_a_writer_that_loses_a_value_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = GroupWriter.add

    def forgetful(self: GroupWriter, given: object) -> None:
        columns = given.columns  # type: ignore[attr-defined]
        columns[1] = pa.chunked_array([pa.array(["oops"] * len(columns[1]))])
        real(self, given)  # type: ignore[arg-type]

    monkeypatch.setattr(CompiledPass, "of", lambda _: None)  # so that Arrow writes
    monkeypatch.setattr(GroupWriter, "add", forgetful)
    with pytest.raises(OutputFault, match="other rows"):
        rewrite(make_task(tmp_path, inputs(tmp_path), SCHEMA, checks_rows=True))


def test_deleted_rows_are_not_expected(tmp_path: Path) -> None:
    """F20: what delete files take away is counted, and hashed, on both sides."""
    one, two = inputs(tmp_path, 2)
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, 0), (one.path, 50), (one.path, 99), (two.path, 33)])
    task = make_task(tmp_path, [with_deletes(one, deletes), with_deletes(two, deletes)], SCHEMA, checks_rows=True)
    assert rewrite(task).row_digest.startswith("196-")


def test_encodings_sizes_and_codecs_make_no_difference(tmp_path: Path) -> None:
    kinds = [
        {"use_dictionary": True, "data_page_version": "2.0", "row_group_size": 7},
        {"use_dictionary": False, "compression": "none", "column_encoding": {"id": "DELTA_BINARY_PACKED"}},
        {"use_dictionary": ["name"], "compression": "gzip", "store_schema": True},
    ]
    files = [write(tmp_path / f"{i}.parquet", rows(i * 100, 100), **kind) for i, kind in enumerate(kinds)]
    small = WriteSettings(target_file_bytes=MIB, row_group_bytes=4096, codec="snappy", codec_level=None)
    result = rewrite(make_task(tmp_path, files, SCHEMA, checks_rows=True, settings=small))
    again = rewrite(make_task(tmp_path / "again", inputs(tmp_path), SCHEMA, checks_rows=True))
    assert result.row_digest == again.row_digest


def test_a_large_file_is_checked_column_by_column(tmp_path: Path) -> None:
    import numpy as np  # noqa: PLC0415 - only here

    schema = pa.schema([field(1, "a", pa.int64()), field(2, "b", pa.int64()), field(3, "c", pa.int64())])
    columns = [pa.array(np.random.default_rng(i).integers(0, 2**62, 500_000)) for i in range(3)]
    one = write(tmp_path / "a.parquet", pa.table(columns, schema=schema), row_group_size=200_000, use_dictionary=False)
    assert one.file_bytes > 8 * MIB
    target = pa.schema([schema.field(0), schema.field(2), field(9, "new", pa.string())])
    result = rewrite(make_task(tmp_path, [one], target, checks_rows=True))
    assert result.row_digest.startswith("500000-")


@given(tables())
@settings(suppress_health_check=list(HealthCheck))
def test_any_schema_and_any_change_of_it_can_be_checked(tmp_path: Path, case: tuple[pa.Table, pa.Schema]) -> None:
    table, target = case
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    if table.num_rows:
        one = write(folder / "a.parquet", table)
        result = rewrite(make_task(folder, [one, write(folder / "b.parquet", table)], target, checks_rows=True))
        assert result.row_digest.startswith(f"{2 * table.num_rows}-")

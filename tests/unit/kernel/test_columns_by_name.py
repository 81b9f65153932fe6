"""Files of formats without field ids: columns are matched by name at every level, and outputs have no ids."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import RowOrder, SortColumn, TaskInput, WriteSettings
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import SCHEMA as SCHEMA_FIELD
from engine.rewriting.kernel.parquet.footers import framed
from engine.rewriting.kernel.splicing import copy_plans
from tests.unit.kernel.building import MIB, field, make_task, outputs_of, rewrite, write

POINT = pa.struct([field(4, "x", pa.float64()), field(5, "tags", pa.list_(field(6, "element", pa.string())))])
SCHEMA = pa.schema(
    [
        field(1, "id", pa.int64()),
        field(2, "name", pa.string()),
        field(3, "at", POINT),
        field(7, "notes", pa.map_(field(8, "key", pa.string(), required=True), field(9, "value", pa.int32()))),
        field(10, "price", pa.decimal128(12, 2)),
        field(11, "score", pa.float32()),
    ]
)
BARE = pa.schema(
    [
        ("id", pa.int64()),
        ("name", pa.string()),
        ("at", pa.struct([("x", pa.float64()), ("tags", pa.list_(pa.string()))])),
        ("notes", pa.map_(pa.string(), pa.int32())),
        ("price", pa.decimal128(12, 2)),
        ("score", pa.float32()),
    ]
)


def rows(start: int, count: int) -> pa.Table:
    """Rows with nulls, empty lists and NaNs, without any field id."""
    return pa.Table.from_pylist([row(i) for i in range(start, start + count)], schema=BARE)


def row(i: int) -> dict[str, Any]:
    tags = None if i % 5 == 0 else [f"t{i % 3}", None][: i % 3]
    return {
        "id": i,
        "name": None if i % 7 == 0 else f"name {i % 5}",
        "at": None if i % 11 == 0 else {"x": float("nan") if i % 13 == 0 else i / 2, "tags": tags},
        "notes": None if i % 3 == 0 else [(f"k{i % 4}", i)],
        "price": None,
        "score": float("nan") if i % 4 == 0 else 1.5,
    }


def by_name(folder: Path, inputs: list[TaskInput], schema: pa.Schema = SCHEMA, **changes: Any) -> Any:
    return rewrite(make_task(folder, inputs, schema, match_by="name", checks_rows=True, **changes))


def has_ids(path: str) -> bool:
    elements, _ = thrift.read_struct(footer_of(Path(path)))
    return any(9 in each for each in elements[SCHEMA_FIELD][1][1])


def footer_of(path: Path) -> bytes:
    data = path.read_bytes()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def renamed(one: TaskInput, names: dict[bytes, bytes]) -> TaskInput:
    """Rename elements of a file's schema, as other writers name them."""
    path = Path(one.path)
    footer = footer_of(path)
    found, _ = thrift.read_struct(footer)
    for element in found[SCHEMA_FIELD][1][1]:
        element[4] = (thrift.BINARY, names.get(element[4][1], element[4][1]))
    path.write_bytes(path.read_bytes()[: -8 - len(footer)] + framed(thrift.write_struct(found)))
    return replace(one, file_bytes=path.stat().st_size)


def same_rows(left: pa.Table, right: pa.Table) -> bool:
    """Compare by DuckDB, which takes NaN for equal to itself."""
    with duckdb.connect() as database:
        database.register("a", left)
        database.register("b", right)
        differing = [
            database.sql(f"SELECT * FROM (SELECT * FROM {one} EXCEPT ALL SELECT * FROM {other})").fetchall()
            for one, other in (("a", "b"), ("b", "a"))
        ]
    return differing == [[], []]


@pytest.mark.parametrize("order", [None, RowOrder("sort", (SortColumn(1, descending=True),))], ids=["kept", "sorted"])
@pytest.mark.parametrize("writer", [{}, {"use_compliant_nested_type": False}, {"version": "1.0"}], ids=str)
def test_rows_of_files_without_ids_stay_and_outputs_have_no_ids(
    tmp_path: Path, writer: dict[str, Any], order: RowOrder | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    inputs = [write(tmp_path / f"{i}.parquet", rows(i * 100, 100), **writer) for i in range(4)]
    assert not has_ids(inputs[0].path)
    result = by_name(tmp_path, inputs, order=order)
    assert (result.outcome, result.reason) == ("written", None)
    assert result.row_digest
    (output,) = result.outputs
    assert not has_ids(output.path)
    assert pq.read_metadata(output.path).created_by.startswith("packhouse") is (order is None)  # spliced
    assert b"packhouse.nan-counts" not in (pq.read_metadata(output.path).metadata or {})
    found = outputs_of(result)
    assert found.schema.names == BARE.names
    assert same_rows(found.cast(BARE), rows(0, 400))


@pytest.mark.parametrize("target_bytes", [128 * MIB, 20_000])
def test_columns_in_another_order_or_absent_or_of_a_narrower_type_are_found_by_name(
    tmp_path: Path, target_bytes: int
) -> None:
    whole = rows(0, 50)
    turned = rows(50, 50).select(["score", "notes", "at", "name", "id", "price"])
    fewer = rows(100, 50).select(["name", "id"]).append_column("gone", pa.array(["x"] * 50))
    narrow = fewer.set_column(1, "id", pa.array(range(150, 200), pa.int32()))
    files = [write(tmp_path / f"{i}.parquet", one) for i, one in enumerate([whole, turned, fewer, narrow])]
    result = by_name(tmp_path, files, settings=WriteSettings(target_file_bytes=target_bytes))
    assert (result.outcome, result.reason) == ("written", None)
    found = outputs_of(result)
    assert sorted(found["id"].to_pylist()) == list(range(200))
    assert "gone" not in found.schema.names
    late = found.slice(100)
    assert late["at"].null_count == late.num_rows == 100
    assert same_rows(found.slice(0, 100).cast(BARE), rows(0, 100))


def test_ids_that_other_writers_left_in_files_mean_nothing(tmp_path: Path) -> None:
    misleading = pa.schema([field(2, "id", pa.int64()), field(1, "code", pa.int64())])
    target = pa.schema([field(1, "id", pa.int64()), field(2, "code", pa.int64())])
    table = pa.table([[1, 2], [30, 40]], schema=misleading)
    result = by_name(tmp_path, [write(tmp_path / "a.parquet", table)], target)
    assert outputs_of(result).to_pydict() == {"id": [1, 2], "code": [30, 40]}
    assert not has_ids(result.outputs[0].path)


def test_lists_as_hive_and_as_old_writers_name_them(tmp_path: Path) -> None:
    of_hive = {b"list": b"bag", b"element": b"array_element"}
    values: dict[str, Any] = {"tags": [["a", None], [], None, ["b"]]}
    file = write(tmp_path / "hive.parquet", pa.table(values, schema=pa.schema([("tags", pa.list_(pa.string()))])))
    target = pa.schema([field(1, "tags", pa.list_(field(2, "element", pa.string())))])
    assert outputs_of(by_name(tmp_path / "h", [renamed(file, of_hive)], target)).to_pydict() == values
    # a repeated group named `array` is the element itself, with one field
    file = write(
        tmp_path / "old.parquet", pa.table({"l": [[1, 2], [3]]}, schema=pa.schema([("l", pa.list_(pa.int64()))]))
    )
    old = renamed(file, {b"list": b"array"})
    of_struct = pa.struct([field(3, "element", pa.int64())])
    target = pa.schema([field(1, "l", pa.list_(field(2, "array", of_struct, required=True)))])
    found = outputs_of(by_name(tmp_path / "o", [old], target)).to_pydict()
    assert found == {"l": [[{"element": 1}, {"element": 2}], [{"element": 3}]]}


@pytest.mark.parametrize(
    ("table", "target", "reason"),
    [
        (
            pa.table([[1], [2]], schema=pa.schema([("a", pa.int64()), ("a", pa.int64())])),
            pa.schema([field(1, "a", pa.int64())]),
            "duplicate_field_ids",
        ),
        (pa.table({"A": [1]}), pa.schema([field(1, "a", pa.int64(), required=True)]), "missing_required_field"),
        (pa.table({"a": ["x"]}), pa.schema([field(1, "a", pa.int64())]), "type_not_promotable"),
        (pa.table({"a": [[1]]}), pa.schema([field(1, "a", pa.int64())]), "type_not_promotable"),
        (
            pa.table({"a": [1]}),
            pa.schema([field(1, "a", pa.list_(field(2, "element", pa.int64())))]),
            "type_not_promotable",
        ),
    ],
    ids=["twice", "other case", "other type", "list for value", "value for list"],
)
def test_what_does_not_fit_by_name_is_refused(tmp_path: Path, table: pa.Table, target: pa.Schema, reason: str) -> None:
    result = by_name(tmp_path, [write(tmp_path / "a.parquet", table)], target)
    assert (result.outcome, str(result.reason).split(":", maxsplit=1)[0]) == ("refused", reason)


def test_columns_that_are_nested_too_deeply_are_the_inputs_fault(tmp_path: Path) -> None:
    of: pa.DataType = pa.int64()
    for _ in range(101):
        of = pa.struct([("s", of)])
    file = write(tmp_path / "a.parquet", pa.table([pa.nulls(2, of)], schema=pa.schema([("a", of)])))
    with pytest.raises(InputFault, match="too deeply nested"):
        by_name(tmp_path, [file], pa.schema([field(1, "b", pa.int64())]))


def test_a_damaged_footer_is_the_inputs_fault(tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", rows(0, 10))
    path = Path(file.path)
    data = bytearray(path.read_bytes())
    data[-20:-8] = b"\xff" * 12
    path.write_bytes(data)
    with pytest.raises(InputFault):
        by_name(tmp_path, [file])

"""F41: the kernel's work grows with the number of fields of a schema, however deep or wide it is."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engine.rewriting.kernel.parquet.footers import InputFooter
from engine.rewriting.kernel.parquet.thrift import Recall
from engine.rewriting.kernel.reading import projection, rows
from engine.rewriting.kernel.reading.projection import Projection
from engine.rewriting.kernel.splicing import copy_plans
from tests.unit.kernel.building import field, make_task, outputs_of, rewrite, write

DEPTH = 40


def nested(depth: int, leaf: pa.DataType) -> pa.Schema:
    """Return a schema of one column whose leaf is this number of levels down."""
    of = leaf
    for level in range(depth, 1, -1):
        of = pa.struct([field(level, f"level_{level}", of)])
    return pa.schema([field(1, "level_1", of)])


def wide(columns: int, of: pa.DataType | None = None) -> pa.Schema:
    return pa.schema([field(at + 1, f"column_{at}", of or pa.int64()) for at in range(columns)])


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[int]:
    """Count the calls of a function of a module; at most a million, since nothing would end 2^40 of them."""
    calls, function = [0], getattr(module, name)

    def call(*args: Any) -> Any:
        calls[0] += 1
        assert calls[0] < 10**6, f"{name} is called again and again"
        return function(*args)

    monkeypatch.setattr(module, name, call)
    return calls


def test_f41_a_struct_that_is_nested_40_deep_has_one_conversion_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, projection, "_conversion")
    Projection(source=nested(DEPTH, pa.int32()), target=nested(DEPTH, pa.int64()))
    assert calls == [DEPTH]


def test_f41_a_file_with_a_struct_that_is_nested_40_deep_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted(monkeypatch, projection, "_conversion")
    value: Any = 7
    for level in range(DEPTH, 1, -1):
        value = {f"level_{level}": value}
    source, target = nested(DEPTH, pa.int32()), nested(DEPTH, pa.int64())
    inputs = [
        write(tmp_path / f"{at}.parquet", pa.Table.from_pylist([{"level_1": value}], schema=source)) for at in range(2)
    ]
    written = outputs_of(rewrite(make_task(tmp_path, inputs, target, checks_rows=True)))
    assert written.to_pylist() == [{"level_1": value}] * 2
    assert written.schema.field(0).type == target.field(0).type


@pytest.mark.parametrize("kind", ["columns", "fields of a struct"])
def test_f41_twice_as_many_fields_are_looked_up_twice_as_often(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    calls, seen = counted(monkeypatch, projection, "field_id"), []
    for columns in (100, 200):
        schema = wide(columns)
        if kind != "columns":
            schema = pa.schema([field(0, "all", pa.struct(list(schema)))])
        before = calls[0]
        Projection(source=schema, target=schema)
        seen.append(calls[0] - before)
    assert seen[1] <= 2 * seen[0]


def test_f41_columns_and_schemas_of_a_wide_file_are_compared_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, asked = [0], [0]

    class Counted(tuple[Any, ...]):
        __slots__ = ()

        def __ne__(self, other: object) -> bool:
            compared[0] += 1
            return tuple.__ne__(self, other)

    class CountedProjection(Projection):
        def __getattribute__(self, name: str) -> Any:
            asked[0] += name == "source_columns"
            return super().__getattribute__(name)

    read = InputFooter.__init__

    def counts(self: InputFooter, data: bytes, recall: Recall | None = None) -> None:
        read(self, data, recall)
        self.schema = Counted(self.schema)  # type: ignore[assignment]

    monkeypatch.setattr(InputFooter, "__init__", counts)
    monkeypatch.setattr(rows, "Projection", CountedProjection)
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    schema, files = wide(100), 3
    data = pa.Table.from_arrays([pa.array([at, 2**40]) for at in range(len(schema))], schema=schema)
    inputs = [
        write(tmp_path / f"{at}.parquet", data, use_dictionary=False, write_page_checksum=True) for at in range(files)
    ]
    written = outputs_of(rewrite(make_task(tmp_path, inputs, schema)))
    assert written.equals(pa.concat_tables([data] * files))
    assert compared[0] <= files + 1
    assert asked[0] <= 10

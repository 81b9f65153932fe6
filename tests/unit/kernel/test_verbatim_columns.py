"""Variants, geometries and geographies: outputs have the schema elements and the values of the inputs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import GroupResult, PartitionField, RowOrder, SortColumn, TaskInput, WriteSettings
from engine.rewriting.kernel.entry import run_group
from engine.rewriting.kernel.parquet.thrift import Struct
from engine.rewriting.kernel.splicing import copy_plans
from tests.support.kernel_tasks import encoded
from tests.unit.kernel.building import field, make_task, rewrite, with_deletes, write_deletes
from tests.unit.kernel.verbatim import (
    COLUMN,
    GEOGRAPHY,
    GEOMETRY,
    INT_8,
    INT_16,
    UNSHREDDED,
    VARIANT,
    by_arrow,
    by_duckdb,
    by_names,
    elements_of,
    plain_chunks,
    small_integers,
    statistics_of,
    texts,
    with_column,
    with_elements,
)

SCHEMA = pa.schema([field(1, "id", pa.int64()), field(COLUMN, "renamed", pa.large_binary())])
IN_STRUCT = pa.struct([field(7, "w", UNSHREDDED), field(8, "n", pa.int32())])
OBJECT = "{'a': i, 'b': 'x' || i, 'f': i / 7::DOUBLE, 'd': (i / 10)::DECIMAL(9, 2), 'u': uuid()}::VARIANT"
POINT = bytes.fromhex("0101000000000000000000f03f0000000000000040")


def duck(value: str) -> Callable[[Path, int], TaskInput]:
    return lambda path, start: by_duckdb(path, value, start=start)


def unshredded(path: Path, start: int) -> TaskInput:
    return by_arrow(path, with_column(UNSHREDDED, texts(start, 100), start), {(b"v",): VARIANT})


def points(annotation: Any) -> Callable[[Path, int], TaskInput]:
    values = [None if i % 4 == 0 else POINT for i in range(100)]
    return lambda path, start: by_arrow(path, with_column(pa.binary(), values, start), {(b"v",): annotation})


KINDS: dict[str, tuple[str, Callable[[Path, int], TaskInput]]] = {
    "shredded object": ("variant", duck(OBJECT)),
    "shredded list": ("variant", duck("[{'q': i}, {'q': i + 1}]::VARIANT")),
    "several types": (
        "variant",
        duck("CASE i % 3 WHEN 1 THEN i::VARIANT WHEN 2 THEN ('t' || i)::VARIANT ELSE [i]::VARIANT END"),
    ),
    "unshredded": ("variant", unshredded),
    "geometry by DuckDB": ("geometry", duck("('POINT(' || i || ' 2)')::GEOMETRY")),
    "geometry": ("geometry(EPSG:3857)", points(GEOMETRY)),
    "geography": ("geography(OGC:CRS84, karney)", points(GEOGRAPHY)),
}
CHANGES: dict[str, tuple[int, dict[str, Any]]] = {
    "copied": (0, {}),
    "encoded, with deletes": (copy_plans.LEAST_CHUNK_BYTES, {}),
    "divided": (0, {"settings": WriteSettings(500)}),
    "sorted, with deletes": (0, {"order": RowOrder("sort", (SortColumn(1, descending=True),))}),
    "by partition": (0, {"partition_by": (PartitionField(1, "bucket", 3),)}),
}
"""By name: the least bytes of chunks that are copied, and changes of the task."""


def same_elements(inputs: list[TaskInput], outputs: list[str]) -> None:
    """Compare the schema elements of the column; its name is the table's, as is whether it may be null."""
    (wanted, *others) = (elements_of(each) for each in [inputs[0].path, *outputs])
    for found in others:
        assert found[0][4][1] == b"renamed"
        assert {**found[0], 4: None, 3: None} == {**wanted[0], 4: None, 3: None}
        assert found[1:] == wanted[1:]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_outputs_have_the_elements_and_the_values_of_the_inputs(
    tmp_path: Path, kind: str, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (of, make), (least, changes) = KINDS[kind], CHANGES[change]
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", least)
    inputs = [make(tmp_path / f"{at}.parquet", at * 100) for at in range(3)]
    value = "{}" if kind.startswith("geo") else "{}::JSON::VARCHAR"
    wanted = by_names([each.path for each in inputs], value.format("v"))
    if "deletes" in change:
        deleted = write_deletes(tmp_path / "d.parquet", [(inputs[1].path, at) for at in range(0, 100, 3)])
        inputs[1] = with_deletes(inputs[1], deleted)
        wanted = [each for each in wanted if not 100 <= each[0] < 200 or (each[0] - 100) % 3]
    result = rewritten(tmp_path, inputs, of, **changes)
    assert (result.outcome, result.reason) == ("written", None)
    assert result.row_digest
    outputs = [each.path for each in result.outputs]
    same_elements(inputs, outputs)
    assert by_names(outputs, value.format("renamed")) == wanted
    assert (len(outputs) > 1) is (change in {"divided", "by partition"})
    for found in (each for path in outputs for each in statistics_of(path, b"renamed")):
        assert found.keys() == {3}  # the number of nulls only
    if "sorted" in change:
        assert pq.read_table(outputs, columns=["id"])["id"].to_pylist() == [each[0] for each in reversed(wanted)]


def rewritten(folder: Path, inputs: list[TaskInput], of: str = "variant", **changes: Any) -> Any:
    return rewrite(make_task(folder, inputs, SCHEMA, verbatim={str(COLUMN): of}, checks_rows=True, **changes))


@pytest.mark.parametrize("kind", ["shredded object", "several types", "geometry by DuckDB"])
def test_pages_without_a_dictionary_are_copied_beside_columns_that_are_encoded(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    of, make = KINDS[kind]
    inputs = [make(tmp_path / f"{at}.parquet", at * 100) for at in range(2)]
    chunks = [chunk for one in inputs for chunk in plain_chunks(one.path)]
    result = rewritten(tmp_path, inputs, of)
    written = Path(result.outputs[0].path).read_bytes()
    assert chunks
    assert all(chunk in written for chunk in chunks)


def test_inputs_of_other_layouts_get_other_outputs_and_each_layout_stays(tmp_path: Path) -> None:
    makes = [duck(OBJECT), unshredded, duck(OBJECT), unshredded]
    inputs = [make(tmp_path / f"{at}.parquet", at * 100) for at, make in enumerate(makes)]
    deleted = write_deletes(tmp_path / "d.parquet", [(inputs[3].path, 5), (inputs[2].path, 6), (inputs[2].path, 7)])
    inputs[2:] = [with_deletes(each, deleted) for each in inputs[2:]]
    result = rewritten(tmp_path, inputs)
    assert (result.outcome, result.rows_read, result.rows_deleted, result.rows_written) == ("written", 400, 3, 397)
    first, second = (each.path for each in result.outputs)
    same_elements(inputs[:1], [first])
    same_elements(inputs[1:2], [second])
    wanted = [each for each in by_names([one.path for one in inputs]) if each[0] not in {206, 207, 305}]
    assert by_names([first, second], "renamed::JSON::VARCHAR") == wanted


def test_files_that_all_have_other_layouts_are_refused_unless_their_rows_change(tmp_path: Path) -> None:
    inputs = [make(tmp_path / f"{at}.parquet", at * 100) for at, make in enumerate([duck(OBJECT), unshredded])]
    result = rewritten(tmp_path, inputs)
    assert result.outcome == "refused"
    assert result.reason.startswith("mixed_layouts: each of the 2 files stores the columns with ids 2 (variant)")
    assert not result.outputs
    deleted = write_deletes(tmp_path / "d.parquet", [(inputs[0].path, 5)])
    assert len(rewritten(tmp_path, [with_deletes(inputs[0], deleted), inputs[1]]).outputs) == 2
    assert rewritten(tmp_path / "alone", inputs[:1]).outcome == "written"


def test_widths_of_small_integers_are_one_layout_and_the_widest_holds_all(tmp_path: Path) -> None:
    widths = [INT_8, INT_16, INT_8]
    inputs = [small_integers(tmp_path / f"{at}.parquet", each, start=at * 100) for at, each in enumerate(widths)]
    result = rewritten(tmp_path, inputs)
    (output,) = result.outputs
    same_elements(inputs[1:2], [output.path])
    assert by_names([output.path], "renamed::JSON::VARCHAR") == by_names([one.path for one in inputs])


@pytest.mark.parametrize(("of", "make"), [KINDS["unshredded"], KINDS["shredded object"], KINDS["geography"]])
@pytest.mark.parametrize("all_lack", [False, True])
def test_files_without_the_column_share_the_output_of_the_others(
    tmp_path: Path, of: str, make: Any, all_lack: bool
) -> None:
    older = [with_column(pa.binary(), [None] * 50, at * 50).drop_columns("v") for at in range(2)]
    inputs = [by_arrow(tmp_path / f"old-{at}.parquet", each, {}) for at, each in enumerate(older)]
    inputs += [] if all_lack else [make(tmp_path / "new.parquet", 100)]
    result = rewritten(tmp_path, inputs, of)
    (output,) = result.outputs
    if all_lack:
        other = rewritten(tmp_path / "other", inputs, "geography(OGC:CRS84, flat)")
        assert other.reason == (
            "unreadable_layout: no file has the column with id 2, whose type is geography(OGC:CRS84, flat)"
        )
    assert [each[1] for each in by_names([output.path], "renamed IS NULL")[:100]] == [True] * 100
    first, *inner = elements_of(output.path)
    if all_lack and of == "variant":
        assert (first[10][1], [each[4][1] for each in inner]) == (VARIANT, [b"metadata", b"value"])
    elif all_lack:
        assert first[10][1] == GEOGRAPHY
    else:
        same_elements(inputs[2:], [output.path])


@pytest.mark.parametrize("is_sorted", [False, True])
def test_variants_in_structs_are_taken_over(tmp_path: Path, is_sorted: bool) -> None:
    values = [None if i % 5 == 0 else {"w": each, "n": i} for i, each in enumerate(texts(0, 100))]
    inputs = [
        by_arrow(tmp_path / f"{at}.parquet", with_column(IN_STRUCT, values, at * 100), {(b"v", b"w"): VARIANT})
        for at in range(2)
    ]
    inside = pa.struct([field(7, "other", pa.large_binary()), field(8, "n", pa.int64())])
    schema = pa.schema([SCHEMA.field(0), field(COLUMN, "v", inside)])
    order = RowOrder("sort", (SortColumn(1),)) if is_sorted else None
    result = rewrite(make_task(tmp_path, inputs, schema, verbatim={"7": "variant"}, checks_rows=True, order=order))
    (output,) = result.outputs
    (first, *inner) = elements_of(output.path, 7)
    assert (first[4][1], first[10][1], inner) == (b"other", VARIANT, elements_of(inputs[0].path, 7)[1:])
    wanted = by_names([each.path for each in inputs], "v.w::VARCHAR")
    assert by_names([output.path], "v.other::VARCHAR") == wanted


def test_files_without_ids_are_read_by_name(tmp_path: Path) -> None:
    tables = [with_column(UNSHREDDED, texts(at * 50, 50), at * 50) for at in range(2)]
    bare = [each.cast(pa.schema([one.remove_metadata() for one in each.schema])) for each in tables]
    inputs = [by_arrow(tmp_path / f"{at}.parquet", each, {(b"v",): VARIANT}) for at, each in enumerate(bare)]
    names = pa.schema([SCHEMA.field(0), SCHEMA.field(1).with_name("v")])
    inputs = [replace(each, schema_id=0) for each in inputs]
    result = rewritten(tmp_path, inputs, schemas={"0": encoded(names)}, names_need_no_ids=True)
    (output,) = result.outputs
    assert elements_of(output.path)[0][10][1] == VARIANT
    assert by_names([output.path], "renamed::VARCHAR") == by_names([each.path for each in inputs], "v::VARCHAR")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"order": RowOrder("sort", (SortColumn(COLUMN),))}, "unsortable_column: the column with id 2 is variant"),
        ({"order": RowOrder("zorder", (SortColumn(1), SortColumn(COLUMN)))}, "unsortable_column"),
        ({"partition_by": (PartitionField(COLUMN, "identity"),)}, "unsupported_partition: the column with id 2"),
    ],
)
def test_no_row_goes_by_such_a_column(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    result = rewritten(tmp_path, [unshredded(tmp_path / "0.parquet", 0)], **changes)
    assert result.outcome == "refused"
    assert result.reason.startswith(reason)


DAMAGES: dict[str, tuple[Callable[[list[Struct]], Any], str]] = {
    "an element is missing": (lambda elements: elements.pop(), "InputFault"),
    "fewer than no children": (lambda elements: elements[2].update({5: (5, -1)}), "InputFault"),
    "a name of bytes": (lambda elements: elements[3].update({4: (8, b"\xff")}), "InputFault"),
    "a name that is a number": (lambda elements: elements[2].update({4: (5, 7)}), "InputFault"),
    "an annotation of another type": (lambda elements: elements[4].update({10: (12, GEOMETRY)}), "written"),
    "an annotation of a later version": (
        lambda elements: elements[2].update({10: (12, {40: (12, {})})}),
        "unreadable_layout",
    ),
    "an id twice": (lambda elements: elements[1].update({9: (5, COLUMN)}), "duplicate_field_ids"),
    "INT96": (lambda elements: elements[4].update({1: (5, 3)}), "unreadable_layout"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_layout_is_named_and_ends_no_process(tmp_path: Path, damage: str) -> None:
    change, wanted = DAMAGES[damage]
    damaged = with_elements(unshredded(tmp_path / "0.parquet", 0), change)
    task = make_task(tmp_path, [damaged], SCHEMA, verbatim={str(COLUMN): "variant"}, checks_rows=True)
    result = GroupResult.from_json(run_group(task.to_json()))
    assert (result.reason or result.outcome).startswith(wanted)
    assert result.reason is None or "0.parquet" in result.reason

"""Projection by field id, against a plain reference, for any schema, any change and any values."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.reading.projection import Projection, field_id, leaf_ids
from tests.unit.kernel.building import field, make_task, outputs_of, rewrite, with_deletes, write, write_deletes
from tests.unit.kernel.evolving import bits, expected, project, tables

SLOW = settings(suppress_health_check=list(HealthCheck))


def one_column(source: pa.DataType, target: pa.DataType, items: list[Any]) -> list[Any]:
    table = pa.table([pa.array(items, source)], schema=pa.schema([field(1, "a", source)]))
    return list(project(table, pa.schema([field(1, "b", target)])).column("b").to_pylist())


def reference(table: pa.Table, target: pa.Schema) -> Any:
    whole = pa.struct(list(table.schema)), pa.struct(list(target))
    return [bits(expected(row, *whole)) for row in table.to_pylist()]


@given(tables())
@SLOW
def test_every_value_arrives_by_its_field_id(case: tuple[pa.Table, pa.Schema]) -> None:
    table, target = case
    assert [bits(row) for row in project(table, target).to_pylist()] == reference(table, target)


@given(tables(), st.integers(0, 6), st.integers(0, 6))
@SLOW
def test_slices_arrive_as_whole_arrays_do(case: tuple[pa.Table, pa.Schema], start: int, count: int) -> None:
    table, target = case
    part = table.slice(start, count)
    assert [bits(row) for row in project(part, target).to_pylist()] == reference(part, target)


@given(tables(), st.frozensets(st.integers(0, 5)), st.integers(1, 4))
@SLOW
def test_a_rewritten_file_holds_the_projected_rows_that_are_left(
    case: tuple[pa.Table, pa.Schema], deleted: frozenset[int], row_group: int
) -> None:
    table, target = renamed(case[0]), renamed_schema(case[1])
    with TemporaryDirectory() as folder:
        inputs = [write(Path(folder) / f"{i}.parquet", table, row_group_size=row_group) for i in range(2)]
        deletes = write_deletes(Path(folder) / "deletes", [(inputs[1].path, position) for position in deleted])
        result = rewrite(make_task(Path(folder), [inputs[0], with_deletes(inputs[1], deletes)], target))
        rows = [bits(row) for row in outputs_of(result).to_pylist()] if result.outputs else []
    whole = reference(table, target)
    assert rows == whole + [row for at, row in enumerate(whole) if at not in deleted]


def renamed_schema(schema: pa.Schema) -> pa.Schema:
    """Give each top-level field another name: names play no part."""
    return pa.schema([one.with_name(f"{one.name}.{i}") for i, one in enumerate(schema)])


def renamed(table: pa.Table) -> pa.Table:
    return pa.Table.from_arrays(table.columns, schema=renamed_schema(table.schema))


INT, LONG, TEXT = pa.int32(), pa.int64(), pa.string()


def test_null_and_empty_lists_stay_what_they_are_when_their_elements_change() -> None:
    before = pa.list_(field(2, "element", pa.struct([field(3, "x", INT)])))
    after = pa.list_(field(2, "element", pa.struct([field(4, "new", TEXT), field(3, "y", LONG)])))
    items = [None, [], [None], [{"x": None}], [{"x": 1}, None], None]
    assert one_column(before, after, items) == [
        None, [], [None], [{"new": None, "y": None}], [{"new": None, "y": 1}, None], None,
    ]  # fmt: skip


def test_null_and_empty_maps_stay_what_they_are_when_their_values_change() -> None:
    key = field(2, "key", TEXT, required=True)
    before, after = pa.map_(key, field(3, "value", INT)), pa.map_(key, field(3, "value", LONG))
    items = [None, [], [("a", None)], [("a", 1), ("b", 2)]]
    assert one_column(before, after, items) == items


def test_a_null_struct_is_not_a_struct_of_nulls() -> None:
    before = pa.struct([field(2, "x", INT)])
    after = pa.struct([field(3, "z", TEXT), field(2, "x", LONG)])
    assert one_column(before, after, [None, {"x": None}, {"x": 1}]) == [
        None, {"z": None, "x": None}, {"z": None, "x": 1},
    ]  # fmt: skip


def test_a_uuid_inside_a_list_of_structs_survives_a_change_beside_it(tmp_path: Path) -> None:
    inner = pa.StructArray.from_arrays(
        [
            pa.array([1, None], INT),
            pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16, None], pa.binary(16))),
        ],
        fields=[field(3, "x", INT), field(4, "u", pa.uuid())],
    )
    source = pa.list_(field(2, "element", inner.type))
    lists = pa.Array.from_buffers(source, 2, pa.array([[1], [1]]).buffers()[:2], children=[inner])
    target = pa.list_(field(2, "element", pa.struct([field(4, "v", pa.uuid()), field(3, "x", LONG)])))
    one = write(tmp_path / "a.parquet", pa.table([lists], schema=pa.schema([field(1, "a", source)])))
    result = rewrite(make_task(tmp_path, [one], pa.schema([field(1, "a", target)])))
    assert outputs_of(result).column("a").to_pylist() == [
        [{"v": UUID(bytes=b"a" * 16), "x": 1}],
        [{"v": None, "x": None}],
    ]
    assert outputs_of(result).schema.field("a").type == target


@pytest.mark.parametrize("before", [pa.large_list, lambda inner: pa.list_(inner, 2)])
def test_other_kinds_of_lists_become_lists(before: Any) -> None:
    source = before(field(2, "element", INT))
    assert one_column(source, pa.list_(field(2, "element", LONG)), [[1, 2], None, [3, None]]) == [
        [1, 2], None, [3, None],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        (pa.int8(), INT, -3),
        (pa.int16(), LONG, -3),
        (pa.uint32(), LONG, 2**32 - 1),
        (pa.timestamp("ms"), pa.timestamp("us"), None),
        (pa.date32(), pa.timestamp("us"), None),
        (pa.date32(), pa.timestamp("ns"), None),
        (pa.time32("ms"), pa.time64("us"), None),
        (pa.large_binary(), pa.binary(), b"x"),
        (pa.string_view(), TEXT, "x"),
        (TEXT, pa.large_string(), "x"),
        (pa.binary(16), pa.uuid(), None),
        (pa.uuid(), pa.binary(16), None),
    ],
)
def test_wider_kinds_of_the_same_type_are_taken(before: pa.DataType, after: pa.DataType, value: Any) -> None:
    assert one_column(before, after, [value, None]) == [value, None]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LONG, INT),
        (pa.float64(), pa.float32()),
        (INT, pa.float64()),
        (INT, TEXT),
        (TEXT, pa.binary()),
        (pa.uint64(), LONG),
        (pa.uint32(), INT),
        (pa.decimal128(9, 2), pa.decimal128(9, 3)),
        (pa.decimal128(9, 2), pa.decimal128(8, 2)),
        (pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.timestamp("ns"), pa.timestamp("us")),
        (pa.date32(), pa.timestamp("us", "UTC")),
        (pa.timestamp("us"), pa.date32()),
        (pa.list_(field(2, "element", INT)), INT),
        (pa.binary(8), pa.binary(16)),
        (pa.list_(field(2, "element", INT)), pa.list_(field(9, "element", INT))),
    ],
)
def test_what_is_no_promotion_is_refused(before: pa.DataType, after: pa.DataType) -> None:
    with pytest.raises(Refused) as refusal:
        one_column(before, after, [None])
    assert refusal.value.reason == "type_not_promotable"


@pytest.mark.parametrize(("unit", "least", "most"), [("us", -106_751_991, 106_751_991), ("ns", -106_751, 106_751)])
def test_dates_become_timestamps_as_far_as_these_reach(unit: str, least: int, most: int) -> None:
    """64 bits of nanoseconds end in 2262; the group fails by name before it holds another day."""
    midnight = {"us": 86_400_000_000, "ns": 86_400_000_000_000}[unit]
    table = pa.table(
        [pa.array([least, most, None], pa.int32()).cast(pa.date32())], pa.schema([field(1, "d", pa.date32())])
    )
    target = pa.schema([field(1, "d", pa.timestamp(unit))])
    found = project(table, target).column(0).cast(pa.int64()).to_pylist()
    assert found == [least * midnight, most * midnight, None]
    for beyond in (least - 1, most + 1, 2**31 - 1):
        far = pa.table([pa.array([beyond], pa.int32()).cast(pa.date32())], table.schema)
        with pytest.raises(Refused, match=r"type_not_promotable: d: a value of date32\[day\] is out of range"):
            project(far, target)


def test_a_required_field_that_the_input_lacks_is_refused() -> None:
    table = pa.table([pa.array([1], INT)], schema=pa.schema([field(1, "a", INT)]))
    with pytest.raises(Refused, match=r"missing_required_field: b \(id 2\)"):
        project(table, pa.schema([field(1, "a", INT), field(2, "b", INT, required=True)]))


def test_a_null_in_a_required_field_is_refused() -> None:
    table = pa.table([pa.array([1, None], INT)], schema=pa.schema([field(1, "a", INT)]))
    with pytest.raises(Refused, match="null_in_required_field: a has 1 nulls"):
        project(table, pa.schema([field(1, "a", INT, required=True)]))


@pytest.mark.parametrize(
    ("before", "after", "bad"),
    [
        (
            pa.struct([field(2, "x", INT)]),
            pa.struct([field(2, "x", INT, required=True)]),
            {"x": None},
        ),
        (
            pa.list_(field(2, "element", INT)),
            pa.list_(field(2, "element", INT, required=True)),
            [1, None],
        ),
        (
            pa.map_(field(2, "key", TEXT, required=True), field(3, "value", INT)),
            pa.map_(field(2, "key", TEXT, required=True), field(3, "value", INT, required=True)),
            [("a", None)],
        ),
    ],
)
def test_a_null_in_a_nested_required_field_is_refused_but_a_null_parent_is_not(
    before: pa.DataType, after: pa.DataType, bad: Any
) -> None:
    assert one_column(before, after, [None]) == [None]
    with pytest.raises(Refused, match="null_in_required_field"):
        one_column(before, after, [None, bad])


def test_a_field_without_an_id_is_refused() -> None:
    table = pa.table({"a": [1]})
    with pytest.raises(Refused, match="no_field_ids: schema: field 'a' has no id"):
        project(table, pa.schema([field(1, "a", LONG)]))


def test_an_id_that_is_there_twice_is_refused() -> None:
    schema = pa.schema([field(1, "a", INT), field(1, "b", INT)])
    with pytest.raises(Refused, match="duplicate_field_ids"):
        project(schema.empty_table(), pa.schema([field(1, "a", INT)]))


def test_dictionaries_of_strings_stay_dictionaries_and_others_are_decoded() -> None:
    schema = pa.schema(
        [field(1, "a", pa.dictionary(pa.int8(), pa.large_string())), field(2, "b", pa.dictionary(pa.int32(), INT))]
    )
    texts, numbers = pa.array(["x", None, "x"]), pa.array([1, 1, None], INT)
    coded = [pa.chunked_array([array.dictionary_encode()]) for array in (texts, numbers)]
    table = pa.table([column.cast(one.type) for column, one in zip(coded, schema, strict=True)], schema=schema)
    target = pa.schema([field(1, "a", TEXT), field(2, "b", LONG)])
    made = Projection(source=schema, target=target).apply(table.columns, 3)
    assert [column.type for column in made] == [pa.dictionary(pa.int32(), TEXT), LONG]
    assert [column.to_pylist() for column in made] == [["x", None, "x"], [1, 1, None]]


def test_leaves_are_listed_in_the_order_of_parquet_columns() -> None:
    nested = pa.struct([field(2, "x", INT), field(3, "y", pa.list_(field(4, "element", INT)))])
    key = field(6, "key", TEXT, required=True)
    assert leaf_ids([field(1, "s", nested), field(5, "m", pa.map_(key, field(7, "value", INT)))]) == [2, 4, 6, 7]
    assert field_id(pa.field("plain", INT)) is None

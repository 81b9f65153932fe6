"""Manifest statistics from Parquet footers: right for every reader, or absent."""

import datetime as dt
import math
import struct
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

from engine.domain.errors import Fatal
from engine.formats.iceberg.statistics.bounds import bounds_of, decoded, lower_bound, upper_bound
from engine.formats.iceberg.statistics.column_bounds import _comparable
from engine.formats.iceberg.statistics.column_metrics import ColumnMetrics, column_metrics
from engine.formats.iceberg.statistics.entries import read_footer, split_offsets
from engine.formats.iceberg.statistics.float_knowledge import FloatKnowledge
from engine.formats.iceberg.statistics.metrics_modes import COUNTS, DEFAULT, FULL, NONE, metrics_modes
from tests.support.iceberg_tables import write_parquet


def metrics(
    folder: Path, schema: Schema, columns: Mapping[str, Sequence[Any]], *, properties: Mapping[str, str] | None = None
) -> ColumnMetrics:
    """Write a file of the schema and return what its footer says."""
    rows = pa.table(dict(columns), schema=schema_to_pyarrow(schema))
    footer = read_footer(write_parquet(f"file://{folder}/{uuid.uuid4()}.parquet", rows))
    modes = metrics_modes(schema, properties or {})
    return column_metrics(footer, schema=schema, modes=modes, floats=FloatKnowledge())


def bounds(folder: Path, of: IcebergType, values: Sequence[Any], mode: str | None = None) -> tuple[Any, Any]:
    schema = Schema(NestedField(1, "c", of))
    found = metrics(
        folder, schema, {"c": values}, properties={"write.metadata.metrics.default": mode} if mode else None
    )
    lower, upper = found.lower_bounds.get(1), found.upper_bounds.get(1)
    return (
        None if lower is None else from_bytes(of, lower),  # type: ignore[arg-type]
        None if upper is None else from_bytes(of, upper),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("of", "values", "expected"),
    [
        (BooleanType(), [True, False, None], (False, True)),
        (IntegerType(), [3, -2, None], (-2, 3)),
        (LongType(), [2**40, -(2**40)], (-(2**40), 2**40)),
        (FloatType(), [1.5, -0.5], (-0.5, 1.5)),
        (DoubleType(), [math.inf, -1.0], (-1.0, math.inf)),
        (DateType(), [dt.date(2026, 1, 1), dt.date(1969, 12, 31)], (-1, 20454)),
        (TimeType(), [dt.time(1, 0)], (3_600_000_000, 3_600_000_000)),
        (TimestampType(), [dt.datetime(2026, 1, 1)], (1_767_225_600_000_000,) * 2),  # noqa: DTZ001
        (TimestamptzType(), [dt.datetime(2026, 1, 1, tzinfo=dt.UTC)], (1_767_225_600_000_000,) * 2),
        (TimestampNanoType(), [-(2**62), 1, None], (-(2**62), 1)),
        (TimestamptzNanoType(), [5], (5, 5)),
        (DecimalType(9, 2), [Decimal("-1.25"), Decimal("300.00")], (Decimal("-1.25"), Decimal("300.00"))),
        (DecimalType(38, 0), [Decimal(-(10**37)), Decimal(10**37)], (Decimal(-(10**37)), Decimal(10**37))),
        (DecimalType(4, 2), [Decimal("-0.01"), Decimal("0.00")], (Decimal("-0.01"), Decimal("0.00"))),
        (StringType(), ["b", "", "é"], ("", "é")),
        (BinaryType(), [b"\xff", b"\x00"], (b"\x00", b"\xff")),
        (FixedType(2), [b"\x80\x00", b"\x7f\xff"], (b"\x7f\xff", b"\x80\x00")),
    ],
    ids=str,
)
def test_bounds_are_the_least_and_greatest_value(tmp_path: Path, of: IcebergType, values: list[Any], expected: Any):
    """L23: outputs have statistics as soon as they are written."""
    assert bounds(tmp_path, of, values) == expected


@pytest.mark.parametrize(("of", "day"), [(TimestampType(), 86_400_000_000), (TimestampNanoType(), 86_400_000_000_000)])
def test_bounds_from_before_a_date_became_a_timestamp_are_days(of: IcebergType, day: int):
    assert decoded((-3).to_bytes(4, "little", signed=True), of=of) == -3 * day
    assert decoded((-3).to_bytes(8, "little", signed=True), of=of) == -3
    days, later = (
        pa.array([b"\x01\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80"]),
        pa.array([(5).to_bytes(8, "little"), None]),
    )
    found = _comparable(pa.concat_arrays([days, later]), of).to_pylist()
    assert found[::3] == [day, 5]
    assert found[1] >= 106_751 * day
    assert (found[2], found[4]) == (
        -found[1] if day > 10**12 else -(2**31) * day if 2**31 * day < 2**63 else -found[1],
        None,
    )


def test_columns_of_unknown_type_are_in_no_file(tmp_path: Path):
    schema = Schema(NestedField(1, "c", LongType()), NestedField(2, "u", UnknownType()))
    footer = read_footer(
        write_parquet(f"file://{tmp_path}/u.parquet", pa.table({"c": [1]}, schema_to_pyarrow(Schema(schema.fields[0]))))
    )
    found = column_metrics(footer, schema=schema, modes=metrics_modes(schema, {}), floats=FloatKnowledge())
    assert found.value_counts == {1: 1}


def uuid_bounds(folder: Path, *texts: str) -> tuple[str | None, str | None]:
    found = bounds(folder, UUIDType(), [uuid.UUID(text).bytes for text in texts])
    return tuple(None if each is None else str(uuid.UUID(bytes=each)) for each in found)  # type: ignore[return-value]


LOW, HIGH = "11111111-1111-4111-8111-111111111111", "7fffffff-ffff-4fff-bfff-ffffffffffff"


def test_uuids_of_one_sign_have_bounds_that_hold_by_both_orders_in_use(tmp_path: Path):
    """Java compares signed halves: a uuid with the first half of the greatest may be greater there."""
    assert uuid_bounds(tmp_path, HIGH, LOW) == (LOW, "7fffffff-ffff-5000-0000-000000000000")
    assert uuid_bounds(tmp_path, LOW, LOW) == (LOW, LOW)
    assert uuid_bounds(tmp_path, "f" + LOW[1:], "f" + HIGH[1:])[0] == "f" + LOW[1:]


def test_uuids_on_both_sides_of_the_sign_have_counts_but_no_bounds(tmp_path: Path):
    assert uuid_bounds(tmp_path, LOW, "f" + HIGH[1:]) == (None, None)
    schema = Schema(NestedField(1, "c", UUIDType()))
    found = metrics(tmp_path, schema, {"c": [uuid.UUID(LOW).bytes, uuid.UUID("f" + HIGH[1:]).bytes, None]})
    assert (found.value_counts, found.null_value_counts, found.lower_bounds) == ({1: 3}, {1: 1}, {})


def signed_halves(value: bytes) -> tuple[int, int]:
    """Return what Java's Iceberg compares uuids by."""
    return int.from_bytes(value[:8], "big", signed=True), int.from_bytes(value[8:], "big", signed=True)


halves = st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]) | st.integers(0, 2**64 - 1)


@given(st.lists(st.tuples(halves, halves), min_size=1, max_size=4))
def test_uuid_bounds_enclose_by_both_orders(pairs: list[tuple[int, int]]):
    values = [(high << 64 | low).to_bytes(16, "big") for high, low in pairs]
    lower, upper = bounds_of(min(values), max(values), of=UUIDType(), length=16)
    assert lower is None or lower <= min(values)
    assert upper is None or upper >= max(values)
    assert lower is None or signed_halves(lower) <= min(map(signed_halves, values))
    assert upper is None or signed_halves(upper) >= max(map(signed_halves, values))


@pytest.mark.parametrize("of", [FloatType(), DoubleType()], ids=str)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_f40_a_zero_is_a_bound_only_as_the_greatest_value_and_if_rows_have_it(of: Any, zero: float):
    """F40: engines answer MIN and MAX from bounds; Parquet's statistics do not tell which of the zeros occurred."""
    plus, minus, one = (struct.pack("<f" if of == FloatType() else "<d", each) for each in (0.0, -1.0, 1.0))
    assert bounds_of(zero, 1.0, of=of, length=16, has_plus_zero=True) == (None, one)
    assert bounds_of(-1.0, zero, of=of, length=16, has_plus_zero=True) == (minus, plus)
    assert bounds_of(-1.0, zero, of=of, length=16) == (minus, None), "-0.0 would hide rows from `= 0`"
    assert bounds_of(zero, zero, of=of, length=16) == (None, None)


def test_f40_only_text_and_binary_are_cut(tmp_path: Path):
    """F40: Spark answers MIN and MAX of `fixed` from bounds; Iceberg's own writer does not cut them either."""
    values = [b"a" * 19 + b"b", b"z" * 20]
    assert bounds(tmp_path, FixedType(20), values) == tuple(values)
    assert bounds(tmp_path, BinaryType(), values) == (b"a" * 16, b"z" * 15 + b"{")


@pytest.mark.parametrize("values", [[None, None], [math.nan, math.nan]], ids=["nulls", "nan"])
def test_a_column_without_comparable_values_has_no_bounds(tmp_path: Path, values: list[Any]):
    assert bounds(tmp_path, DoubleType(), values) == (None, None)


def test_nan_is_never_a_bound(tmp_path: Path):
    assert bounds(tmp_path, DoubleType(), [math.nan, 2.0, 1.0, math.nan]) == (1.0, 2.0)


def test_long_text_is_cut_to_sixteen_code_points_and_rounded_up(tmp_path: Path):
    assert bounds(tmp_path, StringType(), ["a" * 20]) == ("a" * 16, "a" * 15 + "b")


def test_text_that_can_not_be_rounded_up_has_no_upper_bound(tmp_path: Path):
    top = "\U0010ffff" * 20
    assert bounds(tmp_path, StringType(), [top]) == (top[:16], None)


def test_rounding_up_steps_over_surrogates(tmp_path: Path):
    assert bounds(tmp_path, StringType(), ["\ud7ff" * 20])[1] == "\ud7ff" * 15 + "\ue000"


def test_binary_is_rounded_up_by_its_last_byte_that_can_grow(tmp_path: Path):
    assert bounds(tmp_path, BinaryType(), [b"a" + b"\xff" * 20]) == (b"a" + b"\xff" * 15, b"b")
    assert bounds(tmp_path, BinaryType(), [b"\xff" * 20]) == (b"\xff" * 16, None)


@given(st.text(max_size=40), st.integers(1, 8))
def test_bounds_enclose_any_text(text: str, length: int):
    lower = lower_bound(text.encode(), of=StringType(), length=length)
    upper = upper_bound(text.encode(), of=StringType(), length=length)
    assert lower is not None
    assert lower <= text.encode()
    assert upper is None or upper >= text.encode()
    assert len(lower.decode()) <= length


@given(st.binary(max_size=40), st.integers(1, 8))
def test_bounds_enclose_any_binary(value: bytes, length: int):
    lower = lower_bound(value, of=BinaryType(), length=length)
    upper = upper_bound(value, of=BinaryType(), length=length)
    assert lower is not None
    assert lower <= value
    assert upper is None or upper >= value


@given(st.integers(-(10**38) + 1, 10**38 - 1))
def test_decimals_are_serialised_in_the_fewest_bytes(value: int):
    found = lower_bound(value, of=DecimalType(38, 0), length=16)
    assert found is not None
    assert int.from_bytes(found, "big", signed=True) == value
    assert len(found) == 1 or int.from_bytes(found[1:], "big", signed=True) != value


def test_nested_columns_are_told_by_field_id_and_repeated_ones_have_no_bounds(tmp_path: Path):
    schema = Schema(
        NestedField(1, "s", StructType(NestedField(10, "x", LongType()), NestedField(11, "y", StringType()))),
        NestedField(2, "l", ListType(20, LongType(), element_required=False)),
        NestedField(3, "m", MapType(30, StringType(), 31, DoubleType())),
    )
    rows = {"s": [{"x": 1, "y": "a"}, None], "l": [[1, 2, None], []], "m": [[("k", 1.0)], None]}
    found = metrics(tmp_path, schema, rows)
    assert found.value_counts == {10: 2, 11: 2, 20: 4, 30: 2, 31: 2}
    assert (found.null_value_counts[10], found.null_value_counts[20]) == (1, 2)
    assert set(found.lower_bounds) == set(found.upper_bounds) == {10, 11}
    assert set(found.column_sizes) == {10, 11, 20, 30, 31}


@pytest.mark.parametrize("name", ["a b", "ä.b", "1st", "", "select"])
def test_odd_column_names_change_nothing(tmp_path: Path, name: str):
    schema = Schema(NestedField(7, name or "empty", LongType()))
    found = metrics(tmp_path, schema, {name or "empty": [1, 2]})
    assert found.value_counts == {7: 2}
    assert found.lower_bounds == {7: (1).to_bytes(8, "little")}


def test_bounds_run_over_all_row_groups(tmp_path: Path):
    schema = Schema(NestedField(1, "c", LongType()))
    rows = pa.table({"c": [5, 1, None, None, 9, 2]}, schema=schema_to_pyarrow(schema))
    pq.write_table(rows, tmp_path / "f.parquet", row_group_size=2)
    footer = pq.read_metadata(tmp_path / "f.parquet")
    found = column_metrics(footer, schema=schema, modes={1: FULL}, floats=FloatKnowledge())
    assert (found.value_counts, found.null_value_counts) == ({1: 6}, {1: 2})
    assert [int.from_bytes(each[1], "little") for each in (found.lower_bounds, found.upper_bounds)] == [1, 9]
    assert split_offsets(footer) == sorted(split_offsets(footer))
    assert len(split_offsets(footer)) == 3
    assert split_offsets(footer)[0] == 4


def test_a_row_group_without_statistics_leaves_counts_and_bounds_out(tmp_path: Path):
    schema = Schema(NestedField(1, "c", LongType()))
    rows = pa.table({"c": [5, 1]}, schema=schema_to_pyarrow(schema))
    pq.write_table(rows, tmp_path / "f.parquet", write_statistics=False)
    footer = pq.read_metadata(tmp_path / "f.parquet")
    found = column_metrics(footer, schema=schema, modes={1: FULL}, floats=FloatKnowledge())
    assert (found.value_counts, found.null_value_counts, found.lower_bounds) == ({1: 2}, {}, {})


def test_a_file_with_other_columns_is_fatal(tmp_path: Path):
    schema = Schema(NestedField(1, "c", LongType()))
    rows = pa.table({"c": [1]}, schema=schema_to_pyarrow(Schema(NestedField(2, "c", LongType()))))
    footer = read_footer(write_parquet(f"file://{tmp_path}/f.parquet", rows))
    with pytest.raises(Fatal, match=r"has the columns \[2\], the table \[1\]"):
        column_metrics(footer, schema=schema, modes={}, floats=FloatKnowledge())


def wide(columns: int) -> Schema:
    return Schema(*(NestedField(number + 1, f"c{number}", LongType()) for number in range(columns)))


def test_only_the_first_hundred_columns_are_kept_unless_a_default_is_stated():
    modes = metrics_modes(wide(120), {})
    assert [modes[1], modes[100], modes[101]] == [DEFAULT, DEFAULT, NONE]
    assert set(metrics_modes(wide(120), {"write.metadata.metrics.default": "full"}).values()) == {FULL}
    limited = metrics_modes(wide(5), {"write.metadata.metrics.max-inferred-column-defaults": "2"})
    assert [limited[2], limited[3]] == [DEFAULT, NONE]


def test_top_level_columns_come_before_nested_ones_in_the_limit():
    schema = Schema(NestedField(1, "s", StructType(NestedField(2, "x", LongType()))), NestedField(3, "c", LongType()))
    modes = metrics_modes(schema, {"write.metadata.metrics.max-inferred-column-defaults": "1"})
    assert (modes[3], modes[2]) == (DEFAULT, NONE)


def test_a_columns_own_mode_wins_also_below_a_struct():
    schema = Schema(NestedField(1, "s", StructType(NestedField(2, "x y", LongType()))))
    properties = {"write.metadata.metrics.default": "none", "write.metadata.metrics.column.s.x y": "counts"}
    assert metrics_modes(schema, properties) == {2: COUNTS}


def test_columns_of_the_sort_order_keep_bounds_unless_their_own_property_says_otherwise():
    """As Iceberg's `MetricsConfig` does: a reader of an ordered table skips files by these columns."""
    for stated in ("none", "counts"):
        modes = metrics_modes(wide(3), {"write.metadata.metrics.default": stated}, ordered={2})
        assert (modes[1].bounds, modes[2], modes[3].bounds) == (False, DEFAULT, False)
    stated = {"write.metadata.metrics.default": "full"}
    assert metrics_modes(wide(3), stated, ordered={2})[2] == FULL
    assert metrics_modes(wide(120), {}, ordered={110})[110] == DEFAULT
    own = {"write.metadata.metrics.default": "none", "write.metadata.metrics.column.c1": "counts"}
    assert metrics_modes(wide(3), own, ordered={2})[2] == COUNTS


@pytest.mark.parametrize("text", ["", "everything", "truncate(0)", "truncate(x)"])
def test_a_mode_that_makes_no_sense_is_the_default(text: str):
    assert metrics_modes(wide(1), {"write.metadata.metrics.default": text}) == {1: DEFAULT}


def test_modes_decide_what_is_kept(tmp_path: Path):
    schema = Schema(NestedField(1, "c", StringType()))
    for mode, counts, bound in (("none", {}, None), ("counts", {1: 1}, None), ("full", {1: 1}, "x" * 30)):
        found = metrics(tmp_path, schema, {"c": ["x" * 30]}, properties={"write.metadata.metrics.default": mode})
        assert (found.value_counts, found.upper_bounds.get(1)) == (counts, bound.encode() if bound else None)
        assert set(found.column_sizes) == {1}


def input_file(*, nans: dict[int, int] | None, lower: bool) -> DataFile:
    return DataFile.from_args(nan_value_counts=nans, lower_bounds={1: b"x"} if lower else {})


DOUBLE = Schema(NestedField(1, "c", DoubleType()))


def test_no_nan_in_the_inputs_means_none_in_the_outputs():
    inputs = [input_file(nans={1: 0}, lower=True)] * 2
    assert FloatKnowledge.of(inputs, DOUBLE, same_rows=False) == FloatKnowledge({1: 0}, frozenset())


def test_nan_counts_add_up_for_a_single_output():
    inputs = [input_file(nans={1: 2}, lower=True), input_file(nans={1: 3}, lower=True)]
    assert FloatKnowledge.of(inputs, DOUBLE, same_rows=True) == FloatKnowledge({1: 5}, frozenset())


def test_inputs_of_nulls_only_have_no_nan():
    """So do files that lack a column which was added later, once they were rewritten with others."""
    nulls = DataFile.from_args(value_counts={1: 9}, null_value_counts={1: 9})
    inputs = [input_file(nans={1: 2}, lower=True), nulls]
    assert FloatKnowledge.of(inputs, DOUBLE, same_rows=True) == FloatKnowledge({1: 2}, frozenset())


def test_what_the_kernel_counted_comes_before_what_the_inputs_tell(tmp_path: Path):
    rows = pa.table({"c": [math.nan, 1.0]}, schema=schema_to_pyarrow(DOUBLE))
    output = write_parquet(f"file://{tmp_path}/f.parquet", rows, key_values={"packhouse.nan-counts": '{"1":1}'})
    unknown = FloatKnowledge.of([input_file(nans=None, lower=False)], DOUBLE, same_rows=True)
    assert unknown == FloatKnowledge({}, frozenset({1}))
    assert unknown.seen_in(read_footer(output)) == FloatKnowledge({1: 1}, frozenset())


def test_nan_somewhere_in_several_outputs_costs_the_bounds():
    inputs = [input_file(nans={1: 2}, lower=True), input_file(nans={1: 0}, lower=True)]
    assert FloatKnowledge.of(inputs, DOUBLE, same_rows=False) == FloatKnowledge({}, frozenset({1}))


@pytest.mark.parametrize("lower", [True, False])
def test_f40_an_unknown_nan_count_costs_the_bounds(lower: bool):
    """F40: engines take the bounds of such a column for its least and greatest value, also if it has NaN."""
    unknown = FloatKnowledge.of([input_file(nans=None, lower=lower)], DOUBLE, same_rows=True)
    assert unknown == FloatKnowledge({}, frozenset({1}))

"""Types, values of them, and later versions of them; with a plain reference of what projection means."""

import datetime as dt
import struct
from decimal import Decimal
from itertools import count
from typing import Any

import pyarrow as pa
import pyarrow.types as pt
from hypothesis import strategies as st

from engine.rewriting.kernel.reading.projection import Projection, child_fields, field_id
from tests.unit.kernel.building import field

PRIMITIVES = [
    pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.binary(), pa.binary(4),
    pa.decimal128(9, 2), pa.decimal128(20, 2), pa.date32(), pa.time64("us"), pa.timestamp("us"),
    pa.timestamp("us", "UTC"), pa.large_string(),
]  # fmt: skip
PROMOTIONS = {
    pa.int32(): [pa.int64()],
    pa.float32(): [pa.float64()],
    pa.decimal128(9, 2): [pa.decimal128(12, 2), pa.decimal128(30, 2)],
    pa.string(): [pa.large_string()],
    pa.large_string(): [pa.string()],
}


@st.composite
def fields(draw: st.DrawFn, numbers: Any, depth: int = 3) -> pa.Field:
    """Return a field of any type, every nested field with an id; some are required."""
    number = next(numbers)
    kind = draw(st.sampled_from(["primitive", "struct", "list", "map"])) if depth else "primitive"
    inner = fields(numbers, depth - 1)
    match kind:
        case "struct":
            data_type = pa.struct(draw(st.lists(inner, min_size=1, max_size=3)))
        case "list":
            data_type = pa.list_(draw(inner).with_name("element"))
        case "map":
            key = field(next(numbers), "key", draw(st.sampled_from([pa.string(), pa.int32()])), required=True)
            data_type = pa.map_(key, draw(inner).with_name("value"))
        case _:
            data_type = draw(st.sampled_from(PRIMITIVES))
    return field(number, f"f{number}", data_type, required=draw(st.booleans()))


@st.composite
def evolutions(draw: st.DrawFn) -> tuple[pa.Schema, pa.Schema]:
    """Return a schema and a later version of it."""
    numbers = count(1)
    source = draw(st.lists(fields(numbers), min_size=1, max_size=4))
    return pa.schema(source), pa.schema(_evolved_fields(draw, source, numbers))


def _evolved_fields(draw: st.DrawFn, before: list[pa.Field], numbers: Any) -> list[pa.Field]:
    kept = [_evolved(draw, one, numbers) for one in before if draw(st.integers(0, 4))]
    added = draw(st.lists(fields(numbers, 1), min_size=0 if kept else 1, max_size=2))
    return list(draw(st.permutations([*kept, *(one.with_nullable(True) for one in added)])))


def _evolved(draw: st.DrawFn, before: pa.Field, numbers: Any) -> pa.Field:
    data_type = before.type
    if pt.is_struct(data_type):
        data_type = pa.struct(_evolved_fields(draw, child_fields(data_type), numbers))
    elif pt.is_map(data_type):
        value = _evolved(draw, data_type.item_field, numbers).with_name("value")
        data_type = pa.map_(data_type.key_field, value)
    elif pt.is_list(data_type):
        data_type = pa.list_(_evolved(draw, data_type.value_field, numbers).with_name("element"))
    else:
        data_type = draw(st.sampled_from([data_type, *PROMOTIONS.get(data_type, [])]))
    name = draw(st.sampled_from([before.name, f"new.{before.name}"]))
    required = not before.nullable and draw(st.booleans())
    return field(field_id(before) or 0, name, data_type, required=required)


def values(one: pa.Field) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a field, nulls among them unless it is required."""
    return st.none() | _present(one.type) if one.nullable else _present(one.type)


def _present(data_type: pa.DataType) -> st.SearchStrategy[Any]:
    if pt.is_struct(data_type):
        return st.fixed_dictionaries({one.name: values(one) for one in child_fields(data_type)})
    if pt.is_map(data_type):
        pair = st.tuples(_present(data_type.key_type), values(data_type.item_field))
        return st.lists(pair, max_size=3, unique_by=lambda one: one[0])
    if pt.is_list(data_type):
        return st.lists(values(data_type.value_field), max_size=3)
    return _PLAIN[data_type]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, pa.Schema]:
    """Return rows of a schema, and a later schema."""
    source, target = draw(evolutions())
    rows = draw(st.integers(0, 6))
    columns = [pa.array(draw(st.lists(values(one), min_size=rows, max_size=rows)), one.type) for one in source]
    return pa.Table.from_arrays(columns, schema=source), target


_PLAIN: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.bool_(): st.booleans(),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.string(): st.text(max_size=5),
    pa.large_string(): st.text(max_size=5),
    pa.binary(): st.binary(max_size=5),
    pa.binary(4): st.binary(min_size=4, max_size=4),
    pa.decimal128(9, 2): st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: Decimal(n).scaleb(-2)),
    pa.decimal128(20, 2): st.decimals(-(10**18) + 1, 10**18 - 1, places=2),
    pa.date32(): st.dates(),
    pa.time64("us"): st.times(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("us", "UTC"): st.datetimes(timezones=st.just(dt.UTC)),
}  # fmt: skip


def project(table: pa.Table, target: pa.Schema) -> pa.Table:
    """Return rows as projection makes them of a later schema."""
    projection = Projection(source=table.schema, target=target)
    columns = projection.apply([table.column(i) for i in projection.source_columns], table.num_rows)
    made = pa.Table.from_arrays(columns, schema=target)
    made.validate(full=True)
    return made


def expected(value: Any, source: pa.DataType, target: pa.DataType) -> Any:
    """Return what projection makes of one Python value: by field id, nothing else."""
    if value is None:
        return None
    if pt.is_struct(source):
        by_id = {field_id(one): one for one in child_fields(source)}
        return {
            one.name: expected(value[by_id[field_id(one)].name], by_id[field_id(one)].type, one.type)
            if field_id(one) in by_id
            else None
            for one in child_fields(target)
        }
    if pt.is_map(source):
        return [(key, expected(item, source.item_type, target.item_type)) for key, item in value]
    if pt.is_list(source):
        return [expected(one, source.value_type, target.value_type) for one in value]
    return value


def bits(value: Any) -> Any:
    """Return a value that is equal only to itself: NaN equals NaN, -0.0 is not 0.0."""
    if isinstance(value, float):
        return "NaN" if value != value else struct.pack("<d", value)  # noqa: PLR0124
    if isinstance(value, dict):
        return {key: bits(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [bits(one) for one in value]
    return value

"""Predicates at and around the boundary values of a column, and whether readers may skip or delete a file by them.

`may_match` and `must_match` decide as Iceberg's `InclusiveMetricsEvaluator` and `StrictMetricsEvaluator` do in Java:
by the order of the column's type, in which -0.0 comes before +0.0 and uuids are two signed numbers. PyIceberg's own
evaluators are asked through `Condition.expression`. Values are as bounds decode them: dates are days, times and
timestamps microseconds, uuids bytes.
"""

import math
import struct
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import (
    BooleanExpression,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNaN,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotEqualTo,
    NotNaN,
    NotNull,
    StartsWith,
)
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table
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
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=")
_EXPRESSIONS: Final[dict[str, Any]] = {
    "=": EqualTo,
    "!=": NotEqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
    "LIKE": StartsWith,
    "IS NULL": IsNull,
    "IS NOT NULL": NotNull,
    "IS NAN": IsNaN,
    "IS NOT NAN": NotNaN,
}
_BITS: Final[dict[type[IcebergType], int]] = {IntegerType: 32, LongType: 64}


@dataclass(frozen=True, slots=True)
class Condition:
    """`field operator operands`; `LIKE` has a prefix as its operand, `IS …` none."""

    field: NestedField
    operator: str
    operands: tuple[Any, ...] = ()

    def holds(self, value: Any) -> bool:  # noqa: PLR0911 - one a kind of operator
        """Return whether it is true of a value, as Iceberg has it: a null is different from any value, and no NaN.

        A comparison with NaN is false but for `!=`.
        """
        match self.operator:
            case "IS NULL":
                return value is None
            case "IS NOT NULL":
                return value is not None
        if value is None:
            return self.operator in {"!=", "IS NOT NAN"}
        match self.operator:
            case "IS NAN":
                return is_nan(value)
            case "IS NOT NAN":
                return not is_nan(value)
            case "LIKE":
                return bool(value.startswith(self.operands[0]))
            case "IN":
                return value in self.operands
        (operand,) = self.operands
        of: dict[str, Any] = {
            "=": value == operand,
            "!=": value != operand,
            "<": value < operand,
            "<=": value <= operand,
            ">": value > operand,
            ">=": value >= operand,
        }
        return bool(of[self.operator])

    @property
    def is_for_pyiceberg(self) -> bool:
        """Whether PyIceberg understands it: it takes an infinite operand on a float for one that no value reaches."""
        is_float = isinstance(self.field.field_type, FloatType)
        return not (is_float and any(isinstance(each, float) and math.isinf(each) for each in self.operands))

    def expression(self) -> BooleanExpression:
        """Return it for PyIceberg."""
        if self.operator == "IN":
            return In(self.field.name, {self._literal(each) for each in self.operands})
        made = _EXPRESSIONS[self.operator]
        expression: BooleanExpression = made(self.field.name, *(self._literal(each) for each in self.operands))
        return expression

    def _literal(self, value: Any) -> Any:
        return uuid.UUID(bytes=value) if isinstance(self.field.field_type, UUIDType) else value

    def __str__(self) -> str:
        return f"{self.field.name} {self.operator} {', '.join(map(repr, self.operands))}"


def conditions(field: NestedField, values: Iterable[Any]) -> Iterator[Condition]:
    """Yield conditions at and around some values of a column, and at the boundaries of its type."""
    of = field.field_type
    yield Condition(field, "IS NULL")
    yield Condition(field, "IS NOT NULL")
    if isinstance(of, FloatType | DoubleType):
        yield Condition(field, "IS NAN")
        yield Condition(field, "IS NOT NAN")
    points = boundaries(of, values)
    for point in points:
        for operator in COMPARISONS:
            yield Condition(field, operator, (point,))
    for at in range(0, len(points) - 1, 3):
        yield Condition(field, "IN", tuple(points[at : at + 2]))
    if isinstance(of, StringType):
        for prefix in sorted({point[:length] for point in points for length in (0, 1, 4, 15, 16, 17)}):
            yield Condition(field, "LIKE", (prefix,))


def boundaries(of: IcebergType, values: Iterable[Any]) -> list[Any]:
    """Return some values of a type and the boundaries of the type, each with its neighbours; no null, no NaN."""
    found = [*_extremes(of), *(each for each in values if each is not None and not is_nan(each))]
    near = [each for value in found for each in _around(of, value)]
    return list({repr(each): each for each in (*found, *near)}.values())  # by their texts, which keep zeros apart


def bounds_in(files: Iterable[DataFile], field: NestedField) -> list[Any]:
    """Return the bounds of a column in files."""
    of: Any = field.field_type
    raw = [
        bounds[field.field_id]
        for file in files
        for bounds in (file.lower_bounds or {}, file.upper_bounds or {})
        if field.field_id in bounds
    ]
    return [from_bytes(of, each) for each in raw]


def values_of(column: pa.ChunkedArray, of: IcebergType) -> list[Any]:
    """Return the values of an Arrow column as bounds decode them."""
    match of:
        case DateType():
            return column.cast(pa.int32()).to_pylist()
        case TimestampType() | TimestamptzType():
            unzoned = column.cast(pa.timestamp("us", column.type.tz))
            return unzoned.cast(pa.int64()).to_pylist()
        case TimeType():
            return column.cast(pa.int64()).to_pylist()
        case UUIDType():
            found = column.to_pylist()
            return [each.bytes if isinstance(each, uuid.UUID) else each for each in found]
        case FixedType() | BinaryType():
            return [None if each is None else bytes(each) for each in column.to_pylist()]
    return column.to_pylist()


def may_match(file: DataFile, condition: Condition) -> bool:  # noqa: C901, PLR0911 - one a kind of operator
    """Return whether Java's Iceberg reads a file for a condition."""
    found = _Statistics.of(file, condition.field)
    match condition.operator:
        case "IS NULL":
            return found.nulls != 0
        case "IS NOT NULL":
            return not found.has_only_nulls
        case "IS NAN":
            return found.nans != 0 and not found.has_only_nulls
        case "IS NOT NAN":
            return not found.has_only_nans
        case "!=":
            return True
    if found.has_only_nulls or found.has_only_nans:
        return False
    if condition.operator == "LIKE":
        return found.may_start_with(condition.operands[0])
    keys = [found.key(each) for each in condition.operands]
    low, high = found.lower, found.upper
    is_above = [low is not None and low > key for key in keys]
    is_below = [high is not None and high < key for key in keys]
    match condition.operator:
        case "=" | "IN":
            return not all(above or below for above, below in zip(is_above, is_below, strict=True))
        case "<":
            return low is None or low < keys[0]
        case "<=":
            return not is_above[0]
        case ">":
            return high is None or high > keys[0]
    return not is_below[0]


def must_match(file: DataFile, condition: Condition) -> bool:  # noqa: C901, PLR0911 - one a kind of operator
    """Return whether Java's Iceberg deletes a file, unread, on a condition."""
    found = _Statistics.of(file, condition.field)
    match condition.operator:
        case "IS NULL":
            return found.has_only_nulls
        case "IS NOT NULL":
            return found.nulls == 0
        case "IS NAN":
            return found.has_only_nans
        case "IS NOT NAN":
            return found.nans == 0 or found.has_only_nulls
        case "LIKE":
            return False
    low, high = found.lower, found.upper
    keys = [found.key(each) for each in condition.operands]
    if condition.operator == "!=":
        outside = (low is not None and low > keys[0]) or (high is not None and high < keys[0])
        return found.has_only_nulls or found.has_only_nans or outside
    if found.nulls or found.nans or low is None or high is None:
        return False
    match condition.operator:
        case "=" | "IN":
            return bool(low == high and low in keys)
        case "<":
            return bool(high < keys[0])
        case "<=":
            return bool(high <= keys[0])
        case ">":
            return bool(low > keys[0])
    return bool(low >= keys[0])


@dataclass(frozen=True, slots=True)
class _Statistics:
    of_type: IcebergType
    nulls: int | None
    nans: int | None
    values: int | None
    lower: Any | None
    upper: Any | None
    bounds: tuple[Any, Any]

    @staticmethod
    def of(file: DataFile, field: NestedField) -> "_Statistics":
        of: Any = field.field_type
        raw = [(each or {}).get(field.field_id) for each in (file.lower_bounds, file.upper_bounds)]
        lower, upper = (None if each is None else from_bytes(of, each) for each in raw)
        nulls, nans, values = (
            (each or {}).get(field.field_id)
            for each in (file.null_value_counts, file.nan_value_counts, file.value_counts)
        )
        keys = [None if each is None or is_nan(each) else order_key(each, of) for each in (lower, upper)]
        return _Statistics(of, nulls, nans, values, keys[0], keys[1], (lower, upper))

    @property
    def has_only_nulls(self) -> bool:
        return self.nulls is not None and self.nulls == self.values

    @property
    def has_only_nans(self) -> bool:
        return self.nans is not None and self.nans == self.values

    def key(self, value: Any) -> Any:
        return order_key(value, self.of_type)

    def may_start_with(self, prefix: str) -> bool:
        for bound, sign in zip(self.bounds, (1, -1), strict=True):
            if bound is not None:
                length = min(len(bound), len(prefix))
                if (bound[:length] > prefix[:length]) - (bound[:length] < prefix[:length]) == sign:
                    return False
        return True


def order_key(value: Any, of: IcebergType) -> Any:
    """Return what Java's Iceberg compares values of a type by."""
    if isinstance(value, float):
        return value, math.copysign(1.0, value)
    if isinstance(of, UUIDType):
        return tuple(int.from_bytes(value[at : at + 8], "big", signed=True) for at in (0, 8))
    return value


def is_zero(value: Any) -> bool:
    """Return whether it is either of the zeros of a float."""
    return isinstance(value, float) and value == 0


def is_nan(value: Any) -> bool:
    """Return whether it is NaN."""
    return isinstance(value, float) and math.isnan(value)


def _extremes(of: IcebergType) -> Sequence[Any]:  # noqa: PLR0911 - one a type
    match of:
        case BooleanType():
            return [False, True]
        case IntegerType() | LongType():
            top = 2 ** (_BITS[type(of)] - 1)
            return [-top, top - 1, 0]
        case FloatType():
            return [0.0, -0.0, -1.0, 1.0]
        case DoubleType():
            return [0.0, -0.0, math.inf, -math.inf, 5e-324, -5e-324]
        case StringType():
            return ["", "\uffff", "\U00010000", "\U0010ffff", "\U0010ffff" * 20]
        case BinaryType():
            return [b"", b"\x7f", b"\x80", b"\xff" * 20]
    return []


def _around(of: IcebergType, value: Any) -> list[Any]:  # noqa: PLR0911 - one a type
    match of:
        case IntegerType() | LongType():
            top = 2 ** (_BITS[type(of)] - 1)
            return [each for each in (value - 1, value + 1) if -top <= each < top]
        case DateType() | TimestampType() | TimestamptzType():
            return [value - 1, value + 1]
        case TimeType():
            return [each for each in (value - 1, value + 1) if 0 <= each < 86_400_000_000]
        case FloatType():
            return [_next_float(value, towards) for towards in (-1, 1)]
        case DoubleType():
            return [math.nextafter(value, -math.inf), math.nextafter(value, math.inf)]
        case DecimalType():
            with localcontext(prec=2 * of.precision):
                step = Decimal(1).scaleb(-of.scale)
                return [each for each in (value - step, value + step) if abs(each) < 10 ** (of.precision - of.scale)]
        case StringType():
            return [value + "\x00", value[:-1], value[:16], value[:15] + "\U0010ffff"]
        case BinaryType():
            return [value + b"\x00", value[:-1], value[:16]]
    return []


def _next_float(value: float, towards: int) -> float:
    """Return the neighbour of a single-precision number."""
    if math.isinf(value):
        return value
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    if value == 0:
        bits = 1 if towards > 0 else 1 - 2**31
    else:
        bits += towards if value > 0 else -towards
    found: float = struct.unpack("<f", struct.pack("<i", bits))[0]
    return value if math.isinf(found) else found


def check_statistics(table: Table) -> None:
    """Check that no live file of a table is skipped or deleted unread against what its rows are.

    Conditions are those at and around the bounds of its files. Rows that delete files take count as rows. Raises
    AssertionError.
    """
    files = [task.file for task in table.scan().plan_files()]
    for field in table.schema().fields:
        if not field.field_type.is_primitive:
            continue
        asked = list(conditions(field, bounds_in(files, field)))
        for file in files:
            values = _different_values(file, field)
            for condition in asked:
                holds = [condition.holds(each) for each in values]
                assert may_match(file, condition) or not any(holds), f"rows with {condition} are skipped"
                assert not must_match(file, condition) or all(holds), f"rows without {condition} are deleted unread"


def _different_values(file: DataFile, field: NestedField) -> list[Any]:
    path = "/" + file.file_path.removeprefix("file:").lstrip("/")
    schema = pq.read_schema(path)
    ids = {int((each.metadata or {}).get(b"PARQUET:field_id", -1)): each.name for each in schema}
    if field.field_id not in ids:
        return [None]
    name = ids[field.field_id]
    found = values_of(pq.read_table(path, columns=[name], partitioning=None)[name], field.field_type)
    return list({repr(each): each for each in found}.values())

"""Convert partition values between canonical JSON for plans and Iceberg's tuples and directories.

Canonical: one text per partition, regardless of the manifest's writer and the logical types of its Avro schema.
Keys are partition field names in the order of the spec. Dates are ISO days, timestamps and times ISO to the microsecond
(those of nanoseconds with nine digits), results of `hour`, `day`, `month` and `year` as by `time_value`, decimals their
digits, uuids their usual text, binary base 64, floats numbers (`"NaN"`, `"Infinity"`, `"-Infinity"` as text), all other
values as in JSON.

A spec may name a column that was dropped: its types come from the newest schema that still has all of its columns.
"""

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from typing import Any, Final
from uuid import UUID

from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import DayTransform, HourTransform, MonthTransform, Transform, VoidTransform, YearTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.domain.values.partitions import TimeUnit, time_ordinal, time_value

TIME_UNITS: Final[Mapping[type, TimeUnit]] = {
    HourTransform: TimeUnit.HOUR,
    DayTransform: TimeUnit.DAY,
    MonthTransform: TimeUnit.MONTH,
    YearTransform: TimeUnit.YEAR,
}
_UNITS_OF_NUMBERS: Final = {transform: unit for transform, unit in TIME_UNITS.items() if unit is not TimeUnit.DAY}
_EPOCH_DAY: Final = date(1970, 1, 1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_FRACTION: Final = re.compile(r"\.\d{6}")
_FINE: Final = re.compile(r"\.\d{6}(\d{1,3})(?!\d)")
NANOSECONDS: Final = 1000
"""Nanoseconds in a microsecond."""
_EXACT: Final = Context(prec=60)  # the default context rounds to 28 digits, decimals have up to 38


def schema_of_spec(metadata: TableMetadata, spec: PartitionSpec) -> Schema | None:
    """Return the schema to bind a spec to: the current one, otherwise the newest that has all its source columns."""
    needed = {field.source_id for field in spec.fields if not isinstance(field.transform, VoidTransform)}
    others = sorted(metadata.schemas, key=lambda schema: schema.schema_id, reverse=True)
    for schema in (metadata.schema(), *others):
        if needed <= schema.field_ids:
            return schema
    return None


def partition_types(spec: PartitionSpec, schema: Schema) -> tuple[IcebergType, ...]:
    """Return the result type of each partition field, in the order of the spec."""
    return tuple(field.field_type for field in spec.partition_type(schema).fields)


class SpecToWrite(PartitionSpec):
    """A spec for writing manifests: every partition value may be null, as in Iceberg.

    PyIceberg (0.12) requires the value of a required column, and can't write the null of a field that was removed from
    a spec of version 1 (transform `void`).
    """

    def partition_type(self, schema: Schema) -> StructType:
        """Return the struct of the spec's fields, all optional."""
        fields = super().partition_type(schema).fields
        return StructType(*(field.model_copy(update={"required": False}) for field in fields))


class PartitionCodec:
    """Converts one spec's partitions to and from canonical JSON; `types` are the types of its fields."""

    def __init__(self, *, spec: PartitionSpec, schema: Schema) -> None:
        self.spec = spec
        self.schema = schema
        self._names = [field.name for field in spec.fields]
        self._transforms = [field.transform for field in spec.fields]
        self.types = partition_types(spec, schema)

    def encode(self, values: Sequence[Any]) -> str:
        """Return the canonical JSON of a partition tuple, as PyIceberg or fastavro read it."""
        fields = zip(values, self.types, self._transforms, strict=True)
        readable = [_readable(value, of, transform) for value, of, transform in fields]
        pairs = dict(zip(self._names, readable, strict=True))
        # `default` is used only for columns of unknown type, whose tables are not rewritten but still shown
        return json.dumps(pairs, separators=(",", ":"), ensure_ascii=False, default=str)

    def decode(self, text: str) -> Record:
        """Return the partition tuple of a canonical JSON text, in PyIceberg's representation.

        Raises:
            ValueError: the keys do not match the spec.
        """
        found: dict[str, Any] = json.loads(text)
        if list(found) != self._names:
            raise ValueError(f"partition {text} does not fit spec {self.spec.spec_id}, whose fields are {self._names}")
        fields = zip(found.values(), self.types, self._transforms, strict=True)
        return Record(*(_from_json(plain_value(value, transform), of) for value, of, transform in fields))

    def record(self, values: Sequence[Any]) -> Record:
        """Return the partition tuple of a task's `PartitionValues`, in PyIceberg's representation.

        Raises:
            ValueError: there is not one value for each field, or a value does not fit its field's type.
        """
        return Record(*(_from_task(value, of) for value, of in zip(values, self.types, strict=True)))

    def path(self, text: str) -> str:
        """Return the directory of a partition below the data location, escaped as in Iceberg; empty without fields."""
        return self.spec.partition_to_path(self.decode(text), self.schema)


def plain_value(value: Any, transform: Transform[Any, Any]) -> Any:
    """Return a partition value as Iceberg has it: hours, months and years as numbers since 1970."""
    unit = _UNITS_OF_NUMBERS.get(type(transform))
    return value if unit is None or value is None else time_ordinal(value, unit)


def _readable(value: Any, of: IcebergType, transform: Transform[Any, Any]) -> Any:
    unit = _UNITS_OF_NUMBERS.get(type(transform))
    # Avro of other writers may have another type for a field than the spec's transform has
    return time_value(value, unit) if unit is not None and isinstance(value, int) else json_value(value, of)


def json_value(value: Any, of: IcebergType) -> Any:  # noqa: PLR0911 - one line a type
    """Return a partition value, as PyIceberg or fastavro read it, in its canonical form."""
    if value is None:
        return None
    match of:
        case DateType():
            return (value if isinstance(value, date) else _EPOCH_DAY + timedelta(days=value)).isoformat()
        case TimestampType() | TimestamptzType():
            return _instant(value, zoned=isinstance(of, TimestamptzType))
        case TimestampNanoType() | TimestamptzNanoType():
            moment, rest = divmod(value, NANOSECONDS)
            return with_nanoseconds(_instant(moment, zoned=isinstance(of, TimestamptzNanoType)), rest)
        case TimeType():
            return (value if isinstance(value, time) else (_EPOCH + value * _MICROSECOND).time()).isoformat(
                "microseconds"
            )
        case DecimalType():
            return str(_decimal(value, of.scale))
        case UUIDType():
            return str(UUID(bytes=value) if isinstance(value, bytes) else value)
        case BinaryType() | FixedType():
            return base64.b64encode(value).decode()
        case FloatType() | DoubleType() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case _:
            return value


def _instant(value: datetime | int, *, zoned: bool) -> str:
    moment = _EPOCH + value * _MICROSECOND if isinstance(value, int) else value
    return moment.replace(tzinfo=UTC if zoned else None).isoformat(timespec="microseconds")


def with_nanoseconds(text: str, rest: int) -> str:
    """Return an ISO time to the microsecond with the digits of its nanoseconds."""
    return _FRACTION.sub(lambda found: f"{found[0]}{rest:03}", text, count=1)


def without_nanoseconds(text: str) -> tuple[str, int]:
    """Return an ISO time without digits after its microsecond, and these as nanoseconds."""
    found = _FINE.search(text)
    return (text, 0) if found is None else (text[: found.start(1)] + text[found.end(1) :], int(found[1].ljust(3, "0")))


def _decimal(value: Decimal | bytes, scale: int) -> Decimal:
    if isinstance(value, bytes):
        value = Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-scale, _EXACT)
    return value.quantize(Decimal(1).scaleb(-scale), context=_EXACT)


def _from_task(value: Any, of: IcebergType) -> Any:
    if value is None:
        return None
    match of:
        case DecimalType():
            return Decimal(value)
        case UUIDType():
            return UUID(bytes=base64.b64decode(value))
        case BinaryType() | FixedType():
            return base64.b64decode(value)
        case _:
            return value


def _from_json(value: Any, of: IcebergType) -> Any:  # noqa: PLR0911 - one line a type
    if value is None:
        return None
    match of:
        case DateType():
            return (date.fromisoformat(value) - _EPOCH_DAY).days
        case TimestampType() | TimestamptzType():
            return (datetime.fromisoformat(value).replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
        case TimestampNanoType() | TimestamptzNanoType():
            text, rest = without_nanoseconds(value)
            return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND * NANOSECONDS + rest
        case TimeType():
            moment = datetime.combine(_EPOCH_DAY, time.fromisoformat(value), tzinfo=UTC)
            return (moment - _EPOCH) // _MICROSECOND
        case DecimalType():
            return Decimal(value)
        case UUIDType():
            return UUID(value)
        case BinaryType() | FixedType():
            return base64.b64decode(value)
        case FloatType() | DoubleType():
            return float(value)
        case _:
            return value

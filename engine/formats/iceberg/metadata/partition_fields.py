"""Partition fields for `planning.plans.predicates`: convert JSON values with Iceberg transforms for comparison.

Format of values: numbers and booleans as in JSON; dates `2026-11-01`; timestamps and times in ISO 8601 (a date alone
is midnight, `timestamptz` without an offset is UTC); decimals and uuids as text; binary in base 64.
"""

import base64
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final, cast
from uuid import UUID

from pyiceberg.partitioning import PartitionField as IcebergField
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import UnknownTransform, VoidTransform
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
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.domain.tables.predicates import Scalar
from engine.formats.iceberg.metadata.partitions import NANOSECONDS, PartitionCodec, without_nanoseconds
from engine.formats.intake.predicate_values import day, parsed, text, truth, typed, whole
from engine.planning.plans.predicates import PartitionSpecFields, SpecField

_EPOCH_DAY: Final = date(1970, 1, 1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_NO_VALUES: Final = (VoidTransform, UnknownTransform)


def spec_fields(metadata: TableMetadata, codecs: dict[int, PartitionCodec]) -> Sequence[PartitionSpecFields]:
    """Return every partition spec of a table, the current one last. Dropped fields (`void`) are left out."""
    current = metadata.schema()
    specs = sorted(metadata.partition_specs, key=lambda spec: (spec.spec_id == metadata.default_spec_id, spec.spec_id))
    return [_spec_fields(codecs[spec.spec_id], current) for spec in specs]


def _spec_fields(codec: PartitionCodec, current: Schema) -> PartitionSpecFields:
    fields = [
        _field(position, field, codec.schema, current)
        for position, field in enumerate(codec.spec.fields)
        if field.source_id in codec.schema.field_ids and not isinstance(field.transform, _NO_VALUES)
    ]
    decode = cast("Callable[[str], Sequence[Any]]", codec.decode)  # a Record counts and indexes like a sequence
    return PartitionSpecFields(codec.spec.spec_id, tuple(fields), decode)


def _field(position: int, field: IcebergField, schema: Schema, current: Schema) -> SpecField:
    source = schema.find_type(field.source_id)
    name = current.find_column_name(field.source_id) or schema.find_column_name(field.source_id) or field.name
    transform = field.transform.transform(source)
    return SpecField(position, name, str(field.transform), str(source), partial(_convert, source, transform))


def _convert(source: IcebergType, transform: Callable[[Any], Any], value: Scalar) -> Any:
    return transform(_read(source, value))


def _read(source: IcebergType, value: Scalar) -> Any:  # noqa: C901, PLR0911 - one line a type
    """Return a JSON value in PyIceberg's representation of the type, or raise a `ValueError` for users."""
    match source:
        case BooleanType():
            return truth(value)
        case IntegerType() | LongType():
            return whole(value, 31 if isinstance(source, IntegerType) else 63)
        case FloatType() | DoubleType():
            return _floating(value, "<f" if isinstance(source, FloatType) else "<d")
        case DecimalType():
            return _decimal(source, value)
        case StringType():
            return text(value)
        case DateType():
            return (day(value) - _EPOCH_DAY).days
        case TimestampType() | TimestamptzType():
            return _instant(value, zoned=isinstance(source, TimestamptzType))
        case TimestampNanoType() | TimestamptzNanoType():
            return _nanoseconds(value, zoned=isinstance(source, TimestamptzNanoType))
        case TimeType():
            moment = parsed(time.fromisoformat, value, "a time such as '09:30:00'")
            return (datetime.combine(_EPOCH_DAY, moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
        case UUIDType():
            return parsed(UUID, value, "a uuid such as 'f79c3e09-677c-4bbd-a479-3f349cb785e7'")
        case BinaryType() | FixedType():
            return parsed(partial(base64.b64decode, validate=True), value, "bytes in base 64")
        case _:
            message = f"columns of type {source} can't be compared here"
            raise ValueError(message)


def _floating(value: Scalar, code: str) -> float:
    if type(value) not in (int, float):
        message = f"{value!r} is not a number"
        raise ValueError(message)
    try:
        number: float = struct.unpack(code, struct.pack(code, value))[0]
    except (OverflowError, struct.error):
        message = f"{value!r} is out of range"
        raise ValueError(message) from None
    return number


def _decimal(source: DecimalType, value: Scalar) -> Decimal:
    wanted = f"a decimal of at most {source.precision} digits, {source.scale} of them after the point, as text"
    text = str(value) if type(value) is int else typed(str, value, wanted)
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    sign, digits, exponent = number.as_tuple()
    room = source.precision - source.scale
    if not isinstance(exponent, int) or -exponent > source.scale or len(digits) + exponent > room:
        message = f"{text!r} is not {wanted}"
        raise ValueError(message)
    shifted = int("".join(map(str, digits))) * 10 ** (source.scale + exponent)
    return Decimal((sign, tuple(map(int, str(shifted))), -source.scale))


def _nanoseconds(value: Scalar, *, zoned: bool) -> int:
    moment, rest = without_nanoseconds(value) if isinstance(value, str) else (value, 0)
    return _instant(moment, zoned=zoned) * NANOSECONDS + rest


def _instant(value: Scalar, *, zoned: bool) -> int:
    moment = parsed(datetime.fromisoformat, value, "a time such as '2026-11-01T09:30:00'")
    if moment.tzinfo is not None and not zoned:
        message = f"{value!r} has an offset, and the column has no time zone: leave the offset out"
        raise ValueError(message)
    try:
        instant = moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except OverflowError:
        message = f"{value!r} is out of range"
        raise ValueError(message) from None
    return int((instant - _EPOCH) // _MICROSECOND)

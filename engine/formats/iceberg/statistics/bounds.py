"""Lower and upper bounds of columns: Parquet's statistics, Iceberg's single-value serialisation, and their order.

A bound is written only if it is correct for every reader. Omitted: columns inside lists and maps, NaN, text that is not
UTF-8, an upper bound that can't be rounded up, uuids with both signs (see `_uuid_bounds`).

Engines answer MIN and MAX from bounds of most types (`is_answered_from`): such a bound is a value that a row has, and
only text and binary are truncated. Zeros: Iceberg orders -0.0 before +0.0, SQL takes them for equal, and Parquet's
statistics do not tell which of the two occurred. A lower bound of +0.0 and an upper bound of -0.0 would hide rows from
comparisons with the other zero, so an upper bound of zero is +0.0 where rows are known to have that, and otherwise a
side that is zero is omitted.
Source: Iceberg specification, appendix D; `ParquetMetrics`, `MinAggregate` and `SparkScanBuilder` of Iceberg 1.12.
"""

import math
import struct
from collections.abc import Mapping
from typing import Any, Final

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

_PACKED: Final[dict[type[IcebergType], tuple[str, str]]] = {
    BooleanType: ("BOOLEAN", "<?"),
    IntegerType: ("INT32", "<i"),
    DateType: ("INT32", "<i"),
    LongType: ("INT64", "<q"),
    TimeType: ("INT64", "<q"),
    TimestampType: ("INT64", "<q"),
    TimestamptzType: ("INT64", "<q"),
    TimestampNanoType: ("INT64", "<q"),
    TimestamptzNanoType: ("INT64", "<q"),
    FloatType: ("FLOAT", "<f"),
    DoubleType: ("DOUBLE", "<d"),
}
_NARROWER: Final[dict[type[IcebergType], str]] = {LongType: "<i", DoubleType: "<f"}
"""Pack format of a column's bounds before its promotion to this type; manifests keep the old format."""

DAYS: Final[Mapping[type[IcebergType], int]] = {TimestampType: 86_400_000_000, TimestampNanoType: 86_400_000_000_000}
"""Length of a day in the unit of columns that can have been dates; manifests keep their bounds, of four bytes."""

_WIDEST_DECIMAL: Final = 16
_DATE: Final = struct.Struct("<i")
_LAST: Final = 0x10FFFF
_LAST_BYTE: Final = 0xFF
_SURROGATES: Final = range(0xD800, 0xE000)
_UUID_BYTES: Final = 16
_HALF_BITS: Final = 64
_SIGN: Final = 1 << (_HALF_BITS - 1)

Sides = tuple[bytes | None, bytes | None]
"""Serialised lower and upper bound; None for a missing bound."""


def comparable(raw: Any, *, of: IcebergType, physical_type: str) -> Any | None:
    """Return a raw Parquet minimum or maximum as a value that sorts like the column; None if it can't be a bound."""
    match of:
        case StringType() | BinaryType() if physical_type == "BYTE_ARRAY":
            return bytes(raw)
        case FixedType() | UUIDType() if physical_type == "FIXED_LEN_BYTE_ARRAY":
            return bytes(raw)
        case DecimalType():
            return int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else int(raw)
        case FloatType() | DoubleType() if math.isnan(raw):
            return None
    return raw if _PACKED.get(type(of), ("", ""))[0] == physical_type else None


def decoded(bound: bytes, *, of: IcebergType) -> Any | None:
    """Return a manifest's bound as a comparable value; None if it is NaN or not a value of the type.

    Manifests are foreign input: a bound may have any length and content. See `comparable`.
    """
    match of:
        case StringType():
            return None if _text(bound) is None else bytes(bound)
        case BinaryType() | FixedType():
            return bytes(bound)
        case UUIDType():
            return bytes(bound) if len(bound) == _UUID_BYTES else None
        case DecimalType():
            return int.from_bytes(bound, "big", signed=True) if 0 < len(bound) <= _WIDEST_DECIMAL else None
    if type(of) in DAYS and len(bound) == _DATE.size:
        return int(_DATE.unpack(bound)[0]) * DAYS[type(of)]
    formats = (_PACKED.get(type(of), ("", ""))[1], _NARROWER.get(type(of), ""))
    packing = next((each for each in formats if each and struct.calcsize(each) == len(bound)), None)
    value = None if packing is None else struct.unpack(packing, bound)[0]
    return None if isinstance(value, float) and math.isnan(value) else value


def order_key(value: Any) -> Any:
    """Return the sort key of a comparable value in Iceberg's order, in which -0.0 precedes +0.0."""
    return (value, math.copysign(1.0, value)) if isinstance(value, float) else value


def is_answered_from(of: IcebergType) -> bool:
    """Return whether engines answer MIN and MAX of a column from its bounds, so that these must be exact.

    Spark reads text and binary instead, and has no answer for uuids (it can't convert the bound).
    """
    return not isinstance(of, StringType | BinaryType | UUIDType)


def bounds_of(least: Any, greatest: Any, *, of: IcebergType, length: int | None, has_plus_zero: bool = False) -> Sides:
    """Return the serialised bounds of comparable values from `least` to `greatest`.

    Args:
        least: no value of the column is smaller.
        greatest: no value of the column is greater.
        of: the column's type.
        length: number of code points or bytes kept of text and binary values; None for all.
        has_plus_zero: whether a row is known to have the value +0.0.
    """
    if isinstance(of, UUIDType):
        return _uuid_bounds(least, greatest)
    lower, upper = lower_bound(least, of=of, length=length), upper_bound(greatest, of=of, length=length)
    if isinstance(of, FloatType | DoubleType):
        return lower if least else None, upper if greatest or has_plus_zero else None
    return lower, upper


def lower_bound(value: Any, *, of: IcebergType, length: int | None) -> bytes | None:
    """Return a serialised lower bound of values that are all ≥ `value`, of which a zero may be -0.0."""
    match of:
        case StringType():
            text = _text(value)
            return None if text is None else text[:length].encode()
        case BinaryType():
            return bytes(value[:length])
        case FixedType():
            return bytes(value)
        case FloatType() | DoubleType():
            return _packed(value or -0.0, of)
        case _:
            return _packed(value, of)


def upper_bound(value: Any, *, of: IcebergType, length: int | None) -> bytes | None:
    """Return a serialised upper bound of values that are all ≤ `value`, of which a zero may be +0.0.

    A truncated one is rounded up.
    """
    match of:
        case StringType():
            text = _text(value)
            rounded = None if text is None else _text_rounded_up(text, length)
            return None if rounded is None else rounded.encode()
        case BinaryType():
            return _bytes_rounded_up(value, length)
        case FixedType():
            return bytes(value)
        case FloatType() | DoubleType():
            return _packed(value or 0.0, of)
        case _:
            return _packed(value, of)


def _uuid_bounds(least: bytes, greatest: bytes) -> Sides:
    """Return uuid bounds that are valid in both orders in use; none where these disagree.

    Parquet, PyIceberg and RFC 9562 compare bytes, Java's Iceberg (up to 1.12) two signed halves
    (https://github.com/apache/iceberg/issues/14216). Both agree on uuids whose first halves have the same sign, except
    on the second halves of uuids that share a bound's first half: such a bound is widened by one first half.
    """
    low, high = int.from_bytes(least, "big"), int.from_bytes(greatest, "big")
    first, last = low >> _HALF_BITS, high >> _HALF_BITS
    if low == high or (first == last and low & _SIGN == high & _SIGN):
        return least, greatest
    if first & _SIGN != last & _SIGN:
        return None, None
    lower = least if low & _SIGN else _uuid_from(first - 1, sign=first & _SIGN)
    upper = _uuid_from(last + 1, sign=last & _SIGN) if high & _SIGN else greatest
    return lower, upper


def _uuid_from(first_half: int, *, sign: int) -> bytes | None:
    """Return the least uuid with this first half; None if the half is out of range for this sign."""
    if not sign <= first_half < sign + _SIGN:
        return None
    return (first_half << _HALF_BITS).to_bytes(_UUID_BYTES, "big")


def _packed(value: Any, of: IcebergType) -> bytes:
    if isinstance(of, DecimalType):
        bits = (value if value >= 0 else ~value).bit_length()
        return int(value).to_bytes(bits // 8 + 1, "big", signed=True)
    return struct.pack(_PACKED[type(of)][1], value)


def _text(value: bytes) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _text_rounded_up(text: str, length: int | None) -> str | None:
    if length is None or len(text) <= length:
        return text
    for at in range(length - 1, -1, -1):
        following = ord(text[at]) + 1
        if following in _SURROGATES:
            following = _SURROGATES.stop
        if following <= _LAST:
            return text[:at] + chr(following)
    return None


def _bytes_rounded_up(value: bytes, length: int | None) -> bytes | None:
    if length is None or len(value) <= length:
        return bytes(value)
    for at in range(length - 1, -1, -1):
        if value[at] != _LAST_BYTE:
            return value[:at] + bytes([value[at] + 1])
    return None

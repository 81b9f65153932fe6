"""Lower and upper bounds of columns: from Parquet's statistics to Iceberg's single-value serialisation.

A bound is only given where it is right for every reader. Left out: columns inside lists and maps, uuids (Java compares
them as signed numbers, Parquet as bytes), NaN, text that is not UTF-8, an upper bound that can't be rounded up.
Source: Iceberg specification, appendix D, and `ParquetMetrics` of Iceberg 1.12 for what is truncated.
"""

import math
import struct
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
    TimestampType,
    TimestamptzType,
    TimeType,
)

_PACKED: Final[dict[type[IcebergType], tuple[str, str]]] = {
    BooleanType: ("BOOLEAN", "<?"),
    IntegerType: ("INT32", "<i"),
    DateType: ("INT32", "<i"),
    LongType: ("INT64", "<q"),
    TimeType: ("INT64", "<q"),
    TimestampType: ("INT64", "<q"),
    TimestamptzType: ("INT64", "<q"),
    FloatType: ("FLOAT", "<f"),
    DoubleType: ("DOUBLE", "<d"),
}
_LAST: Final = 0x10FFFF
_LAST_BYTE: Final = 0xFF
_SURROGATES: Final = range(0xD800, 0xE000)


def comparable(raw: Any, *, of: IcebergType, physical_type: str) -> Any | None:
    """Return a raw Parquet minimum or maximum as a value whose order is the column's; None if it can't be a bound."""
    match of:
        case StringType() | BinaryType() if physical_type == "BYTE_ARRAY":
            return bytes(raw)
        case FixedType() if physical_type == "FIXED_LEN_BYTE_ARRAY":
            return bytes(raw)
        case DecimalType():
            return int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else int(raw)
        case FloatType() | DoubleType() if math.isnan(raw):
            return None
    return raw if _PACKED.get(type(of), ("", ""))[0] == physical_type else None


def lower_bound(value: Any, *, of: IcebergType, length: int | None) -> bytes | None:
    """Return a serialised lower bound of values that are all ≥ `value`."""
    match of:
        case StringType():
            text = _text(value)
            return None if text is None else text[:length].encode()
        case BinaryType() | FixedType():
            return bytes(value[:length])
        case _:
            return _packed(value, of)


def upper_bound(value: Any, *, of: IcebergType, length: int | None) -> bytes | None:
    """Return a serialised upper bound of values that are all ≤ `value`; a cut one is rounded up."""
    match of:
        case StringType():
            text = _text(value)
            rounded = None if text is None else _text_rounded_up(text, length)
            return None if rounded is None else rounded.encode()
        case BinaryType() | FixedType():
            return _bytes_rounded_up(value, length)
        case _:
            return _packed(value, of)


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

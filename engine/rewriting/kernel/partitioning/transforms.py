"""Iceberg's partition transforms of whole columns. Source: Apache Iceberg, table specification, "Partition Transforms".

Results: `identity` and `truncate` have the column's type (uuids are 16 bytes); all others are 64-bit integers (buckets,
and years, months, days and hours since 1970). The value of a null is null.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.contract import PartitionField
from engine.rewriting.kernel.errors import UNSUPPORTED_PARTITION, Refused
from engine.rewriting.kernel.partitioning.bucket_hash import hash_bytes, hash_longs

Longs = npt.NDArray[np.int64]

_NANOSECONDS: Final = 1000
"""Nanoseconds in a microsecond."""

_DATE_UNITS: Final = {"year": "Y", "month": "M", "day": "D", "hour": "h"}


def transformed(column: pa.Array, field: PartitionField) -> pa.Array:
    """Return the partition value of each value of a column without dictionary.

    Raises:
        Refused: the transform does not exist, or not for this type.
    """
    if pa.types.is_floating(column.type):
        raise _refusal(column.type, field)  # readers disagree on NaN and on negative zero
    match field.transform:
        case "identity":
            return column.storage if isinstance(column, pa.ExtensionArray) else column
        case "void":
            return pa.nulls(len(column), pa.int64())
        case "bucket":
            return _bucket(column, field)
        case "truncate":
            return _truncate(column, field)
        case "year" | "month" | "day" | "hour":
            return _time(column, field)
        case _:
            raise _refusal(column.type, field)


def _refusal(of: pa.DataType, field: PartitionField) -> Refused:
    return Refused(UNSUPPORTED_PARTITION, f"{field.transform} of {of} (field id {field.field_id})")


def _time(column: pa.Array, field: PartitionField) -> pa.Array:
    of, unit = column.type, _DATE_UNITS[field.transform]
    if not (pt.is_timestamp(of) or (pt.is_date32(of) and field.transform != "hour")):
        raise _refusal(of, field)
    base = "D" if pt.is_date32(of) else of.unit
    longs = _longs(column.cast(pa.int32()) if pt.is_date32(of) else column)
    if base == "ns":  # numpy's own conversion of the first day of nanoseconds overflows
        base, longs = "us", longs // _NANOSECONDS
    return _with_nulls(longs.astype(f"M8[{base}]").astype(f"M8[{unit}]").astype(np.int64), column)


def _truncate(column: pa.Array, field: PartitionField) -> pa.Array:
    of, width = column.type, field.parameter
    if pt.is_integer(of):
        values = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
        with np.errstate(over="ignore"):  # as in Java, the least numbers wrap
            return _with_nulls(values - np.mod(values, values.dtype.type(width)), column)
    if pt.is_string(of) or pt.is_large_string(of):
        return pc.utf8_slice_codeunits(column, 0, width)
    if pt.is_binary(of) or pt.is_large_binary(of):
        return pc.binary_slice(column, 0, width)
    if pt.is_decimal128(of):
        try:
            return _by_distinct(column, lambda value: _truncated(value, width, of.scale), of)
        except pa.ArrowInvalid:  # the least numbers get a digit too many: no writer can store such a partition
            detail = f"a value of field id {field.field_id} does not fit {of} after truncate[{width}]"
            raise Refused(UNSUPPORTED_PARTITION, f"{detail}: set rewrite.output_spec to keep") from None
    raise _refusal(of, field)


def _truncated(value: Decimal, width: int, scale: int) -> Decimal:
    unscaled = _unscaled(value)
    return _decimal(unscaled - unscaled % width, scale)


def _bucket(column: pa.Array, field: PartitionField) -> pa.Array:
    of = column.type
    if pt.is_integer(of) or pt.is_date32(of) or pt.is_timestamp(of) or pt.is_time64(of):
        longs = _longs(column.cast(pa.int32()) if pt.is_date32(of) else column)
        # a nanosecond is in the bucket of its microsecond
        hashes = hash_longs(longs // _NANOSECONDS if pt.is_timestamp(of) and of.unit == "ns" else longs)
    elif pt.is_decimal128(of):
        hashes = _hashes(_by_distinct(column, _as_bytes, pa.large_binary()))
    elif pt.is_fixed_size_binary(of) or isinstance(of, pa.UuidType):
        stored = column.storage if isinstance(column, pa.ExtensionArray) else column
        hashes = _hashes(stored.cast(pa.large_binary()))
    elif pt.is_string(of) or pt.is_large_string(of) or pt.is_binary(of) or pt.is_large_binary(of):
        hashes = _hashes(column.cast(pa.large_binary()))
    else:
        raise _refusal(of, field)
    buckets = (hashes & np.uint32(0x7FFFFFFF)).astype(np.int64) % field.parameter
    return _with_nulls(buckets, column)


def _hashes(column: pa.Array) -> npt.NDArray[np.uint32]:
    """Return the hash of each value of a large-binary column; that of a null has no meaning."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    return hash_bytes(np.frombuffer(data or b"", np.uint8), ends)


def _as_bytes(value: Decimal) -> bytes:
    """Return the unscaled number in two's complement, most significant byte first, in as few bytes as possible."""
    unscaled = _unscaled(value)
    magnitude = unscaled if unscaled >= 0 else ~unscaled
    return unscaled.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def _unscaled(value: Decimal) -> int:
    sign, digits, _ = value.as_tuple()
    number = int("".join(map(str, digits)))
    return -number if sign else number


def _decimal(unscaled: int, scale: int) -> Decimal:
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def _by_distinct(column: pa.Array, function: Callable[[Any], Any], of: pa.DataType) -> pa.Array:
    """Return a function's results for a column; it is called once for each distinct value."""
    coded = column.dictionary_encode()
    return pa.array([function(value) for value in coded.dictionary.to_pylist()], of).take(coded.indices)


def _longs(column: pa.Array) -> Longs:
    """Return the numbers that Arrow stores for a column; 0 for null."""
    longs: Longs = pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return longs


def _with_nulls(values: npt.NDArray[Any], column: pa.Array) -> pa.Array:
    is_null = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    return pa.array(values, mask=is_null)

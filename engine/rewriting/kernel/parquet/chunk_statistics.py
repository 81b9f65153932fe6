"""Merging of statistics of column chunks: the result equals that of encoding the rows again, or there is none.

There is none (the column is then encoded again) when a chunk has no null count, values without bounds, truncated
bounds, a NaN bound, or bounds by an order other than that of the column's type. Zeros become -0.0 as lower and +0.0 as
upper bound, as the format requires. Distinct counts are not merged, nor are the two old fields (`min`, `max`). Columns
without an order (INT96) have no bounds: their result is the number of nulls, if all chunks have it.
"""

import math
import struct
from collections.abc import Callable, Iterable
from typing import Any, Final

import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.parquet.footers import Chunk
from engine.rewriting.kernel.parquet.thrift import BINARY, I64, TRUE, Struct

# Statistics
_NULLS, _MAX, _MIN, _MAX_IS_EXACT, _MIN_IS_EXACT = 3, 5, 6, 7, 8

_EXACT: Final = (TRUE, True)

Order = Callable[[bytes], Any]
"""Bytes of a bound → value that compares like the column's values. Raises struct.error for a wrong length."""

_FORMATS: Final = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d"}


def unordered(_: bytes) -> None:
    """Stand for the order of a column whose bounds have no meaning."""


def order_of(physical_type: str, of: pa.DataType) -> Order | None:
    """Return the order of a column's bounds, None when this kernel does not support it."""
    if physical_type in _FORMATS:
        unpack = struct.Struct(_FORMATS[physical_type]).unpack
        return None if pt.is_unsigned_integer(of) else lambda raw: unpack(raw)[0]
    if pt.is_decimal(of) and physical_type == "FIXED_LEN_BYTE_ARRAY":
        return lambda raw: int.from_bytes(raw, "big", signed=True)
    if physical_type == "BOOLEAN" or _is_bytes(of):
        return bytes
    return None


def joined(chunks: Iterable[Chunk], order: Order | None) -> Struct | None:
    """Return the statistics of all rows of these chunks, None when they can't be derived."""
    if order is None:
        return None
    nulls, said_exact = 0, True
    lowest: list[bytes] = []
    highest: list[bytes] = []
    for chunk in chunks:
        found = chunk.statistics or {}
        if _NULLS not in found:
            return {} if order is unordered else None
        nulls += found[_NULLS][1]
        if order is unordered or found[_NULLS][1] == chunk.values:
            continue  # a chunk of nulls has no bounds
        if not _has_bounds(found, chunk):
            return None
        said_exact &= _MIN_IS_EXACT in found and _MAX_IS_EXACT in found
        lowest.append(found[_MIN][1])
        highest.append(found[_MAX][1])
    made: Struct = {_NULLS: (I64, nulls)}
    if lowest:
        bounds = _outermost(lowest, highest, order)
        if bounds is None:
            return None
        made |= {_MIN: (BINARY, bounds[0]), _MAX: (BINARY, bounds[1])}
        if said_exact:
            made |= {_MIN_IS_EXACT: (TRUE, True), _MAX_IS_EXACT: (TRUE, True)}
    return made


def ends_with_zero(found: Struct) -> bool:
    """Return whether the greatest value of a float column is +0.0 or -0.0 by a chunk's statistics."""
    return _is_zero(found, _MAX)


def with_exact_floats(found: Struct, nans: int | None, *, has_plus_zero: bool) -> Struct:
    """Return statistics of a float column that call a bound exact only if readers may answer MIN or MAX with it.

    Writers state that bounds are exact, but leave NaN out of them, and write a least zero as -0.0 and a greatest as
    +0.0, whichever the rows have (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift,
    `ColumnOrder`). DuckDB (1.5) answers from bounds that are stated to be exact.

    Args:
        found: the statistics as they were written or joined.
        nans: the number of NaN in the rows; None: not known.
        has_plus_zero: whether a value is known to be +0.0.
    """
    inexact = {_MIN_IS_EXACT, _MAX_IS_EXACT} if nans or nans is None else set[int]()
    inexact |= {_MIN_IS_EXACT} if _is_zero(found, _MIN) else set()
    inexact |= {_MAX_IS_EXACT} if _is_zero(found, _MAX) and not has_plus_zero else set()
    return {key: value for key, value in found.items() if key not in inexact}


def has_bounds(found: Struct) -> bool:
    """Return whether a chunk's statistics have bounds."""
    return _MIN in found or _MAX in found


def null_count(found: Struct) -> int | None:
    """Return the number of nulls that a chunk's statistics have."""
    return found[_NULLS][1] if _NULLS in found else None


def without_bounds(found: Struct) -> Struct:
    """Return only the null count of a chunk's statistics."""
    return {key: value for key, value in found.items() if key == _NULLS}


def _is_zero(found: Struct, bound: int) -> bool:
    raw: bytes = found[bound][1] if bound in found else b""
    return raw[-1:] in {b"\x00", b"\x80"} and not any(raw[:-1])


def _has_bounds(found: Struct, chunk: Chunk) -> bool:
    if _MIN not in found or _MAX not in found or not chunk.order_is_known:
        return False
    return bool(found.get(_MIN_IS_EXACT, _EXACT)[1] and found.get(_MAX_IS_EXACT, _EXACT)[1])


def _outermost(lowest: list[bytes], highest: list[bytes], order: Order) -> tuple[bytes, bytes] | None:
    try:
        lows, highs = list(map(order, lowest)), list(map(order, highest))
    except struct.error:
        return None
    if isinstance(lows[0], float) and any(map(math.isnan, (*lows, *highs))):
        return None
    low, high = lowest[lows.index(min(lows))], highest[highs.index(max(highs))]
    if isinstance(lows[0], float):
        kind = "<f" if len(low) == 4 else "<d"  # noqa: PLR2004 - the width of a float
        return struct.pack(kind, order(low) or -0.0), struct.pack(kind, order(high) or 0.0)
    return low, high


def _is_bytes(of: Any) -> bool:
    storage = of.storage_type if isinstance(of, pa.BaseExtensionType) else of
    return bool(
        pt.is_string(storage)
        or pt.is_binary(storage)
        or pt.is_large_string(storage)
        or pt.is_large_binary(storage)
        or pt.is_fixed_size_binary(storage)
    )

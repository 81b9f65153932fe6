"""INT96 timestamps as 12 bytes: footers are changed in memory, so that such columns are neither decoded nor converted.

Pages of an INT96 column and of a FIXED_LEN_BYTE_ARRAY(12) column without logical type have the same bytes, plain and
under a dictionary. Values of any year are therefore kept bit for bit; Arrow's nanoseconds end at 1677 and 2262. INT96
has no order: bounds of such columns are removed.
"""

from collections.abc import Container, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.parquet.chunk_statistics import without_bounds
from engine.rewriting.kernel.parquet.footers import (
    COLUMNS,
    ELEMENT_LENGTH,
    ELEMENT_TYPE,
    FIELD_ID,
    METADATA,
    NAME,
    REPETITION,
    ROW_GROUPS,
    SCHEMA,
    STATISTICS,
    TYPE,
)
from engine.rewriting.kernel.parquet.thrift import I32, LIST, STRUCT, Struct

BYTES: Final = 12
"""Bytes of one INT96 value."""

_VALUE: Final = np.dtype([("nanos", "<i8"), ("day", "<i4")])
_DAY_NANOS: Final = 86_400_000_000_000
_EPOCH_DAY: Final = 2_440_588
_MOST_DAYS: Final = 106_000_000
"""Days of which the microseconds fit 64 bits."""

_INT96: Final = 3
_FIXED: Final = 7
_KEPT: Final = frozenset({ELEMENT_TYPE, REPETITION, NAME, FIELD_ID})


def with_bytes(footer: Struct, leaves: Container[int]) -> Struct:
    """Return a footer whose INT96 columns with these leaf numbers are FIXED_LEN_BYTE_ARRAY(12)."""
    return _changed(footer, leaves, _INT96, {ELEMENT_TYPE: (I32, _FIXED), ELEMENT_LENGTH: (I32, BYTES)})


def with_int96(footer: Struct, leaves: Container[int]) -> Struct:
    """Return a footer whose FIXED_LEN_BYTE_ARRAY(12) columns with these leaf numbers are INT96."""
    return _changed(footer, leaves, _FIXED, {ELEMENT_TYPE: (I32, _INT96)})


def is_int96(element: Struct) -> bool:
    """Return whether a schema element is an INT96 column."""
    return ELEMENT_TYPE in element and bool(element[ELEMENT_TYPE][1] == _INT96)


def _changed(footer: Struct, leaves: Container[int], old: int, physical: Struct) -> Struct:
    new = physical[ELEMENT_TYPE][1]
    row_groups: list[Struct] = []
    for group in footer[ROW_GROUPS][1][1]:
        columns = enumerate(group[COLUMNS][1][1])
        chunks = [_chunk(chunk, old, new) if leaf in leaves else chunk for leaf, chunk in columns]
        row_groups.append(group | {COLUMNS: (LIST, (STRUCT, chunks))})
    elements = _elements(footer[SCHEMA][1][1], leaves, physical)
    return footer | {SCHEMA: (LIST, (STRUCT, elements)), ROW_GROUPS: (LIST, (STRUCT, row_groups))}


def _elements(elements: Sequence[Struct], leaves: Container[int], physical: Struct) -> list[Struct]:
    made: list[Struct] = []
    leaf = 0
    for element in elements:
        is_changed = ELEMENT_TYPE in element and leaf in leaves
        kept = {field: value for field, value in element.items() if field in _KEPT}
        made.append(kept | physical if is_changed else element)
        leaf += ELEMENT_TYPE in element
    return made


def _chunk(chunk: Struct, old: int, new: int) -> Struct:
    """Return a column chunk of the new type; a damaged one of another type than the old stays, and is found by that."""
    metadata: Struct = dict(chunk[METADATA][1])
    if metadata[TYPE][1] != old:
        return chunk
    metadata[TYPE] = (I32, new)
    if STATISTICS in metadata:
        metadata[STATISTICS] = (STRUCT, without_bounds(metadata[STATISTICS][1]))
    return chunk | {METADATA: (STRUCT, metadata)}


def int96_days(chunk: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the Julian days of INT96 timestamps in 12 bytes and the nanoseconds of the day.

    Some writers store more than a day of nanoseconds, or less than none.
    """
    buffer = chunk.buffers()[1]
    if buffer is None:
        nulls = pa.nulls(len(chunk), pa.int64())
        return nulls, nulls
    stored = np.frombuffer(buffer, dtype=_VALUE, count=chunk.offset + len(chunk))[chunk.offset :]
    more, nanos = np.divmod(stored["nanos"], _DAY_NANOS)
    is_null: npt.NDArray[np.bool_] = chunk.is_null().to_numpy(zero_copy_only=False)
    days = stored["day"].astype(np.int64) + more
    return pa.array(days, mask=is_null), pa.array(nanos, mask=is_null)


def int96_microseconds(chunk: pa.Array) -> pa.Array:
    """Return numbers of 64 bits that compare as INT96 timestamps do: microseconds, within 290,000 years of 1970."""
    days, nanos = int96_days(chunk)
    since = np.clip(pc.fill_null(days, 0).to_numpy().astype(np.int64) - _EPOCH_DAY, -_MOST_DAYS, _MOST_DAYS)
    micros = since * (_DAY_NANOS // 1000) + pc.fill_null(nanos, 0).to_numpy() // 1000
    return pa.array(micros, mask=days.is_null().to_numpy(zero_copy_only=False))

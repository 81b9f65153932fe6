"""INT96 timestamps as 12 bytes: footers are changed in memory, so that such columns are neither decoded nor converted.

Pages of an INT96 column and of a FIXED_LEN_BYTE_ARRAY(12) column without logical type have the same bytes, plain and
under a dictionary. Values of any year are therefore kept bit for bit; Arrow's nanoseconds end at 1677 and 2262. INT96
has no order: bounds of such columns are removed.
"""

from collections.abc import Container, Sequence
from typing import Final

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

"""Metrics modes of columns, from Iceberg's properties `write.metadata.metrics.*`.

Without a default in its properties, a table has `truncate(16)` for its first 100 columns
(`max-inferred-column-defaults`; the top level comes first) and `none` for the others. The columns of the table's sort
order have at least `truncate(16)`, unless a column's property overrides it: readers skip files of an ordered table by
them. Invalid values fall back to the default. All as in Iceberg's own `MetricsConfig`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, PrimitiveType, StructType

from engine.formats.iceberg.intake.newer_types import NO_TYPES

_PREFIX: Final = "write.metadata.metrics."
_INFERRED: Final = 100
_TRUNCATE: Final = re.compile(r"^truncate\((\d{1,18})\)$")


@dataclass(frozen=True, slots=True)
class MetricsMode:
    """Metrics mode of a column; `length` is in code points or bytes, None for whole values."""

    counts: bool
    bounds: bool
    length: int | None = None


NONE: Final = MetricsMode(counts=False, bounds=False)
COUNTS: Final = MetricsMode(counts=True, bounds=False)
FULL: Final = MetricsMode(counts=True, bounds=True)
DEFAULT: Final = MetricsMode(counts=True, bounds=True, length=16)


def table_modes(metadata: TableMetadata, newer_types: Mapping[int, str] = NO_TYPES) -> dict[int, MetricsMode]:
    """Return the metrics mode of every primitive column of a table, by field id.

    `newer_types`: as `ReadTable` has them; bounds of these are of other forms than those of their stand-ins.
    """
    order = next((each for each in metadata.sort_orders if each.order_id == metadata.default_sort_order_id), None)
    ordered = frozenset(each.source_id for each in order.fields if each.transform.preserves_order) if order else ()
    modes = metrics_modes(metadata.schema(), metadata.properties, ordered)
    return {number: replace(mode, bounds=False) if number in newer_types else mode for number, mode in modes.items()}


def metrics_modes(
    schema: Schema, properties: Mapping[str, str], ordered: Collection[int] = ()
) -> dict[int, MetricsMode]:
    """Return the metrics mode of every primitive column by field id; `ordered`: columns of the table's sort order."""
    ids = primitive_ids(schema)
    stated = _parse(properties.get(f"{_PREFIX}default"))
    if stated is not None:
        modes = dict.fromkeys(ids, stated)
    else:
        limit = _number(properties.get(f"{_PREFIX}max-inferred-column-defaults"), _INFERRED)
        modes = {field_id: DEFAULT if place < limit else NONE for place, field_id in enumerate(ids)}
    modes |= {field_id: DEFAULT for field_id in ids if field_id in ordered and not modes[field_id].bounds}
    for field_id in ids:
        own = _parse(properties.get(f"{_PREFIX}column.{schema.find_column_name(field_id)}"))
        if own is not None:
            modes[field_id] = own
    return modes


def mode_of_others(metadata: TableMetadata, name: str) -> MetricsMode:
    """Return the metrics mode of a column that files have in addition to the table's, by its name."""
    properties = metadata.properties
    limit = _number(properties.get(f"{_PREFIX}max-inferred-column-defaults"), _INFERRED)
    inferred = DEFAULT if len(metadata.schema().fields) <= limit else NONE
    return _parse(properties.get(f"{_PREFIX}column.{name}")) or _parse(properties.get(f"{_PREFIX}default")) or inferred


def primitive_ids(schema: Schema) -> list[int]:
    """Return the ids of all primitive columns, level by level from the top."""
    found: list[int] = []
    level: list[NestedField] = list(schema.fields)
    while level:
        found += [field.field_id for field in level if isinstance(field.field_type, PrimitiveType)]
        level = [child for field in level for child in children(field.field_type)]
    return found


def unrepeated_ids(schema: Schema) -> list[int]:
    """Return the ids of the primitive columns outside of lists and maps; only these have bounds."""
    found: list[int] = []
    level: list[NestedField] = list(schema.fields)
    while level:
        found += [field.field_id for field in level if isinstance(field.field_type, PrimitiveType)]
        level = [
            child for field in level if isinstance(field.field_type, StructType) for child in field.field_type.fields
        ]
    return found


def children(of: IcebergType) -> Iterator[NestedField]:
    """Yield the direct child fields of a type."""
    match of:
        case StructType():
            yield from of.fields
        case ListType():
            yield of.element_field
        case MapType():
            yield of.key_field
            yield of.value_field


def _parse(text: str | None) -> MetricsMode | None:
    if text is None:
        return None
    lowered = text.strip().lower()
    if match := _TRUNCATE.match(lowered):
        return MetricsMode(counts=True, bounds=True, length=int(match[1])) if int(match[1]) else DEFAULT
    return {"none": NONE, "counts": COUNTS, "full": FULL}.get(lowered, DEFAULT)


def _number(text: str | None, default: int) -> int:
    try:
        return int(text) if text is not None and int(text) >= 0 else default
    except ValueError:
        return default

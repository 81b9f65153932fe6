"""Read sizes, counts and bounds of a file's columns from its Parquet footer, by field id and not by name.

Columns inside lists and maps get counts but no bounds. A variant is one column: its counts are those of its metadata,
which each value has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.schema import Schema
from pyiceberg.types import (
    IcebergType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
)

from engine.domain.errors import Fatal
from engine.formats.iceberg.statistics.bounds import Sides, bounds_of, comparable, order_key
from engine.formats.iceberg.statistics.float_knowledge import FloatKnowledge
from engine.formats.iceberg.statistics.metrics_modes import NONE, MetricsMode, primitive_ids
from engine.rewriting.kernel.reading.projection import field_id, leaf_ids

_NO_ID: Final = -1
_METADATA: Final = "metadata"
"""Name of the column inside of a variant that each value has."""


@dataclass(frozen=True, slots=True)
class ColumnMetrics:
    """Column statistics of a manifest entry, by field id."""

    column_sizes: dict[int, int] = field(default_factory=dict)
    value_counts: dict[int, int] = field(default_factory=dict)
    null_value_counts: dict[int, int] = field(default_factory=dict)
    nan_value_counts: dict[int, int] = field(default_factory=dict)
    lower_bounds: dict[int, bytes] = field(default_factory=dict)
    upper_bounds: dict[int, bytes] = field(default_factory=dict)

    def set_bounds(self, field_id: int, sides: Sides) -> None:
        """Replace both bounds of a column; None removes one."""
        for bounds, side in zip((self.lower_bounds, self.upper_bounds), sides, strict=True):
            if side is None:
                bounds.pop(field_id, None)
            else:
                bounds[field_id] = side


def column_metrics(
    footer: pq.FileMetaData, *, schema: Schema, modes: Mapping[int, MetricsMode], floats: FloatKnowledge
) -> ColumnMetrics:
    """Return sizes, counts and bounds of all leaf columns, as far as each column's metrics mode allows.

    Raises:
        Fatal: the file's field ids do not match the schema.
    """
    leaves = leaves_of(footer)
    stored = [number for number in primitive_ids(schema) if not isinstance(schema.find_type(number), UnknownType)]
    if {leaf.field_id for leaf in leaves} != set(stored):
        raise Fatal(f"an output has the columns {[leaf.field_id for leaf in leaves]}, the table {stored}")
    found = ColumnMetrics()
    for leaf in leaves:
        chunks, parts = chunks_of(footer, leaf.position), [chunks_of(footer, each) for each in leaf.parts]
        mode = modes.get(leaf.field_id, NONE)
        found.column_sizes[leaf.field_id] = sum(chunk.total_compressed_size for part in parts for chunk in part)
        if mode.counts:
            _add_counts(found, leaf.field_id, chunks)
            if leaf.field_id in floats.nans:
                found.nan_value_counts[leaf.field_id] = floats.nans[leaf.field_id]
        if mode.bounds and not leaf.repeated and leaf.field_id not in floats.without_bounds:
            of, values = schema.find_type(leaf.field_id), column_range(chunks, schema.find_type(leaf.field_id))
            if values is not None:
                has_plus_zero = leaf.field_id in floats.plus_zeros
                sides = bounds_of(*values, of=of, length=mode.length, has_plus_zero=has_plus_zero)
                found.set_bounds(leaf.field_id, sides)
    return found


def column_range(chunks: Sequence[Any], of: IcebergType) -> tuple[Any, Any] | None:
    """Return the least and greatest value of a column from its chunks' statistics; None if these are incomplete."""
    values: list[Any] = []
    for chunk in chunks:
        stats = chunk.statistics if chunk.is_stats_set else None
        if stats is not None and stats.has_null_count and stats.null_count == chunk.num_values:
            continue  # a chunk of only nulls has no bounds
        if stats is None or not stats.has_min_max or not _is_in_unit(stats, of):
            return None
        values += [comparable(raw, of=of, physical_type=chunk.physical_type) for raw in (stats.min_raw, stats.max_raw)]
    if not values or None in values:
        return None
    return min(values, key=order_key), max(values, key=order_key)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf column of the table in a file; `repeated` ones are in a list or map.

    `parts`: the numbers of its Parquet columns, several for a variant; `position`: that of the one with its counts.
    """

    field_id: int
    repeated: bool
    position: int
    parts: range


def leaves_of(footer: pq.FileMetaData) -> list[Leaf]:
    """Return the leaf columns of a file in their order."""
    places = count()
    return [leaf for each in footer.schema.to_arrow_schema() for leaf in _leaves(each, places, repeated=False)]


def chunks_of(footer: pq.FileMetaData, position: int) -> list[Any]:
    """Return the column chunks of a leaf."""
    return [footer.row_group(number).column(position) for number in range(footer.num_row_groups)]


def _leaves(node: pa.Field, places: Iterator[int], *, repeated: bool) -> Iterator[Leaf]:
    of = node.type
    if pa.types.is_struct(of) and any(field_id(each) is not None for each in of):
        for each in of:
            yield from _leaves(each, places, repeated=repeated)
    elif pa.types.is_map(of):
        yield from _leaves(of.key_field, places, repeated=True)
        yield from _leaves(of.item_field, places, repeated=True)
    elif pa.types.is_list(of) or pa.types.is_large_list(of):
        yield from _leaves(of.value_field, places, repeated=True)
    else:
        yield _whole(node, [next(places) for _ in leaf_ids([node])], repeated=repeated)


def _whole(node: pa.Field, parts: Sequence[int], *, repeated: bool) -> Leaf:
    """Return a leaf, or a variant: a struct whose fields have no ids."""
    at = 0
    if pa.types.is_struct(node.type) and node.type.get_field_index(_METADATA) > 0:
        before = [node.type.field(each) for each in range(node.type.get_field_index(_METADATA))]
        at = len(leaf_ids(before))
    number = field_id(node)
    return Leaf(_NO_ID if number is None else number, repeated, parts[at], range(parts[0], parts[-1] + 1))


def _add_counts(found: ColumnMetrics, field_id: int, chunks: Sequence[Any]) -> None:
    found.value_counts[field_id] = sum(chunk.num_values for chunk in chunks)
    if all(chunk.is_stats_set and chunk.statistics.has_null_count for chunk in chunks):
        found.null_value_counts[field_id] = sum(chunk.statistics.null_count for chunk in chunks)


def _is_in_unit(stats: Any, of: object) -> bool:
    """Return whether times are stored in the unit of the column's type; other columns have none."""
    if isinstance(of, TimestampNanoType | TimestamptzNanoType):
        return "nanoseconds" in str(stats.logical_type)
    return not isinstance(of, TimestampType | TimestamptzType | TimeType) or "microseconds" in str(stats.logical_type)

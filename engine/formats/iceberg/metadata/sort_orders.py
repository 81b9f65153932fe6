"""Row orders on an Iceberg table: columns by field id, the table's own sort order, and the order of a file.

A sort order of the table matches only if it sorts by untransformed columns, in the same directions and null orders;
outputs then have its id in their manifest entries, so that other engines can use it.

A file of any writer counts as ordered by the id in its manifest entry: Iceberg's specification allows the id of an
order only for files whose rows are in it ("Sorting"). An id that the metadata has not, has twice, or has for an order
by transformed values, is not evidence.
"""

from collections import Counter
from collections.abc import Mapping

import pyarrow.parquet as pq
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.sorting import NullOrder, SortDirection, SortOrder
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import NestedField, PrimitiveType, UnknownType

from engine.domain.errors import NotEligible
from engine.domain.tables.orders import OrderField, RequestedOrder, RowOrdering, WantedColumn
from engine.domain.values.hints import did_you_mean
from engine.formats.iceberg.intake.newer_types import NO_TYPES
from engine.rewriting.kernel.reading.projection import leaf_ids

_SORT = "sort"
_UNSORTED = 0
"""The id that Iceberg's specification reserves for files without an order."""
_LIMIT = 2**31
"""Ids in manifests are below it."""


def resolve_order(
    metadata: TableMetadata, requested: RequestedOrder, newer_types: Mapping[int, str] = NO_TYPES
) -> RowOrdering:
    """Resolve a requested order under the current schema; `newer_types`: as `ReadTable` has them.

    Raises:
        NotEligible: a column is unknown or has no order, or the table has no sort order to use.
    """
    if requested.strategy == _SORT and not requested.columns:
        ordering = RowOrdering(_SORT, _own_order(metadata))
    else:
        fields = (_field(metadata.schema(), column, requested) for column in requested.columns)
        ordering = RowOrdering(requested.strategy, tuple(fields))
    for each in ordering.fields:
        if each.field_id in newer_types:
            raise NotEligible(_has_no_order(each.name, newer_types[each.field_id]))
    return ordering


def sort_order_id(metadata: TableMetadata, footer: pq.FileMetaData) -> int | None:
    """Return the id of the table's sort order that matches a file's footer; None if none does."""
    found = _footer_order(footer)
    if not found:
        return None
    default = metadata.default_sort_order_id
    orders = sorted(metadata.sort_orders, key=lambda order: order.order_id != default)
    return next((order.order_id for order in orders if _plain_order(order) == found), None)


def order_marks(metadata: TableMetadata) -> Mapping[int, str]:
    """Return the mark (`RowOrdering.mark`) of each of the table's sort orders that a `sort` can request, by its id."""
    defined = Counter(order.order_id for order in metadata.sort_orders)
    plain = {
        order.order_id: _plain_order(order) for order in metadata.sort_orders if _UNSORTED < order.order_id < _LIMIT
    }
    return {
        order_id: RowOrdering(_SORT, tuple(OrderField("", *field) for field in fields)).mark
        for order_id, fields in plain.items()
        if fields and defined[order_id] == 1
    }


def is_in_order(metadata: TableMetadata, order_id: int | None, footer: pq.FileMetaData) -> bool:
    """Return whether a file's footer matches the table's sort order with this id."""
    found = _footer_order(footer)
    return found is not None and any(
        each.order_id == order_id and _plain_order(each) == found for each in metadata.sort_orders
    )


def _field(schema: Schema, column: WantedColumn, requested: RequestedOrder) -> OrderField:
    field = next((each for each in schema.fields if each.name == column.name), None)
    if field is None:
        raise NotEligible(f"rewrite.columns: {_why_not(schema, column.name)}")
    _check_type(field)
    is_sort = requested.strategy == _SORT
    return OrderField(
        column.name, field.field_id, is_sort and column.descending, column.nulls_first if is_sort else True
    )


def _why_not(schema: Schema, name: str) -> str:
    if name in schema.column_names:
        return f"{name!r} is a field of another column; rows can be ordered by top-level columns only"
    return f"the table has no column {name!r}; {did_you_mean(name, [each.name for each in schema.fields])}"


def _check_type(field: NestedField) -> None:
    if not isinstance(field.field_type, PrimitiveType) or isinstance(field.field_type, UnknownType):
        raise NotEligible(_has_no_order(field.name, field.field_type))


def _has_no_order(name: str, of: object) -> str:
    return f"rewrite.columns: {name!r} is a {of}, which has no order: name other columns"


def _own_order(metadata: TableMetadata) -> tuple[OrderField, ...]:
    order = next((each for each in metadata.sort_orders if each.order_id == metadata.default_sort_order_id), None)
    if order is None or not order.fields:
        raise NotEligible(
            "rewrite.strategy is sort, rewrite.columns names none, and the table has no sort order of its own: "
            "name columns, or set the table's sort order"
        )
    plain = _plain_order(order)
    if plain is None:
        transforms = ", ".join(str(each.transform) for each in order.fields)
        raise NotEligible(f"the table's own sort order uses {transforms}: name columns in rewrite.columns")
    schema = metadata.schema()
    fields = []
    for field_id, descending, nulls_first in plain:
        field = next((each for each in schema.fields if each.field_id == field_id), None)
        if field is None:
            lost = f"the table's own sort order uses field {field_id}, which is not a column of the table itself"
            raise NotEligible(f"{lost}: name columns in rewrite.columns")
        _check_type(field)
        fields.append(OrderField(field.name, field_id, descending, nulls_first))
    return tuple(fields)


def _plain_order(order: SortOrder) -> list[tuple[int, bool, bool]] | None:
    """Return (field id, descending, nulls first) of each field; None for an order by transformed values."""
    if not all(isinstance(each.transform, IdentityTransform) for each in order.fields):
        return None
    return [
        (each.source_id, each.direction is SortDirection.DESC, each.null_order is NullOrder.NULLS_FIRST)
        for each in order.fields
    ]


def _footer_order(footer: pq.FileMetaData) -> list[tuple[int, bool, bool]] | None:
    """Return the order recorded in all row groups of a file; None if there is none or they differ."""
    claims = [footer.row_group(number).sorting_columns for number in range(footer.num_row_groups)]
    if not claims or not claims[0] or any(claim != claims[0] for claim in claims):
        return None
    ids = leaf_ids(list(footer.schema.to_arrow_schema()))
    return [(ids[each.column_index] or 0, each.descending, each.nulls_first) for each in claims[0]]

"""The order of rows of a partition, from a policy's names to columns of the table and of its files.

Names are compared without regard to case. A table of Hive has no ids of its columns, so that these are numbers made of
their names: a renamed column is another one.
"""

import zlib
from collections.abc import Iterable
from typing import Final

from engine.domain.errors import NotEligible
from engine.domain.tables.orders import OrderField, RequestedOrder, RowOrdering, WantedColumn
from engine.formats.base import Condition
from engine.formats.hive.metadata.tables import TableEntry
from engine.formats.hive.rewrite.schemas import CommonSchema
from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.reading.projection import field_id

_POSITIVE: Final = 0x7FFF_FFFF


def resolve_order(entry: TableEntry, requested: RequestedOrder) -> RowOrdering:
    """Return an order by columns of a table.

    Raises:
        NotEligible: a column is unknown, nested or a partition key, or none is named.
    """
    if not requested.columns:
        raise NotEligible("rewrite.columns names none, and a Hive table has no order of its own: name columns")
    return RowOrdering(requested.strategy, tuple(_field(entry, each) for each in requested.columns))


def _field(entry: TableEntry, wanted: WantedColumn) -> OrderField:
    name = wanted.name.lower()
    if name in {each.name.lower() for each in entry.keys}:
        raise NotEligible(f"rewrite.columns: {wanted.name[:100]!r} is a partition key: a partition has one value of it")
    found = next((each for each in entry.columns if each.name.lower() == name), None)
    if found is None:
        raise NotEligible(f"rewrite.columns: the table has no column {wanted.name[:100]!r} at its top level")
    if found.is_nested:
        raise NotEligible(f"rewrite.columns: {wanted.name[:100]!r} is nested, which has no order: name other columns")
    return OrderField(name, zlib.crc32(name.encode()) & _POSITIVE, wanted.descending, wanted.nulls_first)


def order_condition(entry: TableEntry, requested: RequestedOrder) -> Condition:
    """Return the condition that the table can be put into an order."""
    try:
        return Condition("order_possible", True, resolve_order(entry, requested).words[:300])
    except NotEligible as error:
        return Condition("order_possible", False, error.message)


def row_order(order: RowOrdering, common: CommonSchema) -> RowOrder | None:
    """Return the order of a task's rows; None if no file of the partition has one of its columns."""
    numbers = {field.name.lower(): field_id(field) for field in common.schema}
    columns = tuple(_columns(order.fields, numbers, common.dialect.int96_ids))
    return RowOrder(order.strategy, columns) if columns else None


def _columns(
    fields: Iterable[OrderField], numbers: dict[str, int | None], int96_ids: Iterable[int]
) -> Iterable[SortColumn]:
    stamps = frozenset(int96_ids)
    for one in fields:
        number = numbers.get(one.name)
        if number is not None:
            yield SortColumn(number, one.descending, one.nulls_first, is_int96=number in stamps)

"""Partition columns for `planning.plans.predicates`: JSON values in the form of a partition's canonical JSON.

Format of values: numbers and booleans as in JSON, dates `2026-11-01`, timestamps `2026-11-01T16:00:00`, decimals as
text.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

from engine.domain.tables.predicates import Scalar
from engine.domain.values.partitions import TimeUnit
from engine.formats.intake.predicate_values import day, decimal, text, timestamp, truth, whole
from engine.formats.paimon.metadata.partitions import PartitionCodec, json_value
from engine.formats.paimon.metadata.schemas import Column
from engine.planning.measures.digest import PartitionTime
from engine.planning.plans.predicates import PartitionSpecFields, SpecField

SPEC_ID: Final = 0
"""The only partition spec of a table: Paimon can't change it."""

_BITS: Final[Mapping[str, int]] = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "INTEGER": 31, "BIGINT": 63}


def spec_fields(codec: PartitionCodec) -> PartitionSpecFields:
    """Return the partition columns of a table in the form that predicates are evaluated with."""
    fields = [
        SpecField(position, column.name, "identity", column.type.text, _converter(column))
        for position, column in enumerate(codec.columns)
    ]
    return PartitionSpecFields(SPEC_ID, tuple(fields), lambda partition: _comparable(codec, partition))


def partition_times(codec: PartitionCodec) -> Mapping[int, PartitionTime]:
    """Return the partition column with the day of a partition, by the id of the spec; empty without a date column."""
    dates = [column.name for column in codec.columns if column.type.root == "DATE"]
    return {SPEC_ID: PartitionTime(dates[0], TimeUnit.DAY)} if dates else {}


def _comparable(codec: PartitionCodec, partition: str) -> list[Any]:
    """Return the values of a partition, decimals as such: their texts have another order."""
    pairs = zip(codec.columns, codec.decode(partition), strict=True)
    return [Decimal(value) if value is not None and _is_decimal(column) else value for column, value in pairs]


def _is_decimal(column: Column) -> bool:
    return column.type.root in {"DECIMAL", "NUMERIC"}


def _converter(column: Column) -> Callable[[Scalar], Any]:
    root = column.type.root
    if root in _BITS:
        return partial(whole, bits=_BITS[root])
    if root == "BOOLEAN":
        return truth
    if root == "DATE":
        return lambda value: str(json_value(day(value)))
    if root == "TIMESTAMP":
        return lambda value: str(json_value(timestamp(value)))
    return decimal if _is_decimal(column) else text

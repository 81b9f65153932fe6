"""Partition columns for `planning.plans.predicates`: JSON values in the form of a partition's canonical JSON.

Format of values: numbers and booleans as in JSON, dates `2026-11-01`, decimals as text.
"""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final

from engine.domain.tables.predicates import Scalar
from engine.formats.paimon.metadata.partitions import PartitionCodec, json_value
from engine.formats.paimon.metadata.schemas import Column
from engine.planning.measures.digest import PartitionTime, TimeUnit
from engine.planning.plans.predicates import PartitionField, PartitionSpecFields

SPEC_ID: Final = 0
"""The only partition spec of a table: Paimon can't change it."""

_BITS: Final[Mapping[str, int]] = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "INTEGER": 31, "BIGINT": 63}


def spec_fields(codec: PartitionCodec) -> PartitionSpecFields:
    """Return the partition columns of a table in the form that predicates are evaluated with."""
    fields = [
        PartitionField(position, column.name, "identity", column.type.text, _converter(column))
        for position, column in enumerate(codec.columns)
    ]
    return PartitionSpecFields(SPEC_ID, tuple(fields), lambda text: _comparable(codec, text))


def partition_times(codec: PartitionCodec) -> Mapping[int, PartitionTime]:
    """Return the partition column with the day of a partition, by the id of the spec; empty without a date column."""
    dates = [column.name for column in codec.columns if column.type.root == "DATE"]
    return {SPEC_ID: PartitionTime(dates[0], TimeUnit.DAY)} if dates else {}


def _comparable(codec: PartitionCodec, text: str) -> list[Any]:
    """Return the values of a partition, decimals as such: their texts have another order."""
    pairs = zip(codec.columns, codec.decode(text), strict=True)
    return [Decimal(value) if value is not None and _is_decimal(column) else value for column, value in pairs]


def _is_decimal(column: Column) -> bool:
    return column.type.root in {"DECIMAL", "NUMERIC"}


def _converter(column: Column) -> Callable[[Scalar], Any]:
    root = column.type.root
    if root in _BITS:
        return partial(_whole, bits=_BITS[root])
    if root == "BOOLEAN":
        return partial(_of, kind=bool, wanted="true or false")
    if root == "DATE":
        return _day
    return _decimal if _is_decimal(column) else partial(_of, kind=str, wanted="text")


def _of(value: Scalar, *, kind: type[Any], wanted: str) -> Any:
    if type(value) is not kind:
        message = f"{value!r} is not {wanted}"
        raise ValueError(message)
    return value


def _whole(value: Scalar, *, bits: int) -> int:
    number: int = _of(value, kind=int, wanted="a whole number")
    if not -(2**bits) <= number < 2**bits:
        message = f"{number} does not fit into {bits + 1} bits"
        raise ValueError(message)
    return number


def _day(value: Scalar) -> str:
    text = _of(value, kind=str, wanted="a date such as '2026-11-01'")
    try:
        return str(json_value(date.fromisoformat(text)))
    except ValueError:
        message = f"{text!r} is not a date such as '2026-11-01'"
        raise ValueError(message) from None


def _decimal(value: Scalar) -> Decimal:
    text = str(value) if type(value) is int else _of(value, kind=str, wanted="a decimal as text")
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        message = f"{text!r} is not a decimal as text"
        raise ValueError(message)
    return number

"""Evaluation of partition predicates: validity for a table, and the selected partitions. Whole partitions only.

The transform of the partition field is applied to a value, and the result is compared with the partition's value: on
`day(ts)`, `ts >= 2026-11-01T15:00` selects all of November 1st. As in Iceberg, `ne` and `not_in` are the negations of
`eq` and `in` (they select the null partition), and a null is neither less nor greater than any value. `bucket` has no
order.

Each spec is evaluated separately. Files of a spec that does not partition by a column of the predicate are not
selected; a column that no spec partitions by is an error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

import numpy as np
import pyarrow as pa

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.tables.predicates import All, AnyOf, Comparison, Not, Op, PartitionPredicate, Scalar, comparisons
from engine.planning.measures.partitions import partition_files

_FINEST_FIRST: Final = ("identity", "hour", "day", "month", "year", "truncate", "bucket")


@dataclass(frozen=True, slots=True)
class SpecField:
    """One field of a partition spec.

    `position` in the spec; `column` is the source's full name; `transform` such as `day` or `bucket[16]`; `convert`
    turns a JSON value into the field's value and raises `ValueError`, with a message, if it is not of the column's
    type.
    """

    position: int
    column: str
    transform: str
    type: str
    convert: Callable[[Scalar], Any]

    @property
    def is_ordered(self) -> bool:
        """Whether the field's values have an order; hashes have none."""
        return not self.transform.startswith("bucket")


@dataclass(frozen=True, slots=True)
class PartitionSpecFields:
    """One partition spec of a table; `decode` reads a partition's canonical JSON as values by position."""

    spec_id: int
    fields: tuple[SpecField, ...]
    decode: Callable[[str], Sequence[Any]]

    def find(self, column: str) -> SpecField | None:
        """Return the field that partitions by a column, the finest of several; None without one."""
        found = [field for field in self.fields if field.column == column]
        return min(found, key=lambda field: _FINEST_FIRST.index(field.transform.partition("[")[0]), default=None)


def check_predicate(
    predicate: PartitionPredicate, specs: Sequence[PartitionSpecFields], columns: Sequence[str], *, pointer: str
) -> None:
    """Check that a predicate is valid for a table; `columns`: its schema's, `pointer`: JSON pointer to the predicate.

    Raises:
        InvalidInput: columns without a partition field, comparisons without an order, values of the wrong type.
    """
    found = [
        problem
        for place, comparison in comparisons(predicate, pointer)
        for problem in _problems(comparison, specs, columns, place)
    ]
    if found:
        message = f"the predicate does not fit the table: {found[0].message}"
        raise InvalidInput(message, problems=tuple(found))


def select_partitions(
    digest: pa.Table, predicate: PartitionPredicate, specs: Sequence[PartitionSpecFields]
) -> pa.Table:
    """Return the rows of a digest (`planning.measures.digest.FILE_DIGEST`) whose partitions the predicate selects.

    The predicate is evaluated once per partition, not per file.
    """
    files = partition_files(digest)
    by_id = {spec.spec_id: (_judge(predicate, spec), spec.decode) for spec in specs}
    chosen = np.zeros(len(files.names), dtype=np.bool_)
    for number, (spec_id, name) in enumerate(zip(files.spec_ids.tolist(), files.names, strict=True)):
        judge, decode = by_id[spec_id]
        chosen[number] = judge is not None and judge(decode(name))
    return digest.filter(pa.array(chosen[files.partition_of]))


def _problems(
    comparison: Comparison, specs: Sequence[PartitionSpecFields], columns: Sequence[str], pointer: str
) -> list[FieldProblem]:
    fields = [field for spec in specs if (field := spec.find(comparison.column)) is not None]
    if not fields:
        return [_no_field(comparison.column, specs, columns, pointer)]
    if comparison.op in _ORDERS and not any(field.is_ordered for field in fields):
        allowed = "eq, ne, in, not_in, is_null, is_not_null"
        text = f"{comparison.column} is partitioned by {fields[0].transform}, which has no order"
        return [FieldProblem(f"{pointer}/op", text, comparison.op.value, f"use one of {allowed}")]
    found = []
    for number, value in enumerate(comparison.given()):
        place = f"{pointer}/value" if comparison.values is None else f"{pointer}/values/{number}"
        try:
            for field in fields:
                field.convert(value)
        except ValueError as error:
            found.append(FieldProblem(place, str(error), value, f"{comparison.column} is of type {fields[0].type}"))
    return found


def _no_field(column: str, specs: Sequence[PartitionSpecFields], columns: Sequence[str], pointer: str) -> FieldProblem:
    sources = sorted({_in_words(field) for spec in specs for field in spec.fields})
    if not sources:
        text = (
            f"the table is not partitioned (spec {specs[-1].spec_id if specs else 0}): it has no partitions to choose"
        )
        return FieldProblem(f"{pointer}/column", text, column, "omit `partitions` to select the whole table")
    text = "no partition spec of the table partitions by this column"
    if column not in columns:
        text = "the table has no such column"
    hint = f"conditions are on columns; it is partitioned by: {', '.join(sources)}"
    return FieldProblem(f"{pointer}/column", text, column, hint)


def _in_words(field: SpecField) -> str:
    return field.column if field.transform == "identity" else f"{field.column} (its {field.transform})"


_Values = Sequence[Any]
_Judge = Callable[[_Values], bool]


def _judge(predicate: PartitionPredicate, spec: PartitionSpecFields) -> _Judge | None:
    """Return the predicate as a function of a partition's values; None where the spec lacks one of its columns."""
    match predicate:
        case Comparison():
            return _compare(predicate, spec)
        case Not():
            part = _judge(predicate.part, spec)
            return None if part is None else lambda values: not part(values)
        case All() | AnyOf():
            found = [_judge(each, spec) for each in predicate.parts]
            judges = [each for each in found if each is not None]
            if len(judges) < len(found):
                return None
            decide = all if isinstance(predicate, All) else any
            return lambda values: decide(judge(values) for judge in judges)
        case _ as never:
            assert_never(never)


def _compare(comparison: Comparison, spec: PartitionSpecFields) -> _Judge | None:
    field = spec.find(comparison.column)
    if field is None or (comparison.op in _ORDERS and not field.is_ordered):
        return None
    at = field.position
    wanted = [field.convert(value) for value in comparison.given()]
    match comparison.op:
        case Op.EQ | Op.IN:
            return lambda values: values[at] in wanted
        case Op.NE | Op.NOT_IN:
            return lambda values: values[at] not in wanted
        case Op.IS_NULL:
            return lambda values: values[at] is None
        case Op.IS_NOT_NULL:
            return lambda values: values[at] is not None
        case Op.LT | Op.LE | Op.GT | Op.GE:
            compare, limit = _ORDERS[comparison.op], wanted[0]
            return lambda values: values[at] is not None and compare(values[at], limit)
        case _ as never:
            assert_never(never)


_ORDERS: Final[Mapping[Op, Callable[[Any, Any], bool]]] = {
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.GT: lambda a, b: a > b,
    Op.GE: lambda a, b: a >= b,
}

"""Predicates over the partitions of a table: typed JSON, never SQL text. `planning.plans.predicates` evaluates them.

    {"column": "day", "op": "in", "values": ["2026-11-01", "2026-11-02"]}
    {"and": [{"column": "day", "op": "ge", "value": "2026-11-01"}, {"not": {"column": "region", "op": "is_null"}}]}

Limits: at most 8 levels and 500 values, so that the cost of checking one is negligible.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Final, Union

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from engine.domain.values.strict import OneLine

MAX_DEPTH: Final = 8
MAX_VALUES: Final = 500
MAX_TEXT: Final = 1024

Scalar = Union[bool, int, float, Annotated[OneLine, Field(max_length=MAX_TEXT)]]  # noqa: UP007 - strict, in this order
"""A JSON value; dates, times, decimals and uuids are strings."""


class Op(StrEnum):
    """Comparison of a column with a value."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    NOT_IN = "not_in"
    IS_NULL = "is_null"
    IS_NOT_NULL = "is_not_null"


LISTS: Final = frozenset({Op.IN, Op.NOT_IN})
NULLS: Final = frozenset({Op.IS_NULL, Op.IS_NOT_NULL})


_NO_VALUE: Final = {"not": {"type": ["boolean", "number", "string"]}}
_NO_VALUES: Final = {"not": {"type": "array", "items": {}}}
_OPERANDS: Final[dict[str, Any]] = {
    "oneOf": [
        {
            "required": ["value"],
            "properties": {
                "op": {"enum": [op.value for op in Op if op not in LISTS | NULLS]},
                "value": {"type": ["boolean", "number", "string"]},
                "values": _NO_VALUES,
            },
        },
        {
            "required": ["values"],
            "properties": {
                "op": {"enum": [op.value for op in Op if op in LISTS]},
                "value": _NO_VALUE,
                "values": {"type": "array", "items": {"type": ["boolean", "number", "string"]}},
            },
        },
        {
            "properties": {
                "op": {"enum": [op.value for op in Op if op in NULLS]},
                "value": _NO_VALUE,
                "values": _NO_VALUES,
            }
        },
    ]
}
"""JSON Schema of the operands of each operation."""


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, json_schema_mode_override="validation")


class Comparison(_Node):
    """One column compared: with `value`, with `values` (`in`, `not_in`), or with neither (`is_null`, `is_not_null`)."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"column": "day", "op": "eq", "value": "2026-11-01"}], "allOf": [_OPERANDS]}
    )

    column: Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="The partition's source column.")]
    op: Annotated[Op, Field(strict=False)]
    value: Scalar | None = None
    values: Annotated[tuple[Scalar, ...], Field(strict=False, min_length=1, max_length=MAX_VALUES)] | None = None

    @field_validator("value", "values")
    @classmethod
    def _finite(cls, given: Any) -> Any:
        for value in given if isinstance(given, tuple) else (given,):
            if isinstance(value, float) and value - value != 0:
                message = "a number must be finite"
                raise ValueError(message)
        return given

    @model_validator(mode="after")
    def _value_fits_op(self) -> "Comparison":
        wants_value, wants_values = self.op not in LISTS | NULLS, self.op in LISTS
        if (self.value is not None) != wants_value or (self.values is not None) != wants_values:
            wanted = "`value`" if wants_value else "`values`" if wants_values else "neither `value` nor `values`"
            message = f"{self.op} takes {wanted}"
            raise ValueError(message)
        return self

    def given(self) -> tuple[Scalar, ...]:
        """Return the operands of the comparison; empty for `is_null` and `is_not_null`."""
        if self.values is not None:
            return self.values
        return () if self.value is None else (self.value,)


class All(_Node):
    """True where every part is."""

    parts: Annotated[tuple["PartitionPredicate", ...], Field(alias="and", strict=False, min_length=1, max_length=100)]


class AnyOf(_Node):
    """True where at least one part is."""

    parts: Annotated[tuple["PartitionPredicate", ...], Field(alias="or", strict=False, min_length=1, max_length=100)]


class Not(_Node):
    """True where the part is not."""

    part: Annotated["PartitionPredicate", Field(alias="not")]


def _kind(value: Any) -> str:
    """Return the kind of predicate (one of four) of a value, by the key that only this kind has."""
    for model, (key, tag) in _COMPOUNDS.items():
        if isinstance(value, model) or (isinstance(value, dict) and key in value):
            return tag
    return "comparison"


_COMPOUNDS: Final = {All: ("and", "conjunction"), AnyOf: ("or", "disjunction"), Not: ("not", "negation")}
"""Key and tag of each kind; pydantic puts tags into the locations of errors, so a tag must not equal a key."""


PartitionPredicate = Annotated[
    Annotated[Comparison, Tag("comparison")]
    | Annotated[All, Tag("conjunction")]
    | Annotated[AnyOf, Tag("disjunction")]
    | Annotated[Not, Tag("negation")],
    Discriminator(_kind),
]
"""A predicate over the partitions of a table."""

for _model in (All, AnyOf, Not):
    _model.model_rebuild()


def comparisons(predicate: PartitionPredicate, pointer: str = "") -> Iterator[tuple[str, Comparison]]:
    """Yield every comparison with its JSON pointer below `pointer`."""
    match predicate:
        case Comparison():
            yield pointer, predicate
        case All() | AnyOf():
            word = "and" if isinstance(predicate, All) else "or"
            for number, part in enumerate(predicate.parts):
                yield from comparisons(part, f"{pointer}/{word}/{number}")
        case Not():
            yield from comparisons(predicate.part, f"{pointer}/not")


def document(predicate: PartitionPredicate) -> dict[str, Any]:
    """Return the predicate as a JSON document, without absent fields."""
    return predicate.model_dump(mode="json", by_alias=True, exclude_none=True)


def check_size(predicate: PartitionPredicate) -> PartitionPredicate:
    """Return the predicate, or raise `ValueError` when it is too deep or has too many values."""
    depth = _depth(predicate)
    if depth > MAX_DEPTH:
        message = f"{depth} levels deep; at most {MAX_DEPTH} are allowed"
        raise ValueError(message)
    count = sum(len(comparison.given()) for _, comparison in comparisons(predicate))
    if count > MAX_VALUES:
        message = f"{count} values; at most {MAX_VALUES} are allowed, in all comparisons together"
        raise ValueError(message)
    return predicate


def _depth(predicate: PartitionPredicate) -> int:
    match predicate:
        case Comparison():
            return 1
        case All() | AnyOf():
            return 1 + max(_depth(part) for part in predicate.parts)
        case Not():
            return 1 + _depth(predicate.part)

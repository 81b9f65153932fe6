"""Partition keys: the Metastore's texts as canonical JSON, and JSON values of predicates compared with them.

Format of values: numbers and booleans as in JSON, dates `2026-11-01`, decimals and everything else as text. A text that
is no value of its key's type stays a text; engines read it as null.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final

from engine.domain.tables.predicates import Scalar
from engine.formats.hive.metadata.tables import HiveColumn
from engine.formats.intake.limits import Malformed
from engine.planning.measures.digest import PartitionTime, TimeUnit
from engine.planning.plans.predicates import PartitionField, PartitionSpecFields

SPEC_ID: Final = 0
"""The only partition spec of a table: its keys can't change."""

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""The text of a null, and of an empty text."""

_BITS: Final[Mapping[str, int]] = {"tinyint": 7, "smallint": 15, "int": 31, "integer": 31, "bigint": 63}
_WHOLE: Final = re.compile(r"[+-]?\d{1,19}", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TRUTHS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """The partition keys of one table, in order; none for a table without partitions."""

    columns: tuple[HiveColumn, ...]

    def encode(self, texts: Sequence[str]) -> str:
        """Return the canonical JSON of a partition.

        Raises:
            Malformed: there are not as many values as keys.
        """
        if len(texts) != len(self.columns):
            raise Malformed(f"a partition has {len(texts)} values, the table {len(self.columns)} partition keys")
        pairs = zip(self.columns, texts, strict=True)
        return json.dumps(
            {key.name: _value(key.type, str(text)) for key, text in pairs}, ensure_ascii=False, separators=(",", ":")
        )

    def fields(self) -> PartitionSpecFields:
        """Return the keys in the form that predicates are evaluated with."""
        fields = [
            PartitionField(at, key.name, "identity", key.type, _converter(key.type))
            for at, key in enumerate(self.columns)
        ]
        return PartitionSpecFields(SPEC_ID, tuple(fields), self._comparable)

    def times(self, partitions: Sequence[str]) -> Mapping[int, PartitionTime]:
        """Return the first key with the day of each partition: of type date, or texts that are dates in all of them."""
        for key in self.columns:
            is_text = _kind(key.type) == "text"
            if key.type == "date" or (is_text and partitions and all(_is_day(each, key.name) for each in partitions)):
                return {SPEC_ID: PartitionTime(key.name, TimeUnit.DAY)}
        return {}

    def _comparable(self, partition: str) -> list[Any]:
        """Return the values of a partition; decimals as such, and null for what is no value of its key's type."""
        stored = json.loads(partition)
        return [_typed(key.type, stored[key.name]) for key in self.columns]


def _kind(hive_type: str) -> str:
    root = hive_type.partition("(")[0].strip()
    if root in _BITS:
        return "whole"
    return root if root in {"boolean", "date", "decimal"} else "text"


def _value(hive_type: str, text: str) -> Any:
    if text == NULL:
        return None
    match _kind(hive_type):
        case "whole":
            return int(text) if _WHOLE.fullmatch(text) else text
        case "boolean":
            return _TRUTHS.get(text.lower(), text)
    return text


def _typed(hive_type: str, value: Any) -> Any:
    if value is None:
        return None
    try:
        return _converter(hive_type)(value)
    except ValueError:
        return None


def _is_day(partition: str, key: str) -> bool:
    value = json.loads(partition)[key]
    return value is None or (_DAY.fullmatch(value) is not None and _is_date(value))


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _converter(hive_type: str) -> Callable[[Scalar], Any]:
    match _kind(hive_type):
        case "whole":
            return partial(_number, bits=_BITS[hive_type])
        case "boolean":
            return partial(_of, kind=bool, wanted="true or false")
        case "date":
            return _day
        case "decimal":
            return _decimal
    return partial(_of, kind=str, wanted="text")


def _of(value: Scalar, *, kind: type[Any], wanted: str) -> Any:
    if type(value) is not kind:
        message = f"{value!r} is not {wanted}"
        raise ValueError(message)
    return value


def _number(value: Scalar, *, bits: int) -> int:
    number: int = _of(value, kind=int, wanted="a whole number")
    if not -(2**bits) <= number < 2**bits:
        message = f"{number} does not fit into {bits + 1} bits"
        raise ValueError(message)
    return number


def _day(value: Scalar) -> str:
    text: str = _of(value, kind=str, wanted="a date such as '2026-11-01'")
    if not _DAY.fullmatch(text) or not _is_date(text):
        message = f"{text!r} is not a date such as '2026-11-01'"
        raise ValueError(message)
    return text


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

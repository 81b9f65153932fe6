"""Partition keys: the Metastore's texts as canonical JSON, and JSON values of predicates compared with them.

Format of values: numbers and booleans as in JSON, dates `2026-11-01`, decimals and everything else as text. A text that
is not a value of its key's type stays a text; engines read it as null.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final

from engine.domain.tables.predicates import Scalar
from engine.domain.values.partitions import TimeUnit
from engine.formats.hive.metadata.tables import HiveColumn
from engine.formats.intake.limits import Malformed
from engine.formats.intake.predicate_values import day, decimal, text, truth, whole
from engine.planning.measures.digest import PartitionTime
from engine.planning.plans.predicates import PartitionSpecFields, SpecField

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
            {key.name: _value(key.type, str(stored)) for key, stored in pairs},
            ensure_ascii=False,
            separators=(",", ":"),
        )

    def texts(self, partition: str) -> Sequence[str]:
        """Return the texts of a partition's keys, by its canonical JSON; others that mean the same are possible."""
        stored = json.loads(partition)
        return [_text(stored[key.name]) for key in self.columns]

    def fields(self) -> PartitionSpecFields:
        """Return the keys in the form that predicates are evaluated with."""
        fields = [
            SpecField(at, key.name, "identity", key.type, _converter(key.type)) for at, key in enumerate(self.columns)
        ]
        return PartitionSpecFields(SPEC_ID, tuple(fields), self._comparable)

    def times(self, partitions: Sequence[str]) -> Mapping[int, PartitionTime]:
        """Return the first key with the day of each partition: of type date, or texts that are dates in all of them."""
        for key in self.columns:
            is_text = _converter(key.type) is text
            if key.type == "date" or (is_text and partitions and all(_is_day(each, key.name) for each in partitions)):
                return {SPEC_ID: PartitionTime(key.name, TimeUnit.DAY)}
        return {}

    def _comparable(self, partition: str) -> list[Any]:
        """Return the values of a partition; decimals as such, and null for what is not a value of its key's type."""
        stored = json.loads(partition)
        return [_typed(key.type, stored[key.name]) for key in self.columns]


def _root(hive_type: str) -> str:
    return hive_type.partition("(")[0].strip()


def _value(hive_type: str, stored: str) -> Any:
    if stored == NULL:
        return None
    if _root(hive_type) in _BITS:
        return int(stored) if _WHOLE.fullmatch(stored) else stored
    return _TRUTHS.get(stored.lower(), stored) if _root(hive_type) == "boolean" else stored


def _text(value: Any) -> str:
    if value is None:
        return NULL
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(hive_type: str, value: Any) -> Any:
    if value is None:
        return None
    try:
        return _converter(hive_type)(value)
    except ValueError:
        return None


def _is_day(partition: str, key: str) -> bool:
    value = json.loads(partition)[key]
    return value is None or _typed("date", value) is not None


def _converter(hive_type: str) -> Callable[[Scalar], Any]:
    root = _root(hive_type)
    if root in _BITS:
        return partial(whole, bits=_BITS[root])
    match root:
        case "boolean":
            return truth
        case "date":
            return lambda value: day(value, _day).isoformat()
        case "decimal":
            return decimal
    return text


def _day(given: str) -> date:
    if not _DAY.fullmatch(given):
        raise ValueError(given)
    return date.fromisoformat(given)

"""Types of columns, as Paimon's schema files write them: a text such as `DECIMAL(10, 2) NOT NULL`, or an object."""

import re
from dataclasses import dataclass
from typing import Any, Final

from engine.formats.intake.limits import Malformed

_TEXT: Final = re.compile(
    r"([A-Z_ ]+?)\s*(?:\(\s*(\d{1,4})\s*(?:,\s*(\d{1,4})\s*)?\))?( WITH LOCAL TIME ZONE)?( NOT NULL)?"
)
_SCALARS: Final = frozenset(
    {
        *("CHAR", "VARCHAR", "STRING", "BOOLEAN", "BINARY", "VARBINARY", "BYTES", "DECIMAL", "NUMERIC", "TINYINT"),
        *("SMALLINT", "INT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"),
        *("VARIANT", "BLOB"),
    }
)
_NESTED: Final = frozenset({"ARRAY", "MULTISET", "MAP", "ROW", "VECTOR"})
_DEEPEST: Final = 64
_PRECISIONS: Final = {"DECIMAL": 10, "NUMERIC": 10, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column.

    `root`: its kind, such as `DECIMAL` or `ROW`. `precision`, `scale`: of the kinds that have them, otherwise 0.
    `fields`: names of a row's columns, and of columns inside of them, joined with dots.
    """

    root: str
    text: str
    precision: int = 0
    scale: int = 0
    fields: tuple[str, ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether values have no order: they contain others."""
        return self.root in _NESTED or self.root in {"VARIANT", "BLOB"}


def parse_type(written: Any, *, depth: int = 0) -> ColumnType:
    """Return the type of a column as a schema file has it.

    Raises:
        Malformed: it is unknown.
    """
    if depth > _DEEPEST:
        raise Malformed(f"its types are nested deeper than {_DEEPEST}")
    if isinstance(written, str):
        return _scalar(written)
    if not isinstance(written, dict):
        raise Malformed("a type is neither a text nor an object")
    root = str(written.get("type", ""))[:40].removesuffix(" NOT NULL").strip()
    if root not in _NESTED:
        raise Malformed(f"its type {root!r} is not known")
    if root == "ROW":
        return ColumnType(root, root, fields=tuple(_names(written.get("fields"), depth)))
    for part in ("key", "value") if root == "MAP" else ("element",):
        parse_type(written.get(part), depth=depth + 1)
    return ColumnType(root, root)


def _names(fields: Any, depth: int) -> list[str]:
    found: list[str] = []
    for each in fields if isinstance(fields, list) else [None]:
        if not isinstance(each, dict) or not isinstance(each.get("name"), str):
            raise Malformed("a field of a row has no name")
        inner = parse_type(each.get("type"), depth=depth + 1)
        found += [each["name"], *(f"{each['name']}.{name}" for name in inner.fields)]
    return found


def _scalar(written: str) -> ColumnType:
    matched = _TEXT.fullmatch(written[:200])
    root = (matched[1] if matched else written[:40]) + ("_LTZ" if matched and matched[4] else "")
    if matched is None or root not in _SCALARS:
        raise Malformed(f"its type {root!r} is not known")
    precision = int(matched[2]) if matched[2] else _PRECISIONS.get(root, 0)
    return ColumnType(root, written, precision, int(matched[3] or 0))

"""Types of columns, as Paimon's schema files write them: a text such as `DECIMAL(10, 2) NOT NULL`, or an object."""

import re
from dataclasses import dataclass
from typing import Any, Final

from engine.formats.intake.limits import NEWER_WRITER, SCHEMA_DEPTH, Malformed, Unsupported, check_schema

_TEXT: Final = re.compile(
    r"([A-Z_ ]+?)\s*(?:\(\s*(\d{1,4})\s*(?:,\s*(\d{1,4})\s*)?\))?( WITH LOCAL TIME ZONE)?( NOT NULL)?"
)
SCALARS: Final = frozenset(
    {
        *("CHAR", "VARCHAR", "STRING", "BOOLEAN", "BINARY", "VARBINARY", "BYTES", "DECIMAL", "NUMERIC", "TINYINT"),
        *("SMALLINT", "INT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"),
        *("VARIANT", "BLOB"),
    }
)
PARTS: Final = {
    "ARRAY": ("element",),
    "MULTISET": ("element",),
    "VECTOR": ("element",),
    "MAP": ("key", "value"),
}
"""The parts of a nested type besides `ROW`, which has fields."""

_ROW: Final = "ROW"
_NOT_NULL: Final = " NOT NULL"
_PRECISIONS: Final = {"DECIMAL": 10, "NUMERIC": 10, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}


@dataclass(frozen=True, slots=True)
class NestedType:
    """A type inside of another one: a field of a row with its name and id, or an element, key or value without id."""

    name: str
    type: "ColumnType"
    id: int = -1


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column.

    `root`: its kind, such as `DECIMAL` or `ROW`. `precision`, `scale`: of the kinds that have them, otherwise 0.
    `parts`: the types inside of it.
    """

    root: str
    text: str
    is_nullable: bool = True
    precision: int = 0
    scale: int = 0
    parts: tuple[NestedType, ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether values have no order: they contain others."""
        return self.root == _ROW or self.root in PARTS or self.root in {"VARIANT", "BLOB"}

    @property
    def size(self) -> tuple[int, int]:
        """The number of fields and of levels of a column of this type; those of structs, arrays and maps included."""
        inner = [part.type.size for part in self.parts]
        return 1 + sum(fields for fields, _ in inner), 1 + max((depth for _, depth in inner), default=0)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of a row's columns, and of columns inside of them, joined with dots."""
        if self.root != _ROW:
            return ()
        return tuple(
            name for part in self.parts for name in (part.name, *(f"{part.name}.{each}" for each in part.type.fields))
        )


def parse_type(written: Any, *, depth: int = 0) -> ColumnType:
    """Return the type of a column as a schema file has it.

    Raises:
        Malformed: it is unknown.
    """
    if depth >= SCHEMA_DEPTH:
        check_schema("it", fields=0, depth=depth + 1)
    if isinstance(written, str):
        return _scalar(written)
    if not isinstance(written, dict):
        raise Malformed("a type is neither a text nor an object")
    named = str(written.get("type", ""))[:40]
    root = named.removesuffix(_NOT_NULL).strip()
    if root == _ROW:
        parts = _fields(written.get("fields"), depth)
    elif root in PARTS:
        parts = tuple(NestedType(name, parse_type(written.get(name), depth=depth + 1)) for name in PARTS[root])
    else:
        raise Unsupported(f"its type {root!r} is not known: {NEWER_WRITER}")
    return ColumnType(root, root, is_nullable=not named.endswith(_NOT_NULL), parts=parts)


def _fields(written: Any, depth: int) -> tuple[NestedType, ...]:
    found: list[NestedType] = []
    for each in written if isinstance(written, list) else [None]:
        if not isinstance(each, dict) or not isinstance(each.get("name"), str):
            raise Malformed("a field of a row has no name")
        number = each.get("id")
        number = number if isinstance(number, int) and not isinstance(number, bool) else -1
        found.append(NestedType(each["name"], parse_type(each.get("type"), depth=depth + 1), number))
    return tuple(found)


def _scalar(written: str) -> ColumnType:
    matched = _TEXT.fullmatch(written[:200])
    root = (matched[1] if matched else written[:40]) + ("_LTZ" if matched and matched[4] else "")
    if matched is None or root not in SCALARS:
        raise Unsupported(f"its type {root!r} is not known: {NEWER_WRITER}")
    precision = int(matched[2]) if matched[2] else _PRECISIONS.get(root, 0)
    return ColumnType(root, written, is_nullable=matched[5] is None, precision=precision, scale=int(matched[3] or 0))

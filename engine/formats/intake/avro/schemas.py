"""Check the schema of an Avro container before anything is decoded by it, and return the least size of its records.

A schema decides how much work and memory a byte of the file becomes: named types refer to one another, so that a
kilobyte of schema can stand for 2^40 values, and some values take no bytes. Manifests need none of that.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from engine.formats.intake.limits import MANIFEST_BYTES, Malformed

_LARGEST_SCHEMA: Final = 2**19
"""Limit of a schema in bytes. That of a manifest has 5 kB, and about 150 for each field of the partition spec."""

_USUAL_SCHEMA: Final = 2**16  # bytes; a larger one is not cached
_LARGEST_FIXED: Final = 2**20
_VALUES_PER_BYTE: Final = 8
_ATTRIBUTES: Final = {"name": str, "logicalType": str} | dict.fromkeys(("field-id", "element-id", "key-id"), int)
_LEAST_BYTES: Final = {"null": 0, "float": 4, "double": 8}  # size of a value; any other type has at least one byte


@dataclass(frozen=True, slots=True)
class _Size:
    """The least size of a value of a type: its bytes, and the number of values in it, nulls included.

    Without the items of arrays and maps. Larger numbers than `MANIFEST_BYTES` are this one: no file has them.
    """

    least: int
    values: int = 1

    def check(self) -> None:
        """Raise `Malformed` for a type of which a few bytes can be many values."""
        if self.values > _VALUES_PER_BYTE * max(1, self.least):
            raise Malformed(
                f"its Avro schema has a type with {self.values} values in {self.least} bytes; "
                f"{_VALUES_PER_BYTE} for each byte is the limit"
            )


_Known = dict[str, _Size | None]
"""The size of each named type that was defined before; None for one around the current type."""


def least_bytes(written: bytes) -> int:
    """Return the minimum size in bytes of a record by an Avro schema, given as JSON; at least 1.

    Raises:
        Malformed: the schema is none of records, contains itself, an array of zero-byte items, a type of many values
            in few bytes, a huge fixed type, or a name or an id of another kind, or it is too large.
    """
    if len(written) > _LARGEST_SCHEMA:
        raise Malformed(f"its Avro schema has {len(written):,} bytes; {_LARGEST_SCHEMA:,} is the limit")
    return _least_bytes(written) if len(written) <= _USUAL_SCHEMA else _least_bytes.__wrapped__(written)


@lru_cache(maxsize=16)
def _least_bytes(written: bytes) -> int:
    try:
        schema = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise Malformed("its Avro header has no schema that can be read") from error
    if not isinstance(schema, dict):
        raise Malformed("the Avro schema in its header is not that of records")
    try:
        size = _size_of(schema, {})
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed("the Avro schema in its header is not one") from error
    size.check()
    return max(1, size.least)


def _size_of(schema: Any, known: _Known) -> _Size:
    """Return the size of a type. Each named type is computed once: a schema of 1 kB can refer to it 2^30 times."""
    if isinstance(schema, str):
        found = known.get(schema, _Size(_LEAST_BYTES.get(schema, 1)))
        if found is None:
            raise Malformed(f"its Avro schema contains itself: {schema[:80]!r}")
        return found
    if isinstance(schema, list):  # a union: begins with the number of its branch
        for branch in schema:
            if isinstance(branch, list):
                raise Malformed("its Avro schema has a union in a union")
            _size_of(branch, known).check()
        return _Size(1)
    _check_attributes(schema)
    kind = schema["type"]
    if not isinstance(kind, str | dict):
        raise Malformed(f"its Avro schema has a type that is a {type(kind).__name__} in place of a name")
    if kind in ("record", "fixed", "enum"):
        name, known[schema["name"]] = schema["name"], None
        known[name] = named = _of_named(kind, schema, known)
        return named
    if kind in ("array", "map"):
        items = _size_of(schema["items" if kind == "array" else "values"], known)
        if kind == "array" and not items.least:
            raise Malformed("its Avro schema has an array of items without bytes")
        items.check()
        return _Size(1)
    return _size_of(kind, known)


def _of_named(kind: str, schema: Any, known: _Known) -> _Size:
    if kind != "record":
        return _Size(_of_fixed(schema["size"]) if kind == "fixed" else 1)
    for each in schema["fields"]:
        _check_attributes(each)
    sizes = [_size_of(each["type"], known) for each in schema["fields"]]
    least, values = sum(each.least for each in sizes), 1 + sum(each.values for each in sizes)
    return _Size(min(MANIFEST_BYTES, least), min(MANIFEST_BYTES, values))


def _check_attributes(schema: Any) -> None:
    """Check what decoders use as keys of a type or a field: they raise any error for another kind of value."""
    if not isinstance(schema, dict) or any(type(schema.get(name, of())) is not of for name, of in _ATTRIBUTES.items()):
        raise Malformed("its Avro schema has a type or a field whose name or id is of another kind")


def _of_fixed(size: int) -> int:
    if not 0 <= size <= _LARGEST_FIXED:
        raise Malformed(f"its Avro schema has a fixed type of {size} bytes; {_LARGEST_FIXED} is the limit")
    return size

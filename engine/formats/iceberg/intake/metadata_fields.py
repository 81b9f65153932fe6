"""Find the fields of a metadata document. PyIceberg leaves out those that it does not know, and does not write them.

A field that PyIceberg's model lacks would be lost with a commit through a SQL catalog, and may refer to files, or
change what readers find. `features.fields` has those that are known.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic_core import from_json

_SECTIONS: Final = {"schema": "schemas", "partition-spec": "partition-specs"}
"""Sections of format version 1 with the names that later versions give them."""
_OPEN: Final = frozenset({"properties", "summary", "initial-default", "write-default", "encrypted-key-metadata"})
"""Fields whose content is not made of fields."""
_LONGEST: Final = 100


def metadata_fields(body: bytes | str) -> Mapping[str, str]:
    """Return the fields of a metadata document that have a value, by name, with the first value as text.

    Fields inside of a section, at any depth, are named after the section: `snapshots.schema-id`.

    Raises:
        ValueError: it is not JSON.
    """
    return fields_of(from_json(body))


def fields_of(document: Any) -> Mapping[str, str]:
    """Return the fields of a parsed document, as `metadata_fields`; none of a value that is not an object."""
    if not isinstance(document, dict):
        return {}
    found = {name: _text(value) for name, value in document.items() if value is not None}
    for name, value in document.items():
        if name in _OPEN:
            continue
        section, seen = _SECTIONS.get(name, name), set[str]()
        top = list(value.values()) if name == "refs" and isinstance(value, dict) else [value]
        for key, inner in _inside(top):
            if key not in seen:
                seen.add(key)
                found[f"{section}.{key}"] = _text(inner)
    return found


def _inside(waiting: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of objects at any depth; takes the values from the list."""
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            for key, inner in each.items():
                if inner is None:
                    continue
                yield key, inner
                if key not in _OPEN and isinstance(inner, dict | list):
                    waiting.append(inner)


def _text(value: Any) -> str:
    """Return a value as text, or its kind if it has content of its own."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return str(value)[:_LONGEST]

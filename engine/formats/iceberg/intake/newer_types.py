"""Translate table metadata for PyIceberg (0.12), which can't parse some types, defaults and fields of format version 3.

PyIceberg reads a copy in which each of them has a stand-in that it knows. The types that the table really has are kept
by field id, so that nothing goes by a stand-in: rewrites take such columns over as files store them, and the copy is
never written.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic_core import from_json, to_json

_SECTIONS: Final = ("schema", "schemas", "partition-spec", "partition-specs", "sort-orders")
_MARKS: Final = (b'"variant"', b'"geometry', b'"geography', b'-default"', b'"source-ids"')
"""Texts of which a document with something to translate has one."""
_PREFIXES: Final = ("geometry", "geography")
_SEVERAL: Final = "several columns in"
"""Begins the stand-in of a transform, because PyIceberg goes by how a transform's text begins."""
_STAND_IN: Final = "binary"
_TYPES_AND_IDS: Final = (("type", "id"), ("element", "element-id"), ("key", "key-id"), ("value", "value-id"))
_WITHOUT_DEFAULTS: Final = ("timestamp_ns", "timestamptz_ns")
"""Types whose defaults PyIceberg can't parse."""
_WITH_DEFAULT: Final = " with a default value"
NO_TYPES: Final[Mapping[int, str]] = MappingProxyType({})


def readable_metadata(body: bytes) -> tuple[bytes, Mapping[int, str]]:
    """Return the JSON of a metadata document for PyIceberg, and the types that have a stand-in in it, by field id.

    Raises:
        ValueError: it is not JSON.
    """
    if not _may_be_newer(body) or not isinstance(document := from_json(body), dict):
        return body, {}
    copied, types = _translated(document)
    return (body, {}) if copied == document else (to_json(copied), types)


def readable_answer(body: bytes) -> tuple[bytes, Mapping[int, str]]:
    """Return the JSON of a REST catalog's answer about a table, as `readable_metadata` does for its metadata."""
    if not _may_be_newer(body) or not isinstance(answer := from_json(body), dict):
        return body, {}
    if not isinstance(document := answer.get("metadata"), dict):
        return body, {}
    copied, types = _translated(document)
    return (body, {}) if copied == document else (to_json({**answer, "metadata": copied}), types)


def with_types(schema: str, types: Mapping[int, str]) -> str:
    """Return the JSON of a schema with its real types in place of stand-ins; `types`: by field id."""
    if not types:
        return schema
    document = from_json(schema)
    for each in _objects([document]):
        for name, id_name in _TYPES_AND_IDS:
            if each.get(name) == _STAND_IN and each.get(id_name) in types:
                each[name] = types[each[id_name]]
    return to_json(document).decode()


def kind_of(of: str) -> str:
    """Return the name of a type that has a stand-in, without its parameters."""
    return of.partition("(")[0].strip()


def _may_be_newer(body: bytes) -> bool:
    return any(mark in body for mark in _MARKS)


def _translated(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[int, str]]:
    """Return a copy of a document with stand-ins, and the types of which it has one."""
    copies = {name: from_json(to_json(document[name])) for name in _SECTIONS if name in document}
    types: dict[int, str] = {}
    for each in _objects([copies[name] for name in copies if name.startswith("schema")]):
        for name, id_name in _TYPES_AND_IDS:
            found, field_id = each.get(name), each.get(id_name)
            if isinstance(found, str) and type(field_id) is int and _is_newer(found):
                types[field_id] = found
                each[name] = _STAND_IN
        of, field_id = each.get("type"), each.get("id")
        if isinstance(each.get("initial-default"), dict | list) or of in _WITHOUT_DEFAULTS:
            each.pop("write-default", None)
            if each.pop("initial-default", None) is not None and type(field_id) is int:
                types.setdefault(field_id, f"{of if isinstance(of, str) else 'struct'}{_WITH_DEFAULT}")
    for each in _objects([copies[name] for name in copies if not name.startswith("schema")]):
        several = each.get("source-ids")
        if isinstance(several, list) and len(several) > 1 and "source-id" not in each:
            each |= {"source-id": several[0], "transform": f"{_SEVERAL} {each.get('transform')}"}
            del each["source-ids"]
    return {**document, **copies}, types


def _is_newer(name: str) -> bool:
    return name == "variant" or kind_of(name) in _PREFIXES


def _objects(waiting: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects at any depth; takes the values from the list."""
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += [inner for inner in each.values() if isinstance(inner, dict | list)]
        elif isinstance(each, list):
            waiting += [inner for inner in each if isinstance(inner, dict | list)]

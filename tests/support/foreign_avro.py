"""Manifests as a foreign writer may encode them: other orders of fields, unknown fields, arrays in several blocks.

fastavro writes one form of each value only; the specification of Avro allows more, which readers have to accept.
"""

import io
import json
import struct
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import fastavro

from engine.formats.intake.avro.blocks import container, metadata_of, schema_of, with_schema

PAIR = {
    "type": "record",
    "name": "foreign_pair",
    "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": "bytes"}],
}
UNKNOWN: list[tuple[Any, Any]] = [
    ("long", -(2**63)),
    ("string", "\u00e4/x" * 9),
    ("bytes", b"\xff" * 200),
    ("double", 1.5),
    ("float", -0.0),
    ("boolean", True),
    ({"type": "fixed", "name": "foreign_fixed", "size": 7}, b"1234567"),
    ({"type": "enum", "name": "foreign_enum", "symbols": ["A", "B"]}, "B"),
    (["null", "long"], None),
    (["string", "null"], "x"),
    ({"type": "array", "items": "long"}, [1, 2**40, -1]),
    (["null", {"type": "array", "items": PAIR}], [{"key": 1, "value": b"a"}, {"key": 300, "value": b"\x80" * 70}]),
    (["null", {"type": "record", "name": "foreign_record", "fields": [{"name": "n", "type": "long"}]}], {"n": 3}),
]
"""Types of fields that no manifest of a known writer has, and a value of each."""


def foreign(body: bytes, chance: Random) -> bytes:
    """Return a manifest with the same entries, as `avro_blocks.readable` returned it, in another encoding."""
    written = _plain(json.loads(schema_of(body)))
    records: list[Any] = list(fastavro.reader(io.BytesIO(with_schema(body, json.dumps(written).encode()))))
    schema = _changed(written, chance)
    data = b"".join(encoded(schema, _padded(schema, record), chance) for record in records)
    return container(json.dumps(schema).encode(), metadata_of(body), [(len(records), data)], codec="null")


def edited(body: bytes, edit: Callable[[list[Any]], None]) -> bytes:
    """Return a manifest whose records, as `foreign` reads them, are changed by `edit`."""
    written = _plain(json.loads(schema_of(body)))
    records: list[Any] = list(fastavro.reader(io.BytesIO(with_schema(body, json.dumps(written).encode()))))
    edit(records)
    target = io.BytesIO()
    for record in records:
        fastavro.schemaless_writer(target, written, record)
    return container(schema_of(body), metadata_of(body), [(len(records), target.getvalue())], codec="null")


def _plain(schema: Any) -> Any:
    """Return a schema without logical types, whose values fastavro would convert."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if isinstance(schema, dict):
        return {name: _plain(each) for name, each in schema.items() if name != "logicalType"}
    return schema


def _changed(schema: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    """Return the schema of entries with other orders of null, and of fields of data files, some of which are new."""
    *before, last = schema["fields"]
    fields = [_turned(each, chance) for each in last["type"]["fields"]]
    for at, (kind, _) in enumerate(UNKNOWN):
        if chance.random() < 0.5:
            fields.append({"name": f"foreign_{at}", "type": kind, "field-id": 9000 + at})
    if chance.random() < 0.5:
        chance.shuffle(fields)
    record = {**last["type"], "fields": fields}
    return {**schema, "fields": [*(_turned(each, chance) for each in before), {**last, "type": record}]}


def _turned(field: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    kind = field["type"]
    return {**field, "type": kind[::-1] if isinstance(kind, list) and chance.random() < 0.5 else kind}


def _padded(schema: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    last = schema["fields"][-1]
    values = {f"foreign_{at}": value for at, (_, value) in enumerate(UNKNOWN)}
    return {**record, last["name"]: {**values, **record[last["name"]]}}


def encoded(schema: Any, value: Any, chance: Random) -> bytes:  # noqa: C901, PLR0911 - one line a type
    """Return a value in Avro's binary encoding, with arrays in blocks of any size and with or without their bytes."""
    match schema["type"] if isinstance(schema, dict) else schema:
        case list() as branches:
            at = next(n for n, each in enumerate(branches) if (each == "null") == (value is None))
            return number(at) + encoded(branches[at], value, chance)
        case "record":
            return b"".join(encoded(each["type"], value[each["name"]], chance) for each in schema["fields"])
        case "array":
            return _blocks([encoded(schema["items"], each, chance) for each in value], chance)
        case "enum":
            return number(schema["symbols"].index(value))
        case "int" | "long":
            return number(value)
        case "string" | "bytes":
            data = value.encode() if isinstance(value, str) else value
            return number(len(data)) + bytes(data)
        case "fixed":
            return bytes(value)
        case "boolean":
            return bytes([value])
        case "float" | "double" as kind:
            return struct.pack("<f" if kind == "float" else "<d", value)
        case "null":
            return b""
        case inner:
            return encoded(inner, value, chance)


def _blocks(items: list[bytes], chance: Random) -> bytes:
    found = b""
    while items:
        size = chance.choice((1, len(items), len(items)))
        data, items = b"".join(items[:size]), items[size:]
        found += number(size) + data if chance.random() < 0.5 else number(-size) + number(len(data)) + data
    return found + number(0)


def number(value: int) -> bytes:
    """Return a number in Avro's variable-length zigzag encoding."""
    target = io.BytesIO()
    fastavro.schemaless_writer(target, "long", value)
    return target.getvalue()

"""Hostile and damaged copies of a table's metadata, manifest list and manifest, each with a label.

Every mutation is deterministic. Those of JSON walk the whole document: each value is removed, doubled and replaced by
values of other types and sizes.
"""

import io
import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import fastavro

from engine.formats.intake.avro.blocks import readable, schema_of, with_schema

Mutation = tuple[str, bytes]
Path = tuple[str | int, ...]

_HUGE_DIGITS = "9" * 5000
_NAN, _BIG = "@NaN@", "@Big@"
VALUES: tuple[Any, ...] = (
    None,
    -1,
    10**18,
    _NAN,
    _BIG,
    "",
    "\u0000\u202e💥",
    _HUGE_DIGITS,
    [[]],
    {"a": {"b": [1, None]}},
    "fixed[99999999999]",
)


def of_metadata(document: dict[str, Any], *, values: tuple[Any, ...] = VALUES) -> Iterator[Mutation]:
    """Yield mutations of table metadata."""
    yield from _of_json(document, values)
    yield from _structures(document)
    body = json.dumps(document).encode()
    yield from of_bytes(body, cuts=10, flips=30)
    yield "deeply nested", b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    yield "no JSON", b"<html>not found</html>"
    yield "empty", b""
    yield "not UTF-8", body.replace(b"schema", b"\xff\xfe\xfa", 1)
    yield "UTF-16", json.dumps(document).encode("utf-16")


def few_of_metadata(document: dict[str, Any]) -> Iterator[Mutation]:
    """Yield a sample of mutations of table metadata, for tests that take long for each."""
    for key in ("schemas", "snapshots", "partition-specs", "table-uuid", "location"):
        yield f"remove {key}", _dumped({name: value for name, value in document.items() if name != key})
        yield f"{key} = None", _dumped({**document, key: None})
        yield f"{key} = -1", _dumped({**document, key: -1})
    yield from _structures(document)


def of_list_or_manifest(body: bytes) -> Iterator[Mutation]:
    """Yield mutations of a manifest list or manifest."""
    plain = readable(body)
    yield from of_bytes(body, cuts=10, flips=25)
    yield from of_bytes(plain, cuts=10, flips=40)
    yield "no Avro", b"PAR1 is no Avro file"
    yield "empty", b""
    schema = json.loads(schema_of(plain))
    for label, mutated in _of_json(schema, (None, "x", {}, ["null", "long"])):
        yield f"schema: {label}", with_schema(plain, mutated)
    yield "recursive schema", with_schema(plain, _recursive(schema))
    yield from _of_records(plain, schema)


def of_bytes(body: bytes, *, cuts: int, flips: int) -> Iterator[Mutation]:
    """Yield cut off and flipped copies."""
    seeded = random.Random(14)
    for number in range(cuts):
        yield f"cut {number}", body[: len(body) * number // cuts]
    for number in range(flips):
        at = seeded.randrange(len(body))
        yield f"flip {number} at {at}", body[:at] + bytes([body[at] ^ (1 << seeded.randrange(8))]) + body[at + 1 :]


def _of_json(document: Any, values: tuple[Any, ...]) -> Iterator[Mutation]:
    for path in _paths(document, ()):
        name = ".".join(map(str, path))
        yield f"remove {name}", _dumped(_changed(document, path, lambda parent, key: parent.pop(key)))
        for value in values:
            shown = repr(value)[:30]
            yield f"{name} = {shown}", _dumped(_changed(document, path, _setter(value)))
    yield "list for a document", b"[]"


def _setter(value: Any) -> Any:
    def put(parent: Any, key: Any) -> None:
        parent[key] = value

    return put


def _paths(value: Any, path: Path) -> Iterator[Path]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _paths(inner, (*path, key))


def _changed(document: Any, path: Path, change: Any) -> Any:
    made = deepcopy(document)
    parent = made
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return made


def _dumped(document: Any) -> bytes:
    text = json.dumps(document)
    for mark, written in ((_NAN, "NaN"), (_BIG, "1" * 5000)):
        text = text.replace(json.dumps(mark), written)
    return text.encode()


def _structures(document: dict[str, Any]) -> Iterator[Mutation]:
    """Yield metadata whose parts contradict each other."""

    def edited(label: str, change: Any) -> Mutation:
        made = deepcopy(document)
        change(made)
        return label, _dumped(made)

    head = document["current-snapshot-id"]

    def of_snapshots(name: str, value: Any) -> Any:
        return lambda made: [each.update({name: value}) for each in made["snapshots"]]

    def nested(made: Any) -> None:
        kind: Any = "int"
        for number in range(150):
            kind = {"type": "list", "element-id": 1000 + number, "element-required": False, "element": kind}
        made["schemas"][0]["fields"][0]["type"] = kind

    yield edited("variant column", lambda made: made["schemas"][0]["fields"][0].update({"type": "variant"}))
    yield edited("type of tomorrow", lambda made: made["schemas"][0]["fields"][0].update({"type": "matrix(3, 3)"}))
    yield edited("nested types", nested)
    yield edited("cyclic parents", of_snapshots("parent-snapshot-id", head))
    yield edited("parents that are not there", of_snapshots("parent-snapshot-id", 4))
    yield edited("no manifest list", of_snapshots("manifest-list", "file:///nowhere/list.avro"))
    yield edited("a folder as manifest list", of_snapshots("manifest-list", "file:///tmp"))
    yield edited("strange scheme", of_snapshots("manifest-list", "gopher://a/b"))
    yield edited("path with a zero", of_snapshots("manifest-list", "file:///tmp/\u0000.avro"))
    yield edited("path too long", of_snapshots("manifest-list", "file:///" + "x" * 10_000))
    yield edited("commits before time", of_snapshots("timestamp-ms", -(2**62)))
    yield edited("commits after time", of_snapshots("timestamp-ms", 2**62))
    yield edited("same snapshot id", of_snapshots("snapshot-id", head))
    yield edited("main is not there", lambda made: made["refs"]["main"].update({"snapshot-id": 4}))
    yield edited("current is not there", lambda made: made.update({"current-snapshot-id": 4}))
    yield edited("version 4", lambda made: made.update({"format-version": 4}))
    yield edited("no schema of that id", lambda made: made.update({"current-schema-id": 77}))
    yield edited("no spec of that id", lambda made: made.update({"default-spec-id": 77}))
    yield edited("same field id", lambda made: [each.update({"id": 1}) for each in made["schemas"][0]["fields"]])
    yield edited("same name", lambda made: [each.update({"name": "a"}) for each in made["schemas"][0]["fields"]])
    yield edited("same spec twice", lambda made: made["partition-specs"].append(made["partition-specs"][0]))
    spec = {"spec-id": 0, "fields": [{"source-id": 4, "field-id": 1000, "name": "p", "transform": "bucket[0]"}]}
    yield edited("bucket of nothing", lambda made: made.update({"partition-specs": [spec]}))
    for name in (
        "write.target-file-size-bytes",
        "write.parquet.row-group-size-bytes",
        "write.metadata.metrics.default",
    ):
        yield edited(f"digits in {name}", lambda made, name=name: made["properties"].update({name: _HUGE_DIGITS}))
    yield edited("s3 timeout", lambda made: made["properties"].update({"s3.connect-timeout": "abc"}))


def _of_records(plain: bytes, schema: Any) -> Iterator[Mutation]:
    records = list(fastavro.reader(io.BytesIO(plain)))
    parsed = fastavro.parse_schema(schema)
    numbers = (-1, 2**31 - 1, 2**63 - 1)
    for path in _paths(records[0], ()):
        old = _value_at(records[0], path)
        values: tuple[Any, ...] = numbers if isinstance(old, int) else ("", "x", "\0", "é" * 5000)
        values = (*values, b"", b"\xff" * 40) if isinstance(old, bytes) else values
        for value in values:
            target = io.BytesIO()
            try:
                fastavro.writer(target, parsed, [_changed(records[0], path, _setter(value)), *records[1:]])
            except (ValueError, TypeError, OverflowError, AttributeError):  # the schema has no such value
                continue
            yield f"{'.'.join(map(str, path))} = {repr(value)[:30]}", target.getvalue()
    for label, made in (("no records", []), ("each record twice", records * 2), ("many records", records[:1] * 1000)):
        target = io.BytesIO()
        fastavro.writer(target, parsed, made)
        yield label, target.getvalue()


def _value_at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def _recursive(schema: Any) -> bytes:
    made = deepcopy(schema)
    made["fields"][0]["type"] = made["name"]
    return json.dumps(made).encode()

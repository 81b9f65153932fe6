"""A manifest with a field of another Avro type than the specification's is damaged, whichever reader meets it."""

import copy
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import pytest

from engine.formats.iceberg.errors import is_of_content
from engine.formats.iceberg.manifests.decoding import read_entries
from engine.formats.iceberg.manifests.entry_bytes import EntryLayout
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.removal.paths_in_files import entries_in
from engine.formats.iceberg.statistics.column_bounds import read_bounds
from engine.formats.intake.avro.blocks import container, metadata_of, readable, schema_of
from engine.formats.intake.checks import check_entries
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import Malformed
from tests.support.iceberg_tables import BY_CITY, Lake, append_files

RECORD = {"type": "record", "name": "other", "fields": [{"name": "q", "type": "int"}]}
OTHERS: dict[str, tuple[Any, Any]] = {
    "string": ("string", "x"),
    "long": ("long", 7),
    "bytes": ("bytes", b"x"),
    "boolean": ("boolean", True),
    "double": ("double", 1.5),
    "null": ("null", None),
    "optional string": (["null", "string"], "x"),
    "nothing": (["null", "long"], None),
    "array": ({"type": "array", "items": "int"}, [1, 2]),
    "map": ({"type": "map", "values": "int"}, {"a": 1}),
    "record": (RECORD, {"q": 1}),
    "optional record": (["null", RECORD], {"q": 1}),
    "date": ({"type": "int", "logicalType": "date"}, 3),
    "enum": ({"type": "enum", "name": "other", "symbols": ["A"]}, "A"),
}
"""By name: an Avro type, and a value of it."""
DATA_FILE_ID, PATH_ID = 2, 100


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[bytes, PartitionCodec]]:
    """A manifest of a table that is partitioned by a text, and the codec of its partitions."""
    lake = Lake.make(tmp_path_factory.mktemp("lake"))
    append_files(lake.create(spec=BY_CITY), 2)
    table = lake.load()
    [*_, last] = table.inspect.manifests()["path"].to_pylist()
    codec = PartitionCodec(spec=table.spec(), schema=table.schema())
    yield readable(Path(last.removeprefix("file://")).read_bytes()), codec
    lake.close()


def places(record: Any, above: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    for at, field in enumerate(record["fields"]):
        yield (*above, at)
        if isinstance(field["type"], dict) and field["type"]["type"] == "record":
            yield from places(field["type"], (*above, at))


def changed(body: bytes, place: tuple[int, ...], other: str) -> bytes:
    """Return a manifest in which the field at a place has another type, and each entry a value of it."""
    schema: Any = json.loads(schema_of(body))
    entries: list[Any] = list(fastavro.reader(io.BytesIO(body)))
    kind, value = OTHERS[other]
    record, names = schema, list[str]()
    for at in place[:-1]:
        names.append(record["fields"][at]["name"])
        record = record["fields"][at]["type"]
    field = record["fields"][place[-1]]
    field["type"] = copy.deepcopy(kind)
    field.pop("default", None)
    target = io.BytesIO()
    for entry in entries:
        holder = entry
        for name in names:
            holder = holder[name]
        holder[field["name"]] = value
        fastavro.schemaless_writer(target, fastavro.parse_schema(copy.deepcopy(schema)), entry)
    return container(json.dumps(schema).encode(), metadata_of(body), [(len(entries), target.getvalue())], codec="null")


@pytest.mark.parametrize("other", OTHERS)
def test_f42_a_field_of_another_type_is_damage_of_the_manifest(sound: tuple[bytes, PartitionCodec], other: str) -> None:
    """F42: a data file of two types, a partition that is a text, and a size that is a date were faults of ours."""
    body, codec = sound
    readers: dict[str, Callable[[bytes], object]] = {
        "entries": lambda each: check_entries(read_entries(each, codec=codec, with_targets=False)),
        "delete files": lambda each: check_entries(read_entries(each, codec=codec, with_targets=True)),
        "paths": lambda each: entries_in([each]),
        "bounds": lambda each: read_bounds(each, [1, 2]),
        "layout": lambda each: EntryLayout.of(schema_of(each)),
    }
    refused = set[str]()
    for place in places(json.loads(schema_of(body))):
        foreign = changed(body, place, other)
        for name, read in readers.items():
            try:
                with decoding_file("the manifest", is_of_content=is_of_content):
                    read(readable(foreign))
            except Malformed:
                refused.add(name)
    assert refused >= {"entries", "delete files", "paths", "bounds"}


@pytest.mark.parametrize(
    ("other", "of", "why"),
    [
        ("optional record", DATA_FILE_ID, "its field 2 is optional; each entry must have it"),
        ("date", PATH_ID, "its field 100 is of type int as date; it must be string"),
        ("array", PATH_ID, "its field 100 is of type array of int; it must be string"),
    ],
)
def test_the_field_and_its_type_are_named(sound: tuple[bytes, PartitionCodec], other: str, of: int, why: str) -> None:
    body, codec = sound
    schema = json.loads(schema_of(body))
    for place in places(schema):
        record = schema
        for at in place[:-1]:
            record = record["fields"][at]["type"]
        if record["fields"][place[-1]].get("field-id") == of:
            with pytest.raises(Malformed, match=why):
                read_entries(changed(body, place, other), codec=codec, with_targets=False)

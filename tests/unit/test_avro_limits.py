"""What an Avro container may claim and hold, measured against its stored size, before a reader decodes it."""

import io
import json
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import fastavro
import pytest

from engine.formats.iceberg.intake.storage import AvroFiles, HeldFiles
from engine.formats.intake.avro.blocks import check_records, container, readable, records_in
from engine.formats.intake.limits import Malformed

ENTRY = {
    "type": "record",
    "name": "manifest_entry",
    "fields": [
        {"name": "status", "type": "int"},
        {"name": "path", "type": "string"},
        {"name": "partition", "type": {"type": "record", "name": "r102", "fields": []}},
        {"name": "bounds", "type": ["null", {"type": "array", "items": {"type": "record", "name": "k", "fields": [
            {"name": "key", "type": "int"}, {"name": "value", "type": "bytes"}]}}]},
    ],
}  # fmt: skip
PARSED: Any = fastavro.parse_schema(ENTRY)


def of(schema: Any, *blocks: tuple[int, bytes], codec: str = "null") -> bytes:
    return container(json.dumps(schema).encode(), {}, blocks, codec=codec)


def record(*fields: Any, name: str = "r") -> dict[str, Any]:
    return {
        "type": "record",
        "name": name,
        "fields": [{"name": f"f{n}", "type": kind} for n, kind in enumerate(fields)],
    }


def doubled(levels: int, innermost: Any) -> Any:
    """Return a schema that names each of its records twice, so that the innermost type is there 2^levels times."""
    inner, again = innermost, innermost
    for level in range(levels):
        inner, again = record(inner, again, name=f"r{level}"), f"r{level}"
    return inner


@pytest.mark.parametrize("count", [2**20, 2**40])
def test_f42_records_without_bytes_are_no_records(count: int) -> None:
    """F42: a kilobyte claimed 2^40 records of nulls, which decoders yield."""
    with pytest.raises(Malformed, match=f"claim {count} records, which do not fit into 0 bytes"):
        readable(of(record("null", "null"), (count, b"")))


@pytest.mark.parametrize(
    "schema",
    [
        doubled(40, "null"),
        doubled(40, record(name="empty")),
        record("int", {"type": "array", "items": record("int", doubled(40, "null"), name="item")}),
        record("int", {"type": "map", "values": doubled(12, "null")}),
        record(["null", doubled(12, "null")]),
        record(*["null"] * 200, "int"),
    ],
)
def test_f42_a_type_of_many_values_in_few_bytes_is_refused(schema: Any) -> None:
    """F42: a record that takes a byte, and 2^40 nulls by names that refer to one another."""
    started = time.process_time()
    with pytest.raises(Malformed, match=r"a type with \d+ values in \d bytes; 8 for each byte is the limit"):
        readable(of(schema, (1, b"\x02")))
    assert time.process_time() - started < 0.5


def test_f42_a_schema_is_measured_before_it_is_parsed() -> None:
    """F42: a schema of 60 MiB held a thread for 24 s, and 2.1 GB."""
    schema = b'{"type":"record","name":"r","fields":[' + b'{"name":"a","type":"int"},' * 2_400_000 + b"{}]}"
    started = time.process_time()
    with pytest.raises(Malformed, match="its Avro header has more than 16 MiB"):
        readable(container(schema, {}, [], codec="null"))
    with pytest.raises(Malformed, match="its Avro schema has 1,040,004 bytes; 524,288 is the limit"):
        readable(container(schema[:1_040_000] + b"{}]}", {}, [], codec="null"))
    assert time.process_time() - started < 1


def test_f42_the_largest_schema_is_parsed_in_a_moment() -> None:
    """F42: 3,000 partition fields."""
    fields = [{"name": f"partition_field_{n}", "type": ["null", "long"], "default": None, "field-id": 1000 + n,
               "doc": "the value of a partition field of the table"} for n in range(3000)]  # fmt: skip
    started = time.process_time()
    assert records_in(readable(of({"type": "record", "name": "r", "fields": fields}, (1, bytes(3000))))) == 1
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("entries", "size", "text"),
    [(3000, 0, "more than 1000 entries"), (1, 17 * 2**20, "its Avro header has more than 16 MiB")],
)
def test_f42_a_header_is_measured(entries: int, size: int, text: str) -> None:
    """F42: a header is parsed by each step of reading, and its entries are kept."""
    with pytest.raises(Malformed, match=text):
        readable(container(b'"int"', {f"{n}": bytes(size) for n in range(entries)}, [], codec="null"))


@pytest.mark.parametrize(("size", "count"), [(0, 0), (0, 1), (1, 1)])
def test_f42_blocks_without_content_are_limited(size: int, count: int) -> None:
    """F42: 512 MiB of empty blocks took a minute."""
    header = of(record("int"))
    block = bytes([2 * count, 2 * size]) + bytes(size) + header[-16:]  # a number is twice as large in zigzag encoding
    body = header + block * 1_000_000
    started = time.process_time()
    with pytest.raises(Malformed, match=r"its first .* bytes are .* blocks, more than one for 32 bytes"):
        readable(body)
    assert time.process_time() - started < 0.1


@pytest.mark.parametrize("codec", ["deflate", "null"])
def test_f42_content_is_limited_by_the_stored_size(codec: str) -> None:
    """F42: bytes and records of a few kilobytes that inflate."""
    with pytest.raises(Malformed, match=r"when decompressed from|records in .* stored bytes; .* is the limit"):
        readable(of(record("int"), (2**23, bytes(2**23)), codec=codec))
    with pytest.raises(Malformed, match=r"3,000,000 records in .* stored bytes; .* is the limit for its size"):
        readable(of(record("int"), (3_000_000, bytes(3_000_000)), codec="deflate"))


def test_f42_sound_manifests_are_far_from_the_limits() -> None:
    """F42: 5,000 files with the same statistics of 100 columns, written as Spark does and as PyIceberg does."""
    bounds = [{"key": n, "value": n.to_bytes(8)} for n in range(100)]
    path = f"s3://warehouse/sales.db/orders/data/day=2026-11-01/00000-1-{UUID(int=2**127)}-{{:05d}}.parquet"
    data = [encoded({"status": 1, "path": path.format(n), "partition": {}, "bounds": bounds}) for n in range(5000)]
    as_spark = of(ENTRY, *((len(part), b"".join(part)) for part in chunks(data, 50)), codec="deflate")
    assert records_in(readable(as_spark)) == 5000
    assert records_in(readable(of(ENTRY, *((1, each) for each in data), codec="deflate"))) == 5000


@pytest.mark.parametrize("length", [2**40, 2**62, -1])
def test_f42_a_text_that_is_longer_than_the_file_is_refused_before_pyiceberg_reads_it(length: int) -> None:
    """F42: PyIceberg's decoder does not check lengths, and read other memory of the process, or ended it."""
    target = io.BytesIO()
    fastavro.schemaless_writer(target, "long", length)
    body = readable(of(record("string", "int"), (1, target.getvalue() + b"\x02")))
    with pytest.raises(Malformed, match="a record can't be decoded"):
        check_records(body)
    with pytest.raises(Malformed, match="a record can't be decoded"):
        AvroFiles(HeldFiles(body)).new_input("list").open()


def encoded(value: Any) -> bytes:
    target = io.BytesIO()
    fastavro.schemaless_writer(target, PARSED, value)
    return target.getvalue()


def chunks(items: Sequence[bytes], size: int) -> list[Sequence[bytes]]:
    return [items[at : at + size] for at in range(0, len(items), size)]

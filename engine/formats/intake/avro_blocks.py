"""Convert Avro containers to size-limited, uncompressed ones, the only form in which manifests are decoded.

The decoders are not safe on untrusted files. A block of 100 kB can inflate to 100 MB in one call; PyIceberg and polars
allocate as many records as a block's header claims, and Rust aborts the whole process where that fails; an array of
zero-byte items never ends. So each container, manifest lists included, is checked and copied here first: one
uncompressed block of limited size, with no more records than its bytes can contain. The layout is that of the Avro 1.12
specification, "Object Container Files".

The copy also makes every codec readable: fastavro lacks zstandard without another library, polars lacks bzip2.
"""

import bz2
import io
import json
import lzma
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import fastavro
import pyarrow as pa

from engine.formats.intake.limits import MANIFEST_BYTES, Malformed, too_large

_HEADER: Final[Any] = fastavro.parse_schema(
    {
        "type": "record",
        "name": "header",
        "fields": [
            {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
            {"name": "meta", "type": {"type": "map", "values": "bytes"}},
            {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
        ],
    }
)
MAGIC: Final = b"Obj\x01"
_CODEC: Final = "avro.codec"
_SCHEMA: Final = "avro.schema"
_SYNC_BYTES: Final = 16
_DEFLATE_RATIO: Final = 1032  # maximum compression ratio of deflate, see zlib's technical details
_LEVEL: Final = (
    5  # of deflate: half the time of the usual 6, for 8 % more bytes; Iceberg's own are 7 % smaller than by 6
)
_CHECKSUM_BYTES: Final = 4
_XZ_MEMORY: Final = 128 * 2**20
_LARGEST_FIXED: Final = 2**20
_USUAL_SCHEMA: Final = 2**16  # bytes; a larger one is not cached
_LONGEST_VARINT: Final = 70  # bits in ten bytes of seven
_ATTRIBUTES: Final = {"name": str, "logicalType": str} | dict.fromkeys(("field-id", "element-id", "key-id"), int)
_LEAST_BYTES: Final = {"null": 0, "float": 4, "double": 8}  # size of a value; any other type has at least one byte


def readable(body: bytes, *, limit: int = MANIFEST_BYTES) -> bytes:
    """Return a container with one uncompressed block, which is safe for any reader.

    Args:
        body: the content of the file.
        limit: maximum total size of its decompressed blocks in bytes.

    Raises:
        Malformed: it is not an Avro container, its codec is unknown, its blocks exceed `limit` bytes or claim more
            records than they have bytes for, or values of its schema have no bounded size.
    """
    source = io.BytesIO(body)
    header = _read_header(source)
    codec = header["meta"].get(_CODEC, b"null")
    if codec not in _DECODERS:
        known = ", ".join(each.decode() for each in _DECODERS)
        raise Malformed(f"it is compressed by {codec[:40]!r}; codecs that can be read are {known}")
    count, blocks = _blocks(body, source.tell(), header["sync"], _DECODERS[codec], limit)
    data = b"".join(blocks)
    schema = header["meta"].get(_SCHEMA, b"")
    least = _least_bytes(schema) if len(schema) <= _USUAL_SCHEMA else _least_bytes.__wrapped__(schema)
    if count * least > len(data):
        raise Malformed(f"its blocks claim {count} records, which do not fit into {len(data)} bytes")
    header["meta"][_CODEC] = b"null"
    target = io.BytesIO()
    fastavro.schemaless_writer(target, _HEADER, header)
    if count:
        fastavro.schemaless_writer(target, "long", count)
        fastavro.schemaless_writer(target, "long", len(data))
        target.write(data)
        target.write(header["sync"])
    return target.getvalue()


def joined(bodies: Sequence[bytes]) -> bytes:
    """Return one container with the blocks of several, which `readable` returned and whose schemas are equal."""
    target = io.BytesIO()
    sync = b""
    for body in bodies:
        source = io.BytesIO(body)
        header = _read_header(source)
        if not sync:
            sync = header["sync"]
            target.write(body[: source.tell()])
        if source.tell() < len(body):
            target.write(memoryview(body)[source.tell() : -_SYNC_BYTES])
            target.write(sync)
    return target.getvalue()


def metadata_of(body: bytes) -> dict[str, bytes]:
    """Return the entries of a container's header, without those of Avro itself."""
    found: dict[str, bytes] = _read_header(io.BytesIO(body))["meta"]
    return {name: value for name, value in found.items() if not name.startswith("avro.")}


def container(
    schema: bytes, metadata: Mapping[str, bytes], blocks: Sequence[tuple[int, bytes]], *, codec: str
) -> bytes:
    """Return a container with these blocks, each a number of records and their content.

    Args:
        schema: the Avro schema as JSON.
        metadata: further entries of its header.
        blocks: the records, not compressed.
        codec: `deflate` or `null`.
    """
    target, sync = io.BytesIO(), os.urandom(_SYNC_BYTES)
    meta = {**metadata, _SCHEMA: schema, _CODEC: codec.encode()}
    fastavro.schemaless_writer(target, _HEADER, {"magic": MAGIC, "meta": meta, "sync": sync})
    for count, plain in blocks:
        data = _deflated(plain) if codec == "deflate" else plain
        fastavro.schemaless_writer(target, "long", count)
        fastavro.schemaless_writer(target, "long", len(data))
        target.write(data)
        target.write(sync)
    return target.getvalue()


def _deflated(plain: bytes) -> bytes:
    compressor = zlib.compressobj(_LEVEL, wbits=-zlib.MAX_WBITS)
    return compressor.compress(plain) + compressor.flush()


def records_in(body: bytes) -> int:
    """Return the number of records in a container that `readable` returned."""
    source = io.BytesIO(body)
    _read_header(source)
    return _long(body, source.tell())[0] if source.tell() < len(body) else 0


def block_in(body: bytes) -> tuple[int, int]:
    """Return where the records of a container that `readable` returned begin and end."""
    source = io.BytesIO(body)
    _read_header(source)
    if (start := source.tell()) == len(body):
        return start, start
    _, at = _long(body, start)
    _, at = _long(body, at)
    return at, len(body) - _SYNC_BYTES


def schema_of(body: bytes) -> bytes:
    """Return the schema in a container's header as its original JSON."""
    header = _read_header(io.BytesIO(body))
    schema: bytes = header["meta"][_SCHEMA]
    return schema


def with_schema(body: bytes, schema: bytes) -> bytes:
    """Return a container with another schema in its header; its blocks must match that schema."""
    source, target = io.BytesIO(body), io.BytesIO()
    header = _read_header(source)
    header["meta"][_SCHEMA] = schema
    fastavro.schemaless_writer(target, _HEADER, header)
    target.write(memoryview(body)[source.tell() :])
    return target.getvalue()


def _read_header(source: io.BytesIO) -> Any:
    try:
        header: Any = fastavro.schemaless_reader(source, _HEADER, None)
    except (EOFError, ValueError, IndexError, OverflowError) as error:
        raise Malformed("it is no Avro file: it has no Avro header") from error
    if header["magic"] != MAGIC:
        raise Malformed(f"it is no Avro file: it begins with {header['magic']!r}")
    return header


_Decoder = Callable[[bytes, int], bytes]
"""Returns a block's decompressed content; at most one byte more than the given limit."""


def _blocks(body: bytes, start: int, sync: bytes, decode: _Decoder, limit: int) -> tuple[int, list[bytes]]:
    """Return the number of records that the blocks claim, and their decompressed contents."""
    at, records, room, found = start, 0, limit, list[bytes]()
    while at < len(body):
        count, at = _long(body, at)
        size, at = _long(body, at)
        end = at + size
        if count < 0 or size < 0 or not body.startswith(sync, end):
            raise Malformed(f"it is damaged: the block at byte {at} has {count} records and {size} bytes")
        plain = decode(body[at:end], room)
        room -= len(plain)
        if room < 0:
            raise too_large("it holds", "when decompressed", limit)
        records += count
        found.append(plain)
        at = end + _SYNC_BYTES
    return records, found


def _long(body: bytes, at: int) -> tuple[int, int]:
    """Return a variable-length zigzag number and its end position."""
    value = shift = 0
    while at < len(body) and shift < _LONGEST_VARINT:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the highest bit marks that more bytes follow
            return (value >> 1) ^ -(value & 1), at
        shift += 7
    raise Malformed(f"it is damaged or cut off at byte {at}")


def _plain(data: bytes, _limit: int) -> bytes:
    return data


def _inflated(data: bytes, limit: int) -> bytes:
    try:
        if len(data) * _DEFLATE_RATIO <= limit:
            return zlib.decompress(data, wbits=-zlib.MAX_WBITS)
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, limit + 1)
    except zlib.error as error:
        raise Malformed(f"it is damaged: a block can't be decompressed ({error})") from error


def _unzstd(data: bytes, limit: int) -> bytes:
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            return bytes(stream.read(limit + 1))
    except OSError as error:
        raise Malformed(f"it is damaged: a block can't be decompressed ({error})") from error


def _unsnapped(data: bytes, limit: int) -> bytes:
    """Decompress a snappy block, which begins with its length and ends with a checksum."""
    size = 0
    for place, byte in enumerate(data[:5]):
        size |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:  # noqa: PLR2004 - the highest bit marks that more bytes follow
            break
    if size > limit:
        raise too_large("a block holds", "when decompressed", limit)
    try:
        plain = pa.Codec("snappy").decompress(data[:-_CHECKSUM_BYTES], decompressed_size=size)
    except (OSError, ValueError) as error:
        raise Malformed(f"it is damaged: a block can't be decompressed ({error})") from error
    return bytes(plain)


def _unbzipped(data: bytes, limit: int) -> bytes:
    try:
        return bz2.BZ2Decompressor().decompress(data, limit + 1)
    except OSError as error:
        raise Malformed(f"it is damaged: a block can't be decompressed ({error})") from error


def _unxz(data: bytes, limit: int) -> bytes:
    try:
        return lzma.LZMADecompressor(memlimit=_XZ_MEMORY).decompress(data, limit + 1)
    except lzma.LZMAError as error:
        raise Malformed(f"it is damaged: a block can't be decompressed ({error})") from error


_DECODERS: Final[Mapping[bytes, _Decoder]] = {
    b"null": _plain,
    b"deflate": _inflated,
    b"zstandard": _unzstd,
    b"snappy": _unsnapped,
    b"bzip2": _unbzipped,
    b"xz": _unxz,
}


@lru_cache(maxsize=16)
def _least_bytes(written: bytes) -> int:
    """Return the minimum size in bytes of a value of an Avro schema, given as JSON.

    Raises:
        Malformed: the schema is none of records, contains itself, an array of zero-byte items, a huge fixed type, or
            a name or an id of another kind.
    """
    try:
        schema = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise Malformed("its Avro header has no schema that can be read") from error
    if not isinstance(schema, dict):
        raise Malformed("the Avro schema in its header is not that of records")
    try:
        return _least(schema, {})
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed("the Avro schema in its header is not one") from error


def _least(schema: Any, named: dict[str, int | None]) -> int:
    """Return the minimum size of a value of a type; `named`: that of each type defined before, None for one around it.

    Each named type is computed once: a schema of 1 kB can refer to it 2^30 times.
    """
    if isinstance(schema, str):
        known = named.get(schema, _LEAST_BYTES.get(schema, 1))
        if known is None:
            raise Malformed(f"its Avro schema contains itself: {schema[:80]!r}")
        return known
    if isinstance(schema, list):  # a union: begins with the number of its branch
        for branch in schema:
            if isinstance(branch, list):
                raise Malformed("its Avro schema has a union in a union")
            _least(branch, named)
        return 1
    _check_attributes(schema)
    kind = schema["type"]
    if not isinstance(kind, str | dict):
        raise Malformed(f"its Avro schema has a type that is a {type(kind).__name__} in place of a name")
    if kind in ("record", "fixed", "enum"):
        name, named[schema["name"]] = schema["name"], None
        named[name] = found = _of_named(kind, schema, named)
        return found
    if kind in ("array", "map"):
        least = _least(schema["items" if kind == "array" else "values"], named)
        if kind == "array" and not least:
            raise Malformed("its Avro schema has an array of items without bytes")
        return 1
    return _least(kind, named)


def _of_named(kind: str, schema: Any, named: dict[str, int | None]) -> int:
    if kind == "record":
        for each in schema["fields"]:
            _check_attributes(each)
        return min(MANIFEST_BYTES, sum(_least(each["type"], named) for each in schema["fields"]))
    return _of_fixed(schema["size"]) if kind == "fixed" else 1


def _check_attributes(schema: Any) -> None:
    """Check what decoders use as keys of a type or a field: they raise any error for another kind of value."""
    if not isinstance(schema, dict) or any(type(schema.get(name, of())) is not of for name, of in _ATTRIBUTES.items()):
        raise Malformed("its Avro schema has a type or a field whose name or id is of another kind")


def _of_fixed(size: int) -> int:
    if not 0 <= size <= _LARGEST_FIXED:
        raise Malformed(f"its Avro schema has a fixed type of {size} bytes; {_LARGEST_FIXED} is the limit")
    return size

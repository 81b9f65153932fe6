"""Convert Avro containers to size-limited, uncompressed ones, the only form in which manifests are decoded.

The decoders are not safe on untrusted files. A block of 100 kB can inflate to 100 MB in one call; PyIceberg and polars
allocate as many records as a block's header claims, and Rust aborts the whole process where that fails; an array of
zero-byte items never ends. So each container, manifest lists included, is checked and copied here first: one
uncompressed block of limited size, with no more records than its bytes can contain. Limits grow with the stored size: a
kilobyte that becomes gigabytes is not a manifest. The layout is that of the Avro 1.12 specification, "Object Container
Files".

The copy also makes every codec readable: fastavro lacks zstandard without another library, polars lacks bzip2.
"""

import bz2
import io
import json
import lzma
import os
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import fastavro
import pyarrow as pa

from engine.formats.intake.avro.schemas import least_bytes
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
_LONGEST_VARINT: Final = 70  # bits in ten bytes of seven

_FREE_BYTES: Final = 2**22
_DECODED_RATIO: Final = 256
"""Limit of the decompressed bytes for each stored one, beyond the first 4 MiB. Entries of 500 columns with the same
statistics in each file have 130 with deflate."""

_FREE_RECORDS: Final = 10_000
_LEAST_STORED: Final = 4
"""Bytes that a stored record has at least, beyond the first 10,000: the names of files alone differ by more."""

_FREE_BLOCKS: Final = 1000
_LEAST_BLOCK: Final = 32
"""Bytes that a stored block has at least, beyond the first 1,000. PyIceberg writes one for each entry."""

_LARGEST_HEADER: Final = 2**24
"""Limit of a header in bytes. It has the table's schema as JSON: 20,000 fields with a comment each take 4 MB."""

_MOST_ENTRIES: Final = 1000  # of a header's map
_CUT: Final = "it is not an Avro file: its Avro header is damaged or cut off"


def readable(body: bytes, *, limit: int = MANIFEST_BYTES) -> bytes:
    """Return a container with one uncompressed block, which is safe for any reader.

    Args:
        body: the content of the file.
        limit: maximum total size of its decompressed blocks in bytes.

    Raises:
        Malformed: it is not an Avro container, its codec is unknown, its header, its number of blocks or their content
            is too large for its size, or they claim more records than they have bytes for, or values of its schema
            have no bounded size.
    """
    meta, sync, start = _read_header(body)
    least = least_bytes(meta.get(_SCHEMA, b""))
    codec = meta.get(_CODEC, b"null")
    if codec not in _DECODERS:
        known = ", ".join(each.decode() for each in _DECODERS)
        raise Malformed(f"it is compressed by {codec[:40]!r}; codecs that can be read are {known}")
    room = min(limit, _FREE_BYTES + _DECODED_RATIO * len(body))
    count, blocks = _blocks(body, start, sync, _DECODERS[codec], room)
    data = b"".join(blocks)
    if count * least > len(data):
        raise Malformed(f"its blocks claim {count} records, which do not fit into {len(data)} bytes")
    if count > (most := _FREE_RECORDS + len(body) // _LEAST_STORED):
        raise Malformed(f"it has {count:,} records in {len(body):,} stored bytes; {most:,} is the limit for its size")
    target = io.BytesIO()
    _write_header(target, meta | {_CODEC: b"null"}, sync)
    if count:
        fastavro.schemaless_writer(target, "long", count)
        fastavro.schemaless_writer(target, "long", len(data))
        target.write(data)
        target.write(sync)
    return target.getvalue()


def check_records(body: bytes) -> None:
    """Check that each record of a container that `readable` returned is within its bytes.

    For PyIceberg: the lengths of texts and lists are not checked by its decoder, which reads the memory after the
    container, or ends the process.

    Raises:
        Malformed: a record is not, or can't be decoded.
    """
    try:
        schema = json.dumps(_without_logical_types(json.loads(schema_of(body)))).encode()
        deque(fastavro.reader(io.BytesIO(with_schema(body, schema))), maxlen=0)
    except (ArithmeticError, EOFError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise Malformed(f"it is damaged: a record can't be decoded ({type(error).__name__})") from error


def _without_logical_types(schema: Any) -> Any:
    """Return a schema by which values are decoded as they are stored: any number is a date."""
    if isinstance(schema, list):
        return [_without_logical_types(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _without_logical_types(value) for name, value in schema.items() if name != "logicalType"}


def joined(bodies: Sequence[bytes]) -> bytes:
    """Return one container with the blocks of several, which `readable` returned and whose schemas are equal."""
    target = io.BytesIO()
    sync = b""
    for body in bodies:
        _, own_sync, start = _read_header(body)
        if not sync:
            sync = own_sync
            target.write(body[:start])
        if start < len(body):
            target.write(memoryview(body)[start:-_SYNC_BYTES])
            target.write(sync)
    return target.getvalue()


def metadata_of(body: bytes) -> dict[str, bytes]:
    """Return the entries of a container's header, without those of Avro itself."""
    return {name: value for name, value in _read_header(body)[0].items() if not name.startswith("avro.")}


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
    _write_header(target, {**metadata, _SCHEMA: schema, _CODEC: codec.encode()}, sync)
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
    start = _read_header(body)[2]
    return _long(body, start)[0] if start < len(body) else 0


def block_in(body: bytes) -> tuple[int, int]:
    """Return where the records of a container that `readable` returned begin and end."""
    if (start := _read_header(body)[2]) == len(body):
        return start, start
    _, at = _long(body, start)
    _, at = _long(body, at)
    return at, len(body) - _SYNC_BYTES


def schema_of(body: bytes) -> bytes:
    """Return the schema in a container's header as its original JSON."""
    return _read_header(body)[0][_SCHEMA]


def with_schema(body: bytes, schema: bytes) -> bytes:
    """Return a container with another schema in its header; its blocks must match that schema."""
    meta, sync, start = _read_header(body)
    target = io.BytesIO()
    _write_header(target, meta | {_SCHEMA: schema}, sync)
    target.write(memoryview(body)[start:])
    return target.getvalue()


def _read_header(body: bytes) -> tuple[dict[str, bytes], bytes, int]:
    """Return the entries of a header's map, the mark that ends each block, and where the first block begins."""
    if not body.startswith(MAGIC):
        raise Malformed(f"it is not an Avro file: it begins with {body[: len(MAGIC)]!r}")
    meta, entries = dict[str, bytes](), 0
    count, at = _long(body, len(MAGIC))
    while count:
        if count < 0:  # the size of these entries in bytes follows
            _, at = _long(body, at)
        if (entries := entries + abs(count)) > _MOST_ENTRIES:
            raise Malformed(f"its Avro header has more than {_MOST_ENTRIES} entries, which is the limit")
        for _ in range(abs(count)):
            name, at = _piece(body, at)
            value, at = _piece(body, at)
            meta[name.decode(errors="replace")] = value
        count, at = _long(body, at)
    if (start := at + _SYNC_BYTES) > len(body):
        raise Malformed(_CUT)
    return meta, body[at:start], start


def _piece(body: bytes, at: int) -> tuple[bytes, int]:
    """Return a text or bytes in a header, and the end position."""
    size, start = _long(body, at)
    end = start + size
    if not start <= end <= len(body):
        raise Malformed(_CUT)
    if end > _LARGEST_HEADER:
        raise too_large("its Avro header has", "", _LARGEST_HEADER)
    return body[start:end], end


def _write_header(target: io.BytesIO, meta: Mapping[str, bytes], sync: bytes) -> None:
    fastavro.schemaless_writer(target, _HEADER, {"magic": MAGIC, "meta": meta, "sync": sync})


_Decoder = Callable[[bytes, int], bytes]
"""Returns a block's decompressed content; at most one byte more than the given limit."""


def _blocks(body: bytes, start: int, sync: bytes, decode: _Decoder, limit: int) -> tuple[int, list[bytes]]:
    """Return the number of records that the blocks claim, and their decompressed contents."""
    at, records, room, found = start, 0, limit, list[bytes]()
    while at < len(body):
        if len(found) > _FREE_BLOCKS + at // _LEAST_BLOCK:
            raise Malformed(f"its first {at:,} bytes are {len(found):,} blocks, more than one for {_LEAST_BLOCK} bytes")
        count, at = _long(body, at)
        size, at = _long(body, at)
        end = at + size
        if count < 0 or size < 0 or not body.startswith(sync, end):
            raise Malformed(f"it is damaged: the block at byte {at} has {count} records and {size} bytes")
        plain = decode(body[at:end], room)
        room -= len(plain)
        if room < 0:
            raise too_large("it holds", f"when decompressed from {len(body):,} bytes", limit)
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

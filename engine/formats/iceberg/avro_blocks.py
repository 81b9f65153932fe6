"""Avro containers taken apart, for what fastavro does not do.

It needs one more library for blocks compressed with zstandard, which PyIceberg writes when a table says
`write.avro.compression-codec=zstd`. Arrow can decompress them: the container is written anew with plain blocks. And it
can't pass values through as they are stored when the schema gives them a meaning: the schema in the header is replaced.
The layout is that of the Avro 1.12 specification, "Object Container Files".
"""

import io
from typing import Any, Final

import fastavro
import pyarrow as pa

from engine.domain.errors import StateConflict

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
_CODEC: Final = "avro.codec"
_SCHEMA: Final = "avro.schema"
_READABLE: Final = frozenset({b"null", b"deflate", b"bzip2", b"xz"})
_SYNC_BYTES: Final = 16


def readable(body: bytes) -> bytes:
    """Return a container that fastavro reads: `body` itself, or a copy with plain blocks.

    Raises:
        StateConflict: its codec can't be read here.
    """
    source = io.BytesIO(body)
    header: Any = fastavro.schemaless_reader(source, _HEADER, None)
    codec = header["meta"].get(_CODEC, b"null")
    if codec in _READABLE:
        return body
    if codec != b"zstandard":
        raise StateConflict(f"a manifest is compressed with {codec.decode()}; rewrite the manifests with gzip or zstd")
    header["meta"][_CODEC] = b"null"
    target = io.BytesIO()
    fastavro.schemaless_writer(target, _HEADER, header)
    while source.tell() < len(body):
        _copy_block(source, target, header["sync"])
    return target.getvalue()


def schema_of(body: bytes) -> bytes:
    """Return the schema in a container's header, JSON as it was written."""
    header: Any = fastavro.schemaless_reader(io.BytesIO(body), _HEADER, None)
    schema: bytes = header["meta"][_SCHEMA]
    return schema


def with_schema(body: bytes, schema: bytes) -> bytes:
    """Return a container with another schema in its header; its blocks must be of that form as well."""
    source, target = io.BytesIO(body), io.BytesIO()
    header: Any = fastavro.schemaless_reader(source, _HEADER, None)
    header["meta"][_SCHEMA] = schema
    fastavro.schemaless_writer(target, _HEADER, header)
    return target.getvalue() + source.read()


def _copy_block(source: io.BytesIO, target: io.BytesIO, sync: bytes) -> None:
    count: Any = fastavro.schemaless_reader(source, "long", None)
    size: Any = fastavro.schemaless_reader(source, "long", None)
    with pa.CompressedInputStream(pa.BufferReader(source.read(size)), "zstd") as stream:
        plain = stream.read()
    source.seek(_SYNC_BYTES, io.SEEK_CUR)
    fastavro.schemaless_writer(target, "long", count)
    fastavro.schemaless_writer(target, "long", len(plain))
    target.write(plain + sync)

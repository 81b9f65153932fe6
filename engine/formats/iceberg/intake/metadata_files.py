"""Table metadata as JSON, from a file or a catalog's response: size-limited before it is parsed.

Parsed JSON takes up to twenty times its size in memory (`[[],[],…`), so the number of its values is bounded as well.
"""

import zlib
from typing import Final

from pyiceberg.io import InputFile
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil

from engine.formats.iceberg.intake.limits import METADATA_BYTES, METADATA_VALUES, Malformed, too_large
from engine.formats.iceberg.intake.storage import read_file

_GZIP: Final = b"\x1f\x8b"


def read_metadata(file: InputFile) -> TableMetadata:
    """Return the metadata in a metadata file; detects gzip compression by content, not by name.

    Raises:
        Malformed: it exceeds the limit, or is truncated.
        ValueError: it is not table metadata; pydantic's error has the location.
    """
    body = read_file(file, METADATA_BYTES)
    if body.startswith(_GZIP):
        body = _gunzipped(body, METADATA_BYTES)
    check_json(body)
    return TableMetadataUtil.parse_raw(body.decode("utf-8"))


def check_json(body: bytes) -> None:
    """Check that a JSON text has a bounded number of values.

    Raises:
        Malformed: it has more commas and brackets than metadata may have values.
    """
    values = sum(body.count(sign) for sign in (b",", b"[", b"{"))
    if values > METADATA_VALUES:
        raise Malformed(f"its metadata has about {values:,} JSON values; {METADATA_VALUES:,} is the limit")


def _gunzipped(body: bytes, limit: int) -> bytes:
    parts: list[bytes] = []
    room = limit
    while body:  # a file may have several members
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            parts.append(member.decompress(body, room + 1))
        except zlib.error as error:
            raise Malformed(f"its metadata is compressed by gzip and damaged ({error})") from error
        room -= len(parts[-1])
        if room < 0:
            raise too_large("its metadata has", "when decompressed", limit)
        if not member.eof:
            raise Malformed("its metadata is compressed by gzip and cut off")
        body = member.unused_data
    return b"".join(parts)

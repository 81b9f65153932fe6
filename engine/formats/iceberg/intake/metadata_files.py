"""Table metadata as JSON, from a file or a catalog's response: size-limited before it is parsed.

Parsed JSON takes up to twenty times its size in memory (`[[],[],…`), so the number of its values is bounded as well.
"""

import json
import re
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from pydantic_core import from_json
from pyiceberg.io import InputFile
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil

from engine.formats.iceberg.intake.metadata_fields import fields_of
from engine.formats.iceberg.intake.newer_types import readable_metadata
from engine.formats.iceberg.intake.storage import read_file
from engine.formats.intake.limits import METADATA_BYTES, METADATA_VALUES, Malformed, too_large

_GZIP: Final = b"\x1f\x8b"
WRITTEN_FROM_DOCUMENT: Final = 3
"""The first format version whose metadata PyIceberg (0.12) does not write."""


_UNIQUE_NAME: Final = re.compile(r"[0-9]+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b.*")
"""Names of metadata files that contain a UUID: no other file ever has the same name."""


@dataclass(frozen=True, slots=True)
class ReadMetadata:
    """Metadata as PyIceberg parses it, the fields of its document (`fields_of`), and what `ReadTable` keeps of it."""

    metadata: TableMetadata
    fields: Mapping[str, str]
    document: Mapping[str, Any] | None
    newer_types: Mapping[int, str]
    is_translated: bool


class MetadataFiles:
    """Reads metadata files and caches their content for a limited time. Thread-safe.

    A commit reads the same file several times, and each read is a request to the store. Files whose name is not unique,
    such as `v1.metadata.json`, are not cached: a new table at the same location has files of these names too.

    `max_bytes` is the size of the cache. `keep_seconds` limits the age of its content, so that a file that was repaired
    in place, against Iceberg's specification, is read again. `clock` returns seconds.
    """

    def __init__(
        self,
        *,
        max_bytes: int = 64 * 2**20,
        keep_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes = max_bytes
        self._keep_seconds = keep_seconds
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()  # when each was read, and its content
        self._bytes = 0
        self._lock = Lock()

    def read(self, file: InputFile) -> ReadMetadata:
        """Return the metadata in a metadata file. Raises as `parse_metadata`."""
        now = self._clock()
        with self._lock:
            read_at, kept = self._kept.get(file.location, (now, None))
        if kept is not None and now - read_at < self._keep_seconds:
            return parse_metadata(kept)
        body = read_file(file, METADATA_BYTES)
        metadata = parse_metadata(body)
        if _UNIQUE_NAME.fullmatch(file.location.rpartition("/")[2]):
            self._insert(file.location, now, body)
        return metadata

    def _insert(self, location: str, now: float, body: bytes) -> None:
        with self._lock:
            self._drop(location)
            self._kept[location] = now, body
            self._bytes += len(body)
            while self._kept:
                oldest, (read_at, _) = next(iter(self._kept.items()))
                if self._bytes <= self._max_bytes and now - read_at < self._keep_seconds:
                    break
                self._drop(oldest)

    def _drop(self, location: str) -> None:
        self._bytes -= len(self._kept.pop(location, (0.0, b""))[1])


def parse_metadata(body: bytes) -> ReadMetadata:
    """Return the metadata in a metadata file's content; detects gzip compression by content, not by name.

    Raises:
        Malformed: it exceeds the limit, or is truncated.
        ValidationError: it is not table metadata; PyIceberg's error has the location.
        UnicodeDecodeError: it is not UTF-8.
    """
    if body.startswith(_GZIP):
        body = _gunzipped(body, METADATA_BYTES)
    check_json(body)
    readable, types = readable_metadata(body)
    metadata, document = TableMetadataUtil.parse_raw(readable.decode("utf-8")), from_json(body)
    kept = kept_document(metadata, document)
    return ReadMetadata(metadata, fields_of(document), kept, types, readable is not body)


def kept_document(metadata: TableMetadata, document: Any) -> Mapping[str, Any] | None:
    """Return a metadata document to keep with a table; None for versions 1 and 2, which PyIceberg writes.

    Later versions are written by a change of the document, in which fields that PyIceberg does not know stay.
    """
    return document if metadata.format_version >= WRITTEN_FROM_DOCUMENT and isinstance(document, dict) else None


def stored_schema(document: Mapping[str, Any] | None, schema_id: int) -> str | None:
    """Return a schema as a kept document has it, as JSON; None if there is no such document or schema."""
    for each in (document or {}).get("schemas") or ():
        if each.get("schema-id") == schema_id:
            return json.dumps(each, separators=(",", ":"))
    return None


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

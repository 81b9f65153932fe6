"""Snapshot files of a table, `snapshot/snapshot-<id>`. Ids are consecutive; a file never changes once written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.formats.intake.documents import Document
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import NEWER_WRITER, Malformed, Unsupported

SNAPSHOT_BYTES: Final = 4 * 2**20
"""Limit of a snapshot file's size, which is about 1 kB."""

SNAPSHOT_VALUES: Final = 200_000
NEWEST_VERSION: Final = 3
_LATEST_MS: Final = 253_402_300_799_999  # the last instant of the year 9999, the maximum of `datetime`
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}")

APPEND: Final = "APPEND"
COMPACT: Final = "COMPACT"
OVERWRITE: Final = "OVERWRITE"


@dataclass(frozen=True, slots=True)
class ListFile:
    """The name of a manifest list; its size in bytes, None if it was not recorded."""

    name: str
    file_bytes: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot. `base` lists the manifests of the snapshot before, `delta` those of its changes.

    `changelog` lists the manifests of changelog files, None without any; `statistics` is the name of a file, None
    without one; `properties` are what the writer recorded.
    """

    id: int
    schema_id: int
    base: ListFile
    delta: ListFile
    index_manifest: str | None
    commit_user: str
    kind: str
    committed_at_ms: int
    delta_rows: int | None
    file_bytes: int
    changelog: ListFile | None = None
    statistics: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


def parse_snapshot(body: bytes, *, number: int) -> Snapshot:
    """Return the snapshot in the content of `snapshot-<number>`.

    Raises:
        Malformed: it is not a snapshot, that of another number, or of a later version of the format.
    """
    with decoding_file(f"snapshot-{number}"):
        found = _parsed(body)
        if found.id != number:
            raise Malformed(f"its id is {found.id}")
        return found


def parse_copy(body: bytes, *, path: str) -> Snapshot:
    """Return the snapshot that a tag or a long-lived changelog is a copy of. Raises `Malformed` as `parse_snapshot`."""
    with decoding_file(path):
        return _parsed(body)


def _parsed(body: bytes) -> Snapshot:
    document = Document.parse(body, most_values=SNAPSHOT_VALUES)
    version = document.optional_whole("version") or 1
    if version > NEWEST_VERSION:
        raise Unsupported(f"its version is {version}; {NEWEST_VERSION} is the newest that can be read: {NEWER_WRITER}")
    committed_at_ms = document.whole("timeMillis")
    if committed_at_ms > _LATEST_MS:
        raise Malformed(f"it was committed at no time: {committed_at_ms} ms")
    return Snapshot(
        id=document.whole("id"),
        schema_id=document.whole("schemaId"),
        base=_list_file(document, "baseManifestList"),
        delta=_list_file(document, "deltaManifestList"),
        index_manifest=_optional_name(document, "indexManifest"),
        commit_user=document.text("commitUser"),
        kind=document.text("commitKind"),
        committed_at_ms=committed_at_ms,
        delta_rows=document.optional_whole("deltaRecordCount", least=-(2**63)),
        file_bytes=len(body),
        changelog=_optional_list_file(document, "changelogManifestList"),
        statistics=_optional_name(document, "statistics"),
        properties=document.text_map("properties"),
    )


def checked_name(name: str) -> str:
    """Return the name of a metadata file. Raises `Malformed` if it is not the name of one file in a folder."""
    if _FILE_NAME.fullmatch(name) is None:
        raise Malformed(f"it names a file {name[:80]!r}, which can't be the name of one")
    return name


def _optional_name(document: Document, name: str) -> str | None:
    found = document.optional_text(name)
    return None if found is None else checked_name(found)


def _optional_list_file(document: Document, name: str) -> ListFile | None:
    return None if document.optional_text(name) is None else _list_file(document, name)


def _list_file(document: Document, name: str) -> ListFile:
    return ListFile(checked_name(document.text(name)), document.optional_whole(f"{name}Size"))

"""Tags of a table, `tag/tag-<name>`: copies of snapshots, which can have a time for which they are retained."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from engine.formats.intake.documents import Document
from engine.formats.intake.errors import decoding_file
from engine.formats.paimon.metadata.snapshots import SNAPSHOT_VALUES, Snapshot, parse_copy

_ZONES: Final = timedelta(hours=12)
"""Paimon writes the time of creation as local time of the writer, without its zone: it is at most 12 h behind UTC."""

_LEAST_FIELDS, _MOST_FIELDS = 5, 7


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag. `retained_until`: when it may be removed in every time zone; None: never, or its times can't be read."""

    name: str
    path: str
    snapshot: Snapshot
    retained_until: datetime | None

    @property
    def file_bytes(self) -> int:
        """Size of its file."""
        return self.snapshot.file_bytes


def parse_tag(body: bytes, *, name: str, path: str) -> Tag:
    """Return the tag in the content of a file. Raises `Malformed` as `parse_copy`."""
    snapshot = parse_copy(body, path=path)
    with decoding_file(path):
        document = Document.parse(body, most_values=SNAPSHOT_VALUES)
    created, retained = document.optional("tagCreateTime"), document.optional("tagTimeRetained")
    return Tag(name, path, snapshot, _until(created, retained))


def _until(created: Any, retained: Any) -> datetime | None:
    """Return when a tag may be removed; `created` is [year, month, day, hour, …], `retained` a number of seconds."""
    if not isinstance(created, list) or not all(type(each) is int for each in created):
        return None
    if not _LEAST_FIELDS <= len(created) <= _MOST_FIELDS or type(retained) not in (int, float):
        return None
    year, month, day, hour, minute, second, nanoseconds = created + [0] * (_MOST_FIELDS - len(created))
    if not 0 <= retained < math.inf:
        return None
    try:
        at = datetime(year, month, day, hour, minute, second, nanoseconds // 1000, tzinfo=UTC)
        return at + _ZONES + timedelta(seconds=retained)
    except (OverflowError, ValueError):
        return None

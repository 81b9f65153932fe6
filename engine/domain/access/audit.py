"""Entries of the audit log, and the hash chain over them.

An entry is written in the transaction of the change it records. Entries are chained afterwards, by one sealer at a
time: the hash of a seal covers the previous hash and the whole entry, so altering, removing or inserting an entry
breaks every later link. A user with write access to the database can still rebuild the whole chain: store its head
elsewhere regularly, and compare.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pydantic_core import to_jsonable_python

REDACTED: Final = "[redacted]"
GENESIS: Final = "0" * 64
"""The hash before the first entry."""

PRUNED: Final = "audit.prune"
"""The action of the entry that records pruning; its `after` has the anchor's `sequence` and `hash`."""

_SECRET_NAME: Final = re.compile(
    r"passw(or)?d|pwd|secret|token|credential|authorization|(access|private).?key", re.IGNORECASE
)
_REFERENCE: Final = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:/(?!/).*")
_API_KEY: Final = re.compile(r"pkh_[0-9A-Za-z]{8,}")
_PASSWORD_IN_URI: Final = re.compile(r"(?<=://)([^/?#\s@:]*):[^/?#\s@]*@")

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change: the `caller`, the `action` (`resource.verb`), the changed `object`, its state before and after."""

    id: int
    at: datetime
    caller: str
    action: str
    object: str
    request_id: str | None
    before: Document | None
    after: Document | None


@dataclass(frozen=True, slots=True)
class AuditSeal:
    """One link of the chain: the sealed entry's `sequence` number (from 1), and the hash up to and including it."""

    sequence: int
    audit_id: int
    sealed_at: datetime
    hash: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last pruned link and the time of its entry; (0, `GENESIS`, None) before the first pruning."""

    sequence: int = 0
    hash: str = GENESIS
    pruned_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Filters for a list of entries; absent fields do not filter. `since` is inclusive, `until` exclusive."""

    caller: str | None = None
    action: str | None = None
    object: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def link(previous: str, entry: AuditEntry) -> str:
    """Return the hash (hex) of an entry: SHA-256 over the previous hash and the entry as canonical JSON."""
    return hashlib.sha256(f"{previous}\n{canonical(entry)}".encode()).hexdigest()


def canonical(entry: AuditEntry) -> str:
    """Return an entry as JSON that is the same on every database: sorted keys, no spaces, ASCII, UTC microseconds."""
    document = {
        "id": entry.id,
        "at": entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "caller": entry.caller,
        "action": entry.action,
        "object": entry.object,
        "request_id": entry.request_id,
        "before": entry.before,
        "after": entry.after,
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def redacted(document: Document | None) -> Document | None:
    """Return a document as plain JSON values with its secrets replaced.

    Values of fields with the name of a secret (`password`, `s3.secret-access-key`) are replaced unless they are
    references (`env:…`, `file:…`); API keys, and passwords inside URIs, are replaced in every field.
    """
    if document is None:
        return None
    return {name: _redacted(name, value) for name, value in to_jsonable_python(document, fallback=str).items()}


def _redacted(name: str, value: Any) -> Any:
    match value:
        case dict():
            return {inner: _redacted(inner, child) for inner, child in value.items()}
        case list():
            return [_redacted(name, item) for item in value]
        case str() if _REFERENCE.fullmatch(value):
            return value
        case str() if _SECRET_NAME.search(name):
            return REDACTED
        case str():
            return _PASSWORD_IN_URI.sub(rf"\1:{REDACTED}@", _API_KEY.sub(REDACTED, value))
        case _:
            return value

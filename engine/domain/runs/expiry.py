"""Expiry of snapshots: the rule, and which snapshots it would remove from a table's metadata."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

READER = "reader"
"""Reason of `ExpiryPlan.kept`: a signal names a running reader that needs the snapshot."""

UNREADABLE_CONSUMER = "unreadable_consumer"
"""Reason of `ExpiryPlan.kept`: the file of a consumer of the table can't be read, and may need every snapshot."""

UNKNOWN_HISTORY = "unknown_history"
"""Reason of `ExpiryPlan.kept`: another program removed snapshots, and the branch may have had this one before them."""

SHOWN = 100
"""Most snapshots that a document lists."""


@dataclass(frozen=True, slots=True)
class ExpiryRule:
    """A snapshot may expire if it is older than `older_than` and not among the `keep_last` newest of a branch.

    `deletes_files`: whether the files that only expired snapshots needed are deleted. `overrides`: whether the
    retention that the table and its branches set themselves does not count.
    """

    older_than: timedelta
    keep_last: int
    deletes_files: bool = False
    overrides: bool = False

    def document(self) -> dict[str, Any]:
        """Return the rule as JSON-ready values."""
        return {
            "older_than_seconds": int(self.older_than.total_seconds()),
            "keep_last": self.keep_last,
            "delete_files": self.deletes_files,
        }


@dataclass(frozen=True, slots=True)
class Needed:
    """Snapshots that runs of Packhouse need: of these ids, and all that were committed at or after `since`.

    `reader_ids`, `readers_since`: the same for readers that signals name; all snapshots that are newer than a reader's
    stay as well, and every snapshot if the table does not have the one that a reader needs.
    """

    ids: frozenset[int] = frozenset()
    since: datetime | None = None
    reader_ids: frozenset[int] = frozenset()
    readers_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Expiry:
    """An expiry to plan or to do.

    Attributes:
        rule: which snapshots may expire.
        now: the instant at which ages are judged.
        needed: snapshots that must stay regardless.
        only: ids of the only snapshots that may expire; None: every snapshot of the table.
    """

    rule: ExpiryRule
    now: datetime
    needed: Needed = Needed()
    only: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class OldCopy:
    """A snapshot whose rows are also those of its child, a rewrite.

    Attributes:
        snapshot_id: the snapshot.
        rewrite_id: its child on the main branch.
        run_id: the run of Packhouse that made the child, as its summary names it; untrusted.
        rewritten_at: when the child was committed.
    """

    snapshot_id: int
    rewrite_id: int
    run_id: str
    rewritten_at: datetime


@dataclass(frozen=True, slots=True)
class ExpiryPlan:
    """Plan of an expiry: the snapshots to remove and to keep.

    Attributes:
        rule: the policy's rule.
        expired: commit times of the snapshots that would be removed, by id, oldest first.
        kept: number of the other snapshots by the first reason that keeps them.
        next_at: when the next of them may expire if nothing more is written; None: not by age alone.
        superseded_bytes: upper bound of the bytes of files that only expired snapshots need, from snapshot summaries.
        tags: names of the tags that would be removed, with the end of the time for which each was to be retained.
    """

    rule: ExpiryRule
    expired: Mapping[int, datetime]
    kept: Mapping[str, int]
    next_at: datetime | None = None
    superseded_bytes: int = 0
    tags: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of snapshots and tags that would be removed."""
        return len(self.expired) + len(self.tags)

    def hash(self, table_uuid: str) -> str:
        """Return a SHA-256 of the table and the snapshots that would be removed."""
        named = ",".join(str(each) for each in sorted(self.expired))
        return hashlib.sha256(f"{table_uuid}:{named}".encode()).hexdigest()

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON-ready values; ids are strings because they exceed 2^53."""
        shown = islice(self.expired.items(), SHOWN)
        return {
            "rule": self.rule.document(),
            "expired_total": len(self.expired),
            "expired": [{"snapshot_id": str(each), "committed_at": at.isoformat()} for each, at in shown],
            "kept": dict(self.kept),
            "superseded_bytes": self.superseded_bytes,
            "next_at": None if self.next_at is None else self.next_at.isoformat(),
            **({"expired_tags_total": len(self.tags), "expired_tags": self._tags()} if self.tags else {}),
        }

    def _tags(self) -> list[dict[str, str]]:
        shown = islice(self.tags.items(), SHOWN)
        return [{"name": name, "retained_until": until.isoformat()} for name, until in shown]


def instant(at_ms: int) -> datetime:
    """Return the instant of a commit time in milliseconds since 1970; times that no calendar has are its ends."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.max.replace(tzinfo=UTC) if at_ms > 0 else datetime.min.replace(tzinfo=UTC)

"""Files that a run deleted, or would delete, from a table's storage: their number and bytes by kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

LEAST_QUARANTINE: Final = timedelta(days=1)
"""Least time between the two searches that find an orphan, except where an admin accepts a shorter one."""

LEAST_ORPHAN_AGE: Final = timedelta(days=1)
"""Least age of an orphan: a younger file can be one that a writer is about to commit."""


_COUNTS: Final = ("delete_requests", "gone_files", "changed_files")


@dataclass(frozen=True, slots=True)
class InventoryPlace:
    """Location of an inventory of the store, and the folders below which its files may be read."""

    location: str
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrphanRule:
    """Rule for orphans: files of at least this age, found by two searches that are `quarantine` apart.

    `longest_run`: the longest duration of the table's runs; a file younger than twice that is not an orphan.
    `inventory`: where the table's files are read from instead of being listed.
    """

    older_than: timedelta
    quarantine: timedelta
    longest_run: timedelta = timedelta(0)
    inventory: InventoryPlace | None = None

    @property
    def age(self) -> timedelta:
        """The least age of an orphan."""
        return max(self.older_than, LEAST_ORPHAN_AGE, 2 * self.longest_run)

    def document(self) -> dict[str, Any]:
        """Return the rule as JSON-ready values."""
        return {
            "older_than_seconds": int(self.age.total_seconds()),
            "quarantine_seconds": int(self.quarantine.total_seconds()),
            **({} if self.inventory is None else {"inventory": self.inventory.location}),
        }


@dataclass(frozen=True, slots=True)
class ReplacedCopy:
    """A copy of data that a rewrite replaced, in a table whose rewrites leave the files where they were.

    Attributes:
        snapshot_id: of the rewrite.
        run_id: the run that made it, as the table states; untrusted.
        used_at: when the copy was last in use.
    """

    snapshot_id: int
    run_id: str
    used_at: datetime


@dataclass(frozen=True, slots=True)
class CopyRule:
    """Rule for replaced copies to delete: their rewrite is proven, and they were not used for the grace.

    Attributes:
        grace: the time.
        now: the instant at which ages are judged.
        proven: ids of the snapshots of rewrites, as text, that the record has a proof of.
        failed: ids of those whose proof failed.
    """

    grace: timedelta
    now: datetime
    proven: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FileCount:
    """Number of files, and the bytes of those whose size the metadata has."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "FileCount") -> "FileCount":
        """Return the sum."""
        return FileCount(self.files + other.files, self.bytes + other.bytes)

    def document(self) -> dict[str, int]:
        """Return it as JSON-ready values."""
        return {"files": self.files, "bytes": self.bytes}


@dataclass(frozen=True, slots=True)
class OrphansLeft:
    """Orphans that the last search of a table left.

    Attributes:
        bytes: of these files.
        next_at: when the first of them leaves the quarantine; None if none is in it.
    """

    bytes: int
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """Files that are, or would be, deleted.

    Attributes:
        files: by kind, such as `data` or `manifests`.
        details: JSON-ready values: samples of paths, and what is left alone for which reason.
        path: of the stored list of all files; empty if nothing is stored.
    """

    files: Mapping[str, FileCount]
    details: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""

    @property
    def total(self) -> FileCount:
        """The sum over all kinds."""
        return sum(self.files.values(), FileCount())

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        files = {kind: count.document() for kind, count in self.files.items()}
        return {"files": files, "total": self.total.document(), **self.details}


@dataclass(frozen=True, slots=True)
class RemovalFigures:
    """Figures of a deletion so far.

    Attributes:
        deleted: by kind; the bytes are those of the metadata.
        failed: number of files by kind that the store refused to delete.
        samples: the first of those, each with the store's answer.
        requests: number of requests sent to the store.
        gone: number of files that were gone before they were deleted, where that is known; otherwise they are counted
            as deleted.
        changed: number of files that were left because their size or time was another one than the search had found.
    """

    deleted: Mapping[str, FileCount] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    samples: Sequence[tuple[str, str]] = ()
    requests: int = 0
    gone: int = 0
    changed: int = 0

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the figures in a run's result; failures are not stored by kind. Without figures: none."""
        deleted = {kind: FileCount(**count) for kind, count in document.get("deleted", {}).items()}
        failures = int(document.get("delete_failures", 0))
        samples = [(each["path"], each["reason"]) for each in document.get("delete_failure_samples", ())]
        requests, gone, changed = (int(document.get(each, 0)) for each in _COUNTS)
        return cls(deleted, {"earlier": failures} if failures else {}, samples, requests, gone, changed)

    def __add__(self, other: "RemovalFigures") -> "RemovalFigures":
        """Return the sum of the figures of two deletions of different files."""
        failed = Counter(self.failed) + Counter(other.failed)
        samples, requests = [*self.samples, *other.samples], self.requests + other.requests
        gone, changed = self.gone + other.gone, self.changed + other.changed
        both = other.with_earlier(self.deleted)
        return replace(both, failed=failed, samples=samples, requests=requests, gone=gone, changed=changed)

    def with_earlier(self, deleted: Mapping[str, FileCount]) -> "RemovalFigures":
        """Return the figures together with files that were deleted before."""
        kinds = dict.fromkeys([*deleted, *self.deleted])
        none = FileCount()
        return replace(self, deleted={each: deleted.get(each, none) + self.deleted.get(each, none) for each in kinds})

    @property
    def total(self) -> FileCount:
        """The deleted files of all kinds."""
        return sum(self.deleted.values(), FileCount())

    def document(self) -> dict[str, Any]:
        """Return the figures as they stand in a run's result."""
        return {
            "deleted": {kind: count.document() for kind, count in self.deleted.items()},
            "deleted_files": self.total.files,
            "deleted_bytes": self.total.bytes,
            "delete_failures": sum(self.failed.values()),
            "delete_failure_samples": [{"path": path, "reason": reason} for path, reason in self.samples],
            "delete_requests": self.requests,
            "gone_files": self.gone,
            "changed_files": self.changed,
        }

"""The history of a branch, also across snapshots of it that were removed.

A snapshot names its parent, and nothing else orders a branch. Once a snapshot in the middle is removed, the chain of
parents ends there: the specification leaves the child's parent id unchanged, PyIceberg (0.12) clears it. Retention is
promised for the whole history, so every removal by Packhouse stores *links* in the table property `LINKS`, in the same
commit: for each snapshot whose parent is gone, its nearest ancestor that is not.

Other programs remove snapshots without links. Then it is not known how the history goes on: each older snapshot of the
table may belong to it (`Lineage.may_be_earlier`), and is kept as if it did. The property is untrusted input: a link
that leads nowhere or in a circle counts as none.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

LINKS: Final = "packhouse.history-links"
"""Table property: `child=ancestor` pairs of snapshot ids, separated by commas."""

MOST_LINKS: Final = 1000
"""Links that are stored, those of the newest snapshots: 40 kB of metadata. Without a link more snapshots are kept."""

_MOST_DIGITS: Final = 19
_CLOCK_SKEW_MS: Final = 60_000
"""By how much a snapshot may be older by its time than its parent (Iceberg's `TableMetadata`)."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The known history of a branch: its retained snapshots, newest first; `is_complete`: it has no others."""

    snapshots: tuple[Snapshot, ...]
    is_complete: bool

    def may_be_earlier(self, snapshot: Snapshot) -> bool:
        """Return whether a snapshot that is not in this lineage may belong to its unknown part."""
        return not self.is_complete and bool(self.snapshots) and _may_precede(snapshot, self.snapshots[-1])


class Lineages:
    """The lineages of all branches of one version of a table's metadata."""

    def __init__(self, metadata: TableMetadata) -> None:
        self._by_id = {each.snapshot_id: each for each in metadata.snapshots}
        self._links = _parsed(metadata.properties.get(LINKS, ""))

    def of(self, head_id: int) -> Lineage:
        """Return the lineage that ends with a snapshot; an empty one if the table does not have it."""
        found = {each.snapshot_id: each for each in self._from(head_id)}
        snapshots = tuple(found.values())
        return Lineage(snapshots, is_complete=not snapshots or _is_first(snapshots[-1]))

    def links_without(self, removed: AbstractSet[int]) -> str:
        """Return the value of the property `LINKS` after the removal of snapshots; empty if no link is needed."""
        made: dict[int, int] = {}
        for each in sorted(self._by_id.values(), key=_age_key, reverse=True):
            parent_id = each.parent_snapshot_id
            if each.snapshot_id in removed or (parent_id in self._by_id and parent_id not in removed):
                continue
            earlier = (one.snapshot_id for one in self._from(each.snapshot_id) if one is not each)
            nearest = next((one for one in earlier if one not in removed), None)
            if nearest is not None:
                made[each.snapshot_id] = nearest
            if len(made) == MOST_LINKS:
                break
        return ",".join(f"{child}={ancestor}" for child, ancestor in made.items())

    def _from(self, snapshot_id: int) -> Iterator[Snapshot]:
        """Yield a snapshot and its known ancestors, each once."""
        seen: set[int] = set()
        at: int | None = snapshot_id
        while at is not None and at in self._by_id and at not in seen:
            seen.add(at)
            snapshot = self._by_id[at]
            yield snapshot
            parent_id = snapshot.parent_snapshot_id
            at = parent_id if parent_id in self._by_id else self._links.get(at)


def _parsed(text: str) -> Mapping[int, int]:
    pairs = (each.partition("=") for each in text.split(",", MOST_LINKS)[:MOST_LINKS])
    return {int(child): int(ancestor) for child, _, ancestor in pairs if _is_id(child) and _is_id(ancestor)}


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


def _is_first(snapshot: Snapshot) -> bool:
    """Return whether the history of a branch begins with this snapshot: all its files are those that it added.

    So does the first snapshot after `CREATE OR REPLACE TABLE`. A snapshot without a parent id may also be one whose
    parent PyIceberg removed, which had files; summaries of foreign snapshots may lack the counts.
    """
    if snapshot.parent_snapshot_id is not None or snapshot.summary is None:
        return False
    counts = snapshot.summary.additional_properties
    kinds = ("data-files", "delete-files")
    has_removed = any(counts.get(f"{verb}-{kind}", "0") != "0" for verb in ("deleted", "removed") for kind in kinds)
    has_only_own = all(counts.get(f"total-{kind}") == counts.get(f"added-{kind}", "0") for kind in kinds)
    return has_only_own and not has_removed


def _may_precede(snapshot: Snapshot, other: Snapshot) -> bool:
    """Return whether a snapshot may have been committed before another; sequence numbers are 0 in version 1."""
    if other.sequence_number:
        return (snapshot.sequence_number or 0) < other.sequence_number
    return snapshot.timestamp_ms <= other.timestamp_ms + _CLOCK_SKEW_MS


def _age_key(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.sequence_number or 0, snapshot.timestamp_ms

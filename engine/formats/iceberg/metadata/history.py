"""Snapshots of the main branch, and those of them that Packhouse committed.

Metadata has snapshots as a list, which is indexed once here, since the library searches it again for each parent.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import MAIN_BRANCH
from pyiceberg.table.snapshots import Operation, Snapshot

from engine.formats.base import IN_HISTORY, CommittedBatch, Condition, SnapshotInfo, SnapshotKind
from engine.formats.iceberg.metadata.lineages import Lineages
from engine.formats.intake.limits import Malformed

RUN_ID: Final = "packhouse.run-id"
ATTEMPT: Final = "packhouse.attempt"
GROUPS: Final = "packhouse.groups"
COMPACTION_ID: Final = "compaction-id"
ADDED_BYTES: Final = "added-files-size"
MOST_DIGITS: Final = 19
_MOST_SHOWN: Final = 80
_APPLICATIONS: Final = {"app-id": "spark", "spark.app.id": "spark", "flink.job-id": "flink", "trino_query_id": "trino"}
"""Summary properties with the application of a snapshot, and the engine they imply if no other property has it."""
_KINDS: Final = {
    Operation.APPEND: SnapshotKind.APPEND,
    Operation.OVERWRITE: SnapshotKind.CHANGE,
    Operation.DELETE: SnapshotKind.CHANGE,
    Operation.REPLACE: SnapshotKind.REWRITE,
}


def head_of(metadata: TableMetadata) -> Snapshot | None:
    """Return the newest snapshot of the main branch."""
    ref = metadata.refs.get(MAIN_BRANCH)
    return None if ref is None else metadata.snapshot_by_id(ref.snapshot_id)


def ancestors(metadata: TableMetadata) -> Iterator[Snapshot]:
    """Yield the snapshots of the main branch, newest first, up to the first that is not retained.

    Raises:
        Malformed: a snapshot is its own ancestor.
    """
    by_id = {snapshot.snapshot_id: snapshot for snapshot in metadata.snapshots}
    seen: set[int] = set()
    snapshot = head_of(metadata)
    while snapshot is not None:
        if snapshot.snapshot_id in seen:
            raise Malformed(f"snapshot {snapshot.snapshot_id} is its own ancestor")
        seen.add(snapshot.snapshot_id)
        yield snapshot
        parent = snapshot.parent_snapshot_id
        snapshot = None if parent is None else by_id.get(parent)


def history(metadata: TableMetadata) -> Sequence[Snapshot]:
    """Return the retained snapshots of the main branch, newest first, also those before removed ones; see `lineages`.

    Raises:
        Malformed: as `ancestors`.
    """
    connected = tuple(ancestors(metadata))
    return Lineages(metadata).of(connected[0].snapshot_id).snapshots if connected else ()


def is_ancestor(metadata: TableMetadata, snapshot_id: int) -> bool:
    """Return whether a snapshot is in the history of the main branch, as far as it is retained."""
    return any(each.snapshot_id == snapshot_id for each in history(metadata))


def in_history(metadata: TableMetadata, snapshot_id: int) -> Condition:
    """Check that a snapshot is an ancestor of main."""
    held = is_ancestor(metadata, snapshot_id)
    return Condition(IN_HISTORY, held, "an ancestor of main" if held else "not an ancestor of main")


def commits_of(metadata: TableMetadata, run_id: str) -> Sequence[CommittedBatch]:
    """Return the snapshots of a run on the main branch, oldest first."""
    found = []
    for snapshot in history(metadata):
        summary = summary_of(snapshot)
        if summary.get(RUN_ID) == run_id:
            groups = tuple(int(each) for each in summary.get(GROUPS, "").split(",") if each)
            found.append(CommittedBatch(snapshot.snapshot_id, groups, int(summary.get(ATTEMPT, "0"))))
    return found[::-1]


def commit_times(metadata: TableMetadata) -> dict[int, int]:
    """Return the commit time of each retained snapshot of any branch: milliseconds since 1970 by snapshot id."""
    return {snapshot.snapshot_id: snapshot.timestamp_ms for snapshot in metadata.snapshots}


def sequence_times(metadata: TableMetadata) -> dict[int, int]:
    """Return the commit time of each retained snapshot by its sequence number, which is always 0 in version 1."""
    return {snapshot.sequence_number or 0: snapshot.timestamp_ms for snapshot in metadata.snapshots}


def known_since(metadata: TableMetadata) -> int | None:
    """Return the time of the oldest ancestor of the head up to which the history is complete.

    Live files come from ancestors of the head, so a file whose snapshot has expired was committed earlier than this.
    """
    oldest = None
    for snapshot in ancestors(metadata):
        oldest = snapshot.timestamp_ms
    return oldest


def next_compaction_id(metadata: TableMetadata) -> int:
    """Return the newest compaction id on the main branch plus one; 1 if there is none."""
    for snapshot in history(metadata):
        text = summary_of(snapshot).get(COMPACTION_ID, "")
        if is_count(text):
            return int(text) + 1
    return 1


def newest(metadata: TableMetadata, limit: int) -> Sequence[SnapshotInfo]:
    """Return the newest snapshots of the main branch, newest first."""
    return [
        SnapshotInfo(
            snapshot_id=each.snapshot_id,
            parent_id=each.parent_snapshot_id,
            committed_at_ms=each.timestamp_ms,
            kind=_KINDS[each.summary.operation] if each.summary else SnapshotKind.UNKNOWN,
            added_bytes=count_of(summary_of(each).get(ADDED_BYTES, "")),
            compactor=_compactor(each),
        )
        for each in islice(history(metadata), limit)
    ]


def _compactor(snapshot: Snapshot) -> tuple[str, str | None] | None:
    """Return engine and application of a snapshot in which another client replaced data files, otherwise None.

    Rewrites of only manifests are `replace` snapshots without data files. Engines use different properties for names.
    """
    summary = summary_of(snapshot)
    is_ours = RUN_ID in summary
    if is_ours or snapshot.summary is None or snapshot.summary.operation is not Operation.REPLACE:
        return None
    if not all(count_of(summary.get(name, "")) for name in ("added-data-files", "deleted-data-files")):
        return None
    found = next((name for name in _APPLICATIONS if name in summary), None)
    engine = " ".join(summary[name] for name in ("engine-name", "engine-version") if name in summary)
    engine = engine or (_APPLICATIONS[found] if found else "an unknown engine")
    return _shown(engine), None if found is None else _shown(summary[found])


def _shown(text: str) -> str:
    """Return a property, which is untrusted text, as one short line."""
    return "".join(each if each.isprintable() else " " for each in text[:_MOST_SHOWN])


def count_of(text: str) -> int:
    """Return the count in a summary value or property; 0 if it is not a count, since both are free text."""
    return int(text) if is_count(text) else 0


def is_count(text: str) -> bool:
    """Return whether a text is a count of less than 64 bits."""
    return text.isascii() and text.isdecimal() and len(text) < MOST_DIGITS


def summary_of(snapshot: Snapshot) -> dict[str, str]:
    """Return a snapshot's summary without its operation, and without values that are not texts."""
    found = snapshot.summary.additional_properties.items() if snapshot.summary else ()
    return {name: value for name, value in found if isinstance(value, str)}

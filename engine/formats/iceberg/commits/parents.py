"""Rollback of unverified snapshots, and the tag that protects a snapshot's parent until verification.

The tag is set by the commit that adds the snapshot, so expiry can never remove the parent in between, and no extra
commit is needed. It is removed by the run's next commit, or by one at the run's end; the tag of a dead run is removed
by the next run's commit, or expires by `max-ref-age-ms` after a week (that age counts from the parent's own commit, not
from the tag's). A tag of a frozen table does not expire.

A rollback moves `main` from the snapshot to its parent if and only if `main` is still that snapshot: commits on top of
it are never undone. In that case an operator has to decide.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.update import (
    AssertRefSnapshotId,
    AssertTableUUID,
    RemoveSnapshotRefUpdate,
    SetSnapshotRefUpdate,
    TableRequirement,
    TableUpdate,
)

from engine.domain.errors import LockHeld, OutcomeUnknown, RequestNotServed
from engine.formats.base import RollBack
from engine.formats.iceberg.errors import summary_of
from engine.formats.iceberg.metadata.history import is_ancestor
from engine.formats.iceberg.metadata.views import TableView

PREFIX: Final = "packhouse-parent-"
LONGEST_MS: Final = 7 * 24 * 3600 * 1000
MAX_TRIES: Final = 8


def protect(
    metadata: TableMetadata, run_id: str, parent_id: int | None, *, for_ms: int | None = LONGEST_MS
) -> tuple[TableUpdate, ...]:
    """Return the updates that tag a parent for a run, with a maximum age of the tag (None: no limit)."""
    parent = None if parent_id is None else metadata.snapshot_by_id(parent_id)
    if parent is None:
        return ()
    age = max(0, int(time.time() * 1000) - parent.timestamp_ms)
    tag = SetSnapshotRefUpdate(
        ref_name=f"{PREFIX}{run_id}-{parent.snapshot_id}",
        type=SnapshotRefType.TAG,
        snapshot_id=parent.snapshot_id,
        max_ref_age_ms=None if for_ms is None else age + for_ms,
        max_snapshot_age_ms=None,
        min_snapshots_to_keep=None,
    )
    return (tag,)


def main_at(metadata: TableMetadata, snapshot_id: int) -> SetSnapshotRefUpdate:
    """Return the update that moves `main` to a snapshot, including its retention, which would otherwise be lost."""
    ref = metadata.refs[MAIN_BRANCH]
    return SetSnapshotRefUpdate(
        ref_name=MAIN_BRANCH,
        type=SnapshotRefType.BRANCH,
        snapshot_id=snapshot_id,
        max_ref_age_ms=ref.max_ref_age_ms,
        max_snapshot_age_ms=ref.max_snapshot_age_ms,
        min_snapshots_to_keep=ref.min_snapshots_to_keep,
    )


def keep_parent(catalog: Catalog, load: Callable[[], TableView], run_id: str, snapshot_id: int) -> int | None:
    """Tag the parent of a snapshot in a separate commit, without expiry; return its id, None if it has expired.

    Raises:
        OutcomeUnknown: the catalog did not answer.
    """
    for _ in range(MAX_TRIES):
        view = load()
        snapshot = view.metadata.snapshot_by_id(snapshot_id)
        parent_id = None if snapshot is None else snapshot.parent_snapshot_id
        tags = protect(view.metadata, run_id, parent_id, for_ms=None)
        if not tags:
            return None
        if _sent(catalog, view, (), tags):
            break
    return parent_id


def forget_old(metadata: TableMetadata) -> tuple[TableUpdate, ...]:
    """Return the updates that remove our tags: a run commits only after verifying the previous commits."""
    return tuple(RemoveSnapshotRefUpdate(ref_name=name) for name in _tags(metadata))


def release(catalog: Catalog, load: Callable[[], TableView]) -> Sequence[str]:
    """Remove our tags in a separate commit; return their names. After a lost race a later commit removes them.

    Raises:
        OutcomeUnknown: the catalog did not answer; the next commit removes them.
    """
    for _ in range(MAX_TRIES):
        view = load()
        if not (tags := _tags(view.metadata)):
            return ()
        if _sent(catalog, view, (), forget_old(view.metadata)):
            return tags
    return ()


def roll_back(catalog: Catalog, load: Callable[[], TableView], snapshot_id: int) -> RollBack:
    """Move `main` from a snapshot back to its parent, if no commit followed it; see `TableCommits.undo`.

    Raises:
        OutcomeUnknown: the catalog did not answer; retrying is safe.
    """
    for _ in range(MAX_TRIES):
        view = load()
        metadata = view.metadata
        if not is_ancestor(metadata, snapshot_id):
            return RollBack.DONE
        snapshot = metadata.snapshot_by_id(snapshot_id)
        parent = None if snapshot is None else metadata.snapshot_by_id(snapshot.parent_snapshot_id or 0)
        if parent is None:
            return RollBack.NO_PARENT
        if metadata.refs[MAIN_BRANCH].snapshot_id != snapshot_id:
            return RollBack.FOLLOWED
        back = main_at(metadata, parent.snapshot_id)
        still = AssertRefSnapshotId(ref=MAIN_BRANCH, snapshot_id=snapshot_id)
        if _sent(catalog, view, (still,), (back, *forget_old(metadata))):
            return RollBack.DONE
    return RollBack.FOLLOWED


def _tags(metadata: TableMetadata) -> list[str]:
    refs = metadata.refs.items()
    return [name for name, ref in refs if name.startswith(PREFIX) and ref.snapshot_ref_type is SnapshotRefType.TAG]


def _sent(
    catalog: Catalog,
    view: TableView,
    requirements: tuple[TableRequirement, ...],
    updates: tuple[TableUpdate, ...],
) -> bool:
    uuid = AssertTableUUID(uuid=view.metadata.table_uuid)
    try:
        catalog.commit_table(view.table, (uuid, *requirements), updates)
    except CommitFailedException:
        return False
    except (RequestNotServed, LockHeld):
        raise
    except Exception as error:
        raise OutcomeUnknown(f"no certain answer to a change of the table's refs: {summary_of(error)}") from error
    return True

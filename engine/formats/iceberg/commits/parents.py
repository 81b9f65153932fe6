"""Keeping the way back open: a tag on the parent of a snapshot that is not proven yet, and the way back itself.

The tag is set by the commit that adds the snapshot, so there is no moment in which expiry could take the parent, and
no commit of its own. It goes with the run's next commit, or with one at the run's end; what a dead run leaves goes with
the next run's commit, and by `max-ref-age-ms` a week later even if none follows (that age counts from the parent's own
commit, not from the tag's). A tag of a frozen table has no such end.

Rolling back moves `main` from the snapshot to its parent, if and only if `main` is that snapshot still: whatever
anybody committed on top of it stays. Then somebody has to look.
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

from engine.domain.errors import OutcomeUnknown
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
    """Return the updates that tag a parent for a run, for so long if nothing else removes the tag (None: for ever)."""
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
    """Return the update that moves `main` to a snapshot; left out, its retention would be lost."""
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
    """Tag the parent of a snapshot in a commit of its own, without an end; return it, None when it is gone.

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
    """Return the updates that remove our tags: whoever commits has proven what was committed before."""
    return tuple(RemoveSnapshotRefUpdate(ref_name=name) for name in _tags(metadata))


def release(catalog: Catalog, load: Callable[[], TableView]) -> Sequence[str]:
    """Remove our tags in a commit of their own; return which there were. Loses races quietly: they can wait.

    Raises:
        OutcomeUnknown: the catalog did not answer; they go with the next commit.
    """
    for _ in range(MAX_TRIES):
        view = load()
        if not (tags := _tags(view.metadata)):
            return ()
        if _sent(catalog, view, (), forget_old(view.metadata)):
            return tags
    return ()


def roll_back(catalog: Catalog, load: Callable[[], TableView], snapshot_id: int) -> RollBack:
    """Move `main` from a snapshot back to its parent, if nothing came after it; see `OpenTable.roll_back`.

    Raises:
        OutcomeUnknown: the catalog did not answer; to ask again is safe.
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
    except Exception as error:
        raise OutcomeUnknown(f"no certain answer to a change of the table's refs: {summary_of(error)}") from error
    return True

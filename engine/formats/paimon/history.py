"""What each snapshot did to the rows of its table."""

from collections.abc import Sequence
from itertools import pairwise

from engine.formats.base import SnapshotInfo, SnapshotKind
from engine.formats.paimon.compaction.commits import is_own
from engine.formats.paimon.metadata.snapshots import APPEND, COMPACT, OVERWRITE, Snapshot

_ENGINE = "paimon"


def snapshot_infos(snapshots: Sequence[Snapshot], *, is_keyed: bool) -> list[SnapshotInfo]:
    """Return the history in consecutive snapshots, newest first.

    Args:
        snapshots: oldest first.
        is_keyed: the table has primary keys: every append can replace rows.
    """
    pairs = [*pairwise([None, *snapshots])]
    return [_info(each, before, is_keyed=is_keyed) for before, each in reversed(pairs) if each is not None]


def _info(each: Snapshot, before: Snapshot | None, *, is_keyed: bool) -> SnapshotInfo:
    kind = _kind(each, before, is_keyed=is_keyed)
    return SnapshotInfo(
        snapshot_id=each.id,
        parent_id=each.id - 1 or None,
        committed_at_ms=each.committed_at_ms,
        kind=kind,
        compactor=(_ENGINE, each.commit_user) if kind is SnapshotKind.REWRITE and not is_own(each) else None,
    )


def _kind(each: Snapshot, before: Snapshot | None, *, is_keyed: bool) -> SnapshotKind:
    """Return what a snapshot did; an append with another index manifest may delete rows by deletion vectors."""
    if each.kind == COMPACT:
        return SnapshotKind.REWRITE
    if each.kind == OVERWRITE:
        return SnapshotKind.CHANGE
    if each.kind != APPEND:
        return SnapshotKind.UNKNOWN
    indexed_before = None if before is None else before.index_manifest
    is_plain = not is_keyed and (each.delta_rows or 0) >= 0 and each.index_manifest == indexed_before
    return SnapshotKind.APPEND if is_plain else SnapshotKind.CHANGE

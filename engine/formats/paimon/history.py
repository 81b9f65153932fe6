"""The effect of each snapshot on the rows of its table."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.formats.base import SnapshotInfo, SnapshotKind
from engine.formats.paimon.metadata.snapshots import APPEND, COMPACT, OVERWRITE, Snapshot
from engine.formats.paimon.rewrite.commits import is_own

_ENGINE = "paimon"


def snapshot_infos(
    snapshots: Sequence[Snapshot], *, is_keyed: bool, added_bytes: Mapping[int, int]
) -> list[SnapshotInfo]:
    """Return the history in consecutive snapshots, newest first.

    Args:
        snapshots: oldest first.
        is_keyed: the table has primary keys: every append can replace rows.
        added_bytes: the size of the files that each of them added, by its id.
    """
    pairs = [(before, each) for before, each in pairwise([None, *snapshots]) if each is not None]
    return [_info(each, _kind(each, before, is_keyed=is_keyed), added_bytes) for before, each in reversed(pairs)]


def _info(each: Snapshot, kind: SnapshotKind, added_bytes: Mapping[int, int]) -> SnapshotInfo:
    return SnapshotInfo(
        snapshot_id=each.id,
        parent_id=each.id - 1 or None,
        committed_at_ms=each.committed_at_ms,
        kind=kind,
        added_bytes=added_bytes.get(each.id, 0),
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

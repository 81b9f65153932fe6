"""Estimate the bytes of files that only some snapshots need from the summaries of snapshots; no manifest is read.

A summary has the bytes of the files that its snapshot added and removed compared with its parent
(https://iceberg.apache.org/spec/#optional-snapshot-summary-fields); a field that is not there counts as 0.
"""

from collections.abc import Set as AbstractSet
from typing import Final

from pyiceberg.table.metadata import TableMetadata

from engine.formats.iceberg.metadata.history import ADDED_BYTES, count_of, summary_of

REMOVED_BYTES: Final = "removed-files-size"
ALL_BYTES: Final = "total-files-size"
MOST_BYTES: Final = 2**53 - 1
"""Greatest number that every JSON reader keeps exactly; summaries are free text and can state more."""


def superseded_bytes(metadata: TableMetadata, snapshot_ids: AbstractSet[int]) -> int:
    """Return an upper bound of the bytes of files that only these snapshots need, capped at `MOST_BYTES`.

    A file that no other snapshot needs was removed by the child of one of these snapshots, or is a file of a line that
    ends with them: one that a snapshot of the line added, or that the line's first snapshot had if its parent is gone.
    All are summed. The sum is too high where a snapshot that stays, such as one with a tag, needs some of the files.
    """
    by_id = {each.snapshot_id: each for each in metadata.snapshots}
    lasting = _with_ancestors(by_id.keys() - snapshot_ids, {each: by_id[each].parent_snapshot_id for each in by_id})
    total = 0
    for each in metadata.snapshots:
        summary = summary_of(each)
        if each.parent_snapshot_id in snapshot_ids:
            total += count_of(summary.get(REMOVED_BYTES, ""))
        if each.snapshot_id not in lasting:
            total += count_of(summary.get(ADDED_BYTES if each.parent_snapshot_id in by_id else ALL_BYTES, ""))
    return min(total, MOST_BYTES)


def history_bytes(metadata: TableMetadata) -> int:
    """Return an upper bound of the bytes of files that only snapshots without a branch or tag need."""
    named = {each.snapshot_id for each in metadata.refs.values()}
    return superseded_bytes(metadata, {each.snapshot_id for each in metadata.snapshots} - named)


def _with_ancestors(snapshot_ids: AbstractSet[int], parents: dict[int, int | None]) -> set[int]:
    """Return the snapshots and all their ancestors that the metadata has."""
    found: set[int] = set()
    for each in snapshot_ids:
        at: int | None = each
        while at is not None and at not in found:
            found.add(at)
            at = parents.get(at)
    return found

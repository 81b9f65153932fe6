"""Detect conflicts between a plan and a fresh head of the table, before every try of a commit.

Concurrent appends are not a conflict. A whole group is dropped when one of its inputs was removed, when a delete file
added since the base can apply to one of its inputs, when a delete file that its task applied was removed, or when rows
of its inputs have other row ids than in the plan. (An upgrade to format version 3 gives rows no ids; the next commit
does, in whatever order its writer lists them. A rewrite planned before has outputs without ids.) Base and
head are compared as sets of live files (not by the head's sequence number, nor snapshot by snapshot), so that delete
files moved by other maintenance or written with an old sequence number are detected too.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent, ManifestFile
from pyiceberg.table.snapshots import Snapshot

from engine.domain.errors import CommitConflict
from engine.domain.runs.drops import Loss
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.formats.base import CommitRequest, WrittenGroup
from engine.formats.iceberg.catalog.paths import normalised, own_location_provider
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.manifests.decoding import DELETED, DeleteIdentity, identities
from engine.formats.iceberg.metadata.deletes import UNPARTITIONED, DeletesMoved
from engine.formats.iceberg.metadata.history import ancestors
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.output_partitions import places_of_outputs
from engine.formats.intake.parameters import listed

_WRITTEN: Final = (1, 2, 3)
"""Format versions that commits write."""


@dataclass(frozen=True, slots=True)
class Surviving:
    """The groups that may be committed on this head, the others' reasons, and the manifests to rewrite."""

    groups: tuple[WrittenGroup, ...]
    dropped: Mapping[int, Loss]
    touched: tuple[ManifestFile, ...]


def base_of(view: TableView, request: CommitRequest, *, uuid: str) -> Snapshot:
    """Return the base snapshot after checking that the plan still fits the table.

    Raises:
        CommitConflict: a different table, schema or format version, or the base is not an ancestor.
    """
    metadata = view.metadata
    if str(metadata.table_uuid) != uuid:
        raise CommitConflict(f"the table was replaced: its uuid is {metadata.table_uuid}, the plan's is {uuid}")
    if metadata.current_schema_id != request.schema_id:
        raise CommitConflict(f"the schema changed from {request.schema_id} to {metadata.current_schema_id}: plan again")
    if metadata.format_version not in _WRITTEN:
        raise CommitConflict(f"the table was upgraded to format version {metadata.format_version}")
    if found := own_location_provider(metadata.properties):
        raise CommitConflict(f"the table got a location provider of its own ({found})")
    if problems := view.feature_problems(Activity.KERNEL):
        raise CommitConflict(f"the table changed since the plan: {listed(problems)}")
    for snapshot in ancestors(metadata):
        if snapshot.snapshot_id == request.base_snapshot_id:
            return snapshot
    raise CommitConflict(
        f"snapshot {request.base_snapshot_id} is no longer in the history of the main branch: plan again"
    )


def surviving(view: TableView, base: Snapshot, groups: Sequence[WrittenGroup]) -> Surviving:
    """Separate groups whose inputs are live and unchanged on the head from the others."""
    head_manifests = view.manifests(view.head)
    wanted = pa.array([each.path for group in groups for each in group.inputs], pa.string())
    located = _locate(view, [each for each in head_manifests if each.content == ManifestContent.DATA], wanted)
    live = {path: first for files in located.values() for path, first in files.items()}
    changes = _DeleteChanges.between(view, view.manifests(base), head_manifests)
    dropped: dict[int, Loss] = {}
    for group in groups:
        if not all(each.path in live for each in group.inputs):
            dropped[group.ordinal] = Loss.SOURCE_GONE
        elif not all(live[each.path] == each.first_row_id for each in group.inputs):
            dropped[group.ordinal] = Loss.LINEAGE_CHANGED
        elif group.spec_of_outputs not in view.codecs:  # other programs remove specs that no file has yet
            dropped[group.ordinal] = Loss.TABLE_CHANGED
        elif changes.touch(group, _places_after(view, group)):
            dropped[group.ordinal] = Loss.NEW_DELETES
        elif changes.took_from(group):
            dropped[group.ordinal] = Loss.DELETES_GONE
    kept = tuple(group for group in groups if group.ordinal not in dropped)
    kept_paths = {each.path for group in kept for each in group.inputs}
    touched = tuple(manifest for manifest, files in located.items() if not kept_paths.isdisjoint(files))
    return Surviving(kept, dropped, touched)


def lost_groups(view: TableView, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> dict[int, Loss]:
    """Return the reasons, by ordinal, why groups that are not written yet can't be committed on this head."""
    asked = tuple(
        WrittenGroup(each.ordinal, each.spec_id, each.partition, each.inputs, (), 0, each.output_spec_id)
        for each in groups
    )
    request = CommitRequest("", 0, base_snapshot_id, schema_id, asked)
    try:
        base = base_of(view, request, uuid=str(view.metadata.table_uuid))
    except CommitConflict:
        return {each.ordinal: Loss.TABLE_CHANGED for each in groups}
    return dict(surviving(view, base, asked).dropped)


def _places_after(view: TableView, group: WrittenGroup) -> AbstractSet[Place]:
    return frozenset(places_of_outputs(view.codecs[group.spec_of_outputs], group).values())


def _locate(
    view: TableView, manifests: Sequence[ManifestFile], wanted: pa.Array
) -> dict[ManifestFile, dict[str, int | None]]:
    """Return the manifests that list some of the wanted files, with these and their first row ids."""
    found: dict[ManifestFile, dict[str, int | None]] = {}
    for manifest, entries in zip(manifests, view.reader.each(manifests), strict=True):
        is_hit = pc.and_(pc.not_equal(entries["status"], DELETED), pc.is_in(entries["path"], value_set=wanted))
        hits = entries.select(["path", "first_row_id"]).filter(is_hit)
        if hits.num_rows:
            found[manifest] = dict(zip(*(column.to_pylist() for column in hits.columns), strict=True))
    return found


@dataclass(frozen=True, slots=True)
class _DeleteChanges:
    """Delete files and deletion vectors added and removed between base and head."""

    targets: frozenset[str]
    partitions: frozenset[tuple[int, str]]
    is_global: bool
    gone: frozenset[DeleteIdentity]

    @staticmethod
    def between(view: TableView, base: Sequence[ManifestFile], head: Sequence[ManifestFile]) -> "_DeleteChanges":
        old = {each.manifest_path: each for each in base if each.content == ManifestContent.DELETES}
        new = {each.manifest_path: each for each in head if each.content == ManifestContent.DELETES}
        before = view.reader.live(each for path, each in old.items() if path not in new)
        after = view.reader.live(each for path, each in new.items() if path not in old)
        moved = DeletesMoved.between(before, after)
        came = moved.came.select(["target", "spec_id", "partition"]).to_pylist()
        aimed = {normalised(each["target"]) for each in came if each["target"] is not None}
        wide = {(each["spec_id"], each["partition"]) for each in came if each["target"] is None}
        return _DeleteChanges(
            targets=frozenset(aimed),
            partitions=frozenset(wide),
            is_global=any(partition == UNPARTITIONED for _, partition in wide),
            gone=frozenset(identities(moved.gone)),
        )

    def touch(self, group: WrittenGroup, places_after: AbstractSet[Place]) -> bool:
        """Return whether a new delete file may delete rows of an input, or of an output in its partition."""
        if self.is_global or not self.partitions.isdisjoint({group.place, *places_after}):
            return True
        return any(normalised(each.path) in self.targets for each in group.inputs)

    def took_from(self, group: WrittenGroup) -> bool:
        """Return whether a delete file that the group's task applied is no longer live."""
        refs = (ref for each in group.inputs for ref in each.deletes)
        return any((ref.path, ref.offset, ref.length) in self.gone for ref in refs)

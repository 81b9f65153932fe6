"""Prove a rewrite of delete files: the snapshot has its parent's data files, and deletes the same positions of them.

Only files that exist in one of the two snapshots are read. Other delete files must be unchanged.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.domain.runs.deletes import DeleteFigures
from engine.domain.values.partitions import partition_text
from engine.formats.base import Condition, SnapshotProof
from engine.formats.iceberg.manifests.decoding import POSITION_DELETES, identity_keys
from engine.formats.iceberg.manifests.reading import ManifestReader
from engine.formats.iceberg.manifests.summaries import not_enclosed
from engine.formats.iceberg.metadata.history import in_history
from engine.formats.iceberg.metadata.known_parents import NO_PARENT
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.deletes.plans import DeleteFile, delete_files_of, delete_manifests, live_data
from engine.formats.iceberg.upkeep.deletes.positions import (
    DeleteEvidence,
    LeftAlone,
    LiveData,
    Positions,
    distinct,
    each_read,
    readable,
    together,
)
from engine.formats.iceberg.upkeep.deletes.vector_plans import with_vectors
from engine.formats.iceberg.upkeep.deletes.vector_proofs import same_effect, vectors_valid
from engine.formats.iceberg.upkeep.manifests.entries import comparable
from engine.formats.iceberg.upkeep.manifests.proofs import are_same_files, is_replace
from engine.formats.intake.caches import ManifestCache
from engine.formats.intake.limits import Malformed

_MOST_NAMED = 5


def prove_deletes(view: TableView, snapshot_id: int, evidence: DeleteEvidence | None = None) -> SnapshotProof:
    """Compare a snapshot with its parent, from files that are read again; see `SnapshotRewrite.prove`.

    Delete files of the parent that this process read and checked are not read again, those of the snapshot are.
    """
    known, snapshot = evidence or DeleteEvidence(), view.metadata.snapshot_by_id(snapshot_id)
    if snapshot is None:
        detail = f"snapshot {snapshot_id} has expired: its files can't be compared"
        return SnapshotProof((Condition("snapshot_present", True, detail),), None)
    parent = view.parent_of(snapshot)
    checks = [is_replace(snapshot), in_history(view.metadata, snapshot_id)]
    if parent is None:
        checks.append(NO_PARENT)
        return SnapshotProof(checks, None)
    before, after = view.manifests(parent), view.manifests(snapshot)
    reader = view.reader.uncached(ManifestCache())  # each manifest of deletes is read again, once
    data = live_data(view, after)
    checks.append(_same_data(live_data(view, before), data))
    had, has = (reader.live(delete_manifests(each)) for each in (before, after))
    gone, came = _without(had, has), _without(has, had)
    checks += [_others_unchanged(had, has, gone, came), *_enclosed(view, reader, before, after)]
    old, new = delete_files_of(gone), delete_files_of(came)
    if with_vectors(view):
        checks.append(vectors_valid(data, has))
        same, positions = same_effect(view.table.io, data, had=had, has=has, copied=known.copied)
        rows = sum(each.record_count for each in old)
    else:
        same, rows, positions = _same_positions(view, LiveData(data), old, new, known)
    figures = DeleteFigures(
        rewritten=len({each.path for each in old}),
        added=len({each.path for each in new}),
        rewritten_bytes=sum(each.stored_bytes for each in old),
        added_bytes=sum(each.stored_bytes for each in new),
        rows=rows,
        positions=positions,
        files_before=_stored_files(had),
        files_after=_stored_files(has),
    )
    return SnapshotProof([*checks, same], figures)


def _without(some: pa.Table, others: pa.Table) -> pa.Table:
    return some.filter(pc.invert(pc.is_in(identity_keys(some), value_set=identity_keys(others).combine_chunks())))


def _position_files(entries: pa.Table) -> int:
    return int(pc.sum(pc.equal(entries["content"], POSITION_DELETES)).as_py() or 0)


def _stored_files(entries: pa.Table) -> int:
    """Return the number of position-delete files and of Puffin files, of which each may have many vectors."""
    return len(entries.filter(pc.equal(entries["content"], POSITION_DELETES))["path"].unique())


def _same_data(had: pa.Table, has: pa.Table) -> Condition:
    same = are_same_files(comparable(had), comparable(has))
    return Condition("same_data_files", same, f"{had.num_rows} live data files before, {has.num_rows} after")


def _others_unchanged(had: pa.Table, has: pa.Table, gone: pa.Table, came: pa.Table) -> Condition:
    kept = comparable(_without(had, gone))
    same = kept.equals(comparable(_without(has, came)))
    foreign = gone.num_rows - _position_files(gone) + came.num_rows - _position_files(came)
    detail = f"{kept.num_rows} other delete files, {foreign} equality-delete files added or removed"
    return Condition("other_deletes_unchanged", same and not foreign, detail)


def _enclosed(
    view: TableView, reader: ManifestReader, before: Sequence[ManifestFile], after: Sequence[ManifestFile]
) -> Iterator[Condition]:
    """Check what the manifest list states of the new manifests: readers select manifests by it."""
    known = {each.manifest_path for each in before}
    new = [each for each in after if each.content == ManifestContent.DELETES and each.manifest_path not in known]
    wrong = [
        text
        for manifest, entries in zip(new, reader.each(new), strict=True)
        for text in not_enclosed(manifest, entries, view.codecs[manifest.partition_spec_id])
    ]
    detail = f"{len(new)} manifests" + (f", partitions outside of their bounds: {wrong[:_MOST_NAMED]}" if wrong else "")
    yield Condition("manifests_enclose_partitions", not wrong, detail)


def _same_positions(
    view: TableView, live: LiveData, old: Sequence[DeleteFile], new: Sequence[DeleteFile], known: DeleteEvidence
) -> tuple[Condition, int, int]:
    """Compare the deleted positions of each partition; return the check, the rows read, and the positions found."""
    alike: dict[tuple[int, str], tuple[list[DeleteFile], list[DeleteFile]]] = defaultdict(lambda: ([], []))
    for at, files in enumerate((old, new)):
        for each in files:
            alike[each.spec_id, each.partition][at].append(each)
    rows = positions = 0
    wrong: list[str] = []
    for (_, partition), (before, after) in sorted(alike.items()):
        had, has = _applying(view, live, before, known), _applying(view, live, after, None)
        positions += len(has.codes)
        rows += sum(each.record_count for each in before)
        if not _equal(had, has):
            wrong.append(f"{partition_text(partition)}: {len(had.codes)} before, {len(has.codes)} after")
    detail = f"{positions} deleted positions of live data files in {len(alike)} partitions"
    if wrong:
        detail += f", other ones in {len(wrong)}: {wrong[:_MOST_NAMED]}"
    return Condition("same_deleted_positions", not wrong, detail), rows, positions


def _applying(view: TableView, live: LiveData, files: Sequence[DeleteFile], known: DeleteEvidence | None) -> Positions:
    parts = []
    for file, found in each_read(view.table.io, files, known):
        try:
            rows = readable(found)
        except LeftAlone as error:
            raise Malformed(f"delete file {file.path} can't be compared: {error}") from error
        parts.append(rows.only(live.applying(rows, file)[rows.codes]))
    return distinct(together(parts))


def _equal(some: Positions, others: Positions) -> bool:
    return (
        some.paths.equals(others.paths)
        and np.array_equal(some.codes, others.codes)
        and np.array_equal(some.positions, others.positions)
    )

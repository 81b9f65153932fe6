"""Prove a rewrite of manifests: the snapshot has the same live files as its parent, and its manifests find them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestFile
from pyiceberg.table.snapshots import Operation, Snapshot

from engine.domain.runs.manifests import ManifestFigures
from engine.formats.base import Condition, SnapshotProof
from engine.formats.iceberg.manifests.decoding import ENTRIES
from engine.formats.iceberg.manifests.reading import live
from engine.formats.iceberg.manifests.summaries import excluded
from engine.formats.iceberg.metadata.history import in_history
from engine.formats.iceberg.metadata.known_parents import NO_PARENT
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.manifests.entries import comparable, plain
from engine.formats.iceberg.upkeep.manifests.evidence import Evidence, Reading
from engine.formats.intake.caches import ManifestCache


def prove_manifests(view: TableView, snapshot_id: int, evidence: Sequence[Evidence] = ()) -> SnapshotProof:
    """Compare a snapshot with its parent; see `SnapshotRewrite.prove`.

    All files are read again. Those whose bytes are the same as in `evidence` are not decoded again.
    """
    snapshot = view.metadata.snapshot_by_id(snapshot_id)
    if snapshot is None:
        detail = f"snapshot {snapshot_id} has expired: its files can't be compared"
        return SnapshotProof((Condition("snapshot_present", True, detail),), None)
    parent = view.parent_of(snapshot)
    checks = [is_replace(snapshot), in_history(view.metadata, snapshot_id)]
    if parent is None:
        checks.append(NO_PARENT)
        return SnapshotProof(checks, None)
    before, after = view.manifests(parent), view.manifests(snapshot)
    old, new = _only_in(before, after), _only_in(after, before)
    had = _read(view, old, [each.old for each in evidence])
    has = _read(view, new, [reading for each in evidence for reading in each.new])
    checks += [_same_files(had.entries, has.entries), *_lists(view, has, snapshot)]
    figures = ManifestFigures(
        rewritten=len(old),
        added=len(new),
        rewritten_bytes=sum(each.manifest_length for each in old),
        added_bytes=sum(each.manifest_length for each in new),
        entries=has.entries.num_rows,
        manifests_before=len(before),
        manifests_after=len(after),
        seconds_before=had.seconds,
        seconds_after=has.seconds,
    )
    return SnapshotProof(checks, figures)


def is_replace(snapshot: Snapshot) -> Condition:
    """Check that a snapshot states that it keeps the table's rows."""
    operation = snapshot.summary.operation if snapshot.summary else None
    return Condition("operation_is_replace", operation == Operation.REPLACE, f"operation {operation}")


def _only_in(these: Sequence[ManifestFile], others: Sequence[ManifestFile]) -> list[ManifestFile]:
    known = {each.manifest_path for each in others}
    return [each for each in these if each.manifest_path not in known]


@dataclass(frozen=True, slots=True)
class _Read:
    """Manifests that were read in parts: those of each, with their live entries. `seconds`: with decoding."""

    parts: Sequence[tuple[Sequence[ManifestFile], pa.Table]]
    seconds: float

    @property
    def entries(self) -> pa.Table:
        return pa.concat_tables(entries for _, entries in self.parts)


def _read(view: TableView, manifests: Sequence[ManifestFile], known: Sequence[Reading]) -> _Read:
    """Read the live entries of manifests from the store."""
    started, decoded = time.monotonic(), 0.0
    left = {each.manifest_path: each for each in manifests}
    parts: list[tuple[Sequence[ManifestFile], pa.Table]] = []
    for reading in known:
        some = [left[path] for path in reading.digests if path in left]
        if reading.is_of(some, view.reader):
            parts.append((some, reading.entries))
            decoded += reading.seconds
            left = {path: each for path, each in left.items() if path not in reading.digests}
    rest = list(left.values())
    reader = view.reader.uncached(ManifestCache())
    parts += [([each], plain(live(entries))) for each, entries in zip(rest, reader.each(rest), strict=True)]
    parts.append(((), plain(ENTRIES.empty_table())))
    return _Read(parts, time.monotonic() - started + decoded)


def _same_files(had: pa.Table, has: pa.Table) -> Condition:
    same = are_same_files(comparable(had), comparable(has))
    detail = f"{had.num_rows} live files in the replaced manifests, {has.num_rows} in the new ones"
    return Condition("same_live_files", same, detail if same else f"{detail}; their entries differ")


def are_same_files(had: pa.Table, has: pa.Table) -> bool:
    """Return whether entries are equal, but for row ids where there were none: an upgraded table gets them."""
    if had.num_rows != has.num_rows:
        return False
    new = pc.if_else(pc.is_valid(had["first_row_id"]), has["first_row_id"], pa.scalar(None, pa.int64()))
    at = has.schema.get_field_index("first_row_id")
    return bool(had.equals(has.set_column(at, has.schema.field(at), new)))


def _lists(view: TableView, read: _Read, snapshot: Snapshot) -> Iterator[Condition]:
    """Check what the manifest list states of the new manifests: readers select manifests by it."""
    wrong: list[str] = []
    miscounted: list[str] = []
    parts = [(manifest, entries) for manifests, entries in read.parts for manifest in manifests]
    for manifest, entries in parts:
        wrong += excluded(manifest, entries["partition"], view.codecs[manifest.partition_spec_id])
        least = pc.min(entries["sequence_number"]).as_py() or 0
        stated = (manifest.existing_files_count, manifest.added_snapshot_id, manifest.min_sequence_number or 0)
        if stated != (entries.num_rows, snapshot.snapshot_id, least):
            miscounted.append(manifest.manifest_path)
    detail = f"{len(parts)} manifests" + (f", partitions outside of their bounds: {wrong[:5]}" if wrong else "")
    yield Condition("manifests_enclose_partitions", not wrong, detail)
    counted = f"{len(parts)} manifests, {len(miscounted)} listed with other counts: {miscounted[:5]}"
    yield Condition("manifests_listed_as_written", not miscounted, counted)

"""Prove a rewrite of manifests: the snapshot has the same live files as its parent, and its manifests find them."""

import time
from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyiceberg.manifest import ManifestFile
from pyiceberg.table.snapshots import Operation, Snapshot

from engine.domain.runs.manifests import ManifestFigures
from engine.formats.base import Condition, ManifestProof
from engine.formats.iceberg.manifests.reading import ManifestCache
from engine.formats.iceberg.manifests.summaries import not_enclosed
from engine.formats.iceberg.metadata.history import in_history
from engine.formats.iceberg.metadata.views import TableView

COMPARED = [
    "content",
    "path",
    "spec_id",
    "partition",
    "sequence_number",
    "file_sequence_number",
    "snapshot_id",
    "file_format",
    "record_count",
    "file_bytes",
    "row_groups",
    "sort_order_id",
    "target",
]
"""Columns of entries that a rewrite of manifests must not change."""


def prove_manifests(view: TableView, snapshot_id: int) -> ManifestProof:
    """Compare a snapshot with its parent, from files that are read again; see `ManifestKeeper.prove_manifests`."""
    snapshot = view.metadata.snapshot_by_id(snapshot_id)
    if snapshot is None:
        detail = f"snapshot {snapshot_id} has expired: its files can't be compared"
        return ManifestProof((Condition("snapshot_present", True, detail),), None)
    parent = view.metadata.snapshot_by_id(snapshot.parent_snapshot_id or 0)
    checks = [is_replace(snapshot), in_history(view.metadata, snapshot_id)]
    if parent is None:
        checks.append(Condition("parent_present", True, "the parent has expired: not compared with it"))
        return ManifestProof(checks, None)
    before, after = view.manifests(parent), view.manifests(snapshot)
    old, new = _only_in(before, after), _only_in(after, before)
    had, seconds_before = _read(view, old)
    has, seconds_after = _read(view, new)
    checks += [_same_files(had, has), *_lists(view, new, snapshot)]
    figures = ManifestFigures(
        rewritten=len(old),
        added=len(new),
        rewritten_bytes=sum(each.manifest_length for each in old),
        added_bytes=sum(each.manifest_length for each in new),
        entries=has.num_rows,
        manifests_before=len(before),
        manifests_after=len(after),
        seconds_before=seconds_before,
        seconds_after=seconds_after,
    )
    return ManifestProof(checks, figures)


def is_replace(snapshot: Snapshot) -> Condition:
    """Check that a snapshot states that it keeps the table's rows."""
    operation = snapshot.summary.operation if snapshot.summary else None
    return Condition("operation_is_replace", operation == Operation.REPLACE, f"operation {operation}")


def _only_in(these: Sequence[ManifestFile], others: Sequence[ManifestFile]) -> list[ManifestFile]:
    known = {each.manifest_path for each in others}
    return [each for each in these if each.manifest_path not in known]


def _read(view: TableView, manifests: Sequence[ManifestFile]) -> tuple[pa.Table, float]:
    """Return the live entries of manifests, read from the store, and the seconds that it took."""
    started = time.monotonic()
    live = view.reader.uncached(ManifestCache()).live(manifests)
    return live, time.monotonic() - started


def _same_files(had: pa.Table, has: pa.Table) -> Condition:
    same = had.num_rows == has.num_rows and comparable(had).equals(comparable(has))
    detail = f"{had.num_rows} live files in the replaced manifests, {has.num_rows} in the new ones"
    return Condition("same_live_files", same, detail if same else f"{detail}; their entries differ")


def comparable(entries: pa.Table) -> pa.Table:
    """Return entries in an order of their own, with the columns that a rewrite must not change, to be compared."""
    plain = entries.select(COMPARED)
    for at, name in enumerate(COMPARED):
        if pa.types.is_dictionary(plain.schema.field(name).type):
            plain = plain.set_column(at, name, plain[name].cast(pa.string()))
    return plain.sort_by([(name, "ascending") for name in ("path", "sequence_number", "target", "content")])


def _lists(view: TableView, manifests: Sequence[ManifestFile], snapshot: Snapshot) -> Iterator[Condition]:
    """Check what the manifest list states of the new manifests: readers select manifests by it."""
    wrong: list[str] = []
    miscounted: list[str] = []
    for manifest, entries in zip(manifests, view.reader.each(manifests), strict=True):
        wrong += not_enclosed(manifest, entries, view.codecs[manifest.partition_spec_id])
        least = min(entries["sequence_number"].to_pylist(), default=0)
        stated = (manifest.existing_files_count, manifest.added_snapshot_id, manifest.min_sequence_number or 0)
        if stated != (entries.num_rows, snapshot.snapshot_id, least):
            miscounted.append(manifest.manifest_path)
    detail = f"{len(manifests)} manifests" + (f", partitions outside of their bounds: {wrong[:5]}" if wrong else "")
    yield Condition("manifests_enclose_partitions", not wrong, detail)
    counted = f"{len(manifests)} manifests, {len(miscounted)} listed with other counts: {miscounted[:5]}"
    yield Condition("manifests_listed_as_written", not miscounted, counted)

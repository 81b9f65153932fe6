"""Verify a Packhouse snapshot from metadata alone: the files it removed and added, and that nothing else changed.

Null counts are compared for top-level primitive columns, as far as all inputs and outputs of a group have them;
writers differ in how they count below optional structs. The comparison with the parent is omitted (and reported so)
when the parent has expired: the files that the snapshot removed and added are still verified.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import DataFile, ManifestContent, ManifestEntryStatus, ManifestFile
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.types import PrimitiveType

from engine.formats.base import IN_HISTORY, Condition, Verification, WrittenGroup
from engine.formats.iceberg.catalog.paths import data_location, outside
from engine.formats.iceberg.manifests.decoding import FIRST_WITH_VECTORS, are_vectors
from engine.formats.iceberg.manifests.summaries import not_enclosed
from engine.formats.iceberg.metadata.dangling import is_of_run
from engine.formats.iceberg.metadata.deletes import DeletesMoved, vector_faults
from engine.formats.iceberg.metadata.history import GROUPS, RUN_ID, in_history, summary_of
from engine.formats.iceberg.metadata.known_parents import NO_PARENT
from engine.formats.iceberg.metadata.row_ids import has_row_ids, row_id_limit
from engine.formats.iceberg.metadata.sort_orders import is_in_order
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.enclosure import unenclosed
from engine.formats.iceberg.statistics.entries import read_footer
from engine.formats.iceberg.statistics.lineage_columns import (
    misses_ids,
    schema_of_outputs,
)
from engine.formats.iceberg.statistics.output_partitions import places_of_outputs


def verify_snapshot(view: TableView, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
    """Verify a snapshot against the groups it claims to contain; returns every check, passed or failed."""
    snapshot = view.metadata.snapshot_by_id(snapshot_id)
    if snapshot is None:
        return _by_files(view, snapshot_id, groups)
    changes = _Changes.read(view, snapshot)
    checks = tuple(_RewriteChecks(view, snapshot, changes, groups).all())
    return Verification(
        snapshot_id=snapshot_id,
        ok=all(check.holds for check in checks),
        checks=checks,
        removed_files=len(changes.removed),
        added_files=len(changes.added),
        removed_rows=_rows(changes.removed.values()),
        added_rows=_rows(changes.added.values()),
        removed_bytes=sum(each.file_size_in_bytes for each in changes.removed.values()),
        added_bytes=sum(each.file_size_in_bytes for each in changes.added.values()),
        removed_delete_files=changes.removed_deletes,
    )


@dataclass(frozen=True, slots=True)
class _Changes:
    """Data files removed and added by one snapshot, by path, and the number of delete files it removed.

    `manifests`: the manifests of data files that the snapshot added.
    """

    removed: Mapping[str, DataFile]
    added: Mapping[str, DataFile]
    added_sequence_numbers: frozenset[int | None]
    removed_deletes: int
    manifests: tuple[ManifestFile, ...]

    @staticmethod
    def read(view: TableView, snapshot: Snapshot) -> "_Changes":
        removed, added, numbers = {}, {}, set()
        own = [each for each in view.manifests(snapshot) if each.added_snapshot_id == snapshot.snapshot_id]
        deletes = sum(each.deleted_files_count or 0 for each in own if each.content == ManifestContent.DELETES)
        data = [each for each in own if each.content != ManifestContent.DELETES]
        for _, entries in view.full_entries(data, discard_deleted=False):
            for entry in entries:
                if entry.snapshot_id != snapshot.snapshot_id:
                    continue
                if entry.status == ManifestEntryStatus.DELETED:
                    removed[entry.data_file.file_path] = entry.data_file
                elif entry.status == ManifestEntryStatus.ADDED:
                    added[entry.data_file.file_path] = entry.data_file
                    numbers.add(entry.sequence_number)
        return _Changes(removed, added, frozenset(numbers), deletes, tuple(data))


@dataclass(frozen=True, slots=True)
class _RewriteChecks:
    view: TableView
    snapshot: Snapshot
    changes: _Changes
    groups: Sequence[WrittenGroup]

    def all(self) -> Iterator[Condition]:
        yield Condition("snapshot_present", True, f"snapshot {self.snapshot.snapshot_id}")
        yield self._operation()
        yield in_history(self.view.metadata, self.snapshot.snapshot_id)
        yield self._claimed_groups()
        yield self._removed_set()
        yield self._added_set()
        yield self._rows()
        yield self._locations()
        yield self._specs()
        yield self._sort_orders()
        yield self._sequence_numbers()
        yield self._null_counts()
        if has_row_ids(self.view.metadata):
            yield self._row_ids()
        yield self._bounds()
        yield self._summaries()
        yield from self._against_parent()

    def _operation(self) -> Condition:
        operation = self.snapshot.summary.operation if self.snapshot.summary else None
        word = "none" if operation is None else operation.value
        return Condition("operation_is_replace", operation == Operation.REPLACE, f"operation {word}")

    def _claimed_groups(self) -> Condition:
        claimed = summary_of(self.snapshot).get(GROUPS, "")
        given = ",".join(str(group.ordinal) for group in self.groups)
        held = sorted(claimed.split(",")) == sorted(given.split(","))
        return Condition("groups_as_claimed", held, f"snapshot: [{claimed}]; run: [{given}]")

    def _removed_set(self) -> Condition:
        planned = {each.path for group in self.groups for each in group.inputs}
        return _same_set("removed_files_as_planned", planned, set(self.changes.removed))

    def _added_set(self) -> Condition:
        written = {each.path for group in self.groups for each in group.outputs}
        return _same_set("added_files_as_written", written, set(self.changes.added))

    def _rows(self) -> Condition:
        removed, added = _rows(self.changes.removed.values()), _rows(self.changes.added.values())
        deleted = sum(group.rows_deleted for group in self.groups)
        detail = f"{removed} removed, {deleted} deleted by delete files, {added} added"
        return Condition("rows_conserved", added == removed - deleted, detail)

    def _locations(self) -> Condition:
        metadata = self.view.metadata
        lost = outside(self.changes.added, (metadata.location, data_location(metadata)))
        return Condition("added_files_in_place", not lost, f"{len(lost)} of {len(self.changes.added)} outside")

    def _specs(self) -> Condition:
        wanted = {
            path: place
            for group in self.groups
            for path, place in places_of_outputs(self.view.codecs[group.spec_of_outputs], group).items()
        }
        strays = [
            path
            for path, file in self.changes.added.items()
            if path in wanted and wanted[path] != (file.spec_id, self._partition(file))
        ]
        detail = f"{len(strays)} added files in another spec or partition"
        return Condition("specs_and_partitions_kept", not strays, detail)

    def _sort_orders(self) -> Condition:
        """Check that files with a sort order id of the table have the same order in their footers."""
        claims = {path: file.sort_order_id for path, file in self.changes.added.items() if file.sort_order_id}
        written = [each for group in self.groups for each in group.outputs if each.path in claims]
        held = sum(is_in_order(self.view.metadata, claims[each.path], read_footer(each)) for each in written)
        detail = f"{len(claims)} added files claim a sort order, {held} rightly"
        return Condition("sort_orders_as_written", held == len(claims), detail)

    def _partition(self, file: DataFile) -> str:
        return self.view.codecs[file.spec_id].encode([file.partition[at] for at in range(len(file.partition))])

    def _sequence_numbers(self) -> Condition:
        own, numbers = self.snapshot.sequence_number or 0, sorted(self.changes.added_sequence_numbers, key=str)
        held = all(number is not None and (number < own or own == 0) for number in numbers)
        return Condition("sequence_numbers_kept", held, f"outputs have {numbers}, the snapshot {own}")

    def _null_counts(self) -> Condition:
        columns = {
            field.field_id
            for field in self.view.metadata.schema().fields
            if isinstance(field.field_type, PrimitiveType)
        }
        wrong, compared = [], 0
        for group in self.groups:
            inputs = [self.changes.removed.get(each.path) for each in group.inputs]
            outputs = [self.changes.added.get(each.path) for each in group.outputs]
            for field_id in columns:
                before, after = _nulls(inputs, field_id), _nulls(outputs, field_id)
                if before is None or after is None:
                    continue
                compared += 1
                if after > before or (after < before and group.rows_deleted < before - after):
                    wrong.append((group.ordinal, field_id))
        detail = f"{compared} counts compared" + (f", differing (group, field id): {wrong[:5]}" if wrong else "")
        return Condition("null_counts_conserved", not wrong, detail)

    def _row_ids(self) -> Condition:
        """Check that each row has an id that was assigned before, in groups where each input has ids."""
        groups = [group for group in self.groups if all(each.first_row_id is not None for each in group.inputs)]
        files = [self.changes.added[e.path] for group in groups for e in group.outputs if e.path in self.changes.added]
        following = row_id_limit(self.view.metadata)
        wrong = [text for file in files if (text := misses_ids(file, following=following)) is not None]
        detail = f"{len(files)} files whose rows had ids" + (f", {'; '.join(wrong[:5])}" if wrong else "")
        return Condition("row_ids_kept", not wrong, detail)

    def _bounds(self) -> Condition:
        """Check that bounds enclose the rows; see `enclosure`. Footers are dropped once no commit needs them."""
        wrong: list[str] = []
        for group in self.groups:
            inputs = [self.changes.removed[each.path] for each in group.inputs if each.path in self.changes.removed]
            pairs = [(self.changes.added[e.path], e) for e in group.outputs if e.path in self.changes.added]
            found = unenclosed(
                [file for file, _ in pairs],
                [read_footer(each) if each.footer else None for _, each in pairs],
                inputs,
                schema=schema_of_outputs(self.view.metadata.schema(), group.inputs),
                same_rows=not group.rows_deleted,
            )
            wrong += [f"group {group.ordinal}, field {field_id}: {reason}" for field_id, reason in found]
        detail = f"{len(self.groups)} groups compared" + (f", {'; '.join(wrong[:5])}" if wrong else "")
        return Condition("bounds_enclose_rows", not wrong, detail)

    def _summaries(self) -> Condition:
        """Check that the partition summaries of the added manifests enclose their partitions; see `summaries`.

        Delete manifests are not checked: those that are rewritten keep the summaries of their writers.
        """
        own = self.changes.manifests
        wrong = [
            text
            for manifest, entries in zip(own, self.view.reader.each(own), strict=True)
            for text in not_enclosed(manifest, entries, self.view.codecs[manifest.partition_spec_id])
        ]
        detail = f"{len(own)} manifests" + (f", partitions outside of their bounds: {wrong[:5]}" if wrong else "")
        return Condition("manifests_enclose_partitions", not wrong, detail)

    def _against_parent(self) -> Iterator[Condition]:
        parent = self.view.parent_of(self.snapshot)
        if parent is None:
            yield NO_PARENT
            return
        before, after = self.view.manifests(parent), self.view.manifests(self.snapshot)
        old, new = self._live(before), self._live(after)
        stayed, after_it = _without(old, self.changes.removed), _without(new, self.changes.added)
        same = stayed.num_rows == old.num_rows - len(self.changes.removed) and stayed["path"].equals(after_it["path"])
        moved = _with_other_ids(stayed, after_it) if same else 0
        detail = f"{old.num_rows} live files before, {new.num_rows} after, {stayed.num_rows} of them stayed"
        detail += f", {moved} of these with other row ids" if moved else ""
        yield Condition("all_else_unchanged", same and not moved, detail)
        yield self._deletes(before, after)
        if self.view.metadata.format_version >= FIRST_WITH_VECTORS:
            yield self._vectors(after)

    def _deletes(self, before: Sequence[ManifestFile], after: Sequence[ManifestFile]) -> Condition:
        """Check that delete files were only removed: unneeded ones, and only in the rewritten partitions."""
        listed = [{m for m in each if m.content == ManifestContent.DELETES} for each in (before, after)]
        if listed[0] == listed[1]:
            return Condition("deletes_conserved", True, f"{len(listed[0])} delete manifests, none of them changed")
        moved = DeletesMoved.between(*(self.view.reader.live(each) for each in listed))
        data = self.view.reader.live(m for m in after if m.content == ManifestContent.DATA)
        is_ours = is_of_run(data, summary_of(self.snapshot).get(RUN_ID, ""))
        others = data.filter(pc.invert(is_ours))
        needed = moved.still_needed(others, to_the_letter=True) + moved.still_needed(data.filter(is_ours))
        gone = moved.gone.select(["spec_id", "partition"]).to_pylist()
        strays = {(each["spec_id"], each["partition"]) for each in gone} - {group.place for group in self.groups}
        told = len(gone) == self.changes.removed_deletes
        detail = (
            f"{moved.came.num_rows} delete files added, {len(gone)} removed ({self.changes.removed_deletes} by its "
            f"entries) in {len(strays)} other partitions, {needed} data files still need one of those"
        )
        return Condition("deletes_conserved", not moved.came.num_rows and not needed and not strays and told, detail)

    def _vectors(self, after: Sequence[ManifestFile]) -> Condition:
        """Check that the deletion vectors of removed files went with them, and that readers accept all others."""
        deletes = self.view.reader.live(m for m in after if m.content == ManifestContent.DELETES)
        data = self.view.reader.live(m for m in after if m.content == ManifestContent.DATA)
        removed = pa.array(list(self.changes.removed), pa.string())
        vectors = deletes.filter(are_vectors(deletes))
        left = pc.sum(pc.is_in(vectors["target"], value_set=removed)).as_py() or 0
        faults = vector_faults(data, deletes)
        detail = f"{vectors.num_rows} deletion vectors, {left} of removed files" + "".join(
            f"; {each}" for each in faults
        )
        return Condition("deletion_vectors_valid", not left and not faults, detail)

    def _live(self, manifests: Sequence[ManifestFile]) -> pa.Table:
        data = self.view.reader.live(each for each in manifests if each.content == ManifestContent.DATA)
        return data.select(["path", "first_row_id"])


def _by_files(view: TableView, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
    """Verify a snapshot that expired before verification: check only that its files replaced the inputs."""
    inputs = [each for group in groups for each in group.inputs]
    outputs = [each for group in groups for each in group.outputs]
    data = (each for each in view.manifests(view.head) if each.content == ManifestContent.DATA)
    asked = [each.path for each in inputs] + [each.path for each in outputs]
    paths = view.reader.live(data)["path"]
    live = set(paths.filter(pc.is_in(paths, value_set=pa.array(asked, pa.string()))).to_pylist())
    came, stayed = (sum(each.path in live for each in some) for some in (outputs, inputs))
    held = came == len(outputs) and not stayed
    checks = (
        Condition("snapshot_expired", True, f"snapshot {snapshot_id} was expired: only its files can be checked"),
        Condition(IN_HISTORY, held, f"{came} of {len(outputs)} outputs are live, and {stayed} of {len(inputs)} inputs"),
    )
    return Verification(
        snapshot_id=snapshot_id,
        ok=held,
        checks=checks,
        removed_files=len(inputs),
        added_files=len(outputs),
        removed_rows=sum(each.record_count for each in inputs),
        added_rows=sum(each.record_count for each in outputs),
        removed_bytes=sum(each.file_bytes for each in inputs),
        added_bytes=sum(each.file_bytes for each in outputs),
    )


def _same_set(name: str, wanted: set[str], found: set[str]) -> Condition:
    detail = f"{len(found)} files, {len(wanted - found)} missing, {len(found - wanted)} unexpected"
    return Condition(name, wanted == found, detail)


def _nulls(files: Sequence[DataFile | None], field_id: int) -> int | None:
    counts = [None if file is None else (file.null_value_counts or {}).get(field_id) for file in files]
    return None if None in counts else sum(count for count in counts if count is not None)


def _rows(files: Iterable[DataFile]) -> int:
    return sum(each.record_count for each in files)


def _without(files: pa.Table, some: Mapping[str, DataFile]) -> pa.Table:
    others = files.filter(pc.invert(pc.is_in(files["path"], value_set=pa.array(list(some), pa.string()))))
    return others.sort_by("path")


def _with_other_ids(before: pa.Table, after: pa.Table) -> int:
    """Return the number of files whose first row id changed; an upgraded table gives ids to those without one."""
    had, has = before["first_row_id"], after["first_row_id"]
    return int(pc.sum(pc.invert(pc.fill_null(pc.equal(had, has), pc.is_null(had)))).as_py() or 0)

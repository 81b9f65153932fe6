"""Find the changes made by a call of Iceberg's procedure in the table's history, and verify them.

The procedure's counters are ignored. A snapshot is attributed to a call if it was committed after the planned one, is a
`replace` without our signature, and all data files that it removed are in one planned partition.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent
from pyiceberg.table.snapshots import Operation, Snapshot

from engine.domain.errors import CommitConflict
from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.formats.base import Condition, NativeChange, RowCounts, Verification
from engine.formats.iceberg.catalog.paths import all_locations, outside, own_location_provider
from engine.formats.iceberg.manifests.decoding import ADDED, DATA, DELETED, ENTRIES
from engine.formats.iceberg.metadata.deletes import DeletesMoved, count_deletes
from engine.formats.iceberg.metadata.history import RUN_ID, ancestors, in_history, summary_of
from engine.formats.iceberg.metadata.views import TableView

_APPLICATION: Final = "app-id"


def native_changes(view: TableView, base_snapshot_id: int, places: Sequence[Place]) -> Sequence[NativeChange]:
    """Return the snapshots that replaced files of these partitions since a base, oldest first.

    Raises:
        CommitConflict: the base is no longer in the history of main.
    """
    connected = list(ancestors(view.metadata))
    newer = list(takewhile(lambda each: each.snapshot_id != base_snapshot_id, connected))
    if len(newer) == len(connected):
        raise CommitConflict(f"snapshot {base_snapshot_id} is no longer in the history of the main branch: plan again")
    wanted, found = set(places), []
    for snapshot in reversed(newer):
        is_replace = snapshot.summary is not None and snapshot.summary.operation is Operation.REPLACE
        if not is_replace or RUN_ID in summary_of(snapshot):
            continue
        change = _Step.of(view, snapshot).change()
        if change is not None and change.place in wanted:
            found.append(change)
    return found


def verify_native(view: TableView, change: NativeChange, counted: RowCounts | None) -> Verification:
    """Verify a change; returns every check, passed or failed."""
    snapshot, removed_deletes = view.metadata.snapshot_by_id(change.snapshot_id), 0
    if snapshot is None:
        checks: tuple[Condition, ...] = (
            Condition("snapshot_present", False, f"snapshot {change.snapshot_id} is not in the table's metadata"),
        )
    else:
        step = _Step.of(view, snapshot)
        checks, removed_deletes = tuple(_ChangeChecks(view, step, change, counted).all()), step.removed_deletes
    return Verification(
        snapshot_id=change.snapshot_id,
        ok=all(check.holds for check in checks),
        checks=checks,
        removed_files=len(change.inputs),
        added_files=len(change.outputs),
        removed_rows=sum(each.record_count for each in change.inputs),
        added_rows=sum(each.record_count for each in change.outputs),
        removed_bytes=sum(each.file_bytes for each in change.inputs),
        added_bytes=sum(each.file_bytes for each in change.outputs),
        removed_delete_files=removed_deletes,
    )


@dataclass(frozen=True)
class _Step:
    """One snapshot and its changes: entries with the schema `manifests.ENTRIES`."""

    view: TableView
    snapshot: Snapshot
    entries: pa.Table

    @staticmethod
    def of(view: TableView, snapshot: Snapshot) -> "_Step":
        own = [each for each in view.manifests(snapshot) if each.added_snapshot_id == snapshot.snapshot_id]
        table = pa.concat_tables([ENTRIES.empty_table(), *view.reader.each(own)]).unify_dictionaries()
        return _Step(view, snapshot, table.filter(pc.equal(table["snapshot_id"], snapshot.snapshot_id)))

    def data(self, status: int) -> pa.Table:
        """Return the data files that it added or removed, by status."""
        return self.entries.filter(
            pc.and_(pc.equal(self.entries["content"], DATA), pc.equal(self.entries["status"], status))
        )

    @property
    def removed_deletes(self) -> int:
        """Number of delete files or deletion vectors that it removed."""
        is_delete = pc.not_equal(self.entries["content"], DATA)
        return int(pc.sum(pc.and_(is_delete, pc.equal(self.entries["status"], DELETED))).as_py() or 0)

    @cached_property
    def places(self) -> set[Place]:
        """Partitions of all data files that it added or removed."""
        data = self.entries.filter(pc.equal(self.entries["content"], DATA))
        keys = data.select(["spec_id", "partition"]).to_pylist()
        return {(each["spec_id"], each["partition"]) for each in keys}

    def change(self) -> NativeChange | None:
        """Return the change if it removed data files of one partition and touched no other."""
        removed, added = self.data(DELETED), self.data(ADDED)
        if not removed.num_rows or len(self.places) != 1 or self.snapshot.parent_snapshot_id is None:
            return None
        inputs = removed.select(["path", "file_bytes", "record_count", "sequence_number"]).to_pylist()
        outputs = added.select(["path", "file_bytes", "record_count"]).to_pylist()
        return NativeChange(
            snapshot_id=self.snapshot.snapshot_id,
            parent_id=self.snapshot.parent_snapshot_id,
            place=next(iter(self.places)),
            inputs=tuple(InputFile(**each) for each in inputs),
            outputs=tuple(OutputFile(**each, footer="") for each in outputs),
            application=summary_of(self.snapshot).get(_APPLICATION),
            rows_known=self._rows_known(removed),
        )

    def _rows_known(self, removed: pa.Table) -> int | None:
        """Return the number of rows deleted by the removed files' deletes; None if metadata has only a bound."""
        deletes = self.live(self.parent, ManifestContent.DELETES)
        counts = count_deletes(removed, deletes)
        if counts.equality.any() or counts.files[counts.vectors == 0].any():
            return None
        return int(counts.rows.sum())  # a vector's count is exact, and a file has at most one

    @property
    def parent(self) -> Snapshot | None:
        """The parent snapshot; None if it has expired."""
        return self.view.parent_of(self.snapshot)

    def live(self, snapshot: Snapshot | None, content: ManifestContent) -> pa.Table:
        """Return the live entries of a snapshot."""
        return self.view.reader.live(each for each in self.view.manifests(snapshot) if each.content == content)


@dataclass(frozen=True, slots=True)
class _ChangeChecks:
    view: TableView
    step: _Step
    change: NativeChange
    counted: RowCounts | None

    def all(self) -> Iterator[Condition]:
        yield Condition("snapshot_present", True, f"snapshot {self.change.snapshot_id}")
        yield in_history(self.view.metadata, self.change.snapshot_id)
        yield self._one_partition()
        yield self._rows()
        yield self._sequence_numbers()
        yield self._locations()
        if self.step.parent is None:
            yield Condition("parent_present", False, "the parent has expired: it can't be compared with it")
            return
        yield self._all_else()
        yield self._deletes()

    def _one_partition(self) -> Condition:
        detail = f"files of {len(self.step.places)} partitions removed or added"
        return Condition("planned_partition_only", self.step.places == {self.change.place}, detail)

    def _rows(self) -> Condition:
        """Check that only rows removed by deletes are missing; they were counted if metadata has only a bound."""
        change, counted = self.change, self.counted
        known = change.rows_known
        detail = f"{change.rows_deleted} rows fewer in the files"
        if known is not None:
            return Condition("rows_conserved", change.rows_deleted == known, f"{detail}, {known} deleted by deletes")
        if counted is None:
            return Condition("rows_conserved", False, f"{detail}; how many deletes deleted was not counted")
        held = change.rows_deleted >= 0 and counted.before == counted.after
        return Condition("rows_conserved", held, f"{detail}; {counted.before} rows read before, {counted.after} after")

    def _sequence_numbers(self) -> Condition:
        own = self.step.snapshot.sequence_number or 0
        numbers = sorted(set(self.step.data(ADDED)["sequence_number"].to_pylist()))
        held = own == 0 or all(number < own for number in numbers)
        return Condition("sequence_numbers_kept", held, f"outputs have {numbers}, the snapshot {own}")

    def _locations(self) -> Condition:
        if own_location_provider(self.view.metadata.properties):
            return Condition("added_files_in_place", True, "the table has a location provider of its own")
        paths = [each.path for each in self.change.outputs]
        lost = outside(paths, all_locations(self.view.metadata))
        return Condition("added_files_in_place", not lost, f"{len(lost)} of {len(paths)} outside")

    def _all_else(self) -> Condition:
        old = self._paths(self.step.parent, [each.path for each in self.change.inputs])
        new = self._paths(self.step.snapshot, [each.path for each in self.change.outputs])
        return Condition("all_else_unchanged", old.equals(new), f"{len(old)} other live files before, {len(new)} after")

    def _paths(self, snapshot: Snapshot | None, without: Sequence[str]) -> pa.ChunkedArray:
        paths = self.step.live(snapshot, ManifestContent.DATA)["path"]
        others = paths.filter(pc.invert(pc.is_in(paths, value_set=pa.array(without, pa.string()))))
        return others.take(pc.sort_indices(others))

    def _deletes(self) -> Condition:
        """Check that no delete file was added, and none removed that applies to a live file: rows would reappear."""
        step = self.step
        moved = DeletesMoved.between(
            *(step.live(each, ManifestContent.DELETES) for each in (step.parent, step.snapshot))
        )
        came, gone = moved.came.num_rows, moved.gone.num_rows
        needed = moved.still_needed(step.live(step.snapshot, ManifestContent.DATA))
        detail = f"{came} delete files added, {gone} removed, {needed} files still need one of those"
        return Condition("deletes_conserved", not came and not needed, detail)

"""One loaded Paimon table, as `formats.base.OpenTable`: rewritten by Paimon's core or the kernel in tasks."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import CommitConflict, NotEligible
from engine.domain.runs.drops import Loss
from engine.domain.runs.files import InputFile
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.formats.base import (
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    Condition,
    GroupSettings,
    NativeEngine,
    SnapshotInfo,
    TableColumn,
    Verification,
    WrittenGroup,
)
from engine.formats.intake.guards import reads
from engine.formats.paimon.history import snapshot_infos
from engine.formats.paimon.metadata.options import BucketMode
from engine.formats.paimon.metadata.partition_fields import SPEC_ID, partition_times, spec_fields
from engine.formats.paimon.metadata.policy_fields import policy_fields, stop_trigger
from engine.formats.paimon.metadata.schemas import SCHEMA_BYTES
from engine.formats.paimon.removal.outputs import list_run_files, remove_run_files
from engine.formats.paimon.rewrite.commits import Committer, find_commits, lost_groups
from engine.formats.paimon.rewrite.conditions import NO_ORDER, core_conditions, kernel_conditions
from engine.formats.paimon.rewrite.core import CoreCalls, any_format, engine_of, reachable
from engine.formats.paimon.rewrite.heap import heap_condition
from engine.formats.paimon.rewrite.merge_rules import check_limit
from engine.formats.paimon.rewrite.proofs import verify_snapshot
from engine.formats.paimon.rewrite.stores import core_storage
from engine.formats.paimon.rewrite.tasks import core_task, kernel_task
from engine.formats.paimon.upkeep.tables import UpkeepTable
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.groupings import ArrivalWindows, FullScope, Packed
from engine.planning.plans.predicates import PartitionSpecFields
from engine.rewriting.kernel.contract import EngineTask


class PaimonTable(UpkeepTable):
    """A loaded table. Methods that read metadata raise `TableUnreadable`, or `Transient` if it expired since."""

    @property
    def uuid(self) -> str:
        """The table's own stable identity."""
        return self._view.uuid

    @property
    def location(self) -> str:
        """The table's base location."""
        return self._view.files.location

    @property
    def locations(self) -> Sequence[str]:
        """The base location, and those of data files in other places."""
        return [self.location, *self._view.options.external_paths]

    @property
    def pointer(self) -> str:
        """The catalog's pointer when the table was loaded, as returned by `CatalogConnection.pointers`."""
        return self._view.pointer

    @property
    def head_snapshot_id(self) -> int | None:
        """Id of the newest snapshot; None before the first commit."""
        return None if self._view.head is None else self._view.head.id

    @property
    def schema_id(self) -> int:
        """Id of the current schema."""
        return self._view.schema.id

    @property
    def current_spec_id(self) -> int:
        """Id of the table's only partition spec."""
        return SPEC_ID

    @reads("read the manifests of")
    def describe(self) -> Mapping[str, Any]:
        """Return snapshots, manifests, columns, keys and the options that decide about compaction, JSON-ready."""
        view = self._view
        fields = [{"name": name, "column": name, "transform": "identity"} for name in view.schema.partition_keys]
        return {
            "format": "paimon",
            "uuid": self.uuid,
            "location": self.location,
            "head_snapshot_id": None if view.head is None else str(view.head.id),
            "snapshot_count": len(view.snapshot_ids),
            "data_manifest_count": len(view.manifests),
            "schema_id": self.schema_id,
            "columns": [{"id": each.id, "name": each.name, "type": each.type.text} for each in view.schema.columns],
            "specs": [{"spec_id": SPEC_ID, "fields": fields}],
            "default_spec_id": SPEC_ID,
            "primary_keys": list(view.schema.primary_keys),
            **view.options.described(),
        }

    def policy_properties(self) -> Mapping[str, Any]:
        """Return the policy fields set by the table's own options, by dotted name."""
        return policy_fields(self._view.options, self._view.schema.options)

    def columns(self) -> Sequence[TableColumn]:
        """Return the top-level columns of the current schema, in its order."""
        return [TableColumn(each.name, each.type.is_nested) for each in self._view.schema.columns]

    def column_names(self) -> Sequence[str]:
        """Return the full names of the current schema's columns, those inside of rows too."""
        columns = self._view.schema.columns
        return [name for each in columns for name in (each.name, *(f"{each.name}.{it}" for it in each.type.fields))]

    @reads("read the schema of")
    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        """Return the partition columns in the form that predicates are evaluated with."""
        return [spec_fields(self._view.codec)]

    @reads("read the snapshots of")
    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        """Return the newest snapshots, newest first."""
        view = self._view
        added, is_keyed = view.arrivals.added_bytes, bool(view.schema.primary_keys)
        return snapshot_infos(view.newest(limit + 1), is_keyed=is_keyed, added_bytes=added)[:limit]

    @reads("read the storage of")
    def read_storage(self) -> None:
        """Read the current schema file."""
        self._view.files.storage.read(f"{self.location}/schema/schema-{self.schema_id}", SCHEMA_BYTES)

    @reads("read the manifests of")
    def digest(self) -> pa.Table:
        """Return the live data files of the head snapshot, in the shape of `planning.measures.digest.FILE_DIGEST`."""
        digest = self._view.live.digest(self._view.arrivals, self._view.files.storage.places)
        return any_format(digest) if self._is_native else digest

    @reads("read the manifests of")
    def figures(self) -> TableMeasures:
        """Return table-level measurements."""
        view = self._view
        return TableMeasures(
            snapshot_count=len(view.snapshot_ids),
            manifest_count=len(view.manifests),
            manifest_bytes=sum(each.file_bytes for each in view.manifests),
            committed_at_ms=self._commit_times(),
            known_since_ms=view.arrivals.known_since_ms or None,
            metadata_bytes=view.schema.file_bytes + (0 if view.head is None else view.head.file_bytes),
            times=partition_times(view.codec),
            delete_files=view.live.vector_counts(),
            current_spec_id=SPEC_ID,
            has_levels=bool(view.schema.primary_keys),
            hides_level0=view.options.hides_level0,
            stop_trigger=stop_trigger(view.options, view.schema.options),
            last_level=view.options.last_level,
        )

    def _commit_times(self) -> Mapping[int, int]:
        """Return the commit times of the newest snapshots and of the oldest one, by id."""
        oldest = [each for number in self._view.snapshot_ids[:1] if (each := self._view.files.snapshot(number))]
        return {each.id: each.committed_at_ms for each in (*oldest, *self._view.newest_read)}

    @reads("read the manifests of")
    def conditions(
        self,
        order: RequestedOrder | None = None,
        *,
        moves_to_current_spec: bool = False,  # noqa: ARG002
    ) -> Sequence[Condition]:
        """Return the conditions of Paimon's core, and of the kernel unless the table is planned for the core.

        The core commits the files that the kernel writes, so that its conditions must hold for both.
        """
        by_kernel = not self._is_native
        of_core = [reachable(self._core), *core_conditions(self._view, self._properties, by_kernel=by_kernel)]
        if not by_kernel:
            heap = [] if self._core is None else [heap_condition(self._view, self._core.heap_limit_bytes)]
            return [*of_core, *heap]
        unordered = Condition("kernel_order", order is None, "rows keep their order" if order is None else NO_ORDER)
        return [*kernel_conditions(self._view), unordered, *of_core]

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:  # noqa: ARG002
        """Raise `NotEligible`."""
        raise NotEligible(f"{self.ref}: {NO_ORDER}")

    def order_ranges(
        self,
        order: RowOrdering,  # noqa: ARG002
        paths: pa.ChunkedArray | None = None,  # noqa: ARG002
    ) -> Sequence[ColumnRanges]:
        """Return no ranges: no order can be resolved."""
        return ()

    @reads("read the manifests of")
    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path.

        Raises:
            CommitConflict: a path is not live in this view.
        """
        live = self._view.live
        known = live.paths()
        at = pc.index_in(pa.array(paths, pa.string()), value_set=known.combine_chunks())
        if at.null_count:
            missing = next(path for path, place in zip(paths, at.to_pylist(), strict=True) if place is None)
            raise CommitConflict(f"{at.null_count} of {len(paths)} files are not live any more, the first is {missing}")
        rows = live.files.take(at)
        columns = (rows[name].to_pylist() for name in ("file_bytes", "record_count", "min_sequence"))
        found = zip(paths, *columns, strict=True)
        return {path: InputFile(path, size, count, max(0, number)) for path, size, count, number in found}

    def kernel_grouping(self) -> Packed | ArrivalWindows:
        """Return windows of neighbours for append tables with buckets: readers get rows in the order of arrival."""
        return ArrivalWindows(FullScope.UNSIZED) if self._keeps_arrival() else Packed(FullScope.UNSIZED)

    def _keeps_arrival(self) -> bool:
        return self._view.options.bucket_mode is BucketMode.FIXED and not self._view.schema.primary_keys

    def planned_natively(self) -> "PaimonTable":
        """Return the same view for planning Paimon's core."""
        other = copy(self)
        other._is_native = True  # noqa: SLF001 - of this class
        return other

    def native_engine(self) -> NativeEngine:
        """Return Paimon's core as the engine of this table."""
        options = self._view.options
        return engine_of(
            keeps_arrival=self._keeps_arrival(),
            looks_up=options.looks_up,
            has_vectors=options.has_deletion_vectors,
            last_level=options.last_level,
            check_limit=check_limit(self._view),
        )

    @reads("read the manifests of")
    def group_task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task of the core that compacts the bucket of a group, or that of the kernel."""
        if not self._is_native:
            return kernel_task(self._view, group, run_id=run_id, attempt=attempt, settings=settings)
        return core_task(
            self._view,
            group,
            run_id=run_id,
            attempt=attempt,
            settings=settings,
            core=self._reached(),
            needs_store=bool(self.task_storage()),
        )

    def task_storage(self) -> Mapping[str, str]:
        """Return the catalog's properties for the kernel; for the core the options of its file system for S3."""
        return core_storage(self.location, self._properties) if self._is_native else self._properties

    @reads("read the manifests of")
    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch through the core; see `formats.base.Committer.commit`."""
        storage = core_storage(self.location, self._properties)
        committer = Committer(core=self._reached(), fresh=self._fresh, storage=storage, uuid=self.uuid, lock=self._lock)
        return committer.commit(request, before_try=before_try)

    @reads("read the manifests of")
    def lost_groups(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:  # noqa: ARG002
        """Return the reasons, by ordinal, why groups planned on a base can no longer be committed in this view."""
        return lost_groups(self._view, base_snapshot_id, groups)

    @reads("read the snapshots of")
    def find_commits(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return all snapshots of this run that have not expired."""
        return find_commits(self._fresh().every_snapshot(), run_id)

    @reads("read the manifests of")
    def verify(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Verify a snapshot committed by Packhouse from the table's present metadata."""
        return verify_snapshot(self._fresh(), snapshot_id, groups)

    @reads("list the files of")
    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files of this run, recognized by name."""
        return list_run_files(self._fresh(), run_id)

    @reads("list the files of")
    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:  # noqa: ARG002
        """Delete files written by this run's attempts up to `up_to_attempt`, except `keep` and referenced ones.

        Manifests of commits that did not happen are left: the core has removed them, or they are orphans.
        """
        return remove_run_files(self._fresh, run_id, keep=keep, up_to_attempt=up_to_attempt)

    def _reached(self) -> CoreCalls:
        if self._core is None:
            raise NotEligible(reachable(self._core).detail)
        return self._core

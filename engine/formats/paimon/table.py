"""One loaded Paimon table, as `formats.base.OpenTable`: rewritten by Paimon's core or the kernel in tasks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import CommitConflict, NotEligible, TableUnreadable, Transient
from engine.domain.runs.files import InputFile
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.domain.tables.table import TableRef
from engine.formats.base import (
    Engine,
    NoParts,
    RewriteEngine,
    SnapshotInfo,
    TableColumn,
)
from engine.formats.intake.errors import causes_of
from engine.formats.intake.guards import reads
from engine.formats.paimon.catalog.locks import CatalogLock
from engine.formats.paimon.errors import reading_table
from engine.formats.paimon.history import snapshot_infos
from engine.formats.paimon.metadata.partition_fields import SPEC_ID, partition_times, spec_fields
from engine.formats.paimon.metadata.policy_fields import ignored_options, policy_fields, stop_trigger
from engine.formats.paimon.metadata.schemas import SCHEMA_BYTES
from engine.formats.paimon.removal.records import check_same, origin_of
from engine.formats.paimon.removal.tables import TableRemovals
from engine.formats.paimon.rewrite.conditions import NO_ORDER
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.formats.paimon.rewrite.engines import TableCore, TableKernel
from engine.formats.paimon.rewrite.table_commits import TableCommits
from engine.formats.paimon.upkeep.expiries import TableExpiry
from engine.formats.paimon.view import TableView
from engine.formats.removal.tables import TableExpiredRemoval, TableOrphanRemoval
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields


class PaimonTable(NoParts):
    """A loaded table. Methods that read metadata raise `TableUnreadable`, or `Transient` if it expired since."""

    def __init__(
        self,
        view: TableView,
        *,
        core: CoreCalls | None,
        fresh: Callable[[], TableView],
        lock: CatalogLock | None = None,
    ) -> None:
        self._view = view
        self._properties = view.files.storage.properties
        self._core = core
        self._fresh = fresh
        self._lock = lock

    def at_snapshot(self, snapshot_id: int) -> Self | None:
        """Return the table as of a snapshot that is not expired; see `OpenTable`."""
        with self.reading("read the snapshots of"):
            snapshot = self._view.files.snapshot(snapshot_id)
        if snapshot is None:
            return None
        return type(self)(self._view.at(snapshot), core=self._core, fresh=self._fresh, lock=self._lock)

    @contextmanager
    def reading(self, doing: str) -> Iterator[None]:
        """Run a block that reads metadata; see `errors.reading_table`."""
        try:
            with reading_table(f"{doing} {self.ref}"):
                yield
        except TableUnreadable as error:
            if any(isinstance(each, FileNotFoundError) for each in causes_of(error)) and self._has_expired():
                raise Transient(f"{self.ref} changed while it was read, and its old files are gone") from error
            raise

    def _has_expired(self) -> bool:
        """Return whether the snapshot of this view is gone, or another one has its id."""
        with reading_table(f"read the snapshots of {self.ref}"):
            head = self._view.head
            return head is not None and self._view.files.snapshot(head.id) != head

    @property
    def ref(self) -> TableRef:
        """The address under which it was opened."""
        return self._view.ref

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
    def data_locations(self) -> Sequence[str]:
        """The base location, and those of data files in other places."""
        return self.locations

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
            "ignored_properties": [asdict(each) for each in ignored_options(view.schema.options)],
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
        return self._view.file_digest()

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

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        """The kernel, and Paimon's core."""
        given = (self._view, self._properties, self._core, self.reading)
        return {Engine.ARROW: TableKernel(*given), Engine.NATIVE: TableCore(*given)}

    @property
    def commits(self) -> TableCommits:
        """The commits of rewrites to it."""
        return TableCommits(self._view, self._core, self._fresh, self._lock, self.reading)

    @property
    def expiry(self) -> TableExpiry:
        """The expiry of its snapshots and tags."""
        return TableExpiry(self._view, self._same, self._removals.expired_of, self.reading)

    @property
    def expired_removal(self) -> TableExpiredRemoval:
        """The removal of files that only expired snapshots and tags needed."""
        return self._removals.expired()

    @property
    def orphan_removal(self) -> TableOrphanRemoval:
        """The removal of files that nothing refers to."""
        return self._removals.orphans()

    @cached_property
    def _removals(self) -> TableRemovals:
        return TableRemovals(self._view, self._fresh, self.reading)

    def _same(self) -> TableView:
        """Load the table again. Raises `TableReplaced` if another table has its name now."""
        view = self._fresh()
        check_same(view, origin_of(self._view))
        return view

"""One loaded Iceberg table, as `formats.base.OpenTable`: each call delegates to the module that implements it.

Expensive data (manifests) is read on first use and kept for this view; open the table again to see newer commits.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict, replace
from functools import cached_property
from threading import Lock
from typing import Any, Self

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.manifest import ManifestContent
from pyiceberg.table import Table

from engine.domain.errors import TableUnreadable, Transient
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
from engine.formats.iceberg.catalog.paths import all_locations
from engine.formats.iceberg.commits.commit import TableCommits
from engine.formats.iceberg.commits.tries import CommitTries
from engine.formats.iceberg.errors import reading_of, reading_table, translated
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.history import known_since, newest
from engine.formats.iceberg.metadata.known_parents import KnownParents
from engine.formats.iceberg.metadata.partition_fields import spec_fields
from engine.formats.iceberg.metadata.partition_times import partition_times
from engine.formats.iceberg.metadata.sort_orders import resolve_order
from engine.formats.iceberg.metadata.superseded import history_bytes
from engine.formats.iceberg.metadata.table_properties import read_properties
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.tables import TableRemovals
from engine.formats.iceberg.rewrite.calls import TableProcedure
from engine.formats.iceberg.rewrite.tasks import TableKernel
from engine.formats.iceberg.statistics.column_bounds import column_ranges
from engine.formats.iceberg.upkeep.expiries import TableExpiry
from engine.formats.iceberg.upkeep.rewrites import TableDeletes, TableManifests
from engine.formats.intake.caches import Cache
from engine.formats.intake.errors import causes_of
from engine.formats.intake.guards import reads
from engine.formats.removal.tables import TableExpiredRemoval, TableOrphanRemoval
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields


class IcebergTable(NoParts):
    """A loaded Iceberg table; `load` returns its newer versions.

    Every method that reads metadata is decorated with `reads`: it raises `TableUnreadable` for unreadable metadata.
    """

    def __init__(
        self,
        *,
        ref: TableRef,
        catalog: Catalog,
        load: Callable[[], Table],
        table: Table,
        cache: Cache,
        parents: KnownParents,
        spark_catalog: str | None = None,
    ) -> None:
        self._ref = ref
        self._catalog = catalog
        self._load = load
        self._cache = cache
        self._parents = parents
        self._view = TableView.of(table, cache, parents)
        self._files: LiveFiles | None = None
        self._spark_catalog = spark_catalog
        self._lock = Lock()

    def at_snapshot(self, snapshot_id: int) -> Self | None:
        """Return the table as of a snapshot of its metadata; see `OpenTable`."""
        with self.reading("read the metadata of"):
            snapshot = self._view.metadata.snapshot_by_id(snapshot_id)
        if snapshot is None:
            return None
        other = copy(self)
        other._view = replace(self._view, head=snapshot)  # noqa: SLF001 - of this class
        other._files = None  # noqa: SLF001
        return other

    @contextmanager
    def reading(self, doing: str) -> Iterator[None]:
        """Run a block that reads metadata; errors name the table and `doing`.

        Raises:
            Transient: files are missing because the table changed meanwhile.
            TableUnreadable, StateConflict: as `errors.reading_table`.
        """
        try:
            with reading_table(f"{doing} {self._ref}"):
                yield
        except TableUnreadable as error:
            if any(isinstance(each, FileNotFoundError) for each in causes_of(error)) and self._has_moved():
                raise Transient(f"{self._ref} changed while it was read, and its old files are gone") from error
            raise

    def _has_moved(self) -> bool:
        """Return whether the catalog points to other metadata than this view's."""
        with reading_table(f"load table {self._ref}"):
            return self._load().metadata_location != self._view.table.metadata_location

    def _fresh(self) -> TableView:
        return TableView.of(self._load(), self._cache, self._parents)

    def _tries(self) -> CommitTries:
        return CommitTries(catalog=self._catalog, fresh=self._fresh)

    @property
    def ref(self) -> TableRef:
        """The address under which it was opened."""
        return self._ref

    @property
    def uuid(self) -> str:
        """The table's own stable identity."""
        return str(self._view.metadata.table_uuid)

    @property
    def location(self) -> str:
        """The table's base location."""
        return self._view.metadata.location

    @property
    def locations(self) -> Sequence[str]:
        """All locations of the table's files, read or written, and of the metadata file."""
        return [*all_locations(self._view.metadata), self._view.table.metadata_location]

    @property
    def data_locations(self) -> Sequence[str]:
        """The base location, and those that its properties set for data and metadata."""
        return all_locations(self._view.metadata)

    @property
    def pointer(self) -> str:
        """The catalog's pointer when the table was loaded, as returned by `CatalogConnection.pointers`."""
        return self._view.table.metadata_location

    @property
    def head_snapshot_id(self) -> int | None:
        """Id of the main branch's current snapshot; None before the first commit."""
        return None if self._view.head is None else self._view.head.snapshot_id

    @property
    def schema_id(self) -> int:
        """Id of the current schema."""
        return self._view.metadata.current_schema_id

    @property
    def current_spec_id(self) -> int:
        """Id of the partition spec that the table gives to new files."""
        return self._view.metadata.default_spec_id

    @reads("read the manifests of")
    def describe(self) -> Mapping[str, Any]:
        """Return format, version, snapshot and manifest counts, columns and specs, as JSON-ready values."""
        metadata = self._view.metadata
        manifests = self._view.manifests(self._view.head)
        deletes = sum(each.content == ManifestContent.DELETES for each in manifests)
        return {
            "format": "iceberg",
            "format_version": metadata.format_version,
            "uuid": self.uuid,
            "location": self.location,
            "head_snapshot_id": None if self.head_snapshot_id is None else str(self.head_snapshot_id),
            "snapshot_count": len(metadata.snapshots),
            "refs": sorted(metadata.refs),
            "data_manifest_count": len(manifests) - deletes,
            "delete_manifest_count": deletes,
            "schema_id": self.schema_id,
            "columns": [
                {
                    "id": each.field_id,
                    "name": each.name,
                    "type": self._view.table.newer_types.get(each.field_id) or str(each.field_type),
                    "required": each.required,
                }
                for each in metadata.schema().fields
            ],
            "specs": [
                {
                    "spec_id": spec.spec_id,
                    "fields": [
                        {
                            "name": each.name,
                            "column": metadata.schema().find_column_name(each.source_id),
                            "transform": str(each.transform),
                        }
                        for each in spec.fields
                    ],
                }
                for spec in metadata.partition_specs
            ],
            "default_spec_id": metadata.default_spec_id,
            "ignored_properties": [asdict(each) for each in read_properties(metadata.properties).ignored],
        }

    @reads("read the metadata of")
    def policy_properties(self) -> Mapping[str, Any]:
        """Return the policy fields set by the table's own properties, by dotted name."""
        return read_properties(self._view.metadata.properties).policy

    @reads("read the manifests of")
    def digest(self) -> pa.Table:
        """Return the live data files of the head snapshot, in the shape of `planning.measures.digest.FILE_DIGEST`."""
        return self._live_files().digest()

    @reads("read the manifests of")
    def figures(self) -> TableMeasures:
        """Return table-level measurements."""
        files = self._live_files()
        return TableMeasures(
            snapshot_count=len(self._view.metadata.snapshots),
            manifest_count=files.manifest_count,
            manifest_bytes=files.manifest_bytes,
            committed_at_ms=files.committed_at_ms,
            known_since_ms=known_since(self._view.metadata),
            metadata_bytes=self._view.metadata_bytes,
            times=partition_times(self._view.codecs.values()),
            delete_files=files.delete_files(),
            deletes_since_ms=files.deletes_since_ms(),
            current_spec_id=self.current_spec_id,
            history_bytes=history_bytes(self._view.metadata),
        )

    @reads("read the metadata of")
    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        """Resolve an order by column names on this table.

        Raises:
            NotEligible: a column is unknown or has no order, or the table has no sort order to use.
        """
        return resolve_order(self._view.metadata, requested, self._view.table.newer_types)

    @reads("read the manifests of")
    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        """Return the ranges of an order's columns in files, by default all of `digest`; for a sort only its first."""
        fields = order.fields[:1] if order.strategy == "sort" else order.fields
        wanted = self._live_files().data["path"] if paths is None else paths
        return column_ranges(self._view, [field.field_id for field in fields], wanted)

    @reads("read the metadata of")
    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        """Return every partition spec in the form that predicates are evaluated with; the current one is last."""
        return spec_fields(self._view.metadata, self._view.codecs)

    @reads("read the metadata of")
    def columns(self) -> Sequence[TableColumn]:
        """Return the top-level columns of the current schema, in its order."""
        return [
            TableColumn(each.name, not each.field_type.is_primitive) for each in self._view.metadata.schema().fields
        ]

    @reads("read the metadata of")
    def column_names(self) -> Sequence[str]:
        """Return the full names of the current schema's columns."""
        return self._view.metadata.schema().column_names

    @reads("read the manifests of")
    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, each with the position deletes that apply to it.

        Raises:
            CommitConflict: a path is not live in this view.
        """
        return self._live_files().inputs(paths)

    def read_storage(self) -> None:
        """Read the first byte of the table's metadata; see `OpenTable.read_storage`."""
        with (
            translated(f"read the metadata of {self._ref}"),
            self._view.table.io.new_input(self._view.table.metadata_location).open() as stream,
        ):
            stream.read(1)

    @reads("read the metadata of")
    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        """Return the newest snapshots of the main branch of this view, newest first."""
        return newest(self._view.metadata, limit)

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        """The kernel, and Iceberg's own procedure."""
        view, files = self._view, self._live_files
        kernel = TableKernel(view, files, self.reading)
        procedure = TableProcedure(self._ref, view, files, self._fresh, self._spark_catalog, self.reading)
        return {Engine.ARROW: kernel, Engine.NATIVE: procedure}

    @property
    def commits(self) -> TableCommits:
        """The commits of rewrites to it."""
        return TableCommits(self._view, self._fresh, self._tries, self._catalog, self.reading)

    @cached_property
    def expiry(self) -> TableExpiry:
        """The expiry of its snapshots."""
        return TableExpiry(self._view, self._catalog, self._fresh, self._removals.expired_of, self.reading)

    @cached_property
    def manifest_rewrite(self) -> TableManifests:
        """Rewrites of its manifests."""
        return TableManifests(self._view, self._fresh, self._tries, self.reading)

    @cached_property
    def delete_rewrite(self) -> TableDeletes:
        """Rewrites of its delete files."""
        return TableDeletes(self._view, self._fresh, self._tries, self.reading)

    @cached_property
    def expired_removal(self) -> TableExpiredRemoval:
        """The removal of files that only expired snapshots needed."""
        return self._removals.expired()

    @cached_property
    def orphan_removal(self) -> TableOrphanRemoval:
        """The removal of files that nothing refers to."""
        return self._removals.orphans()

    @property
    def _removals(self) -> TableRemovals:
        return TableRemovals(self._view, self._fresh, self.reading, reading_of(self._ref))

    def _live_files(self) -> LiveFiles:
        with self._lock:
            if self._files is None:
                self._files = self._view.live_files()
            return self._files

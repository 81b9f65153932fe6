"""One loaded table of a Hive Metastore or of AWS Glue, as `formats.base.OpenTable`.

Changes of a partition need no base: they depend on its files alone.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import CommitConflict
from engine.domain.runs.files import InputFile
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.domain.tables.table import TableRef
from engine.formats.base import (
    Condition,
    Engine,
    NoParts,
    RewriteEngine,
    SnapshotInfo,
    SnapshotKind,
    TableColumn,
)
from engine.formats.hive.errors import reading_table
from engine.formats.hive.files.footers import Footer, footers_or_refusals
from engine.formats.hive.metadata.partition_keys import SPEC_ID
from engine.formats.hive.metadata.tables import PROVIDER, names_of
from engine.formats.hive.removal.tables import TableCopyRemoval
from engine.formats.hive.rewrite.keys import key_condition
from engine.formats.hive.rewrite.orders import resolve_order
from engine.formats.hive.rewrite.table_commits import TableCommits
from engine.formats.hive.rewrite.tasks import TableKernel
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.locations import HiveWriteGuide
from engine.formats.intake.guards import reads
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields

_MOST_PLACES: Final = 1000
"""Most partitions in other places whose locations are indexed, so that events of their objects find the table."""


class HiveTable(NoParts):
    """A loaded table; `fresh` loads it again.

    It has no snapshots: its state when it was loaded counts as one, whose id is the fingerprint of its files. Methods
    that read raise `TableUnreadable`, or `Away` and `Transient` if Metastore or storage do not answer.
    """

    def __init__(self, view: TableView, fresh: Callable[[], TableView]) -> None:
        self._view, self._fresh = view, fresh

    def reading(self, doing: str) -> AbstractContextManager[None]:
        """Run a block that reads metadata; see `intake.guards.reads`."""
        return reading_table(f"{doing} {self.ref}")

    @property
    def ref(self) -> TableRef:
        """The address under which it was opened."""
        return self._view.ref

    @property
    def uuid(self) -> str:
        """An identity derived from the table's address and the time of its creation."""
        return self._view.uuid

    @property
    def location(self) -> str:
        """The table's base location; partitions can be in other places."""
        return self._view.entry.location

    @property
    def locations(self) -> Sequence[str]:
        """The base location: partitions in other places are reported, and read only if the catalog allows it."""
        return [self.location]

    @property
    @reads("read the partitions of")
    def data_locations(self) -> Sequence[str]:
        """The base location, and those of partitions in other places that may be read."""
        return [self.location, *self._view.partitions.apart_from(self.location, _MOST_PLACES)]

    @property
    @reads("list the files of")
    def pointer(self) -> str:
        """A fingerprint of schema, partitions and files, as text."""
        return self._view.pointer

    @property
    @reads("list the files of")
    def head_snapshot_id(self) -> int | None:
        """The same fingerprint as a number; None without files."""
        return self._view.state

    @property
    def schema_id(self) -> int:
        """A checksum of the columns and partition keys."""
        return self._view.entry.schema_id

    @property
    def current_spec_id(self) -> int:
        """Id of the table's only partition spec."""
        return SPEC_ID

    @reads("list the files of")
    def describe(self) -> Mapping[str, Any]:
        """Return columns, partition keys and the numbers of partitions and files, JSON-ready."""
        view, entry = self._view, self._view.entry
        fields = [{"name": each.name, "column": each.name, "transform": "identity"} for each in entry.keys]
        return {
            "format": "hive",
            "uuid": self.uuid,
            "location": self.location,
            "head_snapshot_id": None if view.state is None else str(view.state),
            "snapshot_count": int(view.state is not None),
            "data_manifest_count": 0,
            "schema_id": self.schema_id,
            "columns": names_of((*entry.columns, *entry.keys)),
            "specs": [{"spec_id": SPEC_ID, "fields": fields}],
            "default_spec_id": SPEC_ID,
            "kind": entry.kind,
            "provider": entry.parameters.get(PROVIDER, "hive").lower(),
            "partition_count": view.partitions.table.num_rows,
            "partitions_outside": view.partitions.outside,
        }

    def policy_properties(self) -> Mapping[str, Any]:
        """Return the codec, if the table has the property `parquet.compression`."""
        codec = self._view.entry.codec
        return {} if codec is None else {"rewrite.compression": codec}

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns and then the partition keys."""
        entry = self._view.entry
        return [
            TableColumn(each.name.lower(), each.is_nested, in_any_case=True) for each in (*entry.columns, *entry.keys)
        ]

    def column_names(self) -> Sequence[str]:
        """Return the names of the columns and partition keys; those inside of structs are not listed."""
        return [each.name for each in self.columns()]

    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        """Return the partition keys in the form that predicates are evaluated with."""
        return [self._view.keys.fields()]

    @reads("list the files of")
    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        """Return the present state as the only snapshot, with the time of the newest file."""
        state = self._view.state
        if state is None or limit < 1:
            return []
        return [SnapshotInfo(state, None, self._view.newest_ms, SnapshotKind.UNKNOWN)]

    @reads("read the entry of")
    def read_storage(self) -> None:
        """List the files of the partitions."""
        _ = self._view.files

    @reads("list the files of")
    def digest(self) -> pa.Table:
        """Return the data files, in the shape of `planning.measures.digest.FILE_DIGEST`."""
        return self._view.digest

    @reads("list the files of")
    def figures(self) -> TableMeasures:
        """Return table-level measurements."""
        view = self._view
        return TableMeasures(
            snapshot_count=int(view.state is not None),
            committed_at_ms={} if view.state is None else {view.state: view.newest_ms},
            known_since_ms=view.oldest_ms or None,
            times=view.keys.times(view.names()),
            current_spec_id=SPEC_ID,
        )

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        """Resolve an order by names of columns. Raises `NotEligible` if a column is unknown or has no order."""
        return resolve_order(self._view.entry, requested)

    def order_ranges(
        self,
        order: RowOrdering,  # noqa: ARG002
        paths: pa.ChunkedArray | None = None,  # noqa: ARG002
    ) -> Sequence[ColumnRanges]:
        """Return no ranges: bounds are in the footers of files, and reading them would take a request for each."""
        return ()

    @reads("list the files of")
    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, with the rows by their footers: 0 of a file that can't be read.

        Raises:
            CommitConflict: a path is not a data file in this view.
        """
        digest = self._view.digest
        at = pc.index_in(pa.array(paths, pa.string()), value_set=digest["path"].combine_chunks())
        if at.null_count:
            missing = next(path for path, row in zip(paths, at.to_pylist(), strict=True) if row is None)
            raise CommitConflict(f"{at.null_count} of {len(paths)} files are gone, the first is {missing[:300]}")
        rows = digest.take(at)
        sizes, times = rows["file_bytes"].to_pylist(), rows["sequence_number"].to_pylist()
        footers = footers_or_refusals(list(zip(paths, sizes, strict=True)), self._view.storage)
        counts = [footer.rows if isinstance(footer, Footer) else 0 for footer in footers]
        return {path: InputFile(path, *each) for path, *each in zip(paths, sizes, counts, times, strict=True)}

    @property
    def copy_removal(self) -> TableCopyRemoval:
        """The removal of the folders that rewrites replaced."""
        return TableCopyRemoval(self.reading, self.reading, lambda: self._view.storage, self._view, self._fresh)

    @property
    def engines(self) -> Mapping[Engine, RewriteEngine]:
        """The kernel."""
        return {Engine.ARROW: TableKernel(self._view, self.reading)}

    @property
    def commits(self) -> TableCommits:
        """The commits of rewrites to it."""
        return TableCommits(self._view, self._fresh, self.reading)

    def key_condition(self, key: DeclaredKey) -> Condition:
        """Return the condition that the table has the columns of a key, of types that can be compared."""
        return key_condition(self._view.entry, key)

    @property
    def write_guide(self) -> HiveWriteGuide:
        """Folders for files of writers; see `OpenTable.write_guide`."""
        return HiveWriteGuide(self._view, self.reading)

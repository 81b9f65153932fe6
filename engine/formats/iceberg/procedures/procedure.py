"""Iceberg's own rewrite procedure on a loaded table, as `formats.base.NativeProcedure`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.domain.errors import NotEligible
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.domain.tables.table import TableRef
from engine.formats.base import NativeChange, ProcedureSettings, RowCounts, Verification
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.procedures.calls import call_options, is_conflict
from engine.formats.iceberg.procedures.changes import native_changes, verify_native
from engine.formats.iceberg.procedures.native import no_name_in_spark, partition_tests
from engine.formats.intake.guards import Reading, reads
from engine.planning.plans.rewrite_limits import RewriteLimits


@dataclass(frozen=True, slots=True)
class TableProcedure:
    """Calls are of `view`, changes and proofs of what `fresh` loads. `catalog`: its name in Spark, None without one."""

    ref: TableRef
    view: TableView
    fresh: Callable[[], TableView]
    catalog: str | None
    reading: Reading

    def spark_table(self) -> SparkTable:
        """The table's identifier in Spark."""
        if self.catalog is None:
            raise NotEligible(f"{self.ref}: {no_name_in_spark()}")
        return SparkTable(self.catalog, tuple(self.ref.namespace), self.ref.name)

    @reads("read the metadata of")
    def partition_tests(self, place: Place) -> Sequence[PartitionTest]:
        """Return the tests that select one partition; none for an unpartitioned table."""
        return partition_tests(self.view, *place)

    @reads("read the metadata of")
    def call(self, group: FileGroup, limits: RewriteLimits, settings: ProcedureSettings) -> ProcedureCall:
        """Return the call of `rewrite_data_files` on the partition of a group."""
        tests = partition_tests(self.view, *group.place)
        return ProcedureCall("rewrite_data_files", self.spark_table(), tests, call_options(limits, settings))

    def is_conflict(self, failure: str) -> bool:
        """Return whether a failed call lost to another writer, by the text of its failure on Spark."""
        return is_conflict(failure)

    @reads("read the manifests of")
    def changes(self, base_snapshot_id: int, places: Sequence[Place]) -> Sequence[NativeChange]:
        """Return other clients' replacements in these partitions since a base, from current metadata."""
        return native_changes(self.fresh(), base_snapshot_id, places)

    @reads("read the manifests of")
    def prove(self, change: NativeChange, counted: RowCounts | None) -> Verification:
        """Verify a change against the catalog's current metadata."""
        return verify_native(self.fresh(), change, counted)

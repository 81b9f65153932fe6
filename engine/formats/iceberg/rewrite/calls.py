"""Iceberg's own procedure on a table: the options of its call, the meaning of its failures, its changes and proofs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.policies import Strategy
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.procedures import OptionValue, PartitionTest, ProcedureCall, SparkTable
from engine.domain.tables.orders import RequestedOrder
from engine.domain.tables.table import TableRef
from engine.formats.base import (
    Condition,
    Engine,
    EngineTraits,
    GroupSettings,
    NativeChange,
    ProcedureSettings,
    RowCounts,
    Verification,
)
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.rewrite.changes import native_changes, verify_native
from engine.formats.iceberg.rewrite.native import native_conditions, native_digest, no_name_in_spark, partition_tests
from engine.formats.intake.guards import Reading, reads
from engine.planning.plans.groupings import WholeUnits
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.rewriting.kernel.contract import EngineTask

PROCEDURE: Final = EngineTraits(
    Engine.NATIVE,
    "the table format's own procedure",
    WholeUnits(),
    frozenset({Strategy.BINPACK}),
    is_paced=False,
    by_property={"rewrite.compression": "write.parquet.compression-codec"},
    at_once=1,
)
"""The procedure as an engine: it divides each partition into its own groups."""

_CONFLICTS: Final = ("ValidationException", "CommitFailedException")
_MOST_BYTES: Final = 2**63 - 1


def call_options(limits: RewriteLimits, settings: ProcedureSettings) -> Mapping[str, OptionValue]:
    """Return the options of the procedure that correspond to the plan's limits."""
    return {
        "target-file-size-bytes": limits.target_bytes,
        "min-file-size-bytes": limits.small_bytes,
        "max-file-size-bytes": limits.large_bytes or _MOST_BYTES,
        "min-input-files": limits.min_input_files,
        "max-file-group-size-bytes": limits.group_bytes,
        "max-concurrent-file-group-rewrites": settings.tasks,
        "delete-file-threshold": max(1, limits.delete_files),
        "delete-ratio-threshold": limits.delete_ratio,
        "rewrite-all": settings.full,
        "partial-progress.enabled": False,  # it reports success despite failures, and goes on after an interrupt
        "use-starting-sequence-number": True,  # without it a delete committed during the rewrite would be lost
    }


def is_conflict(failure: str) -> bool:
    """Return whether the text of a failure names an exception of Iceberg for a commit that lost to another."""
    return any(name in failure for name in _CONFLICTS)


@dataclass(frozen=True, slots=True)
class TableProcedure:
    """The procedure as an engine of one table.

    Calls are of `view`, changes and proofs of what `fresh` loads. `files` returns the live files of the view.
    `catalog`: its name in Spark, None without one.
    """

    ref: TableRef
    view: TableView
    files: Callable[[], LiveFiles]
    fresh: Callable[[], TableView]
    catalog: str | None
    reading: Reading

    @property
    def traits(self) -> EngineTraits:
        """Those of the procedure."""
        return PROCEDURE

    @property
    def procedure(self) -> "TableProcedure":
        """Itself."""
        return self

    @reads("read the manifests of")
    def conditions(
        self,
        order: RequestedOrder | None = None,  # noqa: ARG002
        *,
        moves_to_current_spec: bool = False,  # noqa: ARG002
    ) -> Sequence[Condition]:
        """Return every condition of the procedure for this table, met or not."""
        return native_conditions(self.view, self.files(), self.catalog)

    @reads("read the manifests of")
    def digest(self) -> pa.Table:
        """Return the live data files as the procedure reads them."""
        return native_digest(self.files().digest())

    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:  # noqa: ARG002
        """Refuse: a procedure makes its tasks itself."""
        raise NotEligible(f"{self.ref}: a procedure rewrites partitions without tasks of Packhouse")

    def task_storage(self) -> Mapping[str, str]:
        """Return nothing: its tasks have Spark's credentials."""
        return {}

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

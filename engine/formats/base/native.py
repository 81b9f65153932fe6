"""Protocols for rewrites by an engine of the table format itself: a library in tasks, or a procedure that commits.

A call of a procedure commits on its own and can't sign its snapshot, so its result is identified by its changes: a
snapshot after the planned one that replaced files of exactly one planned partition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.domain.policies import Strategy
from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.formats.base.commits import Verification
from engine.formats.base.tables import RewritableTable
from engine.planning.plans.group_forms import GroupForm
from engine.planning.plans.rewrite_limits import RewriteLimits


@dataclass(frozen=True, slots=True)
class NativeChange:
    """A snapshot that replaced data files of one partition, and all files that it removed and added there.

    `application`: the Spark application that committed it, None if not in its summary. `rows_deleted`: removed minus
    added rows. `rows_known`: number of rows deleted by the removed files' deletes, None if metadata has only a bound.
    """

    snapshot_id: int
    parent_id: int
    place: Place
    inputs: tuple[InputFile, ...]
    outputs: tuple[OutputFile, ...]
    application: str | None
    rows_known: int | None

    @property
    def input_bytes(self) -> int:
        """Bytes of the removed files."""
        return sum(file.file_bytes for file in self.inputs)

    @property
    def output_bytes(self) -> int:
        """Bytes of the added files."""
        return sum(file.file_bytes for file in self.outputs)

    @property
    def rows_deleted(self) -> int:
        """Rows of the removed files that are in none of the added ones."""
        return sum(file.record_count for file in self.inputs) - sum(file.record_count for file in self.outputs)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows of a partition with all deletes applied, before and after a snapshot."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ProcedureSettings:
    """Settings of a call besides the plan's limits: most concurrent tasks; `full`: rewrite also well-formed files."""

    tasks: int
    full: bool


@dataclass(frozen=True, slots=True)
class NativeEngine:
    """A table format's own engine: its name in sentences, its file groups, and the strategies that it follows.

    `is_paced`: its tasks hold a run's rates; otherwise it is only admitted where it fits under them. `checks_rows`: its
    tasks compare rows as `verification` asks for, without those of `check_limit`.
    """

    name: str
    form: GroupForm
    strategies: frozenset[Strategy]
    is_paced: bool
    checks_rows: bool = False
    check_limit: str = ""


@runtime_checkable
class OwnEngine(RewritableTable, Protocol):
    """An open table whose format has an engine of its own, `rewrite.engine: native`. All calls may block."""

    @property
    def needs_own_engine(self) -> bool:
        """Whether no other engine can rewrite the table, whatever its files are: known without its manifests."""

    def planned_natively(self) -> "OwnEngine":
        """Return the same view for planning with it: with its conditions, and with no file out of reach."""

    def native_engine(self) -> NativeEngine:
        """Return the engine for this table."""

    def settings_by_property(self) -> Mapping[str, str]:
        """Return the policy fields that it has no option for, but goes by a table property, each with that property."""


@runtime_checkable
class NativeTable(OwnEngine, Protocol):
    """An open table whose format has a procedure, which commits on its own. All calls may block."""

    def spark_table(self) -> SparkTable:
        """The table's identifier in Spark. Raises `NotEligible` when its catalog has no name there."""

    def partition_tests(self, place: Place) -> Sequence[PartitionTest]:
        """Return the tests that select one partition; none for an unpartitioned table."""

    def procedure_call(self, group: FileGroup, limits: RewriteLimits, settings: ProcedureSettings) -> ProcedureCall:
        """Return the call that rewrites the partition of a group."""

    def is_conflict(self, failure: str) -> bool:
        """Return whether a failed call lost to another writer, by the text of its failure on Spark."""

    def native_changes(self, base_snapshot_id: int, places: Sequence[Place]) -> Sequence[NativeChange]:
        """Return replacements in these partitions since a base, other than Packhouse's commits, oldest first.

        Reloads the table.

        Raises:
            CommitConflict: the base is no longer in the history of the main branch.
        """

    def verify_native(self, change: NativeChange, counted: RowCounts | None) -> Verification:
        """Verify a change from the table's metadata, and from counted rows where metadata is not sufficient."""

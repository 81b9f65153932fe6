"""What a table format does for rewrites by its own procedure: what to call, and what became of a call.

A call commits by itself and can't sign its snapshot, so what it came to is found by what it did: a snapshot after the
planned one that replaced files of exactly one planned partition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.procedures import OptionValue, PartitionTest, ProcedureCall, SparkTable
from engine.formats.base import OpenTable, Verification


@dataclass(frozen=True, slots=True)
class NativeChange:
    """A snapshot that replaced data files of one partition, and all that it removed and added there.

    `application`: the Spark application that committed it, None if it does not say. `rows_deleted`: by how many rows
    the files came to less. `rows_known`: how many the removed files' deletes delete, None where only reading tells.
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


@runtime_checkable
class NativeTable(OpenTable, Protocol):
    """An open table whose format has a procedure. All calls may block."""

    def planned_natively(self) -> "NativeTable":
        """Return the same view as it is planned for the procedure: other conditions, and no file is out of reach."""

    def spark_table(self) -> SparkTable:
        """The table as Spark knows it. Raises `NotEligible` when its catalog has no name there."""

    def partition_tests(self, place: Place) -> Sequence[PartitionTest]:
        """Return the tests that select one partition; none for an unpartitioned table."""

    def procedure_call(self, group: FileGroup, options: Mapping[str, OptionValue]) -> ProcedureCall:
        """Return the call that rewrites the partition of a group."""

    def native_changes(self, base_snapshot_id: int, places: Sequence[Place]) -> Sequence[NativeChange]:
        """Return what snapshots that are no commits of ours replaced in these partitions since a base, oldest first.

        The table is loaded anew for it.

        Raises:
            CommitConflict: the base is not in the history of the main branch any more.
        """

    def verify_native(self, change: NativeChange, counted: RowCounts | None) -> Verification:
        """Prove a change from the table's metadata, and from rows that were counted where that does not tell."""

"""What the native path asks of Spark."""

from collections.abc import Sequence
from typing import Protocol

from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.spark.dispatch import Ticket


class Procedures(Protocol):
    """Calls procedures, blocking; `spark.native.SparkProcedures` in production."""

    def application(self, ticket: Ticket) -> str:
        """Return the application that signs what it commits."""

    def check_table(self, ticket: Ticket, table: SparkTable, snapshot_id: int) -> None:
        """Raise `NotEligible` unless the table of this name has a snapshot."""

    def refresh(self, ticket: Ticket, table: SparkTable) -> None:
        """Let nothing that is held of a table be used any more."""

    def call(self, ticket: Ticket, asked: ProcedureCall) -> None:
        """Call a procedure and wait for its end."""

    def count_rows(self, ticket: Ticket, table: SparkTable, snapshot_id: int, where: Sequence[PartitionTest]) -> int:
        """Return the rows of a partition in a snapshot, deletes applied."""

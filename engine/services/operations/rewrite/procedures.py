"""Interface of Spark procedures for the native path."""

from collections.abc import Sequence
from typing import Protocol

from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.spark.dispatch import Ticket


class Procedures(Protocol):
    """Calls procedures, blocking; `spark.native.SparkProcedures` in production."""

    def application(self, ticket: Ticket) -> str:
        """Return the Spark application id that is in the summary of its commits."""

    def check_table(self, ticket: Ticket, table: SparkTable, snapshot_id: int) -> None:
        """Raise `NotEligible` unless the table of this name has a snapshot."""

    def refresh(self, ticket: Ticket, table: SparkTable) -> None:
        """Drop Spark's cached metadata of a table."""

    def call(self, ticket: Ticket, asked: ProcedureCall) -> None:
        """Call a procedure and wait for its end."""

    def count_rows(self, ticket: Ticket, table: SparkTable, snapshot_id: int, where: Sequence[PartitionTest]) -> int:
        """Return the rows of a partition in a snapshot, deletes applied."""

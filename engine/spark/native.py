"""Calls procedures of table formats on Spark, and asks it the few things about a table that a proof needs.

What a call answers is not looked at: procedures have been seen to report success when every commit failed, and failure
when all had landed. Only the table tells what became of a call, also of one whose answer was lost.
"""

from collections.abc import Sequence

from engine.domain.errors import NotEligible
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.spark import sql
from engine.spark.dispatch import SparkDispatcher, Ticket
from engine.spark.sessions import SparkSessions


class SparkProcedures:
    """Everything blocks. Errors are those of `SparkDispatcher.run`; an interrupted call may have committed before."""

    def __init__(self, *, sessions: SparkSessions, dispatcher: SparkDispatcher) -> None:
        self._sessions = sessions
        self._dispatcher = dispatcher

    def application(self, ticket: Ticket) -> str:
        """Return the id of the Spark application, which Iceberg notes in the summary of each snapshot it commits."""
        own = self._sessions.get(ticket.session_id).session_id
        return self._sessions.calls.setting(own, "spark.app.id", "")

    def check_table(self, ticket: Ticket, table: SparkTable, snapshot_id: int) -> None:
        """Make sure that Spark's table of this name is the one that has a snapshot.

        Raises:
            NotEligible: Spark has another table under the name.
        """
        if not self._dispatcher.rows(ticket, sql.has_snapshot(table, snapshot_id)):
            named = ".".join((table.catalog, *table.namespace, table.name))
            raise NotEligible(
                f"Spark's table {named} has no snapshot {snapshot_id}: it is another table, or an old copy; "
                "check the name that the catalog has in Spark"
            )

    def refresh(self, ticket: Ticket, table: SparkTable) -> None:
        """Let Spark forget what it holds of a table, so that it plans on the newest snapshot."""
        self._dispatcher.execute(ticket, sql.refresh(table))

    def call(self, ticket: Ticket, asked: ProcedureCall) -> None:
        """Call a procedure and wait until it ended."""
        self._dispatcher.execute(ticket, sql.call(asked))

    def count_rows(self, ticket: Ticket, table: SparkTable, snapshot_id: int, where: Sequence[PartitionTest]) -> int:
        """Return how many rows a partition has in one snapshot, all deletes applied: Spark reads what that takes."""
        return int(self._dispatcher.rows(ticket, sql.count_rows(table, snapshot_id, where))[0]["rows"])

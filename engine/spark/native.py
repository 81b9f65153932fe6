"""Call procedures of table formats on Spark, and read the facts about a table that verification needs.

The result of a call is ignored: procedures have been seen to report success when every commit failed, and failure when
all had succeeded. Only the table's history shows the outcome of a call, including one whose answer was lost.
"""

from collections.abc import Sequence

from engine.domain.errors import NotEligible
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.spark import sql
from engine.spark.dispatch import SparkDispatcher, Ticket
from engine.spark.sessions import SparkSessions


class SparkProcedures:
    """Blocking procedure calls on Spark. Raise as `SparkDispatcher.run`; an interrupted call may have committed."""

    def __init__(self, *, sessions: SparkSessions, dispatcher: SparkDispatcher) -> None:
        self._sessions = sessions
        self._dispatcher = dispatcher

    def application(self, ticket: Ticket) -> str:
        """Return the id of the Spark application, which table formats record with each commit."""
        own = self._sessions.get(ticket.session_id).session_id
        return self._sessions.calls.setting(own, "spark.app.id", "")

    def check_table(self, ticket: Ticket, table: SparkTable, snapshot_id: int) -> None:
        """Check that Spark's table of this name contains the snapshot.

        Raises:
            NotEligible: Spark has a different table under this name.
        """
        if not self._dispatcher.rows(ticket, sql.has_snapshot(table, snapshot_id)):
            named = ".".join((table.catalog, *table.namespace, table.name))
            where = "" if self._sessions.endpoint is None else f" at endpoint {self._sessions.endpoint}"
            raise NotEligible(
                f"Spark's table {named}{where} has no snapshot {snapshot_id}: it is another table, or an old copy; "
                "check the name that the catalog has in Spark (packhouse catalogs check)"
            )

    def refresh(self, ticket: Ticket, table: SparkTable) -> None:
        """Clear Spark's cached metadata of a table, so that it plans on the newest snapshot."""
        self._dispatcher.execute(ticket, sql.refresh(table))

    def call(self, ticket: Ticket, asked: ProcedureCall) -> None:
        """Call a procedure and wait until it ends."""
        self._dispatcher.execute(ticket, sql.call(asked))

    def count_rows(self, ticket: Ticket, table: SparkTable, snapshot_id: int, where: Sequence[PartitionTest]) -> int:
        """Return the number of rows of a partition in one snapshot, with all deletes applied; Spark reads the data."""
        return int(self._dispatcher.rows(ticket, sql.count_rows(table, snapshot_id, where))[0]["rows"])

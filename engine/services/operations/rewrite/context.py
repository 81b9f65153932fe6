"""Services and settings that all attempts at rewrites share, and the interface of Spark's procedures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.domain.clock import Clock
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.queue.budgets import PaceLedger
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.tasks.dispatching import Dispatcher
from engine.services.operations.tasks.pacing import PaceTools
from engine.services.tables.observations import ObservationService
from engine.spark.dispatch import Ticket
from engine.stores.database import Database


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


@dataclass(frozen=True, slots=True)
class RewriteContext:
    """Services and settings of all attempts. `machine`: where tasks run; run times are compared per machine."""

    database: Database
    formats: TableAccess
    capabilities: CapabilityService
    observations: ObservationService
    dispatcher: Dispatcher
    procedures: Procedures
    function: Callable[[str], str]
    pace: PaceLedger
    pacing: PaceTools
    clock: Clock
    machine: str
    commit_batch_bytes: int
    commit_batch_seconds: float

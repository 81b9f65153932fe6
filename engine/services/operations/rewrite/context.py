"""Services and settings that all attempts at rewrites share."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.domain.clock import Clock
from engine.queue.budgets import PaceLedger
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.rewrite.procedures import Procedures
from engine.services.operations.tasks.lanes import Dispatcher
from engine.services.operations.tasks.pacing import PaceTools
from engine.services.tables.observations import ObservationService
from engine.stores.database import Database


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
